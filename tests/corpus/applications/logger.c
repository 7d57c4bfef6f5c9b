/* SPDX-License-Identifier: Apache-2.0
 * class: atomicity, two critical sections
 * bug: whether the log is full is asked under the lock, the rotation done under it
 *      once more: two writers rotate where one would do, and a backup is pushed out
 * expect: FAILING, lines are lost
 *
 * A logger: levels, prefixes, formatted lines, rotation by size with a bounded
 * number of backups, a search over all that is kept. Files live in memory. */
#include "app.h"

#include <stdarg.h>

#define FILE_BYTES 128
#define BACKUPS 2
#define LINE_MAX_BYTES 64

enum level { LEVEL_DEBUG, LEVEL_INFO, LEVEL_WARNING, LEVEL_ERROR, LEVELS };

static const char *const level_name[LEVELS] = { "debug", "info", "warning", "error" };

struct log_file {
    char text[FILE_BYTES + 1];
    size_t length;
    unsigned lines, number;
};

struct logger {
    pthread_mutex_t lock;
    struct log_file *current;
    struct log_file *backup[BACKUPS]; /* newest first */
    enum level threshold;
    size_t limit;
    unsigned rotations, dropped_files, dropped_lines, written_lines, rejected_lines;
    unsigned by_level[LEVELS];
};

/* ------------------------------------------------------------ files */

static struct log_file *file_new(unsigned number)
{
    struct log_file *f = need(calloc(1, sizeof *f));
    f->number = number;
    return f;
}

static bool file_has_room(const struct log_file *f, size_t bytes, size_t limit)
{
    return f->length + bytes <= limit;
}

static void file_append(struct log_file *f, const char *line, size_t bytes)
{
    memcpy(f->text + f->length, line, bytes);
    f->length += bytes;
    f->text[f->length] = 0;
    f->lines++;
}

static bool file_contains(const struct log_file *f, const char *word)
{
    return f && strstr(f->text, word) != NULL;
}

/* ------------------------------------------------------------ lines */

