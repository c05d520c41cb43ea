/* taut-mpi: ensembles on many machines. Chunks of members are handed out by a counter that every rank reads and
 * increases itself (one-sided: no rank serves the others), each rank has a file of its own, and the first one puts them
 * together at the end. What a rank has committed stays when it, or the whole job, dies: the same command goes on from
 * there, with any number of ranks. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/sweeping.h"

typedef struct {
    int rank, ranks;
    taut_context *context;
    const char *path;        /* of the whole */
    sweep_request *request;
    taut_members *members;   /* of this rank, in its file */
    taut_members_info about;
    unsigned char *done;     /* a bit per member, from first on: in any file */
    /* chunks */
    MPI_Win window;
    uint64_t chunk;
    uint64_t at, end;        /* of the chunk at hand */
    double begun, shown;
    int is_terminal;
} job;

static char *file_of_rank(const job *z, int rank)
{
    char *name = malloc(strlen(z->path) + 32);
    if (name) sprintf(name, "%s.rank%d", z->path, rank);
    return name;
}

/* ---- what is done already ---- */

static int mark_done(void *user, uint64_t member, int failed)
{
    job *z = user;
    const uint64_t at = member - z->about.first;
    (void)failed;
    if (at < z->about.count) z->done[at / 8] |= (unsigned char)(1 << at % 8); /* its rank refuses a file with others */
    return TAUT_OK;
}

enum { RANKS_MOST = 100000 };

/* Files of an earlier job: those of ranks that there are no more as well. Numbers have no gaps but those of ranks that
   never began. */
static int list_files(const job *z, char ***files, size_t *count)
{
    int unseen = 0;
    *count = 0;
    *files = NULL;
    for (int rank = 0; rank < RANKS_MOST && (rank < z->ranks || unseen < 1000); rank++) {
        char *name = file_of_rank(z, rank);
        if (!name || access(name, F_OK)) {
            unseen++;
            free(name);
            continue;
        }
        char **more = realloc(*files, (*count + 1) * sizeof **files);
        if (!more) return complain(EXIT_FAILED, "out of memory");
        *files = more;
        more[(*count)++] = name;
        unseen = 0;
    }
    return EXIT_DONE;
}

static void free_files(char **files, size_t count)
{
    for (size_t i = 0; i < count; i++) free(files[i]);
    free(files);
}

static int read_done(job *z)
{
    char **files;
    size_t count;
    int code = list_files(z, &files, &count);
    for (size_t i = 0; !code && i < count; i++) {
        taut_file *file = NULL;
        int status = taut_file_open(z->context, files[i], &file);
        if (!status) status = taut_file_members(file, mark_done, z);
        if (status && !strstr(taut_error_text(z->context), "is empty")) /* its rank died before it began */
            code = complain(exit_status_of(status), "%s", taut_error_text(z->context));
        taut_file_close(file);
    }
    free_files(files, count);
    return code;
}

/* ---- chunks ---- */

static int is_done(const job *z, uint64_t member)
{
    const uint64_t at = member - z->about.first;
    return z->done[at / 8] >> at % 8 & 1;
}

/* The next chunk, whoever asks: the counter is on rank 0, which need not look. */
static uint64_t next_chunk(const job *z)
{
    const int64_t one = 1;
    int64_t number = 0;
    MPI_Fetch_and_op(&one, &number, MPI_INT64_T, 0, 0, MPI_SUM, z->window);
    MPI_Win_flush(0, z->window);
    return (uint64_t)number;
}

/* A stretch of members of the chunk at hand that are not done, or of the next one. */
static int claim(void *user, uint64_t *first, uint64_t *count)
{
    job *z = user;
    const uint64_t begin = z->about.first, members = z->about.count;
    *count = 0;
    for (;;) {
        while (z->at < z->end && is_done(z, z->at)) z->at++;
        if (z->at < z->end) break;
        const uint64_t number = next_chunk(z), at = number * z->chunk;
        if (number > members / z->chunk || at >= members) return TAUT_OK;
        z->at = begin + at;
        z->end = members - at < z->chunk ? begin + members : z->at + z->chunk;
    }
    *first = z->at;
    while (z->at < z->end && !is_done(z, z->at)) z->at++, ++*count;
    return TAUT_OK;
}

static void show(void *user, const taut_members_progress *p)
{
    job *z = user;
    const double now = clock_seconds();
    if (z->rank || !z->is_terminal || now - z->shown < 0.2) return;
    z->shown = now;
    fprintf(stderr, "\rrank 0 of %d: %llu members, %.3g member steps/s\033[K", z->ranks, (unsigned long long)p->here,
            p->seconds > 0 ? p->steps / p->seconds : 0.0);
}

/* ---- the job ---- */

/* The members of this rank: those of its file are done. A file that was begun and never committed is none yet. */
static int create_members(job *z)
{
    char *name = file_of_rank(z, z->rank);
    if (!name) return complain(EXIT_FAILED, "out of memory");
    z->request->spec.file = name;
    z->request->spec.resume = 1;
    const int code = sweep_request_create(z->context, z->request, &z->members);
    z->about.size = sizeof z->about;
    taut_members_about(z->members, &z->about);
    z->request->spec.file = z->path;
    free(name);
    return code;
}

