/* The compiler as a child process: found, started without a shell, watched, and ended with all that it started.
 *
 * The process belongs to a host that may have children, handlers and signals of its own: the compiler is in a process
 * group of its own (a Ctrl-C at the terminal does not reach it), only its own pid is waited for, and where the host
 * has children reaped without being asked (SIGCHLD ignored) the object speaks for the exit status. When the host dies
 * first the kernel kills the compiler (PR_SET_PDEATHSIG); what that one has started ends by itself, or by its limit of
 * processor time. */
#include "native/inside.h"

#if NATIVE_AVAILABLE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

/* ---- where it is ---- */

static const char *search_path(void)
{
    const char *path = secure_getenv("PATH");
    return path && *path ? path : "/usr/local/bin:/usr/bin:/bin";
}

static int is_program(native_compiler *c)
{
    return stat(c->path, &c->identity) == 0 && S_ISREG(c->identity.st_mode) && access(c->path, X_OK) == 0;
}

/* In the absolute folders of PATH: a compiler that happens to lie in the current folder is not meant. */
static int find_program(native_compiler *c, const char *name)
{
    if (strchr(name, '/'))
        return name[0] == '/' && !taut_native_print(c->path, sizeof c->path, "%s", name) && is_program(c);
    for (const char *at = search_path(); *at;) {
        size_t length = strcspn(at, ":");
        if (*at == '/' && length < sizeof c->path &&
            !taut_native_print(c->path, sizeof c->path, "%.*s/%s", (int)length, at, name) && is_program(c))
            return 1;
        at += length + (at[length] == ':');
    }
    return 0;
}

native_cause taut_native_compiler_find(native_compiler *c, const char *wanted, char *reason)
{
    static const char *const usual[] = { "cc", "gcc", "clang" };
    if (!wanted) wanted = secure_getenv("TAUT_CC");
    if (wanted && *wanted) {
        if (find_program(c, wanted)) return NATIVE_CAUSE_NONE;
        taut_native_print(reason, NATIVE_TEXT,
                          "the compiler '%.400s' is not a program in PATH or an absolute path of one", wanted);
        return NATIVE_CAUSE_COMPILER;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (find_program(c, usual[i])) return NATIVE_CAUSE_NONE;
    taut_native_print(reason, NATIVE_TEXT, "there is no C compiler (cc, gcc or clang) in PATH");
    return NATIVE_CAUSE_NO_COMPILER;
}

/* ---- its start ---- */

/* Of the host's variables only PATH: LIBRARY_PATH, CPATH, CCC_OVERRIDE_OPTIONS and their like are for other
   programs. */
enum { VARIABLES = 6 };
typedef struct {
    char text[3][NATIVE_PATH + 8];
    char long_path[8192];
    char *list[VARIABLES];
} environment;

static int make_environment(environment *e, const char *folder)
{
    static char plain[] = "LC_ALL=C", no_cache[] = "CCACHE_DISABLE=1";
    int cut = taut_native_print(e->long_path, sizeof e->long_path, "PATH=%s", search_path());
    cut |= taut_native_print(e->text[0], sizeof e->text[0], "TMPDIR=%s", folder);
    cut |= taut_native_print(e->text[1], sizeof e->text[1], "HOME=%s", folder);
    char *const all[VARIABLES] = { e->long_path, e->text[0], e->text[1], plain, no_cache, NULL };
    memcpy(e->list, all, sizeof all);
    return cut;
}

static void limit(int what, rlim_t most)
{
    struct rlimit l;
    if (getrlimit(what, &l)) return;
    if (l.rlim_cur == RLIM_INFINITY || l.rlim_cur > most) l.rlim_cur = most;
    setrlimit(what, &l);
}

/* In the child, which shares the memory of the thread that waits for it: system calls only. */
static void become(const native_job *job, char *const *variables, int output, pid_t parent)
{
    struct sigaction usual = { .sa_handler = SIG_DFL };
    sigset_t none;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    for (int i = 1; i < NSIG; i++) sigaction(i, &usual, NULL);
    if (job->gentle) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 5);
    limit(RLIMIT_CPU, (rlim_t)job->limit + 1);
    limit(RLIMIT_FSIZE, NATIVE_OBJECT_LARGEST);
    limit(RLIMIT_CORE, 0);
    umask(077);
    if (fchdir(job->folder->folder) || dup2(job->source, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
        _exit(127);
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, ~0u, 0u); /* what the host has open without close-on-exec */
#endif
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(job->path, job->arguments, variables);
    _exit(127);
}

/* vfork: the host may be large, and a fork copies its page tables. */
static __attribute__((noinline)) pid_t start(const native_job *job, char *const *variables, int output)
{
    pid_t parent = getpid(), child = vfork();
    if (child == 0) become(job, variables, output, parent);
    if (child > 0) setpgid(child, child); /* where vfork is a fork */
    return child;
}

/* ---- its life ---- */

typedef struct {
    pid_t pid;
    int watch;              /* descriptor that is readable when it has ended; -1: the kernel has none */
    int output;             /* its messages */
    char text[2000];        /* the first of them */
    size_t length;
    int lost;               /* someone else reaped it: its exit status is not known */
    int status;
} process;

static void read_output(process *p)
{
    char rest[4096];
    for (;;) {
        size_t room = sizeof p->text - 1 - p->length;
        ssize_t got = room ? read(p->output, p->text + p->length, room) : read(p->output, rest, sizeof rest);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            if (got == 0) close(p->output), p->output = -1;
            return;
        }
        if (room) p->length += (size_t)got;
    }
}

