/* Native code: texts that become functions, and compilers that fail in all the ways that compilers do. Compilers are
   the machine's own, or scripts that stand for one. */
#include "support_native.h"

#include "base/sha256.h"
#include "support_allocator.h"

/* ---- SHA-256 ---- */

static void check_digest(const char *text, size_t length, size_t piece, const char *expected)
{
    sha256 s;
    unsigned char digest[SHA256_SIZE];
    char found[2 * SHA256_SIZE + 1];
    taut_sha256_begin(&s);
    for (size_t at = 0; at < length; at += piece)
        taut_sha256_add(&s, text + at, length - at < piece ? length - at : piece);
    taut_sha256_end(&s, digest);
    taut_sha256_text(digest, found);
    assert_string_equal(found, expected);
}

/* FIPS 180-2, appendix B, and the empty message of NIST's test vectors (SHA256ShortMsg.rsp). */
static void digests_are_the_published_ones(void **state)
{
    (void)state;
    static const struct { const char *text, *digest; } table[] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" } };
    char *many = malloc(1000000);
    assert_non_null(many);
    memset(many, 'a', 1000000);
    for (size_t i = 0; i < 3; i++)
        for (size_t piece = 1; piece < 60; piece++)
            check_digest(table[i].text, strlen(table[i].text), piece, table[i].digest);
    for (size_t piece = 61; piece < 70; piece++)
        check_digest(many, 1000000, piece, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(many);
}

#ifdef TAUT_NO_NATIVE
static void a_build_without_says_so(void **state)
{
    (void)state;
    native *n = begin_in(cache_folder, NULL, 1);
    expect_failed(n, NATIVE_CAUSE_BUILD, "this build");
    taut_native_end(n);
}
#else

static int has_compiler(void) { return system("cc --version > /dev/null 2>&1") == 0; }

#define NEEDS_COMPILER \
    if (!has_compiler()) skip()

/* ---- the good way ---- */

static void text_becomes_a_function(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    int before = count_descriptors();
    native_facts cold = make_ready(cache_folder, NULL, 3), warm = make_ready(cache_folder, NULL, 3);
    assert_false(cold.cached);
    assert_true(warm.cached);
    assert_string_equal(cold.key, warm.key);
    assert_string_equal(warm.cache, "");
    assert_int_equal(cold.size, warm.size);
    print_message("compiled: %.1f ms; from the cache: %.3f ms (%zu bytes)\n", 1e3 * cold.seconds, 1e3 * warm.seconds,
                  warm.size);
    assert_int_equal(count_names(cache_folder, cold.key), 1);
    assert_int_equal(count_names(cache_folder, "work-") + count_names(cache_folder, "new-"), 0);
    assert_int_equal(count_names(temporary, ""), 0);
    assert_int_equal(count_descriptors(), before);
}

/* A straight line as a step is one, y := y * a + b with other numbers each time: the same bits as here, cold and from
   the cache. Prints the times. */
static void long_texts_give_the_same_bits(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    for (int operations = 500; operations <= 4000; operations *= 2) {
        char *text = malloc(100 * (size_t)operations + 100);
        assert_non_null(text);
        size_t at = (size_t)sprintf(text, "double f(double x)\n{\n    double y0 = x;\n");
        double y = 1;
        for (int i = 1; i <= operations / 2; i++) {
            double a = 1 + 1e-3 * (i % 7), b = -1e-3 * (i % 11);
            at += (size_t)sprintf(text + at, "    const double y%d = y%d * %.17g + %.17g;\n", i, i - 1, a, b);
            y = y * a + b;
        }
        at += (size_t)sprintf(text + at, "    return y%d;\n}\n", operations / 2);
        double seconds[2];
        for (int cached = 0; cached < 2; cached++) {
            native *n;
            native_facts facts;
            void *entry;
            assert_int_equal(taut_native_begin(context, text, at, "f", &(native_options){ .folder = cache_folder }, &n),
                             TAUT_OK);
            assert_int_equal(taut_native_wait(n, &entry), NATIVE_READY);
            double found = ((function *)entry)(1);
            assert_memory_equal(&found, &y, sizeof y);
            taut_native_facts(n, &facts);
            assert_int_equal(facts.cached, cached);
            seconds[cached] = facts.seconds;
            taut_native_end(n);
        }
        print_message("%d operations: compiled in %.0f ms; from the cache in %.2f ms\n", operations, 1e3 * seconds[0],
                      1e3 * seconds[1]);
        free(text);
    }
}

/* Two at a time: the loader must not take one for the other, nor a new one for one that is gone. */
static void functions_are_not_confused(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    native *n[4];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 4; i++) n[i] = begin_in(cache_folder, NULL, i);
        for (int i = 0; i < 4; i++) assert_int_equal(expect_ready(n[i], i).cached, round);
        for (int i = 0; i < 4; i++) taut_native_end(n[i]);
    }
    for (int i = 0; i < 8; i++) make_ready(cache_folder, NULL, i % 4);
}

