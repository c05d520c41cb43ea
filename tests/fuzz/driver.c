/* Runs a fuzz target without libFuzzer: all files of the corpus, then random changes of them, by the target's own
 * mutator where it has one. No coverage guides it; it is for compilers without libFuzzer (gcc, with quad precision),
 * for `make check`, and to repeat a crash: give it the file.
 *
 *     fuzz_NAME [-seconds=N] [-runs=N] [-seed=N] FILE|FOLDER...
 *
 * The input that crashes it, or takes longer than HANG_SECONDS, is left in crash-NAME. */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HANG_SECONDS = 60, INPUT_MOST = 4096 };

#pragma weak LLVMFuzzerInitialize
#pragma weak LLVMFuzzerCustomMutator
void __sanitizer_set_death_callback(void (*callback)(void));
#pragma weak __sanitizer_set_death_callback

typedef struct {
    uint8_t *data;
    size_t size;
} input;

static input *corpus;
static size_t corpus_count, corpus_capacity;
static uint64_t state;
static const uint8_t *current;
static size_t current_size;
static char crash_name[300];

static void add_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(1 << 20);
    if (!file || !data) exit(2);
    const size_t size = fread(data, 1, 1 << 20, file);
    fclose(file);
    if (corpus_count == corpus_capacity) {
        corpus_capacity = 2 * corpus_capacity + 64;
        corpus = realloc(corpus, corpus_capacity * sizeof *corpus);
        if (!corpus) exit(2);
    }
    corpus[corpus_count++] = (input){ realloc(data, size ? size : 1), size };
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void add(const char *path)
{
    struct stat s;
    if (stat(path, &s)) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    if (!S_ISDIR(s.st_mode)) {
        add_file(path);
        return;
    }
    struct dirent **list;
    const int count = scandir(path, &list, NULL, by_name); /* in the same order on every machine */
    for (int i = 0; i < count; i++) {
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", path, list[i]->d_name);
        if (list[i]->d_name[0] != '.') add_file(name);
        free(list[i]);
    }
    if (count >= 0) free(list);
}

/* Bytes that are changed, inserted, left out, repeated, or taken from another input. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    static const uint8_t special[] = { 0, 1, 0x7f, 0x80, 0xff, ' ', '\n', '0', '9', '-', '.', '(', ')', '"', '\'', '\\' };
    const uint32_t changes = 1 + fuzz_random(&state, 4);
    for (uint32_t i = 0; i < changes; i++) {
        const uint32_t at = fuzz_random(&state, (uint32_t)size + 1);
        const uint8_t byte = fuzz_random(&state, 2) ? special[fuzz_random(&state, sizeof special)]
                                                    : (uint8_t)fuzz_random(&state, 256);
        size_t n = 1 + fuzz_random(&state, 16);
        switch (fuzz_random(&state, 5)) {
        case 0:
            if (at < size) data[at] = byte;
            break;
        case 1:
            if (at < size) data[at] ^= (uint8_t)(1 << fuzz_random(&state, 8));
            break;
        case 2:
            if (size >= most) break;
            memmove(data + at + 1, data + at, size - at);
            data[at] = byte, size++;
            break;
        case 3:
            if (n > size - at) n = size - at;
            memmove(data + at, data + at + n, size - at - n);
            size -= n;
            break;
        default: {
            const input *other = &corpus[fuzz_random(&state, (uint32_t)corpus_count)];
            const uint32_t from = fuzz_random(&state, (uint32_t)other->size + 1);
            if (n > other->size - from) n = other->size - from;
            if (size + n > most) break;
            memmove(data + at + n, data + at, size - at);
            memcpy(data + at, other->data + from, n);
            size += n;
        }
        }
    }
    return size;
}

static void keep(void)
{
    const int file = open(crash_name, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    if (file < 0) return;
    ssize_t written = write(file, current, current_size);
    (void)written;
    close(file);
}

static void on_signal(int number)
{
    keep();
    signal(number, SIG_DFL);
    raise(number);
}

static void run(const uint8_t *data, size_t size)
{
    /* a copy of its own, so that reading past its end is seen */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) exit(2);
    memcpy(copy, data, size);
    current = copy, current_size = size;
    alarm(HANG_SECONDS);
    LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    free(copy);
}

int main(int argc, char **argv)
{
    double seconds = 0;
    long runs = -1, done = 0;
    const char *name = strrchr(argv[0], '/');
    snprintf(crash_name, sizeof crash_name, "crash-%s", name ? name + 1 : argv[0]);
    state = 1;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-seconds=", 9) == 0) seconds = atof(argv[i] + 9);
        else if (strncmp(argv[i], "-runs=", 6) == 0) runs = atol(argv[i] + 6);
        else if (strncmp(argv[i], "-seed=", 6) == 0) state = strtoull(argv[i] + 6, NULL, 10);
        else add(argv[i]);
    }
    static const int signals[] = { SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], on_signal);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep);
    if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
    const double began = clock_seconds();
    for (size_t i = 0; i < corpus_count; i++, done++) run(corpus[i].data, corpus[i].size);
    uint8_t *buffer = malloc(INPUT_MOST);
    if (!buffer) return 2;
    while (corpus_count && (runs >= 0 ? done < runs : clock_seconds() - began < seconds)) {
        const input *from = &corpus[fuzz_random(&state, (uint32_t)corpus_count)];
        size_t size = from->size < INPUT_MOST ? from->size : INPUT_MOST;
        memcpy(buffer, from->data, size);
        const uint32_t times = 1 + fuzz_random(&state, 4);
        for (uint32_t i = 0; i < times; i++)
            size = LLVMFuzzerCustomMutator && fuzz_random(&state, 8)
                       ? LLVMFuzzerCustomMutator(buffer, size, INPUT_MOST, fuzz_random(&state, 0x7fffffff))
                       : LLVMFuzzerMutate(buffer, size, INPUT_MOST);
        run(buffer, size);
        done++;
    }
    printf("%s: %ld executions in %.1f seconds\n", name ? name + 1 : argv[0], done, clock_seconds() - began);
    free(buffer);
    for (size_t i = 0; i < corpus_count; i++) free(corpus[i].data);
    free(corpus);
    return 0;
}
