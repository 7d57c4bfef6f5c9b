/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fresh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/memory.h"

#define MOST 64  /* recordings */
#define STALE 12 /* in a row without news: the end */

static bool is_up(time_t until)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return until && now.tv_sec >= until;
}

static bool wants_more(const struct hd_campaign *c)
{
    const Heddle__Account *a = hd_campaign_account(c);
    return a->open || a->diverged;
}

static bool any_wants_more(const struct hd_fresh *f)
{
    for (size_t i = 0; i < f->recording->traces; i++)
        if (wants_more(f->campaign[i]))
            return true;
    return false;
}

/* The longest test's. */
static uint64_t scheduling_points(const struct hd_recording *r)
{
    uint64_t most = 1;
    for (size_t i = 0; i < r->traces; i++) {
        uint64_t count = 0;
        for (size_t k = 0; k < r->trace[i]->events; k++)
            count += hd_kind_is_sync(r->trace[i]->event[k].kind);
        most = count > most ? count : most;
    }
    return most;
}

/* The campaign of the same test: of those with this name, the one with the same number. */
static struct hd_campaign *campaign_of(const struct hd_fresh *f, const struct hd_recording *again, size_t i)
{
    size_t before = 0;
    const struct hd_trace *t = again->trace[i];
    for (size_t k = 0; k < i; k++)
        before += strcmp(again->trace[k]->test, t->test) == 0 && strcmp(again->trace[k]->suite, t->suite) == 0;
    for (size_t k = 0; k < f->recording->traces; k++) {
        const struct hd_trace *o = f->recording->trace[k];
        if (strcmp(o->test, t->test) == 0 && strcmp(o->suite, t->suite) == 0 && before-- == 0)
            return f->campaign[k];
    }
    return NULL;
}

static void remove_traces(const struct hd_recording *r, const char *dir)
{
    for (size_t i = 0; i < r->paths; i++)
        unlink(r->path[i]);
    rmdir(dir);
}

static void say_unenforced(const struct hd_trace *t, uint64_t length)
{
    char *priorities = length ? hd_format(" --priorities %llu", (unsigned long long)length) : hd_strdup("");
    fprintf(stderr, "heddle check: %s fails with 'heddle record --seed %llu%s', but its schedule could not be enforced\n",
            t->test, (unsigned long long)t->seed, priorities);
    free(priorities);
}

/* Tests whose account is closed have nothing to gain; should one fail, that is news, nevertheless. */
static int feed(struct hd_fresh *f, const struct hd_recording *again, uint64_t length, bool *news, char *error, size_t size)
{
    int failed = 0;
    *news = false;
    for (size_t i = 0; i < again->traces && !failed && !is_up(f->until); i++) {
        struct hd_campaign *c = campaign_of(f, again, i);
        const struct hd_trace *t = again->trace[i];
        if (!c || !t->complete || t->outcome == HEDDLE__OUTCOME__TIMED_OUT ||
            (t->outcome == HEDDLE__OUTCOME__PASSED && !wants_more(c)))
            continue;
        uint64_t failing = hd_campaign_account(c)->failing;
        failed = hd_campaign_feed(c, t, error, size);
        *news |= hd_campaign_found_news(c);
        if (t->outcome != HEDDLE__OUTCOME__PASSED && hd_campaign_found_news(c) && !failed &&
            hd_campaign_account(c)->failing == failing)
            say_unenforced(t, length);
    }
    return failed;
}

int hd_fresh_run(struct hd_fresh *f, char *error, size_t size)
{
    char *dir = hd_format("%s/.again-%d", f->options.dir, (int)getpid());
    uint64_t length = scheduling_points(f->recording);
    unsigned stale = 0;
    int failed = 0;
    for (unsigned n = 1; n <= MOST && stale < STALE && !failed && any_wants_more(f) && !is_up(f->until); n++) {
        struct hd_recording again;
        struct hd_recording_options options = f->options;
        bool news = false;
        options.dir = dir;
        options.seed = f->options.seed + n;
        options.priorities = n % 2 == 0;
        options.length = length;
        failed = hd_recording_make(&again, f->argv, &options, error, size);
        if (!failed)
            failed = feed(f, &again, options.priorities ? length : 0, &news, error, size);
        stale = news ? 0 : stale + 1;
        remove_traces(&again, dir);
        hd_recording_free(&again);
    }
    free(dir);
    return failed;
}
