/* SPDX-License-Identifier: Apache-2.0
 * stdio: what it reads into and writes from the user's memory. A stream whose
 * buffer does not hold what is asked for asks its descriptor, which may block.
 * What printf reads passes unseen. */
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>

#include "record/crossing.h"
#include "record/own_libc.h"

static size_t buffered(const FILE *f) { return (size_t)(f->_IO_read_end - f->_IO_read_ptr); }

static bool has_line(const FILE *f, int end)
{
    for (const char *p = f->_IO_read_ptr; p < f->_IO_read_end; p++)
        if (*p == (char)end)
            return true;
    return false;
}

/* libc allocates inside, and that is not the user's. */
static void enter(struct hd_crossing *c, FILE *f, bool is_there)
{
    if (!c->t)
        return;
    int saved = errno, fd = fileno(f);
    if (!is_there && fd >= 0)
        hd_leave_for(c, fd, POLLIN);
    c->t->inside = c->inside = true;
    errno = saved;
}

static void enter_to_write(struct hd_crossing *c, FILE *f, size_t size)
{
    if (!c->t)
        return;
    int saved = errno, fd = fileno(f);
    size_t held = __fpending(f), room = __fbufsize(f);
    if (fd >= 0 && (size == 0 || held + size > room))
        hd_leave_to_write(c, fd, held + size);
    c->t->inside = c->inside = true;
    errno = saved;
}

static void come_out(struct hd_crossing *c)
{
    if (!c->t)
        return;
    hd_return(c);
    c->t->inside = c->inside = false;
    hd_settle(c->t);
}

static void store(struct hd_crossing *c, void *user, size_t size)
{
    int saved = errno;
    if (c->t && c->bounce.at)
        hd_user_store(c->t, user, c->bounce.at, size, c->pc);
    errno = saved;
}

/* --------------------------------------------------------------------- input */

static char *line_into(char *user, int size, FILE *f, const char *name, uint64_t pc)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, name, pc);
    char *to = user;
    if (c.t && size > 0 && hd_bounce_take(&c.bounce, (uintptr_t)user, (size_t)size))
        to = c.bounce.at;
    enter(&c, f, has_line(f, '\n') || buffered(f) + 1 >= (size_t)size);
    char *got = HD_REAL(fgets)(to, size, f);
    come_out(&c);
    if (!got)
        return NULL;
    store(&c, user, __wrap_strlen(got) + 1);
    return user;
}

static size_t items_into(void *user, size_t size, size_t count, FILE *f, const char *name, uint64_t pc)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, name, pc);
    size_t bytes;
    if (!c.t || size == 0 || __builtin_mul_overflow(size, count, &bytes))
        return HD_REAL(fread)(user, size, count, f);
    void *to = hd_bounce_take(&c.bounce, (uintptr_t)user, bytes) ? c.bounce.at : user;
    enter(&c, f, buffered(f) >= bytes);
    size_t got = HD_REAL(fread)(to, 1, bytes, f);
    come_out(&c);
    store(&c, user, got);
    return got / size;
}

char *__fgets_chk(char *, size_t, int, FILE *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
void __chk_fail(void) __attribute__((noreturn));

HD_EXPORT char *fgets(char *to, int size, FILE *f) { return line_into(to, size, f, "fgets", HD_CALLER); }

HD_EXPORT char *__fgets_chk(char *to, size_t room, int size, FILE *f)
{
    if (size > 0 && (size_t)size > room)
        __chk_fail();
    return line_into(to, size, f, "fgets", HD_CALLER);
}

HD_EXPORT size_t fread(void *to, size_t size, size_t count, FILE *f)
{
    return items_into(to, size, count, f, "fread", HD_CALLER);
}

HD_EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *f)
{
    if (size && room / size < count)
        __chk_fail();
    return items_into(to, size, count, f, "fread", HD_CALLER);
}

static int character(FILE *f, const char *name, uint64_t pc)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, name, pc);
    enter(&c, f, buffered(f) > 0);
    int got = HD_REAL(fgetc)(f);
    come_out(&c);
    return got;
}

HD_EXPORT int fgetc(FILE *f) { return character(f, "fgetc", HD_CALLER); }
HD_EXPORT int(getc)(FILE *f) { return character(f, "getc", HD_CALLER); }

/* The header may define these in place: ours are made by label. */
HD_EXPORT int hd_getchar(void) __asm__("getchar");
HD_EXPORT ssize_t hd_getline(char **, size_t *, FILE *) __asm__("getline");

int hd_getchar(void) { return character(stdin, "getchar", HD_CALLER); }

/* The line's block is libc's to grow: what it became is told when it is done. */
static void line_grew(struct hd_crossing *c, char *old, size_t old_size, char *block, size_t size, ssize_t length)
{
    if (block != old) {
        if (old)
            hd_access_mark(c->t, HD_FREE, (uint64_t)(uintptr_t)old, old_size, c->pc);
        hd_heap_made(c->t, block, size, c->pc);
    }
    if (length >= 0)
        hd_access_range(c->t, block, (size_t)length + 1, HD_WRITE, c->pc);
}

