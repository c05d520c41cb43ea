/* The cache of native code: entries that are not what they should be, folders that cannot be used, a bounded size,
   what killed processes leave. In all cases the function is there in the end, and is the right one. */
#include "support_native.h"

#include <grp.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>

#ifdef TAUT_NO_NATIVE
static void nothing_to_test(void **state)
{
    (void)state;
    skip();
}
#else

#define NEEDS_COMPILER \
    if (system("cc --version > /dev/null 2>&1")) skip()

/* ---- entries ---- */

static char entry_path[200];

/* An entry for the number in the cache. */
static size_t make_entry(int number)
{
    struct stat st;
    native_facts facts = make_ready(cache_folder, NULL, number);
    snprintf(entry_path, sizeof entry_path, "%s/%s.so", cache_folder, facts.key);
    assert_int_equal(stat(entry_path, &st), 0);
    assert_true(S_ISREG(st.st_mode) && (st.st_mode & 0777) == 0600 && (size_t)st.st_size > facts.size);
    return (size_t)st.st_size;
}

/* It is refused, made anew, and the new one takes its place. */
static void expect_refused(int number)
{
    native_facts facts = make_ready(cache_folder, NULL, number);
    assert_true(facts.refused && !facts.cached);
    assert_string_equal(facts.cache, "");
    facts = make_ready(cache_folder, NULL, number);
    assert_true(!facts.refused && facts.cached);
}

static void change_byte(size_t at)
{
    FILE *f = fopen(entry_path, "r+");
    assert_non_null(f);
    fseek(f, (long)at, SEEK_SET);
    int c = fgetc(f);
    fseek(f, (long)at, SEEK_SET);
    fputc(c ^ 1, f);
    assert_int_equal(fclose(f), 0);
}

static void a_changed_byte_is_found(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    size_t size = make_entry(1);
    /* in the object from its first byte to its last, and in every part of the trailer of 88 bytes */
    const size_t places[] = { 0,         20,        size / 3,  size / 2,  size - 89,
                              size - 88, size - 70, size - 40, size - 20, size - 1 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        change_byte(places[i]);
        expect_refused(1);
    }
}

static void half_an_entry_is_found(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    size_t size = make_entry(1);
    const size_t sizes[] = { 0, 1, 87, 88, 89, 4096, size / 2, size - 88, size - 1, size + 1, size + 5000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(truncate(entry_path, (off_t)sizes[i]), 0);
        expect_refused(1);
    }
}

/* A good object under the name of another. */
static void an_entry_of_another_key_is_found(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    char other[200], moved[200];
    make_entry(2);
    strcpy(other, entry_path);
    make_entry(1);
    snprintf(moved, sizeof moved, "%s/moved", scratch);
    assert_int_equal(rename(other, entry_path), 0);
    expect_refused(1);
    make_entry(1);
    /* A link to a good one is not followed. */
    assert_int_equal(rename(entry_path, moved), 0);
    assert_int_equal(symlink(moved, entry_path), 0);
    expect_refused(1);
    /* A second name, through which it could be changed later. */
    make_entry(1);
    remove(moved);
    assert_int_equal(link(entry_path, moved), 0);
    expect_refused(1);
}

static void entries_of_others_are_refused(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    static const mode_t modes[] = { 0644, 0660, 0602, 0604, 0610, 0777 };
    make_entry(1);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(entry_path, modes[i]), 0);
        expect_refused(1);
    }
    if (geteuid() == 0) {
        assert_int_equal(chown(entry_path, 12345, 12345), 0);
        expect_refused(1);
    }
    remove(entry_path);
    assert_int_equal(mkfifo(entry_path, 0600), 0);
    expect_refused(1);
    /* A folder cannot be replaced by a file: no cache for this key, and it says so. */
    remove(entry_path);
    assert_int_equal(mkdir(entry_path, 0700), 0);
    for (int i = 0; i < 2; i++) {
        native_facts facts = make_ready(cache_folder, NULL, 1);
        assert_true(facts.refused && !facts.cached);
        assert_non_null(strstr(facts.cache, "cannot be written to"));
    }
    assert_int_equal(count_names(cache_folder, "new-"), 0);
}

/* ---- folders ---- */