static size_t format_prefix(char *line, size_t size, enum level level, const char *component)
{
    int length = snprintf(line, size, "%s %s: ", level_name[level], component);
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

static size_t format_line(char *line, size_t size, enum level level, const char *component, const char *format,
                          va_list arguments)
{
    size_t length = format_prefix(line, size - 1, level, component);
    int more = vsnprintf(line + length, size - 1 - length, format, arguments);
    if (more > 0)
        length += (size_t)more < size - 1 - length ? (size_t)more : size - 2 - length;
    line[length++] = '\n';
    line[length] = 0;
    return length;
}

/* ------------------------------------------------------------ the logger */

static struct logger *logger_new(enum level threshold, size_t limit)
{
    struct logger *l = need(calloc(1, sizeof *l));
    pthread_mutex_init(&l->lock, NULL);
    l->threshold = threshold;
    l->limit = limit < FILE_BYTES ? limit : FILE_BYTES;
    l->current = file_new(1);
    return l;
}

static void logger_free(struct logger *l)
{
    free(l->current);
    for (int i = 0; i < BACKUPS; i++)
        free(l->backup[i]);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

/* With the lock: the current file becomes the newest backup, the oldest goes. */
static void rotate(struct logger *l)
{
    struct log_file *oldest = l->backup[BACKUPS - 1];
    if (oldest) {
        l->dropped_files++;
        l->dropped_lines += oldest->lines;
        free(oldest);
    }
    for (int i = BACKUPS - 1; i > 0; i--)
        l->backup[i] = l->backup[i - 1];
    l->backup[0] = l->current;
    l->current = file_new(l->current->number + 1);
    l->rotations++;
}

#ifdef FIXED
static void make_room(struct logger *l, size_t bytes)
{
    pthread_mutex_lock(&l->lock);
    if (!file_has_room(l->current, bytes, l->limit))
        rotate(l);
}
#else
static void make_room(struct logger *l, size_t bytes)
{
    pthread_mutex_lock(&l->lock);
    bool full = !file_has_room(l->current, bytes, l->limit);
    pthread_mutex_unlock(&l->lock);
    pthread_mutex_lock(&l->lock);
    if (full)
        rotate(l);
}
#endif

static void logger_set_threshold(struct logger *l, enum level threshold)
{
    pthread_mutex_lock(&l->lock);
    l->threshold = threshold;
    pthread_mutex_unlock(&l->lock);
}

static bool is_wanted(struct logger *l, enum level level)
{
    pthread_mutex_lock(&l->lock);
    bool wanted = level >= l->threshold;
    if (!wanted)
        l->rejected_lines++;
    pthread_mutex_unlock(&l->lock);
    return wanted;
}

static bool __attribute__((format(printf, 4, 5)))
logger_write(struct logger *l, enum level level, const char *component, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list arguments;
    if (!is_wanted(l, level))
        return false;
    va_start(arguments, format);
    size_t bytes = format_line(line, sizeof line, level, component, format, arguments);
    va_end(arguments);
    make_room(l, bytes);
    bool fits = file_has_room(l->current, bytes, l->limit);
    if (fits) {
        file_append(l->current, line, bytes);
        l->written_lines++;
        l->by_level[level]++;
    }
    pthread_mutex_unlock(&l->lock);
    return fits;
}

static unsigned kept_lines(struct logger *l)
{
    pthread_mutex_lock(&l->lock);
    unsigned lines = l->current->lines;
    for (int i = 0; i < BACKUPS; i++)
        lines += l->backup[i] ? l->backup[i]->lines : 0;
    pthread_mutex_unlock(&l->lock);
    return lines;
}

static bool logger_find(struct logger *l, const char *word)
{
    pthread_mutex_lock(&l->lock);
    bool found = file_contains(l->current, word);
    for (int i = 0; i < BACKUPS && !found; i++)
        found = file_contains(l->backup[i], word);
    pthread_mutex_unlock(&l->lock);
    return found;
}

/* The last line of the current file, without its end. */
static size_t logger_tail(struct logger *l, char *line, size_t size)
{
    pthread_mutex_lock(&l->lock);
    const char *text = l->current->text;
    size_t end = l->current->length ? l->current->length - 1 : 0, start = end;
    while (start && text[start - 1] != '\n')
        start--;
    size_t length = end - start < size ? end - start : size - 1;
    memcpy(line, text + start, length);
    line[length] = 0;
    pthread_mutex_unlock(&l->lock);
    return length;
}

/* Numbers of the files that are kept follow each other. */
static bool files_in_order(struct logger *l)
{
    pthread_mutex_lock(&l->lock);
    unsigned number = l->current->number;
    bool order = true;
    for (int i = 0; i < BACKUPS && l->backup[i]; i++)
        order = order && l->backup[i]->number == --number;
    pthread_mutex_unlock(&l->lock);
    return order;
}

/* ------------------------------------------------------------ tests */

struct component {
    struct logger *logger;
    const char *name;
    int lines, written;
};

static void *log_lines(void *data)
{
    struct component *c = data;
    for (int i = 0; i < c->lines; i++)
        c->written += logger_write(c->logger, LEVEL_INFO, c->name, "line %d of %d", i, c->lines);
    return NULL;
}

static void run_components(struct logger *l, struct component *c, int count)
{
    pthread_t thread[4];
    for (int i = 0; i < count; i++) {
        c[i].logger = l;
        thread[i] = spawn(log_lines, &c[i]);
    }
    for (int i = 0; i < count; i++)
        join(thread[i]);
}

/* Three files of three lines each hold the nine lines: nothing may be dropped. */
static void backups_keep_all(void)
{
    struct component c[3] = { { .name = "net", .lines = 2 }, { .name = "gui", .lines = 2 },
                              { .name = "sql", .lines = 2 } };
    struct logger *l = logger_new(LEVEL_INFO, 2 * sizeof "info net: line 0 of 2");
    run_components(l, c, 3);
    CU_ASSERT_EQUAL(c[0].written + c[1].written + c[2].written, 6);
    CU_ASSERT_EQUAL(kept_lines(l), 6);
    CU_ASSERT_EQUAL(l->dropped_lines, 0);
    CU_ASSERT_TRUE(logger_find(l, "net: line 0"));
    CU_ASSERT_TRUE(files_in_order(l));
    logger_free(l);
}

static void account_adds_up(void)
{
    struct component c[2] = { { .name = "a", .lines = 2 }, { .name = "b", .lines = 2 } };
    struct logger *l = logger_new(LEVEL_INFO, FILE_BYTES);
    run_components(l, c, 2);
    CU_ASSERT_EQUAL(kept_lines(l) + l->dropped_lines, l->written_lines);
    CU_ASSERT_EQUAL(l->by_level[LEVEL_INFO], l->written_lines);
    logger_free(l);
}

static void *quieten(void *data)
{
    logger_set_threshold(data, LEVEL_WARNING);
    return NULL;
}

static void threshold_rejects(void)
{
    struct logger *l = logger_new(LEVEL_DEBUG, FILE_BYTES);
    struct component c = { .logger = l, .name = "x", .lines = 2 };
    pthread_t writer = spawn(log_lines, &c), changer = spawn(quieten, l);
    join(writer);
    join(changer);
    CU_ASSERT_EQUAL(l->rejected_lines + l->written_lines, 2);
    CU_ASSERT_FALSE(logger_write(l, LEVEL_DEBUG, "x", "too quiet"));
    CU_ASSERT_TRUE(logger_write(l, LEVEL_ERROR, "x", "loud"));
    char line[LINE_MAX_BYTES];
    CU_ASSERT_TRUE(logger_tail(l, line, sizeof line) > 0);
    CU_ASSERT_STRING_EQUAL(line, "error x: loud");
    logger_free(l);
}

static const struct app_test tests[] = { { "backups_keep_all", backups_keep_all },
                                         { "account_adds_up", account_adds_up },
                                         { "threshold_rejects", threshold_rejects } };
APP_MAIN("logger", tests)
