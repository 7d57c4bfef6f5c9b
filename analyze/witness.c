// SPDX-License-Identifier: Apache-2.0
#include "analyze/witness.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/requests.h"
#include "proto/frame.h"
#include "proto/memory.h"

struct weaver {
    struct hd_run *run;
    Heddle__Witness *w;
    uint32_t *object, *anchor; /* index+1 in the witness, 0 = not yet */
    size_t object_room, anchor_room, slice_room;
};

static uint32_t object_of(struct weaver *v, uint32_t object)
{
    if (object >= v->run->trace->objects)
        return 0;
    if (!v->object[object]) {
        HD_GROW(v->w->object, v->w->n_object, v->object_room);
        v->w->object[v->w->n_object++] = hd_strdup(hd_symbols_object(v->run->symbols, object));
        v->object[object] = (uint32_t)v->w->n_object;
    }
    return v->object[object];
}

static uint32_t anchor_of(struct weaver *v, uint32_t site)
{
    const struct hd_trace *t = v->run->trace;
    if (site >= t->sites)
        return 0;
    if (v->anchor[site])
        return v->anchor[site];
    const struct hd_place *place = hd_symbols_place(v->run->symbols, site);
    Heddle__Anchor *a = hd_alloc(sizeof *a);
    heddle__anchor__init(a);
    uint32_t module = t->site[site].module;
    a->offset = t->site[site].offset;
    a->module = hd_strdup(module < t->modules ? t->module[module].path : "");
    a->function = hd_strdup(place->function);
    a->file = hd_strdup(place->file);
    a->line = place->line;
    a->text = hd_strdup(hd_symbols_line(v->run->symbols, site));
    HD_GROW(v->w->anchor, v->w->n_anchor, v->anchor_room);
    v->w->anchor[v->w->n_anchor++] = a;
    return v->anchor[site] = (uint32_t)v->w->n_anchor;
}

/* How many accesses of this kind on this line its thread has made since its last synchronization. */
static uint32_t nth_of_place(struct weaver *v, uint64_t position)
{
    const struct hd_trace *t = v->run->trace;
    const struct hd_event *e = &t->event[position];
    const struct hd_place *place = e->site < t->sites ? hd_symbols_place(v->run->symbols, e->site) : NULL;
    uint32_t nth = 1;
    for (uint64_t i = position; place && place->line && i-- > 0;) {
        const struct hd_event *before = &t->event[i];
        if (before->thread != e->thread)
            continue;
        if (before->n != e->n || hd_kind_is_sync(before->kind))
            break;
        if (before->kind != e->kind || before->site >= t->sites)
            continue;
        const struct hd_place *other = hd_symbols_place(v->run->symbols, before->site);
        nth += other->line == place->line && strcmp(other->function, place->function) == 0;
    }
    return nth;
}

static Heddle__Step *step_of(struct weaver *v, uint64_t position)
{
    const struct hd_event *e = &v->run->trace->event[position];
    Heddle__Step *s = hd_alloc(sizeof *s);
    heddle__step__init(s);
    s->kind = e->kind;
    s->n = e->n;
    s->k = hd_kind_is_sync(e->kind) ? 0 : e->k;
    s->object = object_of(v, e->object);
    s->anchor = anchor_of(v, e->site);
    s->size = e->size;
    s->nth = hd_index_nth(v->run->index, position);
    s->place_nth = hd_kind_is_access(e->kind) ? nth_of_place(v, position) : 0;
    s->datum = hd_strdup(hd_kind_is_access(e->kind) ? hd_symbols_datum(v->run->symbols, position) : "");
    return s;
}

static Heddle__Header *header_of(const struct hd_trace *t)
{
    Heddle__Header *h = hd_alloc(sizeof *h);
    heddle__header__init(h);
    h->version = HD_FORMAT_VERSION;
    h->program = hd_strdup(t->program);
    h->build_id = hd_strdup(t->build_id);
    h->n_argv = t->argc;
    h->argv = hd_alloc((t->argc + 1) * sizeof *h->argv);
    for (size_t i = 0; i < t->argc; i++)
        h->argv[i] = hd_strdup(t->argv[i]);
    h->suite = hd_strdup(t->suite);
    h->test = hd_strdup(t->test);
    h->seed = t->seed;
    h->has_values = t->has_values;
    h->aslr_off = t->aslr_off;
    h->cwd = hd_strdup(t->cwd);
    h->declare = hd_strdup(t->declare);
    return h;
}