/* No cache, for this reason; the function is there all the same, and no file is left. */
static void expect_no_cache(const char *folder, const char *why)
{
    for (int i = 0; i < 2; i++) {
        native_facts facts = make_ready(folder, NULL, 1);
        assert_false(facts.cached);
        if (!strstr(facts.cache, why)) fail_msg("'%s'", facts.cache);
        assert_int_equal(count_names(temporary, ""), 0);
    }
}

static void folders_of_others_are_not_used(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    char other[200];
    static const mode_t modes[] = { 0755, 0770, 0701, 0720 };
    assert_int_equal(mkdir(cache_folder, 0700), 0);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(cache_folder, modes[i]), 0);
        expect_no_cache(cache_folder, "others than its user have access");
    }
    chmod(cache_folder, 0700);
    if (geteuid() == 0) {
        assert_int_equal(chown(cache_folder, 12345, 12345), 0);
        expect_no_cache(cache_folder, "others than its user have access");
        assert_int_equal(chown(cache_folder, 0, 0), 0);
    }
    snprintf(other, sizeof other, "%s/link", scratch);
    assert_int_equal(symlink(cache_folder, other), 0);
    expect_no_cache(other, "not a folder");
    assert_int_equal(count_names(cache_folder, ""), 0);
    snprintf(other, sizeof other, "%s/file", scratch);
    fclose(fopen(other, "w"));
    expect_no_cache(other, "not a folder");
    expect_no_cache("/proc/taut", "cannot be used as a cache");
    expect_no_cache("/no/such/folder", "cannot be used as a cache");
    expect_no_cache("", "");
}

static void the_users_folder_is_found(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    char path[200];
    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    char *xdg = getenv("XDG_CACHE_HOME") ? strdup(getenv("XDG_CACHE_HOME")) : NULL;
    struct stat st;
    setenv("HOME", scratch, 1);
    unsetenv("XDG_CACHE_HOME");
    const mode_t mask = umask(0); /* what nothing is taken from */
    for (int there = 0; there < 2; there++) { /* ~/.cache is not there; then it is */
        make_ready(NULL, NULL, 1);
        snprintf(path, sizeof path, "%s/.cache", scratch);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0700);
        snprintf(path, sizeof path, "%s/.cache/taut", scratch);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0700);
        if (!there) remove_all(path);
    }
    umask(mask);
    assert_true(make_ready(NULL, NULL, 1).cached);
    snprintf(path, sizeof path, "%s/other", scratch);
    setenv("XDG_CACHE_HOME", path, 1);
    assert_false(make_ready(NULL, NULL, 1).cached);
    assert_true(make_ready(NULL, NULL, 1).cached);
    assert_int_equal(count_names(path, "taut"), 1);
    /* relative: to be ignored, says the XDG standard */
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_true(make_ready(NULL, NULL, 1).cached);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/no/such/home", 1);
    expect_no_cache(NULL, "cannot be used as a cache");
    unsetenv("HOME");
    expect_no_cache(NULL, "no home folder");
    if (home) setenv("HOME", home, 1);
    if (xdg) setenv("XDG_CACHE_HOME", xdg, 1);
    free(home);
    free(xdg);
}

