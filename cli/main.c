/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "record/interrupt.h"

#define VERSION_TEXT "heddle " HD_VERSION "\n"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *does;
} commands[] = {
    { "cc", hd_command_cc, "compile and link a C program so that it can be recorded" },
    { "c++", hd_command_cxx, "the same for C++" },
    { "record", hd_command_record, "run a test program and write one trace a test" },
    { "analyze", hd_command_analyze, "find the interleavings that would change what a test saw" },
    { "replay", hd_command_replay, "enforce a witness in a rerun and say what happens" },
    { "check", hd_command_check, "record, analyze and replay in one go" },
    { "report", hd_command_report, "write what check found as HTML, JUnit, SARIF and JSON" },
    { "show", hd_command_show, "print a trace, a witness or a verdict" },
    { "convert", hd_command_convert, "read and write the traces of other tools" },
};
#define COMMANDS (sizeof commands / sizeof *commands)

static void usage(FILE *to)
{
    fputs("usage: heddle COMMAND [OPTIONS] ...\n\n", to);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].does);
    fputs("\nStart with:  heddle cc -o bank_test bank_test.c -lcunit && heddle check ./bank_test\n"
          "Each command has its own --help; heddle(1) tells the whole story.\n",
          to);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return hd_output_lost("help", false) ? 2 : 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        fputs(VERSION_TEXT, stdout);
        return hd_output_lost("--version", false) ? 2 : 0;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            int status = commands[i].run(argc - 1, argv + 1);
            bool lost = hd_output_lost(commands[i].name, status == 2);
            fflush(NULL);
            hd_interrupt_obey();
            return lost ? 2 : status;
        }
    fprintf(stderr, "heddle: unknown command '%s'; see 'heddle --help'\n", argv[1]);
    return 2;
}
