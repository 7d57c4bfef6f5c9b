/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/confirm_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/known_commands.h"
#include "proto/memory.h"

/* As a shell takes it, in printable ASCII: a name must neither hide what follows nor move the cursor. */
static void add_word(FILE *f, const char *word)
{
    bool plain = *word, printable = true;
    for (const char *p = word; *p; p++) {
        printable &= *p >= ' ' && *p <= '~';
        plain &= strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-", *p) != NULL;
    }
    if (plain) {
        fputs(word, f);
        return;
    }
    fputs(printable ? "'" : "$'", f);
    for (const char *p = word; *p; p++)
        if (*p < ' ' || *p > '~')
            fprintf(f, "\\x%02x", (unsigned char)*p);
        else if (*p == '\'')
            fputs(printable ? "'\\''" : "\\'", f);
        else
            fprintf(f, !printable && *p == '\\' ? "\\\\" : "%c", *p);
    fputc('\'', f);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "cd FOLDER && PROGRAM ARGS". */
static char *command_words(const Heddle__Header *h, const char *program)
{
    char *words = NULL;
    size_t size;
    FILE *f = open_memstream(&words, &size);
    if (!f)
        return hd_strdup("?");
    if (*h->cwd) {
        fputs("cd ", f);
        add_word(f, h->cwd);
        fputs(" && ", f);
    }
    if (h->n_argv && strcmp(base_name(h->argv[0]), base_name(program)) != 0) {
        fputs("exec -a ", f);
        add_word(f, h->argv[0]);
        fputc(' ', f);
    }
    add_word(f, program);
    for (size_t i = 1; i < h->n_argv; i++) {
        fputc(' ', f);
        add_word(f, h->argv[i]);
    }
    if (*h->declare) {
        fputs(" (declarations: ", f);
        add_word(f, h->declare);
        fputc(')', f);
    }
    fclose(f);
    return words ? words : hd_strdup("?");
}

static char *key_of(const Heddle__Header *h, const char *program)
{
    struct hd_command c = { program, h->cwd, h->declare, h->argv, h->n_argv };
    return hd_command_key(&c);
}

/* Its arguments are the user's own also where another build is to take them. */
static bool is_known(const Heddle__Header *h, const char *key)
{
    char *recorded = key_of(h, h->program);
    bool known = hd_command_is_known(key) || hd_command_is_known(recorded);
    free(recorded);
    return known;
}

/* Nothing that the witness says would matter. */
static bool says_nothing(const Heddle__Header *h)
{
    char *here = getcwd(NULL, 0);
    bool stays = !*h->cwd || (here && strcmp(here, h->cwd) == 0);
    free(here);
    return stays && h->n_argv <= 1 && !*h->declare;
}

static bool is_accepted(const struct hd_confirming *c, const char *key)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->accepted[i], key) == 0)
            return true;
    return false;
}

bool hd_can_ask(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

static bool ask(const struct hd_confirming *c, const char *path, const char *words)
{
    char *line = NULL;
    size_t room = 0;
    fprintf(stderr, "heddle %s: %s was made by a command that you have not run here:\n    %s\nRun it? [y/N] ",
            c->command, path, words);
    fflush(stderr);
    bool yes = getline(&line, &room, stdin) > 0 && (strcmp(line, "y\n") == 0 || strcmp(line, "yes\n") == 0);
    free(line);
    return yes;
}

static int decide(struct hd_confirming *c, const char *path, const Heddle__Witness *w, const char *program,
                  const char *key)
{
    char *words = command_words(w->header, program);
    int result = 0;
    if (!c->asking)
        result = hd_usage_error(c->command, "%s: wants to run what you have not run here: %s; to do so give --yes, "
                                            "or the command itself after --", path, words);
    else if (!ask(c, path, words))
        result = hd_usage_error(c->command, "%s: not run", path);
    else
        hd_command_remember(key);
    free(words);
    return result;
}

int hd_confirm_command(struct hd_confirming *c, const char *path, const Heddle__Witness *w, const char *program,
                       bool given)
{
    if (c->yes || (given && says_nothing(w->header)))
        return 0;
    char *key = key_of(w->header, given ? program : w->header->program);
    int result = 0;
    if (!is_accepted(c, key)) {
        if (!is_known(w->header, key))
            result = decide(c, path, w, program, key);
        if (result == 0) {
            HD_GROW(c->accepted, c->count, c->room);
            c->accepted[c->count++] = key;
            return 0;
        }
    }
    free(key);
    return result;
}

void hd_confirming_free(struct hd_confirming *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->accepted[i]);
    free(c->accepted);
    *c = (struct hd_confirming){ 0 };
}
