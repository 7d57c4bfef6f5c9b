/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compiler_line.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/memory.h"

#define NESTING_MAX 16
#define RESPONSES_MAX 2000 /* a file that names itself twice would double with every level */

struct reader {
    struct hd_compiler_line *line;
    bool skip_value; /* of the option before */
    bool only_inputs; /* after -- */
    unsigned responses;
};

static void take(struct reader *r, const char *word, unsigned nesting);

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* Options whose value is the next argument. */
static bool has_separate_value(const char *word)
{
    static const char *const options[] = {
        "-o", "-x", "-I", "-L", "-D", "-U", "-B", "-A", "-T", "-u", "-z", "-e", "-h", "-G", "-F", "-R", "-MF", "-MT", "-MQ",
        "-include", "-imacros", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isystem", "-iquote", "-idirafter",
        "-isysroot", "-imultilib", "-imultiarch", "-Xlinker", "-Xpreprocessor", "-Xassembler", "-Xclang", "-mllvm",
        "-aux-info", "-dumpbase", "-dumpbase-ext", "-dumpdir", "--param", "-wrapper", "-target", "-arch", "-framework",
        "-gcc-toolchain", "--sysroot", "-rpath", "-soname", NULL
    };
    return is_one_of(word, options);
}

static bool ends_with(const char *s, const char *end)
{
    size_t a = strlen(s), b = strlen(end);
    return a >= b && strcmp(s + a - b, end) == 0;
}

static bool names_thread(const char *list)
{
    for (const char *at = list; (at = strstr(at, "thread")) != NULL; at += 6)
        if ((at == list || at[-1] == ',') && (at[6] == 0 || at[6] == ','))
            return true;
    return false;
}

static void take_option(struct reader *r, const char *word)
{
    static const char *const no_link[] = { "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r", "--preprocess",
                                           "--compile", "--assemble", "--precompile", NULL };
    static const char *const statics[] = { "-static", "--static", "-static-pie", NULL };
    if (strcmp(word, "--") == 0)
        r->only_inputs = true;
    if (has_separate_value(word))
        r->skip_value = true;
    if (is_one_of(word, no_link))
        r->line->links = false;
    if (is_one_of(word, statics))
        r->line->is_static = true;
    if (strncmp(word, "-fsanitize=", 11) == 0 && names_thread(word + 11))
        r->line->tsan = "-fsanitize=thread";
    if (strcmp(word, "-ltsan") == 0)
        r->line->tsan = "-ltsan";
    if (word[1] == 'l')
        r->line->has_input = true;
}

static void take_input(struct reader *r, const char *word)
{
    r->line->has_input = true;
    if (ends_with(word, ".h") || ends_with(word, ".hpp") || ends_with(word, ".hh"))
        r->line->links = false;
    if (ends_with(word, "libtsan.so") || ends_with(word, "libtsan.a"))
        r->line->tsan = "libtsan";
}

static char *read_all(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        hd_end_if_exhausted(path);
        return NULL;
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > 64 << 20) {
        close(fd);
        return NULL;
    }
    char *text = hd_alloc((size_t)st.st_size + 1);
    size_t length = 0;
    ssize_t got;
    while (length < (size_t)st.st_size && (got = read(fd, text + length, (size_t)st.st_size - length)) > 0)
        length += (size_t)got;
    text[length] = 0;
    close(fd);
    return text;
}

/* Cuts the next word out of a response file, in place: blanks separate, quotes and \ protect. */
static char *next_word(char **at)
{
    char *from = *at + strspn(*at, " \t\r\n\f\v"), *to = from, *word = from, quote = 0;
    if (!*from)
        return NULL;
    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (*from == '\\' && from[1])
            *to++ = *++from;
        else if (quote ? *from == quote : *from == '\'' || *from == '"')
            quote = quote ? 0 : *from;
        else
            *to++ = *from;
    }
    *at = *from ? from + 1 : from;
    *to = 0;
    return word;
}

/* A file that is not there is an argument like any other: so does the compiler. */
static bool take_response(struct reader *r, const char *path, unsigned nesting)
{
    bool may = nesting < NESTING_MAX && r->responses < RESPONSES_MAX;
    char *text = may ? read_all(path) : NULL, *at = text, *word;
    if (!text)
        return false;
    r->responses++;
    while ((word = next_word(&at)) != NULL)
        take(r, word, nesting + 1);
    free(text);
    return true;
}

static void take(struct reader *r, const char *word, unsigned nesting)
{
    if (word[0] == '@' && take_response(r, word + 1, nesting))
        return;
    if (r->skip_value)
        r->skip_value = false;
    else if (!r->only_inputs && word[0] == '-' && word[1])
        take_option(r, word);
    else
        take_input(r, word);
}

void hd_compiler_line_read(struct hd_compiler_line *line, int argc, char **argv)
{
    struct reader r = { .line = line };
    *line = (struct hd_compiler_line){ .links = true };
    for (int i = 1; i < argc; i++)
        take(&r, argv[i], 0);
}