static void the_key_has_all_that_matters(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    static const char *const flags[] = { "-O2", NULL };
    static const char text[] = "double f(double x) { return x + 1; } double g(double x) { return x + 2; }";
    const native_options usual = { .folder = cache_folder }, with_flags = { .folder = cache_folder, .flags = flags };
    const native_options other = { .folder = cache_folder, .compiler = script("mycc", "exec $real \"$@\"") };
    const struct { const native_options *o; const char *text, *entry; double value; } table[] = {
        { &usual, text, "f", 2 }, { &usual, text, "g", 3 }, { &with_flags, text, "f", 2 }, { &other, text, "f", 2 },
        { &usual, "double f(double x) { return x + 4; }", "f", 5 } };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        native *n;
        native_facts facts;
        void *entry;
        size_t length = strlen(table[i].text);
        assert_int_equal(taut_native_begin(context, table[i].text, length, table[i].entry, table[i].o, &n), TAUT_OK);
        assert_int_equal(taut_native_wait(n, &entry), NATIVE_READY);
        assert_true(((function *)entry)(1) == table[i].value);
        taut_native_facts(n, &facts);
        assert_false(facts.cached);
        taut_native_end(n);
        assert_int_equal(count_names(cache_folder, "") - 1, (int)i + 1); /* and the lock */
    }
    /* Another compiler of the same name in the same place. */
    assert_false(make_ready(cache_folder, other.compiler, 1).cached);
    assert_true(make_ready(cache_folder, other.compiler, 1).cached);
    script("mycc", "exec $real -w \"$@\"");
    assert_false(make_ready(cache_folder, other.compiler, 1).cached);
}

static void only_the_cache_can_be_asked(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    const native_options only = { .folder = cache_folder, .cache_only = 1 };
    native *n = begin_with(&only, 1);
    expect_failed(n, NATIVE_CAUSE_NOT_CACHED, "not in the cache");
    taut_native_end(n);
    make_ready(cache_folder, NULL, 1);
    n = begin_with(&only, 1);
    assert_true(expect_ready(n, 1).cached);
    taut_native_end(n);
}

/* The steps of a run go on meanwhile. */
static void the_caller_does_not_wait(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    const char *compiler = script("slowcc", WAIT_FOR_GO "exec $real \"$@\"");
    native *n = begin_in(cache_folder, compiler, 1);
    void *entry = &entry;
    assert_int_equal(taut_native_poll(n, &entry), NATIVE_PENDING);
    assert_null(entry);
    assert_string_equal(taut_native_reason(n), "");
    let_go();
    expect_ready(n, 1);
    taut_native_end(n);
}

static void a_short_run_starts_no_compiler(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    const char *compiler = script("markcc", "echo 1 > $scratch/started; exec $real \"$@\"");
    const native_options late = { .folder = cache_folder, .compiler = compiler, .delay = 1000 };
    native *n = begin_with(&late, 1);
    sleep_ms(50);
    taut_native_end(n);
    assert_false(exists("started"));
    assert_int_equal(count_names(cache_folder, ""), 0);
    /* Who waits does not wait for that. */
    n = begin_with(&late, 1);
    expect_ready(n, 1);
    taut_native_end(n);
    assert_true(exists("started"));
}

/* ---- compilers ---- */

