/* What the tests of native code share: a scratch folder, C texts, compilers that are scripts. */
#ifndef TAUT_TESTS_SUPPORT_NATIVE_H
#define TAUT_TESTS_SUPPORT_NATIVE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "native/native.h" /* before cmocka.h, which defines a macro fail */

#include <cmocka.h>

typedef double function(double x);

static char scratch[64], cache_folder[80], temporary[80];
static taut_context *context;

static inline void remove_all(const char *path)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    if (system(command)) print_error("'%s' cannot be removed\n", path);
}

/* Every test has an empty folder, with `tmp` in it for what would go to /tmp, and a cache that is not there yet. */
static inline int open_scratch(void **state)
{
    (void)state;
    strcpy(scratch, "/tmp/taut-test-XXXXXX");
    if (!mkdtemp(scratch)) return 1;
    snprintf(cache_folder, sizeof cache_folder, "%s/cache", scratch);
    snprintf(temporary, sizeof temporary, "%s/tmp", scratch);
    context = taut_context_create(NULL);
    return !context || mkdir(temporary, 0700) || setenv("TMPDIR", temporary, 1);
}

static inline int close_scratch(void **state)
{
    (void)state;
    taut_context_destroy(context);
    remove_all(scratch);
    return 0;
}

/* A program of this text in the scratch folder. The real compiler is "$real". */
static inline const char *script(const char *name, const char *body)
{
    static char path[128];
    char *path_variable = getenv("PATH");
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\nPATH='%s'\nreal=cc\nscratch='%s'\n%s\n", path_variable, scratch, body);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

/* A compiler that waits for let_go: what must be seen before it ends does not hang on the speed of the machine. */
#define WAIT_FOR_GO "while [ ! -e $scratch/go ]; do sleep 0.02; done\n"

static inline void let_go(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/go", scratch);
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    close(file);
}

/* f(x) = x + number */
static inline size_t text_of(char text[256], int number)
{
    return (size_t)snprintf(text, 256, "double f(double x) { return x + %d; }\n", number);
}

static inline native *begin_with(const native_options *o, int number)
{
    char text[256];
    native *n;
    size_t length = text_of(text, number);
    assert_int_equal(taut_native_begin(context, text, length, "f", o, &n), TAUT_OK);
    return n;
}

static inline native *begin_in(const char *folder, const char *compiler, int number)
{
    return begin_with(&(native_options){ .folder = folder, .compiler = compiler }, number);
}

/* Waits for it: the function must be there and right. */
static inline native_facts expect_ready(native *n, int number)
{
    native_facts facts;
    void *entry;
    if (taut_native_wait(n, &entry) != NATIVE_READY) fail_msg("not ready: %s", taut_native_reason(n));
    assert_non_null(entry);
    assert_true(((function *)entry)(1) == 1 + number);
    taut_native_facts(n, &facts);
    assert_int_equal(facts.cause, NATIVE_CAUSE_NONE);
    assert_string_equal(taut_native_reason(n), "");
    return facts;
}

/* The whole way, once. */
static inline native_facts make_ready(const char *folder, const char *compiler, int number)
{
    native *n = begin_in(folder, compiler, number);
    native_facts facts = expect_ready(n, number);
    taut_native_end(n);
    return facts;
}

/* Waits for it: it must have failed for this cause, with this in its reason, which is one line. */
static inline native_facts expect_failed(native *n, native_cause cause, const char *part)
{
    native_facts facts;
    void *entry;
    if (taut_native_wait(n, &entry) != NATIVE_FAILED) fail_msg("it did not fail (%s)", part);
    assert_null(entry);
    taut_native_facts(n, &facts);
    const char *reason = taut_native_reason(n);
    if (facts.cause != cause || !strstr(reason, part)) fail_msg("cause %d: '%s'", facts.cause, reason);
    assert_null(strchr(reason, '\n'));
    return facts;
}

/* How many names in the folder begin like this; -1: there is no folder. */
static inline int count_names(const char *folder, const char *beginning)
{
    DIR *list = opendir(folder);
    int count = 0;
    if (!list) return -1;
    for (struct dirent *e; (e = readdir(list));)
        count += e->d_name[0] != '.' && strncmp(e->d_name, beginning, strlen(beginning)) == 0;
    closedir(list);
    return count;
}

static inline int count_descriptors(void) { return count_names("/proc/self/fd", ""); }

static inline int exists(const char *name)
{
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    return lstat(path, &st) == 0;
}

static inline void sleep_ms(int ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL); }

/* A number that a script wrote, when it has: at most 20 s. */
static inline long wait_for_number(const char *name)
{
    char path[200];
    long number = 0;
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    for (int i = 0; i < 2000 && number == 0; i++) {
        FILE *f = fopen(path, "r");
        if (f && fscanf(f, "%ld\n", &number) != 1) number = 0;
        if (f) fclose(f);
        if (!number) sleep_ms(10);
    }
    assert_true(number > 0);
    return number;
}

/* Gone, or dead and not reaped yet by whoever inherited it: at most 20 s. */
static inline int is_gone(long pid)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    for (int i = 0; i < 2000; i++) {
        FILE *f = fopen(path, "r");
        char *end = f && fgets(text, sizeof text, f) ? strrchr(text, ')') : NULL;
        if (f) fclose(f);
        if (!end || end[2] == 'Z' || end[2] == 'X') return 1;
        sleep_ms(10);
    }
    return 0;
}

#endif
