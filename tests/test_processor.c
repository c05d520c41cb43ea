/* That a perturbed run (tests/CMakeLists.txt) is one: the environment reaches the libraries and changes last bits. */
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>


/* Of the bits of many values of the C library's functions. */
static uint64_t digest(void)
{
    uint64_t sum = 0;
    for (int i = 1; i < 20000; i++) {
        volatile double x = i * 0.0123457;
        double values[] = { sin(x), cos(x), exp(x / 50), log(x), pow(x, 1.37), atan(x) };
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            uint64_t bits;
            memcpy(&bits, &values[k], sizeof bits);
            sum = (sum ^ bits) * 1099511628211u;
        }
    }
    return sum;
}

static void blas_has_the_kernels_asked_for(void **state)
{
    (void)state;
    const char *asked = getenv("OPENBLAS_CORETYPE");
    void *blas = dlopen(BLAS_FILE, RTLD_NOW); /* as linalg/library.c does */
    char *(*name)(void), *(*config)(void);
    assert_non_null(blas);
    *(void **)&name = dlsym(blas, "openblas_get_corename");
    *(void **)&config = dlsym(blas, "openblas_get_config");
    if (!asked || !name || !config || !strstr(config(), "DYNAMIC_ARCH")) skip();
    assert_string_equal(name(), asked);
}

/* This program again, without the environment. */
static void functions_round_differently(void **state)
{
    (void)state;
#if defined __x86_64__ && defined __GLIBC__
    char self[PATH_MAX], command[PATH_MAX + 100];
    unsigned long long plain;
    if (!getenv("GLIBC_TUNABLES") || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) skip();
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = 0;
    snprintf(command, sizeof command, "env -u GLIBC_TUNABLES '%s' digest", self);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%llx", &plain), 1);
    assert_int_equal(pclose(f), 0);
    assert_true(plain != digest());
#else
    skip();
#endif
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        printf("%llx\n", (unsigned long long)digest());
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blas_has_the_kernels_asked_for), cmocka_unit_test(functions_round_differently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