static void bad_compilers_are_survived(void **state)
{
    (void)state;
    static const struct { const char *body, *reason; } table[] = {
        { "echo 'note: hm' >&2; echo 'x.c:1: error: no luck today' >&2; echo more >&2; exit 3",
          "failed with exit status 3: x.c:1: error: no luck today" },
        { "echo only this; exit 1", "failed with exit status 1: only this" },
        { "exit 1", "failed with exit status 1" },
        { "kill -SEGV $$", "failed with signal 11" },
        { "printf 'bad \\001\\033[31m\\377' >&2; exit 1", ": bad ??[31m?" },
        { "exit 0", "wrote no object" },
        { ": > object.so", "wrote no object" },
        { "mkdir object.so", "wrote no object" },
        { "ln -s /bin/sh object.so", "wrote no object" },
        { "mkfifo object.so", "wrote no object" },
        { "echo rubbish > object.so", "not a whole shared object" },
        { "head -c 100000 /dev/urandom > object.so", "not a whole shared object" },
        { "printf '\\177ELF\\002\\001\\001' > object.so; head -c 1000 /dev/zero >> object.so",
          "not a whole shared object" },
        { "$real -c -x c -o object.so -", "not a whole shared object" },
        { "echo 'double other(double x) { return x; }' | $real -shared -fPIC -x c -o object.so -", "cannot be loaded" },
        { "yes | head -c 3000000; yes error | head -c 3000000 >&2; exit 2", "failed with exit status 2" },
        { "chmod 0 . 2> /dev/null; mkdir -p a/b/c; echo x > a/b/c/d; exit 1", "failed with exit status 1" },
    };
    int before = count_descriptors();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *const folders[] = { cache_folder, "" };
        for (int k = 0; k < 2; k++) {
            native *n = begin_in(folders[k], script("badcc", table[i].body), (int)i);
            expect_failed(n, NATIVE_CAUSE_COMPILER, table[i].reason);
            taut_native_end(n);
            assert_int_equal(count_names(cache_folder, ""), 0);
            assert_int_equal(count_names(temporary, ""), 0);
        }
    }
    assert_int_equal(count_descriptors(), before);
}

/* An object that ends anywhere: the loader would touch pages that are not there. */
static void a_half_object_is_refused(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    char body[200];
    native_facts whole = make_ready("", NULL, 1);
    for (int part = 1; part < 16; part++) {
        snprintf(body, sizeof body, "$real \"$@\" && truncate -s %zu object.so", whole.size * (size_t)part / 16);
        native *n = begin_in(cache_folder, script("halfcc", body), 1);
        expect_failed(n, NATIVE_CAUSE_COMPILER, "not a whole shared object");
        taut_native_end(n);
    }
    assert_int_equal(count_names(cache_folder, ""), 0);
}

static void wrong_text_is_reported(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    static const char text[] = "double f(double x) { return y; }";
    native *n;
    const native_options none = { .folder = "" };
    assert_int_equal(taut_native_begin(context, text, strlen(text), "f", &none, &n), TAUT_OK);
    expect_failed(n, NATIVE_CAUSE_COMPILER, "error:");
    taut_native_end(n);
}

static void a_compiler_that_hangs_is_ended(void **state)
{
    (void)state;
    /* itself, and one that it waits for */
    static const char *const bodies[] = { "echo $$ > $scratch/pid; exec sleep 1000",
                                          "sleep 1000 & echo $! > $scratch/pid; wait" };
    for (int i = 0; i < 2; i++) {
        const native_options o = { .folder = cache_folder, .limit = 2, .compiler = script("hangcc", bodies[i]) };
        native *n = begin_with(&o, 1);
        expect_failed(n, NATIVE_CAUSE_COMPILER, "took more than 2 s");
        taut_native_end(n);
        assert_true(is_gone(wait_for_number("pid")));
        assert_int_equal(count_names(cache_folder, ""), 0);
        remove_all(cache_folder);
    }
}

static void the_end_does_not_wait_for_the_compiler(void **state)
{
    (void)state;
    const char *compiler = script("hangcc", "sleep 1000 & echo $! > $scratch/pid; wait");
    native *n = begin_in(cache_folder, compiler, 1);
    long pid = wait_for_number("pid");
    taut_native_end(n);
    assert_true(is_gone(pid));
    assert_int_equal(count_names(cache_folder, ""), 0);
}

static void no_compiler_is_no_fault(void **state)
{
    (void)state;
    char *path = strdup(getenv("PATH"));
    native *n;
    assert_non_null(path);
    unsetenv("TAUT_CC");
    setenv("PATH", temporary, 1);
    n = begin_in(cache_folder, NULL, 1);
    expect_failed(n, NATIVE_CAUSE_NO_COMPILER, "no C compiler");
    taut_native_end(n);
    setenv("PATH", path, 1);
    /* A wrong name is one. */
    static const char *const wrong[] = { "no-such-compiler", "/no/such/compiler", "./cc", "/tmp" };
    for (int i = 0; i < 4; i++) {
        setenv("TAUT_CC", wrong[i], 1);
        n = begin_in(cache_folder, NULL, 1);
        expect_failed(n, NATIVE_CAUSE_COMPILER, wrong[i]);
        assert_non_null(strstr(taut_native_reason(n), "is not a program"));
        taut_native_end(n);
    }
    /* A compiler in the current folder is not meant, even if PATH says so. */
    setenv("TAUT_CC", "herecc", 1);
    script("herecc", "exit 1");
    char here[400];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(scratch), 0);
    setenv("PATH", ":.:/usr/bin:", 1);
    n = begin_in(cache_folder, NULL, 1);
    expect_failed(n, NATIVE_CAUSE_COMPILER, "'herecc' is not a program");
    taut_native_end(n);
    assert_int_equal(chdir(here), 0);
    setenv("PATH", path, 1);
    unsetenv("TAUT_CC");
    free(path);
}

