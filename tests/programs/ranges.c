/* SPDX-License-Identifier: Apache-2.0
 * Ranges that the compiler announces as one, and more pieces than the ring holds. */
#include <string.h>

struct five { long a, b, c, d, e; };
struct five source = { 1, 2, 3, 4, 5 }, target;
long large[200000];

int main(void)
{
    target = source;
    memset(large, 1, sizeof large);
    return target.e == 5 && large[199999] ? 0 : 1;
}
