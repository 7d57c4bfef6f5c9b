/* SPDX-License-Identifier: Apache-2.0
 * Declared primitives: each gets a libffi closure of its own signature, put where
 * the modules of the program look the function up (PLT and GOT slots, also
 * read-only ones). The real function is called while the model says it will not
 * block; what it does inside is not recorded.
 *
 * A call that passes no slot (the function is in the executable itself) is not
 * seen: where a declared function is in no shared library, the trace says so. */
#include <dlfcn.h>
#include <ffi.h>
#include <link.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/declare.h"
#include "record/user_lock.h"

#define DECLARED_MAX 128
#define INTEGER_REGISTERS 6

struct declared {
    struct hd_declaration line;
    ffi_cif call, closure;
    ffi_type *argument[HD_DECLARED_ARGUMENTS + INTEGER_REGISTERS + 1];
    unsigned on_stack; /* argument whose place is just above the return address; 0: none */
    const void *object_name;
    void *code, *real;
    unsigned slots;
};

static struct declared *declared[DECLARED_MAX];
static unsigned count;

static ffi_type *ffi_type_of(enum hd_c_type type)
{
    static ffi_type *const types[] = {
        [HD_C_VOID] = &ffi_type_void,     [HD_C_CHAR] = &ffi_type_sint8,    [HD_C_UCHAR] = &ffi_type_uint8,
        [HD_C_SHORT] = &ffi_type_sint16,  [HD_C_USHORT] = &ffi_type_uint16, [HD_C_INT] = &ffi_type_sint32,
        [HD_C_UINT] = &ffi_type_uint32,   [HD_C_LONG] = &ffi_type_sint64,   [HD_C_ULONG] = &ffi_type_uint64,
        [HD_C_POINTER] = &ffi_type_pointer, [HD_C_FLOAT] = &ffi_type_float, [HD_C_DOUBLE] = &ffi_type_double,
    };
    return types[type];
}

static int64_t integer_at(const void *p, enum hd_c_type type)
{
    switch (type) {
    case HD_C_CHAR: return *(const int8_t *)p;
    case HD_C_UCHAR: return *(const uint8_t *)p;
    case HD_C_SHORT: return *(const int16_t *)p;
    case HD_C_USHORT: return *(const uint16_t *)p;
    case HD_C_INT: return *(const int32_t *)p;
    case HD_C_UINT: return *(const uint32_t *)p;
    default: return *(const int64_t *)p;
    }
}

/* ------------------------------------------------------------ the call */

static uint64_t object_address(const struct declared *d, void **arguments)
{
    if (!d->line.object)
        return (uint64_t)(uintptr_t)d->object_name;
    return (uint64_t)integer_at(arguments[d->line.object - 1], d->line.argument[d->line.object - 1]);
}

static uint32_t kind_of(const struct declared *d, struct hd_thread *t, uint32_t object)
{
    switch (d->line.kind) {
    case HD_RELEASES: return hd_user_release_kind(t, object);
    case HD_SIGNALS: return HD_SEM_POST;
    case HD_WAITS: return HD_SEM_WAIT;
    default: return HD_LOCK;
    }
}

static void call_real(struct declared *d, void *result, void **arguments)
{
    struct hd_thread *t = hd_self;
    hd_self = NULL;
    ffi_call(&d->call, FFI_FN(d->real), result, arguments);
    hd_self = t;
}

static void called(ffi_cif *cif, void *result, void **arguments, void *data)
{
    (void)cif;
    struct declared *d = data;
    struct hd_thread *t = hd_self;
    if (!t) {
        call_real(d, result, arguments);
        return;
    }
    hd_access_flush(t);
    uint32_t object = hd_object(object_address(d, arguments), HD_OBJECT_USER);
    struct hd_user u = { .recursive = d->line.recursive, .tries = d->line.kind == HD_TRIES, .count = d->line.count };
    u.point.kind = kind_of(d, t, object);
    u.point.object = object;
    u.point.pc = d->on_stack ? ((uint64_t *)arguments[d->on_stack])[-1] : 0;
    hd_user_enter(t, &u);
    call_real(d, result, arguments);
    bool failed = d->line.has_success && integer_at(result, d->line.result) != d->line.success;
    if (failed && !u.tries)
        return;
    if (failed)
        u.point.kind = HD_TRYLOCK_FAIL;
    hd_user_done(t, &u);
}