static void the_environment_names_the_compiler(void **state)
{
    (void)state;
    setenv("TAUT_CC", script("envcc", "echo from TAUT_CC; exit 9"), 1);
    native *n = begin_in(cache_folder, NULL, 1);
    expect_failed(n, NATIVE_CAUSE_COMPILER, "exit status 9: from TAUT_CC");
    taut_native_end(n);
    unsetenv("TAUT_CC");
}

/* Variables that change what a compiler does stay outside; its input is the text, and nothing of ours is open. */
static void the_compiler_is_alone(void **state)
{
    (void)state;
    char line[256];
    int null = open("/dev/null", O_RDONLY), mine = fcntl(null, F_DUPFD, 40); /* both without close-on-exec */
    assert_true(null >= 0 && mine >= 40);
    setenv("CPATH", "/nowhere", 1);
    setenv("LANG", "de_DE.UTF-8", 1);
    const char *compiler = script("lookcc", "env > $scratch/env; ls /proc/$$/fd > $scratch/fds\n"
                                            "cat > $scratch/text; exit 1");
    native *n = begin_in("", compiler, 7);
    expect_failed(n, NATIVE_CAUSE_COMPILER, "exit status 1");
    taut_native_end(n);
    close(null);
    close(mine);
    unsetenv("CPATH");
    snprintf(line, sizeof line, "! grep -q -e CPATH -e LANG %s/env && grep -q '^LC_ALL=C$' %s/env", scratch, scratch);
    assert_int_equal(system(line), 0);
    /* 10 and more are the shell's own */
    snprintf(line, sizeof line, "test \"$(grep -cx '[0-9]' %s/fds)\" = 3 && ! grep -qx %d %s/fds", scratch, mine,
             scratch);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, "grep -qx 'double f(double x) { return x + 7; }' %s/text", scratch);
    assert_int_equal(system(line), 0);
}

/* The number of this line of /proc/self/limits: the limit that counts. */
static double limit_of(const char *what)
{
    char path[300], line[200];
    double value = -1;
    snprintf(path, sizeof path, "%s/limits", scratch);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, what, strlen(what)) == 0) value = strtod(line + strlen(what), NULL);
    fclose(file);
    return value;
}

/* Processor time a second beyond the limit of its time, files of an object's size, no core; those of the host may be
   lower. */
static void the_compiler_has_limits(void **state)
{
    (void)state;
    const native_options o = { .folder = "", .limit = 7,
                               .compiler = script("limitcc", "cat /proc/self/limits > $scratch/limits; exit 1") };
    native *n = begin_with(&o, 1);
    expect_failed(n, NATIVE_CAUSE_COMPILER, "exit status 1");
    taut_native_end(n);
    const double seconds = limit_of("Max cpu time"), bytes = limit_of("Max file size");
    if (!(seconds > 0 && seconds <= 8)) fail_msg("%g seconds", seconds);
    if (!(bytes > 0 && bytes <= 64 << 20)) fail_msg("%g bytes", bytes);
    assert_true(limit_of("Max core file size") == 0);
}

/* ---- memory ---- */

static void allocations_may_fail(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    char text[256];
    size_t length = text_of(text, 1);
    for (long k = 1;; k++) {
        counter c = { .fail_at = k, .fail_count = 1 };
        const taut_allocator allocator = { counted_resize, &c };
        taut_context *own = taut_context_create(&allocator);
        native *n = NULL;
        void *entry;
        int status = own ? taut_native_begin(own, text, length, "f", &(native_options){ .folder = cache_folder }, &n)
                         : TAUT_OUT_OF_MEMORY;
        if (!status) assert_int_equal(taut_native_wait(n, &entry), NATIVE_READY);
        if (status) assert_null(n);
        taut_native_end(n);
        taut_context_destroy(own);
        assert_int_equal(c.live, 0);
        assert_int_equal(status, c.failures ? TAUT_OUT_OF_MEMORY : TAUT_OK);
        if (!c.failures) break;
    }
}

