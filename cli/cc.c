/* SPDX-License-Identifier: Apache-2.0
 * heddle cc: the user's compiler with our call-outs, as mpicc does it. The
 * preprocessor or the front end is told about -fsanitize=thread behind the
 * driver's back where the driver links, so that it does not link libtsan. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/compiler_line.h"
#include "cli/places.h"
#include "proto/memory.h"

static const char usage[] =
    "usage: heddle cc  [COMPILER OPTIONS] FILE...\n"
    "       heddle c++ [COMPILER OPTIONS] FILE...\n"
    "\n"
    "Runs the compiler with the options heddle needs; everything else is passed on.\n"
    "Use it as CC=\"heddle cc\". The compiler is $HEDDLE_CC (default: cc), for\n"
    "heddle c++ $HEDDLE_CXX (default: c++).\n"
    "\n"
    "  --heddle-show   print the command instead of running it\n"
    "  --help          this text\n";

struct command {
    char **argv;
    size_t argc, room;
};

static void add(struct command *c, const char *word)
{
    HD_GROW(c->argv, c->argc + 1, c->room);
    c->argv[c->argc++] = hd_strdup(word);
    c->argv[c->argc] = NULL;
}

static void add_words(struct command *c, const char *words)
{
    char *copy = hd_strdup(words), *rest = copy, *word;
    while ((word = strsep(&rest, " \t")) != NULL)
        if (*word)
            add(c, word);
    free(copy);
}

static int is_clang(const char *compiler)
{
    char *line = hd_format("%s --version 2>/dev/null", compiler), text[256] = "";
    FILE *f = popen(line, "r"); /* NOLINT(cert-env33-c): the compiler is the user's own choice, a command with words */
    free(line);
    if (!f) {
        fprintf(stderr, "heddle cc: %s: %s; it cannot be asked what it is\n", compiler, strerror(errno));
        exit(2);
    }
    if (!fgets(text, sizeof text, f))
        text[0] = 0;
    pclose(f);
    return strstr(text, "clang") != NULL;
}

static int has(int argc, char **argv, const char *option)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return 1;
    return 0;
}

/* A folder the compiler searches anyway must keep its place in the order. */
static int is_searched_anyway(const char *folder)
{
    char real[PATH_MAX];
    return realpath(folder, real) && (strcmp(real, "/usr/include") == 0 || strcmp(real, "/usr/local/include") == 0);
}

/* gcc writes these out in place, where no call-out sees what they touch; clang leaves the calls. */
static void add_no_builtins(struct command *c)
{
    static const char *const name[] = { "memset", "memcpy", "memmove", "memcmp", "mempcpy", "bzero",   "bcopy",
                                        "bcmp",   "strcpy", "stpcpy",  "strncpy", "stpncpy", "strcat", "strncat",
                                        "strcmp", "strncmp", "sprintf", "snprintf", "vsprintf", "vsnprintf" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char *option = hd_format("-fno-builtin-%s", name[i]);
        add(c, option);
        free(option);
    }
}

static void add_compile(struct command *c, const char *compiler, int links)
{
    char *include = hd_place_include();
    if (is_clang(compiler)) {
        add(c, "-Xclang");
        add(c, "-fsanitize=thread");
        add(c, "-mllvm");
        add(c, "-tsan-instrument-read-before-write");
        add(c, "-Wno-unused-command-line-argument");
    } else {
        add(c, links ? "-Wp,-fsanitize=thread" : "-fsanitize=thread");
        add_no_builtins(c);
        add(c, "-fno-store-merging"); /* a store must not move past the next call-out, where its value is read back */
    }
    add(c, "-g");
    add(c, "-fno-omit-frame-pointer");
    add(c, "-fno-plt");
    if (!is_searched_anyway(include)) {
        add(c, "-isystem");
        add(c, include);
    }
    free(include);
}

static void add_link(struct command *c)
{
    char *library = hd_place_library();
    char *search = hd_format("-L%s", library), *run = hd_format("-Wl,-rpath,%s", library);
    add(c, search);
    add(c, run);
    add(c, "-Wl,--push-state,--no-as-needed");
    add(c, "-lheddle");
    add(c, "-Wl,--pop-state");
    add(c, "-Wl,--build-id");
    add(c, "-pthread");
    free(search);
    free(run);
    free(library);
}

static int show(const struct command *c)
{
    for (size_t i = 0; i < c->argc; i++)
        printf("%s%s", i ? " " : "", c->argv[i]);
    putchar('\n');
    return 0;
}

static void command_free(struct command *c)
{
    for (size_t i = 0; i < c->argc; i++)
        free(c->argv[i]);
    free(c->argv);
}

static void command_make(struct command *c, const char *compiler, const struct hd_compiler_line *line, int argc,
                         char **argv)
{
    add_words(c, compiler);
    if (line->has_input) {
        add_compile(c, compiler, line->links);
        if (line->links)
            add_link(c);
    }
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--heddle-show") != 0)
            add(c, argv[i]);
}

static int compile(int argc, char **argv, const char *variable, const char *fallback)
{
    const char *compiler = getenv(variable);
    if (!compiler || !compiler[strspn(compiler, " \t")])
        compiler = fallback;
    if (argc == 1)
        return hd_usage_error(argv[0], "no input; see 'heddle %s --help'", argv[0]);
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    struct hd_compiler_line line;
    hd_compiler_line_read(&line, argc, argv);
    if (line.tsan)
        return hd_usage_error(argv[0], "%s would link libtsan beside libheddle; leave it out", line.tsan);
    if (line.is_static && line.has_input && line.links)
        return hd_usage_error(argv[0], "a static program cannot be recorded; link it without -static");
    struct command c = { 0 };
    command_make(&c, compiler, &line, argc, argv);
    int result;
    if (has(argc, argv, "--heddle-show"))
        result = show(&c);
    else {
        execvp(c.argv[0], c.argv); /* NOLINT(clang-analyzer-core.NullDereference): the compiler is no blank */
        result = hd_usage_error(argv[0], "%s: %s; set %s to a compiler", c.argv[0], strerror(errno), variable);
    }
    command_free(&c);
    return result;
}

int hd_command_cc(int argc, char **argv) { return compile(argc, argv, "HEDDLE_CC", "cc"); }
int hd_command_cxx(int argc, char **argv) { return compile(argc, argv, "HEDDLE_CXX", "c++"); }
