/* SPDX-License-Identifier: Apache-2.0
 * Signal handlers. The kernel calls ours, which calls the user's.
 *
 * In a thread that has the baton and was interrupted in the user's code, the
 * handler is that thread's code: recorded, after a mark. In a thread that is
 * parked, or inside the runtime, it runs unrecorded, because the ring is not
 * its to write; the thread's next synchronization says so. What such a handler
 * stores comes out as an unseen write.
 *
 * "Inside the runtime" needs no flag that every hook would have to keep: the
 * interrupted program counter is in this library, or in a function without a
 * frame that this library called (memcpy, syscall). Where a hook is elsewhere,
 * in the real primitive, the ring is whole and the baton its own: so too in
 * raise, kill and pthread_kill, which have no frame and say it (hd_raises). */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "record/runtime.h"

typedef int action_fn(int, const struct sigaction *, struct sigaction *);

static struct sigaction user_action[NSIG];
static uintptr_t text_low, text_high;
static action_fn *real_action;

/* Whose handler runs unrecorded, and where on the stack. */
static __thread struct hd_thread *interrupted;
static __thread uintptr_t handler_frame;

static int find_text(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + p->p_vaddr, here = (uintptr_t)find_text;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && here >= low && here - low < p->p_memsz) {
            text_low = low;
            text_high = low + p->p_memsz;
            return 1;
        }
    }
    return 0;
}

static bool is_ours(uintptr_t pc)
{
    return pc >= text_low && pc < text_high;
}

static bool in_runtime(const ucontext_t *context)
{
#ifdef __x86_64__
    const uintptr_t *top = (const uintptr_t *)context->uc_mcontext.gregs[REG_RSP];
    return is_ours((uintptr_t)context->uc_mcontext.gregs[REG_RIP]) || is_ours(*top);
#elif defined __aarch64__
    return is_ours(context->uc_mcontext.pc) || is_ours(context->uc_mcontext.regs[30]);
#else
    (void)context;
    return true;
#endif
}

static void call_user(const struct sigaction *a, int signal, siginfo_t *info, void *context)
{
    if (a->sa_flags & SA_SIGINFO)
        a->sa_sigaction(signal, info, context);
    else
        a->sa_handler(signal);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    struct hd_thread *t = hd_self;
    int saved = errno;
    struct sigaction action = user_action[signal];
    if (action.sa_flags & SA_RESETHAND)
        user_action[signal].sa_handler = SIG_DFL;
    if (t && t->state == HD_RUNNING && (signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0)
        hd_access_abandon(t, (uint64_t)(uintptr_t)info->si_addr);
    bool raised = hd_raises;
    bool recorded = t && t->state == HD_RUNNING && !t->inside && (raised || !in_runtime(context));
    hd_raises = false;
    if (recorded)
        hd_access_mark(t, HD_HANDLER, 0, (uint64_t)signal, 0);
    else if (t) {
        t->missed_signal = (uint8_t)signal;
        interrupted = t;
        handler_frame = (uintptr_t)__builtin_frame_address(0);
        hd_self = NULL;
    }
    errno = saved;
    call_user(&action, signal, info, context);
    if (t)
        __atomic_fetch_add(&t->handlers, 1, __ATOMIC_RELEASE);
    if (t && !recorded)
        interrupted = NULL;
    hd_raises = raised;
    hd_self = t && t->released ? NULL : t;
}

/* The wait below the handler is given up; the thread goes on when it is its turn. */
void hd_signal_left(uintptr_t stack_pointer)
{
    struct hd_thread *t = interrupted;
    if (!t || stack_pointer <= handler_frame)
        return;
    interrupted = NULL;
    if (!t->released)
        hd_outside_end(t);
    hd_self = t->released ? NULL : t;
}

void hd_signal_missed(struct hd_thread *t)
{
    unsigned signal = t->missed_signal;
    t->missed_signal = 0;
    hd_access_mark(t, HD_HANDLER, 0, signal, 0);
    hd_ring_text(t, HD_RING_NOTE, 0, 0, "", "unrecorded: it ran while its thread waited");
}

static bool is_function(const struct sigaction *a)
{
    return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

bool hd_signal_has_handler(int number)
{
    return number > 0 && number < NSIG && is_function(&user_action[number]);
}

const sigset_t *hd_signals_with_handler(void)
{
    static sigset_t set;
    sigemptyset(&set);
    for (int i = 1; i < NSIG; i++)
        if (is_function(&user_action[i]))
            sigaddset(&set, i);
    return &set;
}

static bool has_timers(void)
{
    struct itimerval timer = { { 0, 0 }, { 0, 0 } };
    char byte;
    getitimer(ITIMER_REAL, &timer);
    if (timer.it_value.tv_sec || timer.it_value.tv_usec)
        return true;
    int fd = open("/proc/self/timers", O_RDONLY | O_CLOEXEC);
    bool found = fd >= 0 && syscall(SYS_read, fd, &byte, 1) == 1;
    if (fd >= 0)
        close(fd);
    return found;
}

bool hd_signals_may_come(void)
{
    bool any = false;
    int saved = errno;
    for (int i = 1; i < NSIG && !any; i++)
        any = is_function(&user_action[i]);
    bool come = any && has_timers();
    if (!come && is_function(&user_action[SIGCHLD])) {
        siginfo_t info;
        come = syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, NULL) == 0;
    }
    errno = saved;
    return come;
}

static void resolve(void)
{
    if (real_action)
        return;
    dl_iterate_phdr(find_text, NULL);
    real_action = (action_fn *)hd_real("sigaction");
}

/* The user's action is stored before the kernel knows of it: a signal may come at once. */
HD_EXPORT int sigaction(int signal, const struct sigaction *new_action, struct sigaction *old_action)
{
    resolve();
    if (!hd_run.shared || signal <= 0 || signal >= NSIG)
        return real_action(signal, new_action, old_action);
    struct sigaction before = user_action[signal], ours;
    if (new_action) {
        ours = *new_action;
        if (is_function(new_action)) {
            user_action[signal] = *new_action;
            ours.sa_sigaction = on_signal;
            ours.sa_flags |= SA_SIGINFO;
        }
    }
    struct sigaction kernel;
    int error = real_action(signal, new_action ? &ours : NULL, &kernel);
    if (error)
        user_action[signal] = before;
    else if (old_action) {
        *old_action = kernel;
        if (kernel.sa_sigaction == on_signal) {
            old_action->sa_handler = before.sa_handler;
            old_action->sa_flags = before.sa_flags;
        }
    }
    return error;
}

typedef void (*handler_fn)(int);

static handler_fn set_handler(int signal, handler_fn handler, int flags)
{
    struct sigaction action = { .sa_flags = flags }, before;
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    if (!(flags & SA_NODEFER))
        sigaddset(&action.sa_mask, signal);
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    return sigaction(signal, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

HD_EXPORT handler_fn signal(int number, handler_fn handler) { return set_handler(number, handler, SA_RESTART); }

HD_EXPORT handler_fn __sysv_signal(int number, handler_fn handler)
{
    return set_handler(number, handler, SA_RESETHAND | SA_NODEFER);
}
