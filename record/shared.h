/* SPDX-License-Identifier: Apache-2.0
 * The mapping that the test and its parent share.
 *
 * The parent (heddle record, replay, check) makes a memfd, lays this structure
 * into it and starts the program with HEDDLE_FD naming it. The test appends
 * fixed-size records to the ring; the parent drains them and encodes the trace
 * in its own process. Whatever kills the test, what it appended stays.
 *
 * One producer (the thread that has the baton), one consumer (the parent).
 * `head` counts complete records. The record at `head` may be in the making:
 * an access whose value is taken at the thread's next call-out. Its kind is set
 * last, so after the test's death a kind there means "value unknown".
 *
 * | field                    | written by | when              |
 * |--------------------------|------------|-------------------|
 * | config, threads, slices, checks | parent | before the start |
 * | head, ring, outcome, progress   | test   | with the baton   |
 * | tail                     | parent     | any time          |
 */
#ifndef HD_SHARED_H
#define HD_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#define HD_SHARED_MAGIC 0x3130656c64646568ull /* "heddle01" */
#define HD_RING_RECORDS (1u << 17)
#define HD_NAME_MAX 256
#define HD_TEXT_MAX 512
#define HD_AGAIN_MAX 256

/* Kinds only the ring knows; the rest are enum hd_kind. A text of `size` pieces
 * travels in the records that follow, 32 bytes each. */
enum hd_ring_kind {
    HD_RING_STACK = 200, /* value: parent node, address: pc; ids count up from 1 */
    HD_RING_THREAD,      /* thread: id, value: parent id | child number << 32 */
    HD_RING_THREAD_STACK,/* address: low, value: size */
    HD_RING_OBJECT,      /* address; value: kind; ids count up from 1 */
    HD_RING_MODULE,      /* address: base, value: size; text: path */
    HD_RING_TEST_BEGIN,  /* text: suite \n test */
    HD_RING_TEST_END,    /* value: 1 passed */
    HD_RING_NOTE,        /* belongs to the event before; value: line, address: 1 failed; text: file \n text */
    HD_RING_SECOND,      /* value: what the ATOMIC_RMW before it wrote */
    HD_RING_LAST_READ,   /* last of a run of dropped reads; ordered by k within its interval */
    HD_RING_UNFINISHED,  /* an access whose process died before its value was taken; value: its kind */
    HD_RING_DIED,        /* the test's process ended; value: wait status, HD_STATUS_UNKNOWN; address: 1 as it should */
    HD_RING_REDUCED,     /* the budget is spent: from here on, shared words only; value 1: no accesses at all */
};

#define HD_STATUS_UNKNOWN UINT64_MAX

struct hd_record {
    uint8_t kind;
    uint8_t size; /* accesses: bytes; with text: pieces that follow */
    uint16_t thread;
    uint32_t stack;  /* call stack node */
    uint64_t pc_k;   /* pc in 48 bits, low half of k above */
    uint64_t addr_k; /* address in 48 bits (synchronization: object id), high half of k above */
    uint64_t value;
};
_Static_assert(sizeof(struct hd_record) == 32, "a record is half a cache line");

#define HD_48 ((1ull << 48) - 1)
static inline uint64_t hd_record_pc(const struct hd_record *r) { return r->pc_k & HD_48; }
static inline uint64_t hd_record_address(const struct hd_record *r) { return r->addr_k & HD_48; }
static inline uint32_t hd_record_k(const struct hd_record *r)
{
    return (uint32_t)(r->pc_k >> 48) | (uint32_t)(r->addr_k >> 48) << 16;
}

enum hd_mode { HD_MODE_OFF, HD_MODE_RECORD, HD_MODE_REPLAY };
enum hd_state { HD_STATE_NONE, HD_STATE_RUNNING, HD_STATE_DEADLOCK, HD_STATE_DIVERGED, HD_STATE_TEST_DONE };

/* The schedule a replay enforces; made by replay/schedule.c from a witness. */
struct hd_plan_thread { uint32_t parent, child; }; /* index of the parent, number among its children */
struct hd_plan_check { uint32_t kind, n, object, unused; uint64_t offset; };
struct hd_plan_slice {
    uint32_t thread;
    uint32_t first_check, checks; /* synchronization events of the slice */
    uint32_t stop_kind, stop_n, stop_k, stop_size, stop_object;
    uint64_t stop_offset; /* 0: the site is not checked */
};

struct hd_divergence {
    uint32_t slice;
    uint32_t thread;           /* id in the rerun */
    uint32_t expected_kind, expected_n, expected_k;
    uint32_t got_kind, got_n, got_k;
    uint32_t reason;           /* enum hd_divergence_reason */
    uint32_t holder;           /* id of the thread that holds the lock, +1 */
    uint64_t got_pc;
};
enum hd_divergence_reason {
    HD_DIVERGED_NONE,
    HD_DIVERGED_KIND,
    HD_DIVERGED_SITE,
    HD_DIVERGED_OBJECT,
    HD_DIVERGED_BLOCKED,
    HD_DIVERGED_MISSING_THREAD,
    HD_DIVERGED_PAST,
};

struct hd_shared {
    uint64_t magic;
    uint32_t mode;
    uint32_t quantum;
    uint64_t seed;
    uint32_t priorities; /* record by record/pct_policy.c */
    uint32_t unused;
    uint64_t length;     /* scheduling points of a run, about; for priorities */
    int32_t bell_fd; /* eventfd: rings at half-full, test end, deadlock */
    uint32_t keep_repeats; /* no reduction */
    uint64_t budget;       /* accesses that are kept in full; 0: all */
    uint64_t accesses_max; /* accesses that are kept; 0: all */
    int32_t parent_pid;
    uint32_t aslr_off;   /* set by the child before exec */
    int32_t exec_errno;  /* likewise: exec failed */
    int32_t exhausted;   /* set by the test: what libheddle could not get, as errno; the run is void */
    char test[HD_NAME_MAX]; /* replay: "suite\ntest" to run, others are skipped */
    uint32_t debugged;      /* a debugger runs the program */
    uint64_t main_base;     /* load address of the executable, set by the test */
    uint32_t threads, slices, checks;
    uint32_t thread_offset, slice_offset, check_offset; /* from the start of the mapping */
    uint64_t ring_offset;
    uint64_t mapped;

    _Atomic uint64_t head __attribute__((aligned(64)));
    _Atomic uint32_t state;
    _Atomic uint32_t slices_done;
    _Atomic int32_t test_process; /* whose test it is (process.h); 0: none is on */
    int32_t expected_status;      /* a wait status with which the test's process may end, -1: none */
    struct { uint64_t test; uint32_t begun; } again[HD_AGAIN_MAX]; /* tests that have several turns, by hash of the name */
    uint32_t failures; /* assertions failed in this test */
    struct hd_divergence divergence;
    _Atomic uint64_t tail __attribute__((aligned(64)));
    _Atomic uint32_t tail_futex;
};

#endif