/* Looks, and leaves it to be reaped. */
static int has_ended(process *p)
{
    siginfo_t info = { 0 };
    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) return info.si_pid == p->pid;
    p->lost = errno == ECHILD;
    return p->lost;
}

/* Kills what is left of the group, while its number still belongs to it, and reaps the compiler. */
static void finish(process *p)
{
    has_ended(p);
    if (!p->lost) {
        kill(-p->pid, SIGKILL);
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR) {}
    }
    if (p->output >= 0) read_output(p);
    if (p->output >= 0) close(p->output);
    if (p->watch >= 0) close(p->watch);
}

/* Until it ends, the time is up (1) or it is told to stop (2). */
static int watch(process *p, const native_job *job)
{
    double end = clock_seconds() + job->limit;
    for (;;) {
        double left = end - clock_seconds();
        if (has_ended(p)) return 0;
        if (job->stop(job->user)) return 2;
        if (left <= 0) return 1;
        struct pollfd wait[3] = { { .fd = job->wake, .events = POLLIN },
                                  { .fd = p->watch, .events = POLLIN },
                                  { .fd = p->output, .events = POLLIN } };
        double most = p->watch >= 0 ? 10 : 0.002;
        poll(wait, 3, 1 + (int)(1000 * (left < most ? left : most)));
        if (p->output >= 0 && wait[2].revents) read_output(p);
        unsigned long long count;
        if (wait[0].revents && read(job->wake, &count, sizeof count) < 0) {} /* so that it wakes no more */
    }
}

/* The first line with an error in it, or the first line, as far as it is text. */
static const char *first_error(process *p)
{
    p->text[p->length] = 0;
    char *error = strstr(p->text, "error"), *line = p->text;
    if (error)
        for (line = error; line > p->text && line[-1] != '\n';) line--;
    line[strcspn(line, "\n")] = 0;
    if (strlen(line) > 300) line[300] = 0;
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < 32 || (unsigned char)*c > 126) *c = '?';
    return line;
}

static native_cause judge(process *p, const native_job *job, int how, char *reason)
{
    const char *said = first_error(p);
    char end[64];
    if (how == 2) {
        taut_native_print(reason, NATIVE_TEXT, "it was stopped before it was ready");
        return NATIVE_CAUSE_STOPPED;
    }
    if (how == 1) {
        taut_native_print(reason, NATIVE_TEXT, "the compiler '%.200s' took more than %g s and was ended", job->path,
                          job->limit);
        return NATIVE_CAUSE_COMPILER;
    }
    if (p->lost || (WIFEXITED(p->status) && WEXITSTATUS(p->status) == 0)) return NATIVE_CAUSE_NONE;
    if (WIFEXITED(p->status))
        snprintf(end, sizeof end, "exit status %d", WEXITSTATUS(p->status));
    else
        snprintf(end, sizeof end, "signal %d", WTERMSIG(p->status));
    taut_native_print(reason, NATIVE_TEXT, "the compiler '%.200s' failed with %s%s%s", job->path, end,
                      *said ? ": " : "", said);
    return NATIVE_CAUSE_COMPILER;
}

static native_cause cannot_start(const native_job *job, const char *why, char *reason)
{
    taut_native_print(reason, NATIVE_TEXT, "the compiler '%.200s' cannot be started: %s", job->path, why);
    return NATIVE_CAUSE_SYSTEM;
}

native_cause taut_native_compiler_run(const native_job *job, char *reason)
{
    environment e;
    process p = { .watch = -1 };
    int ends[2];
    if (make_environment(&e, job->folder->path)) return cannot_start(job, "PATH is too long", reason);
    if (lseek(job->source, 0, SEEK_SET) || pipe2(ends, O_CLOEXEC)) return cannot_start(job, strerror(errno), reason);
    ends[1] = taut_native_above(ends[1]);
    p.output = ends[0];
    fcntl(p.output, F_SETFL, O_NONBLOCK);
    p.pid = ends[1] < 0 ? -1 : start(job, e.list, ends[1]);
    int failed = errno;
    if (ends[1] >= 0) close(ends[1]);
    if (p.pid < 0) {
        close(p.output);
        return cannot_start(job, strerror(failed), reason);
    }
#ifdef SYS_pidfd_open
    p.watch = (int)syscall(SYS_pidfd_open, p.pid, 0);
#endif
    int how = watch(&p, job);
    finish(&p);
    return judge(&p, job, how, reason);
}
#endif
