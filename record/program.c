/* SPDX-License-Identifier: Apache-2.0 */
#include "record/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/memory.h"

static bool is_executable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* As execvp does it; NULL where there is none. */
static char *find(const char *name)
{
    if (strchr(name, '/'))
        return access(name, F_OK) == 0 ? realpath(name, NULL) : NULL;
    const char *path = getenv("PATH");
    char *copy = hd_strdup(path ? path : "/bin:/usr/bin"), *rest = copy, *folder, *found = NULL;
    while (!found && (folder = strsep(&rest, ":")) != NULL) {
        char *candidate = hd_format("%s/%s", *folder ? folder : ".", name);
        if (is_executable(candidate))
            found = realpath(candidate, NULL);
        free(candidate);
    }
    free(copy);
    return found;
}

struct needs { bool libheddle, libtsan; };

static void read_needed(Elf *elf, struct needs *needs)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC || !(data = elf_getdata(section, NULL)))
            continue;
        GElf_Dyn entry;
        for (int i = 0; gelf_getdyn(data, i, &entry); i++) {
            const char *name = entry.d_tag == DT_NEEDED ? elf_strptr(elf, header.sh_link, entry.d_un.d_val) : NULL;
            if (!name)
                continue;
            needs->libheddle |= strncmp(name, "libheddle.so", 12) == 0;
            needs->libtsan |= strncmp(name, "libtsan.so", 10) == 0;
        }
    }
}

static int examine(const char *path, char *error, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(error, size, "%s: %s", path, strerror(errno));
        return -1;
    }
    char magic[4] = "";
    ssize_t got = pread(fd, magic, 4, 0);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    struct needs needs = { 0 };
    int result = -1;
    if (got >= 2 && memcmp(magic, "#!", 2) == 0)
        snprintf(error, size, "%s: a script; name the program it starts (libtool keeps it in .libs/)", path);
    else if (!elf || elf_kind(elf) != ELF_K_ELF)
        snprintf(error, size, "%s: not an ELF program; build one with CC=\"heddle cc\"", path);
    else {
        read_needed(elf, &needs);
        if (needs.libtsan)
            snprintf(error, size, "%s: linked with libtsan; build it with \"heddle cc\" and without -fsanitize=thread",
                     path);
        else if (!needs.libheddle)
            snprintf(error, size, "%s: not built with heddle; build it with CC=\"heddle cc\"", path);
        else
            result = 0;
    }
    if (elf)
        elf_end(elf);
    close(fd);
    return result;
}

int hd_program_open(const char *name, struct hd_program *program, char *error, size_t size)
{
    program->path = find(name);
    program->build_id = NULL;
    if (!program->path) {
        snprintf(error, size, "%s: no such program; is it built?", name);
        return -1;
    }
    if (!is_executable(program->path)) {
        snprintf(error, size, "%s: not an executable file", name);
    } else if (examine(program->path, error, size) == 0) {
        program->build_id = hd_build_id(program->path);
        return 0;
    }
    hd_program_close(program);
    return -1;
}

void hd_program_close(struct hd_program *program)
{
    free(program->path);
    free(program->build_id);
    program->path = program->build_id = NULL;
}

static char *hex(const uint8_t *bytes, size_t count)
{
    char *text = hd_alloc(2 * count + 1);
    for (size_t i = 0; i < count; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
    return text;
}

static char *note_build_id(Elf *elf)
{
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE)
            continue;
        Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz,
                                              header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
        GElf_Nhdr note;
        size_t at = 0, name, desc;
        while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0)
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp((char *)data->d_buf + name, "GNU", 4) == 0)
                return hex((const uint8_t *)data->d_buf + desc, note.n_descsz);
    }
    return NULL;
}

static char *hash_of(int fd)
{
    uint64_t hash = 14695981039346656037ull;
    uint8_t bytes[65536];
    ssize_t got;
    lseek(fd, 0, SEEK_SET);
    while ((got = read(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < got; i++)
            hash = (hash ^ bytes[i]) * 1099511628211ull;
    return hex((const uint8_t *)&hash, sizeof hash);
}

char *hd_build_id(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        hd_end_if_exhausted(path);
        return hd_strdup("");
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    char *id = elf ? note_build_id(elf) : NULL;
    if (elf)
        elf_end(elf);
    if (!id)
        id = hash_of(fd);
    close(fd);
    return id;
}