/* In a child, because it changes what the process is. Returns what the child returned. */
static int in_child(int (*body)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(body());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* 0: not cached, and for this reason; 1, 2: otherwise. */
static int child_compiles(const char *why)
{
    native_facts facts;
    void *entry;
    native *n = begin_in(cache_folder, NULL, 1);
    if (taut_native_wait(n, &entry) != NATIVE_READY || ((function *)entry)(1) != 2) return 1;
    taut_native_facts(n, &facts);
    taut_native_end(n);
    return facts.cached || !strstr(facts.cache, why) ? 2 : 0;
}

static int read_only(void)
{
    /* root may write anywhere */
    if (geteuid() == 0 && (chown(temporary, 65534, 65534) || chown(cache_folder, 65534, 65534) || setgroups(0, NULL) ||
                           setgid(65534) || setuid(65534)))
        return 3;
    if (chmod(cache_folder, 0500)) return 4;
    int found = child_compiles("cannot be written to: Permission denied");
    return found ? found : count_names(temporary, "") + count_names(cache_folder, "");
}

static void a_read_only_folder_is_survived(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    assert_int_equal(chmod(scratch, 0711), 0);
    assert_int_equal(mkdir(cache_folder, 0700), 0);
    assert_int_equal(in_child(read_only), 0);
}

/* A file system of 8 KiB, which an object does not fit in. */
static int full_disk(void)
{
    uid_t user = geteuid();
    if (unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS)) return 77;
    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    if (mount("tmpfs", cache_folder, "tmpfs", 0, "size=8k,mode=0700")) return 77;
    /* The compiler's own files do not fit either: it fails. */
    native *n = begin_in(cache_folder, NULL, 1);
    void *entry;
    if (taut_native_wait(n, &entry) != NATIVE_FAILED || !strstr(taut_native_reason(n), "failed with exit status"))
        return 1;
    taut_native_end(n);
    if (count_names(cache_folder, "")) return 2;
    /* Where only the entry does not fit, all is well but for the cache. (A second name keeps the object's room taken
       when the compiler's folder is removed.) */
    if (umount(cache_folder) || mount("tmpfs", cache_folder, "tmpfs", 0, "size=128k,mode=0700")) return 77;
    const char *compiler = script("fillcc", "$real \"$@\" && ln object.so ../kept || exit 1\n"
                                            "cat /dev/zero > ../filler 2> /dev/null; exit 0");
    n = begin_in(cache_folder, compiler, 1);
    native_facts facts;
    if (taut_native_wait(n, &entry) != NATIVE_READY || ((function *)entry)(1) != 2) return 3;
    taut_native_facts(n, &facts);
    taut_native_end(n);
    if (count_names(cache_folder, "new-")) return 4;
    return strstr(facts.cache, "cannot be written to: No space left") ? 0 : 5;
}

static void a_full_disk_is_survived(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    assert_int_equal(mkdir(cache_folder, 0700), 0);
    int found = in_child(full_disk);
    if (found == 77) skip(); /* this system lets no one mount */
    assert_int_equal(found, 0);
}

/* ---- size ---- */

static void what_was_used_longest_ago_goes_first(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    char first[80];
    size_t size = make_entry(0);
    native_options o = { .folder = cache_folder, .cache_size = 3 * size + size / 2 };
    strcpy(first, strrchr(entry_path, '/') + 1);
    for (int i = 1; i < 6; i++) {
        sleep_ms(20); /* times of files have some milliseconds between their ticks */
        assert_true(make_ready(cache_folder, NULL, 0).cached);
        sleep_ms(20);
        native *n = begin_with(&o, i);
        expect_ready(n, i);
        taut_native_end(n);
        assert_int_equal(count_names(cache_folder, "") - 1, i < 2 ? 2 : 3); /* and the lock */
        assert_int_equal(count_names(cache_folder, first), 1);
    }
    /* One that alone is too large is not kept, and does not push the others out. */
    o.cache_size = size / 2;
    native *n = begin_with(&o, 7);
    expect_ready(n, 7);
    taut_native_end(n);
    assert_int_equal(count_names(cache_folder, "") - 1, 3);
}

/* Also of those that were used within the same second. */
static void parts_of_a_second_count(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    char names[3][80];
    const time_t then = time(NULL) - 10;
    size_t size = 0;
    for (int i = 0; i < 3; i++) {
        const long part[] = { 300000000, 100000000, 200000000 };
        const struct timespec times[2] = { { then, part[i] }, { then, part[i] } };
        size = make_entry(i);
        strcpy(names[i], strrchr(entry_path, '/') + 1);
        assert_int_equal(utimensat(AT_FDCWD, entry_path, times, 0), 0);
    }
    native *n = begin_with(&(native_options){ .folder = cache_folder, .cache_size = 3 * size + size / 2 }, 3);
    expect_ready(n, 3);
    taut_native_end(n);
    assert_int_equal(count_names(cache_folder, names[0]), 1);
    assert_int_equal(count_names(cache_folder, names[1]), 0);
    assert_int_equal(count_names(cache_folder, names[2]), 1);
}

/* ---- leftovers ---- */

static int make_old(const char *name, int folder)
{
    char path[200];
    const struct timespec old[2] = { { time(NULL) - 100, 0 }, { time(NULL) - 100, 0 } };
    snprintf(path, sizeof path, "%s/%s", cache_folder, name);
    if (folder) assert_int_equal(mkdir(path, 0700), 0);
    int file = open(path, folder ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT, 0600);
    assert_true(file >= 0);
    if (folder) close(openat(file, "object.so", O_RDWR | O_CREAT, 0600));
    assert_int_equal(futimens(file, old), 0);
    return file;
}