static Heddle__Slice *add_slice(struct weaver *v, uint32_t thread)
{
    Heddle__Slice *s = hd_alloc(sizeof *s);
    heddle__slice__init(s);
    s->thread = thread;
    HD_GROW(v->w->slice, v->w->n_slice, v->slice_room);
    v->w->slice[v->w->n_slice++] = s;
    return s;
}

/* The thread's next item from `index` on that has an identity: marks have none. */
static Heddle__Step *stop_at(struct weaver *v, uint32_t thread, uint32_t index)
{
    const struct hd_index *x = v->run->index;
    for (; index < x->thread[thread].count; index++) {
        uint64_t position = x->item[x->thread[thread].item[index]].position;
        unsigned kind = v->run->trace->event[position].kind;
        if (hd_kind_is_sync(kind) || hd_kind_is_access(kind))
            return step_of(v, position);
    }
    return NULL;
}

/* One slice from order[from]; where it ends. The freed read is a stop, never taken. */
static size_t weave(struct weaver *v, const struct hd_answer *a, size_t from, size_t end)
{
    const struct hd_trace *t = v->run->trace;
    const struct hd_index *x = v->run->index;
    uint32_t thread = t->event[a->order[from]].thread, next = x->item[hd_index_from(x, a->order[from])].index;
    Heddle__Slice *s = add_slice(v, thread);
    size_t to = from, room = 0;
    for (; to < a->count && t->event[a->order[to]].thread == thread; to++) {
        if (to >= end)
            continue;
        next++;
        if (!hd_kind_is_sync(t->event[a->order[to]].kind))
            continue;
        HD_GROW(s->step, s->n_step, room);
        s->step[s->n_step++] = step_of(v, a->order[to]);
    }
    s->stop = stop_at(v, thread, next);
    if (!s->stop && !s->n_step) { /* of a run that was cut: nothing in it tells where the slice would end */
        heddle__slice__free_unpacked(s, NULL);
        v->w->n_slice--;
    }
    return to;
}

static void held_by(struct weaver *v, const struct hd_item *it, Heddle__Role *role)
{
    const struct hd_index *x = v->run->index;
    size_t room = 0;
    for (uint32_t h = it->held; h != HD_NO_INDEX; h = x->held[h].below) {
        HD_GROW(role->held, role->n_held, room);
        role->held[role->n_held++] = object_of(v, x->held[h].lock);
    }
}

/* Frames of the library, and of the closures it starts tests with, are no news to anybody. */
static bool is_ours(const struct hd_trace *t, uint32_t site)
{
    if (site >= t->sites || t->site[site].module >= t->modules)
        return false;
    const char *path = t->module[t->site[site].module].path, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return strncmp(name, "libheddle.so", 12) == 0 || strncmp(name, "libffi.so", 9) == 0;
}

static void stack_of(struct weaver *v, const struct hd_event *e, Heddle__Role *role)
{
    const struct hd_trace *t = v->run->trace;
    size_t room = 0;
    uint32_t site = e->site, node = e->stack;
    for (size_t depth = 0; depth <= t->stacks; depth++) {
        uint32_t anchor = is_ours(t, site) ? 0 : anchor_of(v, site);
        if (anchor) {
            HD_GROW(role->stack, role->n_stack, room);
            role->stack[role->n_stack++] = anchor;
        }
        if (node >= t->stacks)
            break;
        site = t->stack[node].site;
        node = t->stack[node].parent;
    }
}

static void add_role(struct weaver *v, Heddle__Finding *f, const char *name, uint32_t item)
{
    if (item == HD_NO_INDEX)
        return;
    const struct hd_item *it = &v->run->index->item[item];
    const struct hd_event *e = &v->run->trace->event[it->position];
    Heddle__Role *role = hd_alloc(sizeof *role);
    heddle__role__init(role);
    role->name = hd_strdup(name);
    role->thread = it->thread;
    role->at = step_of(v, it->position);
    role->position = it->position;
    role->has_value = v->run->trace->has_values && it->cells > 0;
    role->value = role->has_value ? e->value : 0;
    stack_of(v, e, role);
    held_by(v, it, role);
    f->role = hd_realloc(f->role, f->n_role + 1, sizeof *f->role);
    f->role[f->n_role++] = role;
}

