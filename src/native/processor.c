/* The processor as compilers see it. An object made with -march=native for one may stop another at an instruction that
   it does not have; a home folder may be shared by several machines. */
#include "native/inside.h"

#if NATIVE_AVAILABLE
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static void add_leaf(sha256 *s, unsigned leaf, unsigned subleaf, const unsigned mask[4])
{
    unsigned r[4] = { 0 };
    if (!__get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3])) memset(r, 0, sizeof r);
    for (int i = 0; i < 4; i++) r[i] &= mask[i];
    taut_sha256_add(s, r, sizeof r);
}

static void add_features(sha256 *s)
{
    /* The rest differs from core to core: in leaf 1 the number of the core, in leaf 7 what kinds of cores there are. */
    static const unsigned all[4] = { ~0u, ~0u, ~0u, ~0u }, one[4] = { ~0u, 0, ~0u, ~0u };
    static const unsigned seven[4] = { 0, ~0u, ~0u, ~0u & ~(1u << 15) };
    unsigned a, b, c = 0, d;
    add_leaf(s, 0, 0, all);
    add_leaf(s, 1, 0, one);
    add_leaf(s, 7, 0, seven);
    add_leaf(s, 7, 1, all);
    add_leaf(s, 0x80000001u, 0, one);
    /* Registers that the operating system saves: without them the wide instructions are not there. */
    if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE) {
        __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
        taut_sha256_add(s, &a, sizeof a);
    }
}
#else
static void add_features(sha256 *s) { (void)s; }
#endif

void taut_native_processor(sha256 *s)
{
    const unsigned long words[] = { getauxval(AT_HWCAP), getauxval(AT_HWCAP2), sizeof(void *) };
    struct utsname system;
    taut_sha256_add(s, words, sizeof words);
    if (uname(&system) == 0) taut_sha256_add(s, system.machine, strlen(system.machine) + 1);
    add_features(s);
}
#endif