static void leftovers_are_removed(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    assert_int_equal(mkdir(cache_folder, 0700), 0);
    close(make_old("work-0000000000000001", 1));
    close(make_old("new-0000000000000001", 0));
    close(make_old("unrelated", 0));
    int alive = make_old("work-0000000000000002", 1);
    assert_int_equal(flock(alive, LOCK_EX), 0);
    make_ready(cache_folder, NULL, 1);
    assert_int_equal(count_names(cache_folder, "work-0000000000000001"), 0);
    assert_int_equal(count_names(cache_folder, "new-"), 0);
    assert_int_equal(count_names(cache_folder, "work-0000000000000002"), 1);
    assert_int_equal(count_names(cache_folder, "unrelated"), 1);
    close(alive);
    /* Without a cache the same in the place for temporary files: of our names, the user's own. */
    char path[200];
    static const char *const names[] = { "taut-0123456789abcdef", "taut-0123456789abcde", "taut-test" };
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", temporary, names[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof path, "touch -d '-100 seconds' %s/taut-*", temporary);
    assert_int_equal(system(path), 0);
    make_ready("", NULL, 1);
    assert_int_equal(count_names(temporary, names[0]), 0);
    assert_int_equal(count_names(temporary, ""), 2);
}

/* The folder of a compiler that is at work for more than a minute stays. */
static void a_long_compilation_is_no_leftover(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    char command[200];
    native *n = begin_in(cache_folder, script("slowcc", "echo $$ > $scratch/pid\n" WAIT_FOR_GO "exec $real \"$@\""), 1);
    wait_for_number("pid");
    snprintf(command, sizeof command, "touch -d '-100 seconds' %s/work-*", cache_folder);
    assert_int_equal(system(command), 0);
    make_ready(cache_folder, NULL, 2);
    assert_int_equal(count_names(cache_folder, "work-"), 1);
    let_go();
    expect_ready(n, 1);
    taut_native_end(n);
    assert_int_equal(count_names(cache_folder, "work-"), 0);
}

/* A process that is killed in the middle: its compiler goes too, and the next one cleans up. */
static void a_killed_process_does_no_harm(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    const char *compiler = script("hangcc", "echo $$ > $scratch/pid; exec sleep 1000");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        void *entry;
        taut_native_wait(begin_in(cache_folder, compiler, 1), &entry);
        _exit(1);
    }
    long pid = wait_for_number("pid");
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(is_gone(pid));
    assert_int_equal(count_names(cache_folder, "work-"), 1);
    /* Its folder is too young to be taken for a leftover; a minute later it is one. */
    make_ready(cache_folder, NULL, 1);
    assert_int_equal(count_names(cache_folder, "work-"), 1);
    char command[200];
    snprintf(command, sizeof command, "touch -d '-100 seconds' %s/work-*", cache_folder);
    assert_int_equal(system(command), 0);
    make_ready(cache_folder, NULL, 2);
    assert_int_equal(count_names(cache_folder, "work-"), 0);
}

/* ---- several at once ---- */

static void processes_share_the_cache(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    enum { CHILDREN = 6 };
    pid_t children[CHILDREN];
    fflush(NULL);
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        if (children[i]) continue;
        int good = 1;
        for (int k = 0; k < 6; k++) {
            void *entry;
            /* room for two or three: entries come and go while others read them */
            native *n = begin_with(&(native_options){ .folder = cache_folder, .cache_size = 40000 }, k % 3);
            good &= taut_native_wait(n, &entry) == NATIVE_READY && ((function *)entry)(1) == 1 + k % 3;
            taut_native_end(n);
        }
        _exit(!good);
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_names(cache_folder, "work-") + count_names(cache_folder, "new-"), 0);
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_scratch, close_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TAUT_NO_NATIVE
        TEST(nothing_to_test),
#else
        TEST(a_changed_byte_is_found),
        TEST(half_an_entry_is_found),
        TEST(an_entry_of_another_key_is_found),
        TEST(entries_of_others_are_refused),
        TEST(folders_of_others_are_not_used),
        TEST(the_users_folder_is_found),
        TEST(a_read_only_folder_is_survived),
        TEST(a_full_disk_is_survived),
        TEST(what_was_used_longest_ago_goes_first),
        TEST(parts_of_a_second_count),
        TEST(leftovers_are_removed),
        TEST(a_long_compilation_is_no_leftover),
        TEST(a_killed_process_does_no_harm),
        TEST(processes_share_the_cache),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