static ssize_t line_block(char **place, size_t *room, int end, FILE *f, uint64_t pc)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "getline", pc);
    if (!c.t || !place || !room)
        return HD_REAL(getdelim)(place, room, end, f);
    char *old, *block;
    size_t size, old_size;
    hd_user_load(c.t, &old, place, sizeof old, pc);
    hd_user_load(c.t, &old_size, room, sizeof old_size, pc);
    block = old;
    size = old_size;
    enter(&c, f, has_line(f, end));
    ssize_t length = HD_REAL(getdelim)(&block, &size, end, f);
    come_out(&c);
    int saved = errno;
    line_grew(&c, old, old_size, block, size, length);
    if (block != old)
        hd_user_store(c.t, place, &block, sizeof block, pc);
    if (size != old_size)
        hd_user_store(c.t, room, &size, sizeof size, pc);
    errno = saved;
    return length;
}

HD_EXPORT ssize_t getdelim(char **place, size_t *room, int end, FILE *f)
{
    return line_block(place, room, end, f, HD_CALLER);
}

HD_EXPORT ssize_t __getdelim(char **place, size_t *room, int end, FILE *f)
{
    return line_block(place, room, end, f, HD_CALLER);
}

ssize_t hd_getline(char **place, size_t *room, FILE *f) { return line_block(place, room, '\n', f, HD_CALLER); }

/* As with sscanf, the real function stores; what it stored is told when it is done. */
static int scan(const char *name, FILE *f, const char *format, va_list ap, uint64_t pc)
{
    int (*real)(FILE *, const char *, va_list) = (int (*)(FILE *, const char *, va_list))hd_real(name);
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "scanf", pc);
    va_list again;
    va_copy(again, ap);
    enter(&c, f, has_line(f, '\n'));
    int done = real(f, format, ap), saved = errno;
    come_out(&c);
    if (c.t)
        hd_scanned(c.t, format, done, again, pc);
    va_end(again);
    errno = saved;
    return done;
}

#define SCAN(name, vname, in, ...)                                                                   \
    HD_EXPORT int hd_##vname(__VA_ARGS__ const char *format, va_list ap) __asm__(#vname);            \
    HD_EXPORT int hd_##name(__VA_ARGS__ const char *format, ...) __asm__(#name);                     \
    int hd_##vname(__VA_ARGS__ const char *format, va_list ap)                                       \
    {                                                                                                \
        return scan(REAL_SCAN_##vname, in, format, ap, HD_CALLER);                                   \
    }                                                                                                \
    int hd_##name(__VA_ARGS__ const char *format, ...)                                               \
    {                                                                                                \
        va_list ap;                                                                                  \
        va_start(ap, format);                                                                        \
        int done = scan(REAL_SCAN_##vname, in, format, ap, HD_CALLER);                               \
        va_end(ap);                                                                                  \
        return done;                                                                                 \
    }
#define REAL_SCAN_vfscanf "vfscanf"
#define REAL_SCAN_vscanf "vfscanf"
#define REAL_SCAN___isoc99_vfscanf "__isoc99_vfscanf"
#define REAL_SCAN___isoc99_vscanf "__isoc99_vfscanf"
SCAN(fscanf, vfscanf, f, FILE *f, )
SCAN(scanf, vscanf, stdin)
SCAN(__isoc99_fscanf, __isoc99_vfscanf, f, FILE *f, )
SCAN(__isoc99_scanf, __isoc99_vscanf, stdin)

/* -------------------------------------------------------------------- output */

/* A copy of what is to be written, taken with the baton; or the thing itself. */
static const void *taken(struct hd_crossing *c, const void *user, size_t size)
{
    if (!c->t || !hd_bounce_take(&c->bounce, (uintptr_t)user, size))
        return user;
    int saved = errno;
    hd_user_load(c->t, c->bounce.at, user, size, c->pc);
    errno = saved;
    return c->bounce.at;
}

HD_EXPORT size_t fwrite(const void *from, size_t size, size_t count, FILE *f)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "fwrite", HD_CALLER);
    size_t bytes;
    if (__builtin_mul_overflow(size, count, &bytes))
        return HD_REAL(fwrite)(from, size, count, f);
    from = taken(&c, from, bytes);
    enter_to_write(&c, f, bytes);
    size_t done = HD_REAL(fwrite)(from, size, count, f);
    come_out(&c);
    return done;
}

HD_EXPORT int fputs(const char *text, FILE *f)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "fputs", HD_CALLER);
    size_t size = c.t ? __wrap_strlen(text) + 1 : 0;
    text = taken(&c, text, size);
    enter_to_write(&c, f, size);
    int done = HD_REAL(fputs)(text, f);
    come_out(&c);
    return done;
}

HD_EXPORT int puts(const char *text)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "puts", HD_CALLER);
    size_t size = c.t ? __wrap_strlen(text) + 1 : 0;
    text = taken(&c, text, size);
    enter_to_write(&c, stdout, size);
    int done = HD_REAL(puts)(text);
    come_out(&c);
    return done;
}

HD_EXPORT int fflush(FILE *f)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "fflush", HD_CALLER);
    if (!c.t || !f)
        return HD_REAL(fflush)(f);
    enter_to_write(&c, f, 0);
    int done = HD_REAL(fflush)(f);
    come_out(&c);
    return done;
}

HD_EXPORT int fclose(FILE *f)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "fclose", HD_CALLER);
    if (c.t && __fwriting(f) && fileno(f) >= 0)
        hd_leave_to_write(&c, fileno(f), __fpending(f));
    int done = HD_REAL(fclose)(f);
    come_out(&c);
    return done;
}