/* ----------------------------------------------------------- the slots */

struct tables { const ElfW(Sym) *symbol; const char *string; };

static const void *table_at(const struct dl_phdr_info *info, const ElfW(Dyn) *dyn)
{
    uintptr_t p = dyn->d_un.d_ptr;
    return (const void *)(p < info->dlpi_addr ? p + info->dlpi_addr : p);
}

static bool in_relro(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_GNU_RELRO && address - info->dlpi_addr - p->p_vaddr < p->p_memsz)
            return true;
    }
    return false;
}

static void fill_slot(const struct dl_phdr_info *info, void **slot, struct declared *d)
{
    if (*slot == d->code)
        return;
    uintptr_t page = (uintptr_t)slot & ~((uintptr_t)getpagesize() - 1);
    bool read_only = in_relro(info, (uintptr_t)slot);
    if (read_only && mprotect((void *)page, (size_t)getpagesize(), PROT_READ | PROT_WRITE) != 0)
        return;
    *slot = d->code;
    d->slots++;
    if (read_only)
        mprotect((void *)page, (size_t)getpagesize(), PROT_READ);
}

static bool is_function_slot(unsigned type)
{
#ifdef __x86_64__
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
#elif defined __aarch64__
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
#else
    (void)type;
    return false;
#endif
}

static void fill_slots(const struct dl_phdr_info *info, const ElfW(Rela) *rela, size_t bytes, const struct tables *t)
{
    for (size_t i = 0; i < bytes / sizeof *rela; i++) {
        if (!is_function_slot((unsigned)ELF64_R_TYPE(rela[i].r_info)))
            continue;
        const char *name = t->string + t->symbol[ELF64_R_SYM(rela[i].r_info)].st_name;
        for (unsigned k = 0; k < count; k++)
            if (declared[k]->real && strcmp(name, declared[k]->line.name) == 0)
                fill_slot(info, (void **)(info->dlpi_addr + rela[i].r_offset), declared[k]);
    }
}

static int fill_module(struct dl_phdr_info *info, size_t size, void *own_base)
{
    (void)size;
    const ElfW(Dyn) *dyn = NULL;
    const ElfW(Rela) *rela = NULL, *plt = NULL;
    size_t rela_bytes = 0, plt_bytes = 0;
    struct tables tables = { 0 };
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dyn = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if ((void *)info->dlpi_addr == own_base)
        return 0;
    for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
        switch (dyn->d_tag) {
        case DT_RELA: rela = table_at(info, dyn); break;
        case DT_RELASZ: rela_bytes = dyn->d_un.d_val; break;
        case DT_JMPREL: plt = table_at(info, dyn); break;
        case DT_PLTRELSZ: plt_bytes = dyn->d_un.d_val; break;
        case DT_SYMTAB: tables.symbol = table_at(info, dyn); break;
        case DT_STRTAB: tables.string = table_at(info, dyn); break;
        default: break;
        }
    }
    if (!tables.symbol || !tables.string)
        return 0;
    if (rela)
        fill_slots(info, rela, rela_bytes, &tables);
    if (plt)
        fill_slots(info, plt, plt_bytes, &tables);
    return 0;
}

static void fill_all(void)
{
    Dl_info own;
    if (!count || !dladdr((void *)fill_all, &own))
        return;
    for (unsigned i = 0; i < count; i++)
        if (!declared[i]->real)
            declared[i]->real = dlsym(RTLD_DEFAULT, declared[i]->line.name);
    dl_iterate_phdr(fill_module, own.dli_fbase);
}

