/* SPDX-License-Identifier: Apache-2.0
 * The call-outs, empty: what instrumentation costs before anything is done with it. */
void __tsan_init(void);
void __tsan_init(void) { }
void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc) { (void)pc; }
void __tsan_func_exit(void);
void __tsan_func_exit(void) { }

#define EMPTY(name)                                                                                  \
    void name(void *p);                                                                              \
    void name(void *p) { (void)p; }
#define SIZES(what)                                                                                  \
    EMPTY(__tsan_##what##1) EMPTY(__tsan_##what##2) EMPTY(__tsan_##what##4)                          \
    EMPTY(__tsan_##what##8) EMPTY(__tsan_##what##16)
SIZES(read)
SIZES(write)
SIZES(unaligned_read)
SIZES(unaligned_write)

#define RANGE(name)                                                                                  \
    void name(void *p, unsigned long size);                                                          \
    void name(void *p, unsigned long size) { (void)p, (void)size; }
RANGE(__tsan_read_range)
RANGE(__tsan_write_range)
