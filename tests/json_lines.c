/* SPDX-License-Identifier: Apache-2.0
 * Reads standard input: every line must be one JSON object. Prints how many there were. */
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

int main(void)
{
    char *line = NULL;
    size_t room = 0, count = 0;
    while (getline(&line, &room, stdin) > 0) {
        json_error_t error;
        json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &error);
        count++;
        if (!json_is_object(object)) {
            fprintf(stderr, "line %zu is no object: %s\n", count, object ? "another value" : error.text);
            return 1;
        }
        json_decref(object);
    }
    free(line);
    printf("%zu\n", count);
    return 0;
}
