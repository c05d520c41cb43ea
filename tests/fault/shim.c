/* LD_PRELOAD: the K-th call of a kind fails, as TAUT_FAULT=KIND:K says (KIND:K+ : and all after it). Kinds:
 *
 *   malloc               malloc, calloc, realloc and aligned allocations: ENOMEM
 *   mmap                 ENOMEM
 *   write                write, pwrite, writev: ENOSPC
 *   fsync                fsync, fdatasync: EIO
 *   rename               rename, renameat: EACCES
 *   open                 open, openat, creat: EMFILE
 *
 * System calls are caught by a filter (seccomp), wherever in the C library they are made: the streams of <stdio.h>
 * call no function that could be replaced. TAUT_FAULT_COUNT=FILE writes how many calls of each kind there were, when
 * the process ends; the count begins with the program, not with the loader. x86-64 and aarch64; elsewhere only malloc
 * fails. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MALLOC, MMAP, WRITE, FSYNC, RENAME, OPEN, KINDS };
static const char *const names[KINDS] = { "malloc", "mmap", "write", "fsync", "rename", "open" };

static long counts[KINDS], fail_at;
static int fail_kind = -1, and_after, begun;

static int fails(int kind)
{
    if (!begun) return 0;
    const long number = __atomic_add_fetch(&counts[kind], 1, __ATOMIC_RELAXED);
    return kind == fail_kind && (number == fail_at || (and_after && number > fail_at));
}

/* ---- allocations ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void *refused(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) { return fails(MALLOC) ? refused() : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(MALLOC) ? refused() : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return fails(MALLOC) ? refused() : __libc_realloc(block, size); }
void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(MALLOC) ? refused() : __libc_memalign(alignment, size);
}
void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
int posix_memalign(void **result, size_t alignment, size_t size)
{
    if (fails(MALLOC)) return ENOMEM;
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

/* ---- system calls ---- */

#if defined(__x86_64__) || defined(__aarch64__)
static const int errors[KINDS] = { ENOMEM, ENOMEM, ENOSPC, EIO, EACCES, EMFILE };
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <ucontext.h>

/* A system call from the one place that the filter lets through. */
long taut_fault_call(long number, long a, long b, long c, long d, long e, long f);
extern const char taut_fault_end[];
#ifdef __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
__asm__(".text\n.globl taut_fault_call\n.hidden taut_fault_call\n.type taut_fault_call,@function\ntaut_fault_call:\n"
        "mov %rdi,%rax\nmov %rsi,%rdi\nmov %rdx,%rsi\nmov %rcx,%rdx\nmov %r8,%r10\nmov %r9,%r8\nmov 8(%rsp),%r9\n"
        "syscall\nret\n.globl taut_fault_end\n.hidden taut_fault_end\ntaut_fault_end:\n");
#else
#define MACHINE AUDIT_ARCH_AARCH64
__asm__(".text\n.globl taut_fault_call\n.hidden taut_fault_call\n.type taut_fault_call,@function\ntaut_fault_call:\n"
        "mov x8,x0\nmov x0,x1\nmov x1,x2\nmov x2,x3\nmov x3,x4\nmov x4,x5\nmov x5,x6\nsvc #0\nret\n"
        ".globl taut_fault_end\n.hidden taut_fault_end\ntaut_fault_end:\n");
#endif

static const struct { int number, kind; } caught[] = {
    { SYS_mmap, MMAP },       { SYS_write, WRITE },         { SYS_pwrite64, WRITE }, { SYS_writev, WRITE },
    { SYS_fsync, FSYNC },     { SYS_fdatasync, FSYNC },     { SYS_openat, OPEN },    { SYS_renameat2, RENAME },
#ifdef SYS_rename
    { SYS_rename, RENAME },   { SYS_open, OPEN },           { SYS_creat, OPEN },
#endif
#ifdef SYS_renameat
    { SYS_renameat, RENAME },
#endif
};
enum { CAUGHT = sizeof caught / sizeof *caught };

/* Messages are to be read: what goes to standard error is never refused. */
static int is_message(int kind, long file) { return kind == WRITE && file == STDERR_FILENO; }

static void on_call(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    (void)signal;
#ifdef __x86_64__
    greg_t *r = u->uc_mcontext.gregs;
    const long a[6] = { r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9] };
#else
    const unsigned long long *r = u->uc_mcontext.regs;
    const long a[6] = { (long)r[0], (long)r[1], (long)r[2], (long)r[3], (long)r[4], (long)r[5] };
#endif
    long result = -ENOSYS;
    for (int i = 0; i < CAUGHT; i++)
        if (caught[i].number == info->si_syscall)
            result = !is_message(caught[i].kind, a[0]) && fails(caught[i].kind)
                         ? -errors[caught[i].kind]
                         : taut_fault_call(info->si_syscall, a[0], a[1], a[2], a[3], a[4], a[5]);
#ifdef __x86_64__
    r[REG_RAX] = result;
#else
    u->uc_mcontext.regs[0] = (unsigned long long)result;
#endif
}

static int catch_calls(void)
{
    struct sock_filter f[2 * CAUGHT + 16];
    unsigned short n = 0;
    const uint64_t from = (uint64_t)(uintptr_t)taut_fault_call, to = (uint64_t)(uintptr_t)taut_fault_end;
    const uint32_t place = offsetof(struct seccomp_data, instruction_pointer);
    if (from >> 32 != to >> 32) return -1;
    f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place + 4);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(from >> 32), 0, 4);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)from, 0, 2);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)to, 1, 0);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CAUGHT; i++) {
        f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)caught[i].number, 0, 1);
        f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = { n, f };
    struct sigaction action = { 0 };
    action.sa_sigaction = on_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    if (sigaction(SIGSYS, &action, NULL)) return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static long taut_fault_call(long number, long a, long b, long c, long d, long e, long f)
{
    (void)d, (void)e, (void)f;
    return syscall(number, a, b, c);
}
static int catch_calls(void) { return -1; }
#endif

/* ---- the beginning and the end ---- */

static void put(int file, const char *text)
{
    taut_fault_call(SYS_write, file, (long)text, (long)strlen(text), 0, 0, 0);
}

__attribute__((constructor)) static void begin(void)
{
    const char *what = getenv("TAUT_FAULT");
    for (int k = 0; what && k < KINDS; k++) {
        const size_t n = strlen(names[k]);
        if (strncmp(what, names[k], n) != 0 || what[n] != ':') continue;
        char *end;
        fail_kind = k;
        fail_at = strtol(what + n + 1, &end, 10);
        and_after = *end == '+';
    }
    if ((what || getenv("TAUT_FAULT_COUNT")) && catch_calls() && fail_kind > MALLOC) {
        put(STDERR_FILENO, "no system calls can be caught here\n");
        _exit(99);
    }
    begun = 1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("TAUT_FAULT_COUNT");
    begun = 0;
    if (!path) return;
    const long file = taut_fault_call(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_CREAT | O_TRUNC, 0666, 0, 0);
    for (int k = 0; file >= 0 && k < KINDS; k++) {
        char text[64], *at = text + sizeof text;
        long n = counts[k];
        *--at = 0, *--at = '\n';
        do *--at = (char)('0' + n % 10); while (n /= 10);
        *--at = ' ';
        put((int)file, names[k]), put((int)file, at);
    }
}
