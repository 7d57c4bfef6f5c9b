/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#ifdef __cplusplus
extern "C" {
#endif
void deposit(long amount);
long balance_now(void);
#ifdef __cplusplus
}
#endif
#endif