static void add_roles(struct weaver *v, const struct hd_candidate *q)
{
    Heddle__Finding *f = v->w->finding;
    for (uint32_t i = 0; i < q->requests; i++)
        add_role(v, f, strcmp(q->kind, "deadlock") == 0 ? "request" : "next", q->request[i]);
    if (q->requests) {
        add_role(v, f, "before", q->c);
        return;
    }
    add_role(v, f, "r", q->r);
    add_role(v, f, "w", q->w);
    add_role(v, f, "c", q->c);
}

static uint32_t count_switches(const struct hd_trace *t, const struct hd_answer *a)
{
    uint32_t n = 0;
    for (size_t i = 1; i < a->count; i++)
        n += t->event[a->order[i]].thread != t->event[a->order[i - 1]].thread;
    return n;
}

/* The last slice is of the thread that the item is next of: the run goes on with it. */
static void go_on_with(struct weaver *v, uint32_t item)
{
    const struct hd_item *it = &v->run->index->item[item];
    if (v->w->n_slice && v->w->slice[v->w->n_slice - 1]->thread == it->thread)
        return;
    v->w->context_switches += v->w->n_slice != 0;
    add_slice(v, it->thread)->stop = step_of(v, it->position);
}

/* Who has to wait before a reader does, so that this one waits, too. */
static uint32_t waiting_writer(const struct hd_index *x, const struct hd_candidate *q)
{
    for (uint32_t i = 0; strcmp(q->kind, "deadlock") == 0 && i < q->requests; i++) {
        uint32_t next = q->request[(i + 1) % q->requests];
        if (hd_request_is_behind(x, &x->item[q->request[i]], &x->item[next]))
            return next;
    }
    return HD_NO_INDEX;
}

static struct weaver weaver_of(struct hd_run *run)
{
    const struct hd_trace *t = run->trace;
    struct weaver v = {.run = run, .w = hd_alloc(sizeof *v.w)};
    heddle__witness__init(v.w);
    v.object = hd_alloc((t->objects + 1) * sizeof *v.object);
    v.anchor = hd_alloc((t->sites + 1) * sizeof *v.anchor);
    v.w->header = header_of(t);
    v.w->trace = hd_strdup("");
    v.w->n_thread = t->threads;
    v.w->thread = hd_alloc((t->threads + 1) * sizeof *v.w->thread);
    for (size_t i = 0; i < t->threads; i++)
        v.w->thread[i] = hd_strdup(t->thread[i].path);
    return v;
}

/* The first `end` of the order are taken; the rest is what comes next. */
static void weave_all(struct weaver *v, const struct hd_answer *a, size_t end)
{
    for (size_t i = 0; i < a->count;)
        i = weave(v, a, i, end);
    v->w->context_switches = count_switches(v->run->trace, a);
}

Heddle__Witness *hd_witness_new(struct hd_run *run, const struct hd_candidate *q, const struct hd_answer *a)
{
    struct weaver v = weaver_of(run);
    weave_all(&v, a, q->requests ? a->count : a->count - 1);
    if (!a->count && q->requests) /* all are next from the start */
        add_slice(&v, run->index->item[q->request[0]].thread)->stop =
            step_of(&v, run->index->item[q->request[0]].position);
    v.w->finding = hd_finding_new(run, q);
    add_roles(&v, q);
    if (strcmp(q->kind, "contended") == 0)
        go_on_with(&v, q->request[0]);
    uint32_t writer = waiting_writer(run->index, q);
    if (writer != HD_NO_INDEX)
        go_on_with(&v, writer);
    free(v.object);
    free(v.anchor);
    return v.w;
}

/* Positions of what is a step or an access that a slice can stop at; a run that ends in the middle of
 * something has nothing after it. */
static struct hd_answer order_of_run(const struct hd_index *x)
{
    struct hd_answer a = {.order = hd_alloc((x->items + 1) * sizeof *a.order)};
    for (uint32_t i = 0; i < x->items; i++)
        a.order[a.count++] = x->item[i].position;
    return a;
}

Heddle__Witness *hd_witness_of_run(const struct hd_trace *t, struct hd_symbols *symbols, const char *kind,
                                   const char *title)
{
    struct hd_run run = {.trace = t, .symbols = symbols, .index = hd_index_new(t, false, false)};
    struct weaver v = weaver_of(&run);
    struct hd_answer a = order_of_run(run.index);
    weave_all(&v, &a, a.count);
    v.w->finding = hd_finding_of_run(t, kind, title);
    hd_index_free(run.index);
    free(a.order);
    free(v.object);
    free(v.anchor);
    return v.w;
}
