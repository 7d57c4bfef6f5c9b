/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/known_commands.h"

#include <ctype.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/frame.h"
#include "proto/memory.h"

#define LARGEST (1l << 20) /* of the file, in bytes */

/* A blank ends a field: what is no plain letter is a number. */
static void add_field(FILE *f, const char *text)
{
    for (; *text; text++)
        if (isalnum((unsigned char)*text) || strchr("/._-+=:@,", *text))
            fputc(*text, f);
        else
            fprintf(f, "%%%02X", (unsigned char)*text);
    fputc(' ', f);
}

char *hd_command_key(const struct hd_command *c)
{
    char *key = NULL;
    size_t size;
    FILE *f = open_memstream(&key, &size);
    if (!f)
        return hd_strdup("");
    add_field(f, c->cwd);
    add_field(f, c->declare);
    add_field(f, c->program);
    for (size_t i = 0; i < c->argc; i++)
        add_field(f, c->argv[i]);
    fclose(f);
    return key ? key : hd_strdup("");
}

/* ------------------------------------------------------------- the file */

static char *folder(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        return hd_format("%s/heddle", state);
    if (!home || *home != '/') {
        const struct passwd *user = getpwuid(geteuid());
        home = user ? user->pw_dir : NULL;
    }
    return home && *home == '/' ? hd_format("%s/.local/state/heddle", home) : NULL;
}

static void make_folder(char *path)
{
    for (char *slash = path + 1; *slash; slash++)
        if (*slash == '/') {
            *slash = 0;
            mkdir(path, 0700);
            *slash = '/';
        }
    mkdir(path, 0700);
}

/* The folder, locked until it is closed; -1 where there is none that only this user can write to. */
static int open_folder(const char *path, int lock)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 022) && flock(fd, lock) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* "\n" and then a line each; "\n" where there is nothing to be read. */
static char *read_lines(const char *path)
{
    struct stat st;
    char error[256];
    size_t size = 0;
    uint8_t *bytes = NULL;
    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= 2 * LARGEST)
        bytes = hd_file_read(path, &size, error, sizeof error);
    char *text = hd_alloc(size + 2);
    text[0] = '\n';
    if (size)
        memcpy(text + 1, bytes, size);
    free(bytes);
    return text;
}

static bool has_line(const char *text, const char *key)
{
    char *line = hd_format("\n%s\n", key);
    bool found = strstr(text, line) != NULL;
    free(line);
    return found;
}

bool hd_command_is_known(const char *key)
{
    char *dir = folder();
    int fd = dir ? open_folder(dir, LOCK_SH) : -1;
    bool known = false;
    if (fd >= 0) {
        char *path = hd_format("%s/commands", dir), *text = read_lines(path);
        known = has_line(text, key);
        free(text);
        free(path);
        close(fd);
    }
    free(dir);
    return known;
}

static void add_line(const char *path, const char *key)
{
    char error[256], *text = read_lines(path);
    if (!has_line(text, key)) {
        char *all = hd_format("%s%s\n", text + 1, key), *from = all;
        size_t size = strlen(all);
        while (size > (size_t)LARGEST && (from = strchr(from, '\n')) != NULL)
            size = strlen(++from);
        if (from && size)
            hd_file_write(path, from, size, error, sizeof error);
        free(all);
    }
    free(text);
}

void hd_command_remember(const char *key)
{
    char *dir = folder();
    if (!dir)
        return;
    make_folder(dir);
    int fd = open_folder(dir, LOCK_EX);
    if (fd >= 0) {
        char *path = hd_format("%s/commands", dir);
        add_line(path, key);
        free(path);
        close(fd);
    }
    free(dir);
}

void hd_command_was_given(const char *program, char *const *argv, const char *declare)
{
    char *cwd = getcwd(NULL, 0);
    struct hd_command c = { program, cwd ? cwd : "", declare ? declare : "", argv, 0 };
    while (argv[c.argc])
        c.argc++;
    char *key = hd_command_key(&c);
    hd_command_remember(key);
    free(key);
    free(cwd);
}