/* Chunks of whole widths, some of them for each rank, so that all end at about the same time. */
static void choose_chunk(job *z)
{
    const uint64_t width = z->about.width;
    uint64_t chunk = z->about.count / (uint64_t)z->ranks / 32;
    if (chunk > 65536) chunk = 65536;
    if (width > 1) chunk -= chunk % width;
    if (chunk < width) chunk = width;
    z->chunk = chunk ? chunk : 1;
    MPI_Bcast(&z->chunk, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD); /* widths may differ */
}

static int run_rank(job *z, taut_members_run_options *run)
{
    *run = (taut_members_run_options){ .size = sizeof *run, .progress = show, .interrupt = &told_to_stop,
                                       .claim = claim, .unlisted = 1, .user = z };
    const int status = taut_members_run(z->members, run);
    if (!status) return EXIT_DONE;
    complain(EXIT_FAILED, "rank %d: %s", z->rank, taut_error_text(z->context));
    return exit_status_of(status);
}

static int merge_all(job *z)
{
    char **files;
    size_t count;
    taut_members_merged p = { .size = sizeof p };
    int code = list_files(z, &files, &count);
    int status = code ? TAUT_OK : taut_members_merge(z->context, (const char *const *)files, count, z->path, 1, &p);
    if (status) code = complain(exit_status_of(status), "%s", taut_error_text(z->context));
    if (!code && p.done == p.members)
        for (size_t i = 0; i < count; i++) unlink(files[i]);
    if (!code)
        printf("  members               %llu done, %llu of them failed\n", (unsigned long long)p.done,
               (unsigned long long)p.failed);
    free_files(files, count);
    return code;
}

static void summarise(const job *z, const taut_members_run_options *mine, double seconds)
{
    const taut_members_info *m = &z->about;
    double here[2] = { (double)mine->here, mine->steps }, all[2];
    MPI_Reduce(here, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (z->rank) return;
    if (z->is_terminal) fputs("\r\033[K", stderr);
    printf("%s\n  method %s   step %.6g   t = 0 .. %.9g   members %llu .. %llu   on %d ranks\n\n", m->title,
           m->method, m->h, m->until, (unsigned long long)m->first, (unsigned long long)(m->first + m->count - 1), z->ranks);
    printf("  here                  %.0f members, %.4g steps in %.3g s (%.3g member steps/s)\n", all[0], all[1],
           seconds, seconds > 0 ? all[1] / seconds : 0.0);
}

/* The worst of all ranks. */
static int worst(int code)
{
    int all;
    MPI_Allreduce(&code, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static int go(job *z, const options *o)
{
    const int replace = options_value(o, "force", NULL) != NULL;
    taut_members_run_options run;
    z->path = options_value(o, "output", NULL);
    int code = sweep_request_read(z->context, o, z->request);
    if (!code && !options_value(o, "threads", NULL)) z->request->spec.threads = 1; /* a rank per core is usual */
    if (!code && !z->rank && !replace && access(z->path, F_OK) == 0)
        code = complain(EXIT_USAGE, "'%s' exists: --force replaces it; or give -o another name", z->path);
    code = worst(code);
    if (!code) code = worst(create_members(z));
    if (code) return code;
    const uint64_t members = z->about.count;
    z->done = calloc(members / 8 + 1, 1);
    if (worst(z->done ? EXIT_DONE : EXIT_FAILED)) return complain(EXIT_FAILED, "out of memory");
    code = worst(z->rank ? EXIT_DONE : read_done(z));
    for (uint64_t at = 0; !code && at <= members / 8; at += 1 << 30) {
        const uint64_t left = members / 8 + 1 - at;
        MPI_Bcast(z->done + at, (int)(left < 1 << 30 ? left : 1 << 30), MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    if (code) return code;
    int64_t *counter;
    MPI_Win_allocate(z->rank ? 0 : sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                     &z->window);
    if (!z->rank) *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, z->window);
    choose_chunk(z);
    stop_listen();
    const double begun = clock_seconds();
    code = run_rank(z, &run);
    taut_members_release(z->members);
    z->members = NULL;
    MPI_Win_unlock_all(z->window);
    code = worst(code);
    MPI_Win_free(&z->window);
    summarise(z, &run, clock_seconds() - begun);
    if (!code && worst((int)told_to_stop))
        return z->rank ? EXIT_FAILED : complain(EXIT_FAILED, "stopped; the same command goes on");
    if (!code && !z->rank) code = merge_all(z);
    code = worst(code);
    if (!code && !z->rank) printf("  recorded in %s\n", z->path);
    return code;
}

int main(int argc, char **argv)
{
    options o;
    job z = { .is_terminal = isatty(2) };
    int code = EXIT_USAGE;
    signals_begin();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &z.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &z.ranks);
    if (z.rank && !freopen("/dev/null", "w", stdout)) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    if (argc < 2 || strcmp(argv[1], "ensemble") != 0) {
        if (!z.rank)
            complain(code,
                     "write: mpirun -n RANKS taut-mpi ensemble MODEL --vary ... -o FILE.taut; 'taut ensemble --help' "
                     "lists the options");
    } else {
        const int parsed = options_parse(&command_ensemble, argc - 2, argv + 2, &o);
        z.request = calloc(1, sizeof *z.request);
        z.context = make_context();
        if (parsed) code = parsed > 0 ? EXIT_DONE : EXIT_USAGE;
        else if (!z.request || !z.context) code = complain(EXIT_FAILED, "out of memory");
        else code = go(&z, &o);
        taut_members_release(z.members);
        if (z.request) sweep_request_clear(z.request);
        free(z.request);
        free(z.done);
        taut_context_destroy(z.context);
    }
    MPI_Finalize();
    return code;
}