/* The program's calls of its own functions pass no slot; another module's function must. */
static bool can_be_seen(const struct declared *d)
{
    Dl_info found;
    return d->real && dladdr(d->real, &found) && (uint64_t)(uintptr_t)found.dli_fbase != hd_run.shared->main_base;
}

void hd_declared_begin(struct hd_thread *t)
{
    fill_all();
    for (unsigned i = 0; i < count; i++) {
        char text[HD_TEXT_MAX / 2];
        if (declared[i]->slots || can_be_seen(declared[i]))
            continue;
        snprintf(text, sizeof text, "%s (declared, but in no shared library: annotate it with HEDDLE_ACQUIRE)",
                 declared[i]->line.name);
        hd_access_mark(t, HD_UNMODELLED, 0, 0, 0);
        hd_ring_text(t, HD_RING_NOTE, 0, 0, "", text);
    }
}

/* ------------------------------------------------------- declarations */

/* Objects known by name only: one address a name. */
static const void *object_named(const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(declared[i]->line.object_name, name) == 0)
            return declared[i]->object_name;
    return hd_arena(1);
}

/* The closure's signature goes on until one argument is on the stack, just above the return
 * address: the only place that says who called. */
static unsigned closure_signature(struct declared *d)
{
    unsigned n = 0, integers = 0;
    for (; n < d->line.arguments; n++) {
        bool floating = d->line.argument[n] == HD_C_FLOAT || d->line.argument[n] == HD_C_DOUBLE;
        d->argument[n] = ffi_type_of(d->line.argument[n]);
        if (!floating && ++integers == INTEGER_REGISTERS + 1 && !d->on_stack)
            d->on_stack = n;
    }
#ifdef __x86_64__
    for (; integers <= INTEGER_REGISTERS; integers++, n++) {
        d->argument[n] = &ffi_type_uint64;
        d->on_stack = n;
    }
#endif
    return n;
}

static void declare(const struct hd_declaration *line, void *unused)
{
    (void)unused;
    if (count == DECLARED_MAX)
        return;
    struct declared *d = hd_arena(sizeof *d);
    d->line = *line;
    d->object_name = *line->object_name ? object_named(line->object_name) : NULL;
    unsigned arguments = closure_signature(d);
    ffi_type *result = ffi_type_of(line->result);
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &d->code);
    if (!closure || ffi_prep_cif(&d->call, FFI_DEFAULT_ABI, line->arguments, result, d->argument) != FFI_OK ||
        ffi_prep_cif(&d->closure, FFI_DEFAULT_ABI, arguments, result, d->argument) != FFI_OK ||
        ffi_prep_closure_loc(closure, &d->closure, called, d, d->code) != FFI_OK)
        return;
    declared[count++] = d;
}

HD_EXPORT int heddle_declare(const char *line);
HD_EXPORT int heddle_declare(const char *line)
{
    struct hd_declaration d;
    char error[HD_DECLARED_LINE + 80];
    struct hd_thread *self = hd_self;
    if (self)
        hd_access_interval(self);
    hd_self = NULL; /* what libffi reads is not the user's doing, and differs */
    int result = hd_declare_parse(line, &d, error, sizeof error) == HD_DECLARE_ONE ? 0 : -1;
    if (result == 0 && hd_run.shared) {
        declare(&d, NULL);
        fill_all();
    }
    hd_self = self;
    return result;
}

__attribute__((constructor(103))) static void declare_from_file(void)
{
    const char *path = getenv("HEDDLE_DECLARE");
    char error[HD_DECLARED_LINE + 512];
    if (!hd_run.shared || !path || !*path)
        return;
    if (hd_declare_file(path, declare, NULL, error, sizeof error) != 0)
        hd_exhausted();
    fill_all();
}