/* ---- the setting ---- */

static void the_setting_decides(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    char text[256];
    size_t length = text_of(text, 1);
    native_use use;
    native *n = (native *)&n;
    assert_int_equal(taut_native_request(NULL, context, text, length, "f", &n), TAUT_OK);
    assert_null(n);
    taut_native_use_begin(&use, TAUT_NATIVE_OFF);
    assert_int_equal(taut_native_request(&use, context, text, length, "f", &n), TAUT_OK);
    assert_null(n);
    assert_int_equal(use.asked, 0);

    taut_native_use_begin(&use, TAUT_NATIVE_ON);
    use.options.folder = cache_folder;
    for (int i = 1; i < 3; i++) {
        assert_int_equal(taut_native_request(&use, context, text, length, "f", &n), TAUT_OK);
        function *f = (function *)taut_native_take(&use, n);
        assert_true(f && f(1) == 2);
        taut_native_take(&use, n);
        taut_native_end(n);
        assert_true(use.asked == i && use.ready == i && use.cached == i - 1 && use.failed == 0);
    }
    use.options.compiler = script("badcc", "exit 5");
    assert_int_equal(taut_native_request(&use, context, text, length, "f", &n), TAUT_UNSUPPORTED);
    assert_null(n);
    assert_non_null(strstr(taut_error_text(context), "native code is not available: the compiler"));
    assert_true(use.failed == 1 && strstr(use.reason, "exit status 5"));

    taut_native_use_begin(&use, TAUT_NATIVE_AUTO);
    use.options = (native_options){ .folder = cache_folder, .compiler = script("badcc", "exit 6") };
    assert_int_equal(taut_native_request(&use, context, text, length, "f", &n), TAUT_OK);
    void *entry;
    assert_int_equal(taut_native_wait(n, &entry), NATIVE_FAILED);
    for (int i = 0; i < 3; i++) assert_null(taut_native_take(&use, n));
    taut_native_end(n);
    assert_true(use.asked == 1 && use.ready == 0 && use.failed == 1 && use.cause == NATIVE_CAUSE_COMPILER);
    assert_non_null(strstr(use.reason, "exit status 6"));
}
#endif

static void the_environment_has_the_default(void **state)
{
    (void)state;
    static const struct { const char *variable; int given, mode; } table[] = {
        { NULL, TAUT_NATIVE_DEFAULT, TAUT_NATIVE_AUTO },    { "off", TAUT_NATIVE_DEFAULT, TAUT_NATIVE_OFF },
        { "on", TAUT_NATIVE_DEFAULT, TAUT_NATIVE_ON },      { "auto", TAUT_NATIVE_DEFAULT, TAUT_NATIVE_AUTO },
        { "perhaps", TAUT_NATIVE_DEFAULT, TAUT_NATIVE_AUTO }, { "off", TAUT_NATIVE_ON, TAUT_NATIVE_ON } };
    char *before = getenv("TAUT_NATIVE") ? strdup(getenv("TAUT_NATIVE")) : NULL;
    native_use use;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].variable)
            setenv("TAUT_NATIVE", table[i].variable, 1);
        else
            unsetenv("TAUT_NATIVE");
        taut_native_use_begin(&use, table[i].given);
        assert_int_equal(use.mode, table[i].mode);
    }
    unsetenv("TAUT_NATIVE");
    if (before) setenv("TAUT_NATIVE", before, 1);
    free(before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_scratch, close_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(digests_are_the_published_ones),
#ifdef TAUT_NO_NATIVE
        TEST(a_build_without_says_so),
#else
        TEST(text_becomes_a_function),
        TEST(long_texts_give_the_same_bits),
        TEST(functions_are_not_confused),
        TEST(the_key_has_all_that_matters),
        TEST(only_the_cache_can_be_asked),
        TEST(the_caller_does_not_wait),
        TEST(a_short_run_starts_no_compiler),
        TEST(bad_compilers_are_survived),
        TEST(a_half_object_is_refused),
        TEST(wrong_text_is_reported),
        TEST(a_compiler_that_hangs_is_ended),
        TEST(the_end_does_not_wait_for_the_compiler),
        TEST(no_compiler_is_no_fault),
        TEST(the_environment_names_the_compiler),
        TEST(the_compiler_is_alone),
        TEST(the_compiler_has_limits),
        TEST(allocations_may_fail),
        TEST(the_setting_decides),
#endif
        TEST(the_environment_has_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
