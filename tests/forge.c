/* SPDX-License-Identifier: Apache-2.0
 * forge HOW IN OUT ARGS: files as somebody could make them who means harm. HOW: `command` gives a witness another
 * PROGRAM FOLDER DECLARATIONS ARGV..., `beside` another name of its TRACE, `texts` puts TEXT into every name and
 * value of a witness, verdict, account or trace, `swollen` ends a trace with N times its largest chunk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/frame.h"
#include "proto/memory.h"
#include "proto/trace_file.h"
#include "proto/witness_file.h"

static char error[512];

/* It makes one file and ends: nothing is given back. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

static bool ends_with(const char *s, const char *ending)
{
    size_t length = strlen(s), tail = strlen(ending);
    return length > tail && strcmp(s + length - tail, ending) == 0;
}

static int failed(void)
{
    fprintf(stderr, "forge: %s\n", error);
    return 2;
}

/* ---------------------------------------------------------------- texts */

/* What readers check, and what says which files and programs belong together. */
static bool stays(const char *field)
{
    static const char *const names[] = {"thread", "path", "trace", "witness", "program", "build_id", "argv", "cwd",
                                        "declare"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(field, names[i]) == 0)
            return true;
    return false;
}

static void put_texts(ProtobufCMessage *m, const char *text)
{
    for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
        char *member = (char *)m + f->offset;
        bool repeated = f->label == PROTOBUF_C_LABEL_REPEATED;
        bool of_another = (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
                          *(uint32_t *)(void *)((char *)m + f->quantifier_offset) != f->id;
        size_t count = repeated ? *(size_t *)(void *)((char *)m + f->quantifier_offset) : 1;
        void **one = repeated ? *(void ***)(void *)member : (void **)(void *)member;
        for (size_t k = 0; k < count && !of_another; k++)
            if (f->type == PROTOBUF_C_TYPE_MESSAGE && one[k])
                put_texts(one[k], text);
            else if (f->type == PROTOBUF_C_TYPE_STRING && !stays(f->name))
                one[k] = hd_strdup(text);
    }
}

static int forge_texts(const char *in, const char *out, const char *text)
{
    size_t size;
    uint8_t *bytes = hd_file_read(in, &size, error, sizeof error);
    const ProtobufCMessageDescriptor *type = ends_with(in, ".witness")   ? &heddle__witness_file__descriptor
                                             : ends_with(in, ".verdict") ? &heddle__verdict_file__descriptor
                                             : ends_with(in, ".account") ? &heddle__account_file__descriptor
                                                                         : &heddle__trace_file__descriptor;
    ProtobufCMessage *m = bytes ? protobuf_c_message_unpack(type, NULL, size, bytes) : NULL;
    if (!m)
        return failed();
    put_texts(m, text);
    if (type == &heddle__witness_file__descriptor)
        return hd_witness_write(out, ((Heddle__WitnessFile *)m)->witness[0], error, sizeof error) ? failed() : 0;
    uint8_t *packed = hd_alloc(protobuf_c_message_get_packed_size(m));
    size = protobuf_c_message_pack(m, packed);
    return hd_file_write(out, packed, size, error, sizeof error) ? failed() : 0;
}

/* -------------------------------------------------------------- witness */

static int forge_witness(const char *in, const char *out, char **arg, int args, bool command)
{
    Heddle__Witness *w = hd_witness_read(in, error, sizeof error);
    if (!w || args < (command ? 4 : 1))
        return failed();
    if (command) {
        w->header->program = arg[0];
        w->header->cwd = arg[1];
        w->header->declare = arg[2];
        w->header->argv = arg + 3;
        w->header->n_argv = (size_t)args - 3;
    } else
        w->trace = arg[0];
    return hd_witness_write(out, w, error, sizeof error) ? failed() : 0;
}

/* ---------------------------------------------------------------- trace */

static int forge_swollen(const char *in, const char *out, unsigned long times)
{
    size_t size;
    uint8_t *bytes = hd_file_read(in, &size, error, sizeof error);
    Heddle__TraceFile *file = bytes ? heddle__trace_file__unpack(NULL, size, bytes) : NULL;
    size_t at = 0;
    for (size_t i = 0; file && i < file->n_item; i++)
        if (file->item[i]->item_case == HEDDLE__TRACE_ITEM__ITEM_ZSTD_CHUNK &&
            (!at || file->item[i]->zstd_chunk.len > file->item[at]->zstd_chunk.len))
            at = i;
    if (!at)
        return failed();
    Heddle__TraceFile many = *file;
    many.n_item = at + times;
    many.item = hd_alloc(many.n_item * sizeof *many.item);
    for (size_t i = 0; i < many.n_item; i++)
        many.item[i] = file->item[i < at ? i : at];
    uint8_t *packed = hd_alloc(heddle__trace_file__get_packed_size(&many));
    return hd_file_write(out, packed, heddle__trace_file__pack(&many, packed), error, sizeof error) ? failed() : 0;
}

int main(int argc, char **argv)
{
    snprintf(error, sizeof error, "HOW IN OUT ARGS do not fit together");
    if (argc < 5)
        return failed();
    if (strcmp(argv[1], "texts") == 0)
        return forge_texts(argv[2], argv[3], argv[4]);
    if (strcmp(argv[1], "swollen") == 0)
        return forge_swollen(argv[2], argv[3], strtoul(argv[4], NULL, 10));
    return forge_witness(argv[2], argv[3], argv + 4, argc - 4, strcmp(argv[1], "command") == 0);
}
