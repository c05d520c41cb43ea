/* The elementary functions of the model language in double, from one source: the library evaluates with this file, and
 * the C code that Taut writes contains it (or the sections that it needs) word for word. It consists of additions,
 * multiplications, divisions and square roots in the order that stands here, without libm and (but for taut_math_fma,
 * which is one) without fused multiply-add, so that every processor, compiler and optimisation level gives the same
 * bits, as long as the compiler does not contract a*b + c (gcc: -ffp-contract=off or -std=c11; clang is told below; no
 * -ffast-math) and rounds to nearest. A result that is not a number is always the same NaN.
 *
 * Errors and how they are measured: docs/accuracy.md. The numbers between marks come from tools/elementary.py.
 *
 * Sections. A line  == NAME: OTHERS ==  in a comment begins a section, which needs the sections OTHERS, all of them
 * above it; everything before the first one belongs to every choice. base/elementary_text.h picks sections. The
 * functions are taut_math_NAME; a section `f` has taut_math_f.
 *
 * What is used throughout: a pair is an unevaluated sum high + low with |low| well below |high|; top(x) is x without
 * its lower 27 bits, so that products of two tops are exact; adding TAUT_MAGIC rounds to a whole number, which then
 * stands in the lowest bits, and subtracting it again gives that number. Odd functions are computed for |x|, so that
 * they are odd to the last bit. */
#ifndef TAUT_BASE_ELEMENTARY_H
#define TAUT_BASE_ELEMENTARY_H

#include <float.h>
#include <stdint.h>

#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16)
#error "elementary functions: needs arithmetic in double, without -ffast-math (on i386: -msse2 -mfpmath=sse)"
#endif

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* A program for another kind of processor defines these before. */
#ifndef TAUT_FUNCTION
#ifdef __GNUC__
#define TAUT_FUNCTION static inline __attribute__((unused))
#define TAUT_PART static inline __attribute__((unused, always_inline)) /* of a function */
#define TAUT_RARE static __attribute__((unused, noinline))             /* for few arguments */
#define TAUT_TABLE static const __attribute__((unused))
#else
#define TAUT_FUNCTION static inline
#define TAUT_PART static inline
#define TAUT_RARE static
#define TAUT_TABLE static const
#endif
#endif
#ifndef TAUT_SQRT
#ifdef __GNUC__
#define TAUT_SQRT __builtin_sqrt
#else
#include <math.h>
#define TAUT_SQRT sqrt
#endif
#endif

#define TAUT_MAGIC 0x1.8p52
#define TAUT_SIGN 0x8000000000000000u

typedef struct {
    double high, low;
} taut_pair;

TAUT_PART uint64_t taut_math_bits(double x)
{
    union {
        double x;
        uint64_t bits;
    } u;
    u.x = x;
    return u.bits;
}

TAUT_PART double taut_math_number(uint64_t bits)
{
    union {
        double x;
        uint64_t bits;
    } u;
    u.bits = bits;
    return u.x;
}

TAUT_PART double taut_math_nan(void) { return taut_math_number(0x7ff8000000000000u); }
TAUT_PART double taut_math_inf(void) { return taut_math_number(0x7ff0000000000000u); }
TAUT_PART double taut_math_fabs(double x) { return taut_math_number(taut_math_bits(x) & ~TAUT_SIGN); }
TAUT_PART double taut_math_sqrt(double x) { return TAUT_SQRT(x); }
TAUT_PART double taut_math_top(double x) { return taut_math_number(taut_math_bits(x) & ~(uint64_t)0x7ffffff); }

/* x with the sign of `sign`, or the other one where x is negative */
TAUT_PART double taut_math_signed(double x, uint64_t sign)
{
    return taut_math_number(taut_math_bits(x) ^ (sign & TAUT_SIGN));
}

/* a + b for |a| >= |b| or a = 0 */
TAUT_PART taut_pair taut_math_sum(double a, double b)
{
    taut_pair s;
    s.high = a + b;
    s.low = (a - s.high) + b;
    return s;
}

/* a b */
TAUT_PART taut_pair taut_math_product(double a, double b)
{
    taut_pair p;
    double a1 = taut_math_top(a), a2 = a - a1, b1 = taut_math_top(b), b2 = b - b1;
    p.high = a * b;
    p.low = ((a1 * b1 - p.high) + (a1 * b2 + a2 * b1)) + a2 * b2;
    return p;
}

/* a/b; 1/b.high is a normal number */
TAUT_PART double taut_math_quotient(taut_pair a, taut_pair b)
{
    const double inverse = 1 / b.high, q = a.high * inverse, q1 = taut_math_top(q), q2 = q - q1;
    const double b1 = taut_math_top(b.high), b2 = b.high - b1;
    const double left = ((a.high - q1 * b1) - (q1 * b2 + q2 * b1)) - q2 * b2;
    return q + (left + (a.low - q * b.low)) * inverse;
}

/* == half_pi: == */
/* numbers: half_pi_pair */
#define TAUT_HALF_PI_HIGH 0x1.921fb54442d18p+0
#define TAUT_HALF_PI_LOW 0x1.1a62633145c07p-54
/* end of numbers */

/* == circular: == */
/* x = step pi/32 + high + low */
typedef struct {
    double high, low;
    uint32_t step;
} taut_angle;

/* numbers: angle */
#define TAUT_ANGLE_SCALE 0x1.45f306dc9c883p+3
#define TAUT_ANGLE_1 0x1.921fb544p-4
#define TAUT_ANGLE_2 0x1.0b4611ap-38
#define TAUT_ANGLE_3 0x1.898cc51701b84p-68
#define TAUT_ANGLE_HIGH 0x1.921fb54442d18p-4
#define TAUT_ANGLE_LOW 0x1.1a62633145c07p-58
/* end of numbers */
/* The bits of 2/pi after the point. */
/* numbers: two_over_pi */
TAUT_TABLE uint32_t taut_two_over_pi[40] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
    0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u,
    0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
    0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu,
    0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du,
};
/* end of numbers */

/* Any finite x >= 1/32 (Payne and Hanek): x 32/pi mod 64 from those bits of 2/pi that matter. */
TAUT_RARE taut_angle taut_math_angle_exact(double x)
{
    const uint64_t bits = taut_math_bits(x), mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    const int exponent = (int)(bits >> 52) - 1075; /* x = mantissa 2^exponent */
    const int first = exponent > 2 ? (exponent - 2) / 32 : 0;
    const uint32_t m[2] = { (uint32_t)mantissa, (uint32_t)(mantissa >> 32) };
    uint32_t product[10] = { 0 }, fraction[7] = { 0 };
    for (int i = 0; i < 2; i++) { /* the lowest limb first */
        uint64_t carry = 0;
        for (int j = 0; j < 8; j++) {
            carry += (uint64_t)m[i] * taut_two_over_pi[first + 7 - j] + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product[i + 8] = (uint32_t)carry;
    }
    /* Of the product, times 16, `after` bits are after the point: 218 or more, and at most 309. fraction[0] becomes the
       32 bits before the point, fraction[1..6] the 192 bits after it, the highest limb first. */
    const int after = 252 + 32 * first - exponent;
    for (int i = 0; i < 7; i++) {
        const int low = after - 32 * i, limb = low / 32, shift = low % 32; /* bits low .. low + 31 of the product */
        uint64_t two = limb < 10 ? product[limb] : 0;
        if (limb + 1 < 10) two |= (uint64_t)product[limb + 1] << 32;
        fraction[i] = (uint32_t)(two >> shift);
    }
    taut_angle angle;
    angle.step = fraction[0];
    const int above = (int)(fraction[1] >> 31); /* more than half: down from the next step */
    if (above) {
        uint64_t carry = 1;
        for (int i = 6; i > 0; i--) {
            carry += (uint32_t)~fraction[i];
            fraction[i] = (uint32_t)carry;
            carry >>= 32;
        }
        angle.step++;
    }
    double scale = 0x1p-32, high = fraction[1] * scale, low = 0;
    for (int i = 2; i < 7; i++) {
        scale *= 0x1p-32;
        taut_pair s = taut_math_sum(high, fraction[i] * scale);
        high = s.high, low += s.low;
    }
    taut_pair p = taut_math_product(high, TAUT_ANGLE_HIGH);
    p = taut_math_sum(p.high, p.low + (high * TAUT_ANGLE_LOW + low * TAUT_ANGLE_HIGH));
    angle.high = above ? -p.high : p.high;
    angle.low = above ? -p.low : p.low;
    return angle;
}

/* Any finite x >= 0; |low| may be some 2^-40 of |high|. Below 2^18 products with the first two parts of pi/32 are
   exact. Near a multiple of pi/32 what is left after the first has too few good bits. */
TAUT_PART taut_angle taut_math_angle(double x)
{
    if (x < 0x1p18) {
        taut_angle angle;
        double n = x * TAUT_ANGLE_SCALE + TAUT_MAGIC;
        angle.step = (uint32_t)taut_math_bits(n);
        n -= TAUT_MAGIC;
        const double a = x - n * TAUT_ANGLE_1, b = n * TAUT_ANGLE_2;
        angle.high = a - b;
        angle.low = ((a - angle.high) - b) - n * TAUT_ANGLE_3;
        if (taut_math_fabs(a) >= 2 * taut_math_fabs(b)) return angle;
    }
    return taut_math_angle_exact(x);
}

/* numbers: circular */
/* error 2^-60.0 of the result */
TAUT_TABLE double taut_sin_p[3] = {
    -0x1.5555555555456p-3, 0x1.1111110742acdp-7, -0x1.a013278d8f624p-13,
};
/* error 2^-73.3 of the result */
TAUT_TABLE double taut_cos_p[3] = {
    0x1.55555555554a9p-5, -0x1.6c16c161c40c8p-10, 0x1.a013ddbbf2e84p-16,
};
TAUT_TABLE double taut_sin_table[128] = {
    0x0p+0, 0x0p+0, 0x1.917a6cp-4, -0x1.eb25ea0f138c7p-31,
    0x1.8f8b84p-3, -0x1.cb2cfaa4da337p-30, 0x1.294063p-2, -0x1.2a60fa574a369p-30,
    0x1.87de2a8p-2, -0x1.51569d2e59dbap-30, 0x1.e2b5d38p-2, 0x1.bd8ec78362475p-36,
    0x1.1c73b38p-1, 0x1.ae68c86c9774ap-29, 0x1.44cf328p-1, -0x1.7b7114f3fc4afp-28,
    0x1.6a09e68p-1, -0x1.80c4336f74d05p-29, 0x1.8bc8068p-1, 0x1.8a8ba05a743dap-28,
    0x1.a9b6628p-1, 0x1.0ea1a3033ec62p-29, 0x1.c38b2fp-1, 0x1.80bdb0d23e9d1p-29,
    0x1.d906bdp-1, -0x1.9ae573aea067cp-30, 0x1.e9f4158p-1, -0x1.39d225a27d387p-29,
    0x1.f6297dp-1, -0x1.1469faa77a357p-34, 0x1.fd88dap-1, 0x1.e89292cf04139p-28,
    0x1p+0, 0x0p+0, 0x1.fd88dap-1, 0x1.e89292cf04139p-28,
    0x1.f6297dp-1, -0x1.1469faa77a357p-34, 0x1.e9f4158p-1, -0x1.39d225a27d387p-29,
    0x1.d906bdp-1, -0x1.9ae573aea067cp-30, 0x1.c38b2fp-1, 0x1.80bdb0d23e9d1p-29,
    0x1.a9b6628p-1, 0x1.0ea1a3033ec62p-29, 0x1.8bc8068p-1, 0x1.8a8ba05a743dap-28,
    0x1.6a09e68p-1, -0x1.80c4336f74d05p-29, 0x1.44cf328p-1, -0x1.7b7114f3fc4afp-28,
    0x1.1c73b38p-1, 0x1.ae68c86c9774ap-29, 0x1.e2b5d38p-2, 0x1.bd8ec78362475p-36,
    0x1.87de2a8p-2, -0x1.51569d2e59dbap-30, 0x1.294063p-2, -0x1.2a60fa574a369p-30,
    0x1.8f8b84p-3, -0x1.cb2cfaa4da337p-30, 0x1.917a6cp-4, -0x1.eb25ea0f138c7p-31,
    0x0p+0, 0x0p+0, -0x1.917a6cp-4, 0x1.eb25ea0f138c7p-31,
    -0x1.8f8b84p-3, 0x1.cb2cfaa4da337p-30, -0x1.294063p-2, 0x1.2a60fa574a369p-30,
    -0x1.87de2a8p-2, 0x1.51569d2e59dbap-30, -0x1.e2b5d38p-2, -0x1.bd8ec78362475p-36,
    -0x1.1c73b38p-1, -0x1.ae68c86c9774ap-29, -0x1.44cf328p-1, 0x1.7b7114f3fc4afp-28,
    -0x1.6a09e68p-1, 0x1.80c4336f74d05p-29, -0x1.8bc8068p-1, -0x1.8a8ba05a743dap-28,
    -0x1.a9b6628p-1, -0x1.0ea1a3033ec62p-29, -0x1.c38b2fp-1, -0x1.80bdb0d23e9d1p-29,
    -0x1.d906bdp-1, 0x1.9ae573aea067cp-30, -0x1.e9f4158p-1, 0x1.39d225a27d387p-29,
    -0x1.f6297dp-1, 0x1.1469faa77a357p-34, -0x1.fd88dap-1, -0x1.e89292cf04139p-28,
    -0x1p+0, 0x0p+0, -0x1.fd88dap-1, -0x1.e89292cf04139p-28,
    -0x1.f6297dp-1, 0x1.1469faa77a357p-34, -0x1.e9f4158p-1, 0x1.39d225a27d387p-29,
    -0x1.d906bdp-1, 0x1.9ae573aea067cp-30, -0x1.c38b2fp-1, -0x1.80bdb0d23e9d1p-29,
    -0x1.a9b6628p-1, -0x1.0ea1a3033ec62p-29, -0x1.8bc8068p-1, -0x1.8a8ba05a743dap-28,
    -0x1.6a09e68p-1, 0x1.80c4336f74d05p-29, -0x1.44cf328p-1, 0x1.7b7114f3fc4afp-28,
    -0x1.1c73b38p-1, -0x1.ae68c86c9774ap-29, -0x1.e2b5d38p-2, -0x1.bd8ec78362475p-36,
    -0x1.87de2a8p-2, 0x1.51569d2e59dbap-30, -0x1.294063p-2, 0x1.2a60fa574a369p-30,
    -0x1.8f8b84p-3, 0x1.cb2cfaa4da337p-30, -0x1.917a6cp-4, 0x1.eb25ea0f138c7p-31,
};
/* end of numbers */

/* sin r = high + low + sine, cos r = 1 + cosine; high is a top */
typedef struct {
    double high, low, sine, cosine;
    uint32_t step;
} taut_circle;

TAUT_PART taut_circle taut_math_circle(double x)
{
    const taut_angle angle = taut_math_angle(x);
    const double *p = taut_sin_p, *q = taut_cos_p, r = angle.high, z = r * r;
    taut_circle c;
    c.high = taut_math_top(r);
    c.low = (r - c.high) + (angle.low - 0.5 * z * angle.low);
    c.sine = (r * z) * (p[0] + z * (p[1] + z * p[2]));
    c.cosine = (z * z) * (q[0] + z * (q[1] + z * q[2])) - (0.5 * z + r * angle.low);
    c.step = angle.step;
    return c;
}

/* sin(a + r) for a = (step + turn) pi/32: sin a + cos a r + sin a (cos r - 1) + cos a (sin r - r); the sum and the
   product that come first are exact */
TAUT_PART taut_pair taut_math_on_circle(taut_circle r, uint32_t turn)
{
    const double *s = taut_sin_table + 2 * ((r.step + turn) & 63);
    const double *c = taut_sin_table + 2 * ((r.step + turn + 16) & 63);
    taut_pair v = taut_math_sum(s[0], c[0] * r.high);
    v.low = (v.low + (s[1] + (c[0] * r.low + c[1] * (r.high + r.low))))
            + ((s[0] + s[1]) * r.cosine + (c[0] + c[1]) * r.sine);
    return v;
}

/* == sin: circular == */
TAUT_FUNCTION double taut_math_sin(double x)
{
    const double size = taut_math_fabs(x);
    if (!(size <= DBL_MAX)) return taut_math_nan();
    const taut_pair s = taut_math_on_circle(taut_math_circle(size), 0);
    return taut_math_signed(s.high + s.low, taut_math_bits(x));
}

/* == cos: circular == */
TAUT_FUNCTION double taut_math_cos(double x)
{
    const double size = taut_math_fabs(x);
    if (!(size <= DBL_MAX)) return taut_math_nan();
    const taut_pair c = taut_math_on_circle(taut_math_circle(size), 16);
    return c.high + c.low;
}

/* == sincos: circular == */
/* Both at once, with the bits of taut_math_sin and taut_math_cos. */
TAUT_FUNCTION void taut_math_sincos(double x, double *sine, double *cosine)
{
    const double size = taut_math_fabs(x);
    if (!(size <= DBL_MAX)) {
        *sine = *cosine = taut_math_nan();
        return;
    }
    const taut_circle r = taut_math_circle(size);
    const taut_pair s = taut_math_on_circle(r, 0), c = taut_math_on_circle(r, 16);
    *sine = taut_math_signed(s.high + s.low, taut_math_bits(x));
    *cosine = c.high + c.low;
}

/* == tan: circular == */
TAUT_FUNCTION double taut_math_tan(double x)
{
    const double size = taut_math_fabs(x);
    if (!(size <= DBL_MAX)) return taut_math_nan();
    const taut_circle r = taut_math_circle(size);
    taut_pair s = taut_math_on_circle(r, 0), c = taut_math_on_circle(r, 16);
    s = taut_math_sum(s.high, s.low);
    c = taut_math_sum(c.high, c.low);
    return taut_math_signed(taut_math_quotient(s, c), taut_math_bits(x));
}

/* == exponential: == */
/* e^x = 2^(k/32) e^r, |r| <= ln2/64 */
/* numbers: exp */
#define TAUT_EXP_SCALE 0x1.71547652b82fep+5
#define TAUT_EXP_STEP_1 0x1.62e42fefap-6
#define TAUT_EXP_STEP_2 0x1.cf79abc9e3b3ap-45
/* error 2^-63.2 of the result */
TAUT_TABLE double taut_exp_p[5] = {
    0x1p-1, 0x1.5555555548f8bp-3, 0x1.5555555545f15p-5, 0x1.11115b7822d9ap-7,
    0x1.6c1728724a697p-10,
};
TAUT_TABLE double taut_exp_table[64] = {
    0x1p+0, 0x0p+0, 0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55,
    0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54, 0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54,
    0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55, 0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54,
    0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54, 0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55,
    0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55, 0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54,
    0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55, 0x1.44e086061892dp+0, 0x1.89b7a04ef80dp-59,
    0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56, 0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55,
    0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54, 0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54,
    0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54, 0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55,
    0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55, 0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54,
    0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54, 0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57,
    0x1.9c49182a3f09p+0, 0x1.c7c46b071f2bep-56, 0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54,
    0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54, 0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56,
    0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55, 0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56,
    0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55, 0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54,
    0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54, 0x1.f50765b6e454p+0, 0x1.9d3e12dd8a18bp-54,
};
/* end of numbers */

/* e^(x + low), |low| some 2^-50 of |x| or less */
TAUT_PART double taut_math_exp_pair(double x, double low)
{
    if (!(x < 710)) return x != x ? taut_math_nan() : taut_math_inf();
    if (x < -746) return 0;
    double n = x * TAUT_EXP_SCALE + TAUT_MAGIC;
    const uint64_t k = taut_math_bits(n), exponent = (k >> 5) << 52; /* of 2^(k/32), modulo 2^64 */
    n -= TAUT_MAGIC;
    const double r = (x - n * TAUT_EXP_STEP_1) - (n * TAUT_EXP_STEP_2 - low), z = r * r, *p = taut_exp_p;
    const double rise = (r + z * (p[0] + r * p[1])) + (z * z) * ((p[2] + r * p[3]) + z * p[4]);
    const double *t = taut_exp_table + 2 * (k & 31);
    if (taut_math_fabs(x) < 650) {
        const double high = taut_math_number(taut_math_bits(t[0]) + exponent);
        return high + (t[1] * taut_math_number(0x3ff0000000000000u + exponent) + high * rise);
    }
    const double high = t[0], rest = t[1] + t[0] * rise;
    if (x > 0) return taut_math_number(taut_math_bits(high + rest) + exponent - 0x0010000000000000u) * 2;
    if (x > -708) return taut_math_number(taut_math_bits(high + rest) + exponent);
    /* Below the normal numbers: rounded where their last bit is, by adding 1. */
    const double scale = taut_math_number(0x3ff0000000000000u + exponent + ((uint64_t)1022 << 52));
    if ((high + rest) * scale >= 1) return (high + rest) * scale * 0x1p-1022;
    const taut_pair one = taut_math_sum(1, high * scale);
    return ((one.high + (one.low + rest * scale)) - 1) * 0x1p-1022;
}

/* == exp: exponential == */
TAUT_FUNCTION double taut_math_exp(double x) { return taut_math_exp_pair(x, 0); }

/* == logarithm: == */
/* x = 2^k m, m times a factor of the table is 1 + r, |r| < 2^-6.8, and log x = (k ln2 - log factor) + log(1 + r) */
/* numbers: log */
#define TAUT_LOG_BEGIN 0x3fe6200000000000u /* bits of 0.69140625 */
#define TAUT_LN2_HIGH 0x1.62e42fefa38p-1
#define TAUT_LN2_LOW 0x1.ef35793c7673p-45
/* error 2^-69.5 of the result */
TAUT_TABLE double taut_log_p[8] = {
    0x1.5555555555555p-2, -0x1p-2, 0x1.9999999999bc3p-3, -0x1.5555555555911p-3,
    0x1.2492490b3cd29p-3, -0x1.ffffffbcd9aa4p-4, 0x1.c72b11566530ap-4, -0x1.99a96743ecb94p-4,
};
TAUT_TABLE double taut_log_table[192] = {
    0x1.702p+0, -0x1.73f686ae43p-2, 0x1.8dd3b60a7a3d9p-46,
    0x1.6c2p+0, -0x1.68c6839548p-2, -0x1.ecab01b342176p-47,
    0x1.682p+0, -0x1.5d76dd9a78p-2, 0x1.cbf6c326244f5p-44,
    0x1.642p+0, -0x1.5206dfd186p-2, -0x1.c58cfd28f3cd8p-44,
    0x1.606p+0, -0x1.472fdbe4fdp-2, -0x1.f9364c53f821fp-45,
    0x1.5cap+0, -0x1.3c3b2736b4p-2, 0x1.3e5d1e9d3ddf9p-47,
    0x1.58ep+0, -0x1.31281d5f11p-2, 0x1.6e10e6a8b7abcp-48,
    0x1.556p+0, -0x1.26b620935p-2, -0x1.8f08bb3f17379p-44,
    0x1.51ep+0, -0x1.1c2895218fp-2, -0x1.5ff09640395a7p-45,
    0x1.4e6p+0, -0x1.117ee81dfep-2, -0x1.30f778a2e8cbdp-44,
    0x1.4bp+0, -0x1.071b85fcd6p-2, 0x1.bcb8ba3e01a11p-44,
    0x1.47ap+0, -0x1.f939c4e72ep-3, 0x1.4c5fc35fe2798p-44,
    0x1.446p+0, -0x1.e4ceeda61ep-3, 0x1.2ccbe398170f7p-46,
    0x1.414p+0, -0x1.d0fb7f2256p-3, 0x1.af52b20633b29p-47,
    0x1.3e2p+0, -0x1.bcf6736f7ep-3, 0x1.271e894f591e4p-44,
    0x1.3b2p+0, -0x1.a98ed238b8p-3, -0x1.126ffb47b9acp-48,
    0x1.382p+0, -0x1.95f7ac2b3cp-3, 0x1.615d77a1ffe43p-44,
    0x1.352p+0, -0x1.8230164c1ap-3, -0x1.98dd68a5d0b48p-46,
    0x1.324p+0, -0x1.6f0d28ae56p-3, -0x1.69737c93373dap-44,
    0x1.2f6p+0, -0x1.5bbc05f14p-3, -0x1.21892c55da347p-45,
    0x1.2cap+0, -0x1.4915d832fcp-3, 0x1.53cee006bcf62p-44,
    0x1.29ep+0, -0x1.3643cad058p-3, -0x1.1e18f2132dfd5p-44,
    0x1.274p+0, -0x1.2423113ba6p-3, 0x1.e3a0078ee9d9cp-44,
    0x1.24ap+0, -0x1.11d8e5e29p-3, -0x1.1c6fa52eaa55bp-45,
    0x1.22p+0, -0x1.fec9131dcp-4, 0x1.54555d1ae6607p-44,
    0x1.1f8p+0, -0x1.db5270187cp-4, -0x1.9277856ae181fp-44,
    0x1.1dp+0, -0x1.b78c82bb1p-4, 0x1.25ef7bc3987e7p-44,
    0x1.1a8p+0, -0x1.9375e55594p-4, -0x1.eddc37380c364p-44,
    0x1.182p+0, -0x1.70e12b325cp-4, -0x1.0530d95714cd1p-45,
    0x1.15cp+0, -0x1.4e01108a34p-4, -0x1.ae5cfdf2c5ae5p-44,
    0x1.136p+0, -0x1.2ad449eff4p-4, 0x1.cea3ae5f05b87p-44,
    0x1.112p+0, -0x1.0939853a1cp-4, -0x1.91761e583dc8fp-45,
    0x1.0ecp+0, -0x1.cae72fb96p-5, 0x1.efabf2025b1bep-44,
    0x1.0cap+0, -0x1.8a5a9cc618p-5, 0x1.9ae2900180e9ap-44,
    0x1.0a6p+0, -0x1.4572e981c8p-5, -0x1.6c7eaf9b37d75p-44,
    0x1.084p+0, -0x1.03d5d85e7p-5, -0x1.f778960ed29cfp-44,
    0x1.062p+0, -0x1.83624fba8p-6, -0x1.deb9c96b40046p-45,
    0x1.042p+0, -0x1.05e547827p-6, 0x1.0dbde21f5e1f8p-44,
    0x1.02p+0, -0x1.fe02a6b1p-8, -0x1.9e23f0dda40e4p-46,
    0x1p+0, 0x0p+0, 0x0p+0,
    0x1.f8p-1, 0x1.020565893p-6, 0x1.611d27c8e8417p-44,
    0x1.f08p-1, 0x1.f7a9b1678p-6, 0x1.42ad9271be7d7p-45,
    0x1.e9p-1, 0x1.788595a358p-5, -0x1.08b0d083b3a4cp-46,
    0x1.e2p-1, 0x1.eea31c0068p-5, 0x1.c3dd83606d891p-44,
    0x1.dbp-1, 0x1.333d7f8184p-4, -0x1.692b6a81b8848p-49,
    0x1.d4p-1, 0x1.700d30aeacp-4, 0x1.c1e8da99ded32p-49,
    0x1.cd8p-1, 0x1.a956d3ecacp-4, 0x1.e63794c02c4afp-44,
    0x1.c7p-1, 0x1.e3707ee304p-4, 0x1.0f684e6766abdp-45,
    0x1.c1p-1, 0x1.0ce7ecdcccp-3, 0x1.4652dabff5447p-46,
    0x1.bacp-1, 0x1.299d30c606p-3, 0x1.d4d0079dc08d9p-44,
    0x1.b5p-1, 0x1.4462b9dc9cp-3, -0x1.84858a711b062p-44,
    0x1.af4p-1, 0x1.5f830a1a5cp-3, 0x1.5226898ffc1bcp-44,
    0x1.a98p-1, 0x1.7b00916516p-3, -0x1.ae75fcb067e57p-44,
    0x1.a4p-1, 0x1.95a5adcf7p-3, 0x1.7f22858a0ff6fp-47,
    0x1.9ecp-1, 0x1.af6895610ep-3, -0x1.148288bf7a937p-45,
    0x1.998p-1, 0x1.c97f8079d4p-3, 0x1.3b161a8c6e6c5p-45,
    0x1.948p-1, 0x1.e2a877a6b2p-3, 0x1.823817787081ap-44,
    0x1.8f8p-1, 0x1.fc218be62p-3, 0x1.4bba46f1cf6ap-44,
    0x1.8acp-1, 0x1.0a504e97bbp-2, 0x1.03094e6690c44p-44,
    0x1.86p-1, 0x1.16b5ccbadp-2, -0x1.23299042d74bfp-44,
    0x1.818p-1, 0x1.22981fbef8p-2, -0x1.a1421609580dap-44,
    0x1.7dp-1, 0x1.2e9e2bce12p-2, 0x1.4300c128d1dc2p-45,
    0x1.78cp-1, 0x1.3a1ac802f3p-2, 0x1.98ecf399abd8dp-44,
    0x1.744p-1, 0x1.4668bf41fp-2, -0x1.9af1762c5a8f7p-44,
};
/* end of numbers */

/* log x = base + r + r_low - (r + r_low)^2/2 + rest; base is exact */
typedef struct {
    double base, r, r_low, rest;
} taut_log_parts;

/* Any positive finite x. */
TAUT_PART taut_log_parts taut_math_log_parts(double x)
{
    uint64_t bits = taut_math_bits(x), down = 0;
    if (bits < 0x0010000000000000u) bits = taut_math_bits(x * 0x1p54), down = 54;
    const uint64_t offset = bits - TAUT_LOG_BEGIN;
    const int exponent = (int)((offset >> 52) ^ 0x800) - 0x800 - (int)down;
    const double m = taut_math_number(bits - (offset & 0xfff0000000000000u)), k = exponent;
    const double *t = taut_log_table + 3 * ((offset >> 46) & 63), *p = taut_log_p;
    const double m1 = taut_math_top(m); /* factors have 12 bits: both products are exact, and the difference */
    const taut_pair r = taut_math_sum(m1 * t[0] - 1, (m - m1) * t[0]);
    const double z = r.high, z2 = z * z;
    taut_log_parts l;
    l.base = k * TAUT_LN2_HIGH + t[1];
    l.r = r.high;
    l.r_low = r.low;
    l.rest = (k * TAUT_LN2_LOW + t[2])
             + z * z2
                   * (p[0] + z * ((p[1] + z * p[2]) + z2 * ((p[3] + z * p[4]) + z2 * ((p[5] + z * p[6]) + z2 * p[7]))));
    return l;
}

/* == log: logarithm == */
TAUT_FUNCTION double taut_math_log(double x)
{
    if (!(x > 0 && x <= DBL_MAX)) return x == 0 ? -taut_math_inf() : x > 0 ? x : taut_math_nan();
    const taut_log_parts l = taut_math_log_parts(x);
    const taut_pair s = taut_math_sum(l.base, l.r);
    return s.high + (s.low + ((l.r_low - 0.5 * l.r * l.r) + l.rest));
}

/* == log_pair: logarithm == */
/* To some 66 bits, for any positive finite x. */
TAUT_PART taut_pair taut_math_log_pair(double x)
{
    const taut_log_parts l = taut_math_log_parts(x);
    const double r1 = taut_math_top(l.r), half = 0.5 * r1 * r1, half_low = 0.5 * (l.r - r1) * (l.r + r1);
    const taut_pair s = taut_math_sum(l.base, l.r), h = taut_math_sum(s.high, -half);
    return taut_math_sum(h.high, (s.low + h.low) + ((l.r_low - l.r * l.r_low) - half_low + l.rest));
}

/* == pow: exponential log_pair == */
/* 1 where y is odd, 2 where it is even, 0 where it is no whole number */
TAUT_PART int taut_math_parity(double y)
{
    const double size = taut_math_fabs(y);
    if (size >= 0x1p53) return 2;
    const double whole = (double)(int64_t)size;
    if (whole != size) return 0;
    return (int64_t)size & 1 ? 1 : 2;
}

/* For an x that is negative, zero, subnormal or not finite, or a y that is very small, very large or not a number.
   Returns 0, with the result in *done; or the positive number to raise instead of x, with the sign of the result. */
TAUT_RARE double taut_math_pow_rare(double x, double y, uint64_t *sign, double *done)
{
    const double size = taut_math_fabs(x), power = taut_math_fabs(y);
    *sign = 0;
    *done = 1;
    if (y == 0 || x == 1) return 0;
    *done = taut_math_nan();
    if (x != x || y != y) return 0;
    if (taut_math_bits(x) & TAUT_SIGN) {
        const int parity = taut_math_parity(y);
        if (parity == 0 && size > 0 && size <= DBL_MAX) return 0;
        if (parity == 1) *sign = TAUT_SIGN;
    }
    if (size == 0 || size > DBL_MAX || power >= 0x1p65) {
        *done = size == 1 ? 1 : taut_math_signed((size > 1) == (y > 0) ? taut_math_inf() : 0.0, *sign);
        return 0;
    }
    *done = 1;
    return power < 0x1p-65 ? 0 : size;
}

TAUT_FUNCTION double taut_math_pow(double x, double y)
{
    uint64_t sign = 0;
    if (taut_math_bits(x) - 0x0010000000000000u >= 0x7fe0000000000000u
        || (taut_math_bits(y) & ~TAUT_SIGN) - 0x3be0000000000000u >= 0x0820000000000000u) { /* 2^-65 <= |y| < 2^65 */
        double done;
        x = taut_math_pow_rare(x, y, &sign, &done);
        if (x == 0) return done;
    }
    const taut_pair l = taut_math_log_pair(x), e = taut_math_product(y, l.high);
    return taut_math_signed(taut_math_exp_pair(e.high, e.low + y * l.low), sign);
}

/* == powi: == */
/* x^n by squares. */
TAUT_FUNCTION double taut_math_powi(double x, int32_t n)
{
    if (n == 2) return x * x;
    if (n == 3) return x * x * x;
    double result = 1;
    for (int64_t left = n < 0 ? -(int64_t)n : n; left; left >>= 1, x *= x)
        if (left & 1) result *= x;
    return n < 0 ? 1 / result : result;
}

/* == cbrt: == */
/* numbers: cbrt */
/* error 2^-19.6 of the result */
TAUT_TABLE double taut_cbrt_start_p[6] = {
    0x1.e4b0e45e8dd7p-2, 0x1.ad232658b042ep-1, -0x1.e07d0e45b5fadp-2, 0x1.9f49161f682b6p-3,
    -0x1.9cc3784596d8ep-5, 0x1.5e84f3bd09a33p-8,
};
/* error 2^-68.7 of the result */
TAUT_TABLE double taut_cbrt_p[4] = {
    0x1.5555555555555p-2, -0x1.c71c71c71c71cp-4, 0x1.f9add40e0bc06p-5, -0x1.511e8d7aa7ecep-5,
};
TAUT_TABLE double taut_cbrt_root[3] = {
    0x1p+0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0,
};
/* end of numbers */
TAUT_FUNCTION double taut_math_cbrt(double x)
{
    double size = taut_math_fabs(x);
    if (!(size <= DBL_MAX)) return x == x ? x : taut_math_nan();
    if (size == 0) return x;
    uint32_t shift = 0;
    if (size < 0x1p-1022) size *= 0x1p54, shift = 18;
    const uint64_t bits = taut_math_bits(size);
    /* size = m 2^(3 third + rest) with m in [1, 2); 1023 = 3 * 341 */
    const uint32_t exponent = (uint32_t)(bits >> 52), third = exponent / 3, rest = exponent % 3;
    const double m = taut_math_number((bits & 0xfffffffffffffu) | 0x3ff0000000000000u), m2 = m * m;
    const double *s = taut_cbrt_start_p;
    const double start = ((s[0] + m * s[1]) + m2 * ((s[2] + m * s[3]) + m2 * (s[4] + m * s[5]))) * taut_cbrt_root[rest];
    /* 17 bits of it, whose cube is exact and near a, so that the difference is exact too */
    const double y = taut_math_number(taut_math_bits(start) & ~(uint64_t)0xfffffffff), cube = y * y * y;
    const double a = m * (double)((uint32_t)1 << rest), e = (a - cube) / cube, *p = taut_cbrt_p;
    const double root = y + y * e * ((p[0] + e * p[1]) + e * e * (p[2] + e * p[3]));
    const uint64_t scale = (uint64_t)(third - 341 - shift) << 52; /* modulo 2^64 */
    return taut_math_signed(taut_math_number(taut_math_bits(root) + scale), taut_math_bits(x));
}

/* == arc: half_pi == */
/* numbers: atan */
/* error 2^-66.9 of the result */
TAUT_TABLE double taut_atan_p[7] = {
    -0x1.5555555555555p-2, 0x1.99999999993ecp-3, -0x1.24924923b3988p-3, 0x1.c71c6fdcd958ep-4,
    -0x1.745bfd92ce433p-4, 0x1.3abbc562df47fp-4, -0x1.02e316d2b7e51p-4,
};
TAUT_TABLE double taut_atan_table[130] = {
    0x0p+0, 0x0p+0, 0x1.fff555bbb729bp-7, -0x1.220c39d4dff5p-61,
    0x1.ffd55bba97625p-6, -0x1.5ec431444912cp-60, 0x1.7fb818430da2ap-5, -0x1.86ef8f794f105p-63,
    0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60, 0x1.3f59f0e7c559dp-4, 0x1.ac4ce285df847p-58,
    0x1.7ee182602f10fp-4, -0x1.cfb654c0c3d98p-58, 0x1.be39ebe6f07c3p-4, 0x1.f7b8f29a05987p-58,
    0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59, 0x1.1e1fafb043727p-3, -0x1.b485914dacf8cp-59,
    0x1.3d6eee8c6626cp-3, 0x1.61a3b0ce9281bp-57, 0x1.5c9811e3ec26ap-3, -0x1.054ab2c010f3dp-58,
    0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58, 0x1.9a6a8e96c8626p-3, 0x1.cf601e7b4348ep-59,
    0x1.b90d7529260a2p-3, 0x1.17b10d2e0e5abp-61, 0x1.d77d5df205736p-3, 0x1.c648d1534597ep-57,
    0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57, 0x1.09dc597d86362p-2, 0x1.62e47390cb865p-56,
    0x1.18bf5a30bf178p-2, 0x1.30ca4748b1bf9p-57, 0x1.278372057ef46p-2, -0x1.077cdd36dfc81p-56,
    0x1.362773707ebccp-2, -0x1.963a544b672d8p-57, 0x1.44aa436c2af0ap-2, -0x1.5d5e43c55b3bap-56,
    0x1.530ad9951cd4ap-2, -0x1.2566480884082p-57, 0x1.614840309cfe2p-2, -0x1.a725715711fp-56,
    0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56, 0x1.7d5604b63b3f7p-2, 0x1.69c885c2b249ap-56,
    0x1.8b24d394a1b25p-2, 0x1.b6d0ba3748fa8p-56, 0x1.98cd5454d6b18p-2, 0x1.9e6c988fd0a77p-56,
    0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56, 0x1.b3a911da65c6cp-2, 0x1.ae187b1ca504p-56,
    0x1.c0db4c94ec9fp-2, -0x1.cc1ce70934c34p-56, 0x1.cde53432c1351p-2, -0x1.a2cfa4418f1adp-56,
    0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56, 0x1.e77eb7f175a34p-2, 0x1.0e53dc1bf3435p-56,
    0x1.f40dd0b541418p-2, -0x1.a3992dc382a23p-57, 0x1.0039c73c1a40cp-1, -0x1.b32c949c9d593p-55,
    0x1.0657e94db30dp-1, -0x1.d5b495f6349e6p-56, 0x1.0c6145b5b43dap-1, 0x1.974fa13b5404fp-58,
    0x1.1255d9bfbd2a9p-1, -0x1.2bdaee1c0ee35p-58, 0x1.1835a88be7c13p-1, 0x1.c621cec00c301p-55,
    0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58, 0x1.23b71e2cc9e6ap-1, 0x1.c421c9f38224ep-57,
    0x1.2958e59308e31p-1, -0x1.09e73b0c6c087p-56, 0x1.2ee628406cbcap-1, 0x1.c5d5e9ff0cf8dp-55,
    0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55, 0x1.39c391cd4171ap-1, -0x1.2304331d8bf46p-55,
    0x1.3f13fb89e96f4p-1, 0x1.ecf8b492644fp-56, 0x1.445065b795b56p-1, -0x1.f76d0163f79c8p-56,
    0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56, 0x1.4e8de5bb6ec04p-1, 0x1.4a33dbeb3796cp-55,
    0x1.538f57b89061fp-1, -0x1.1bb74abda520cp-55, 0x1.587d81f732fbbp-1, -0x1.5e5c9d8c5a95p-56,
    0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57, 0x1.6220d115d7b8ep-1, -0x1.2b785350ee8c1p-57,
    0x1.66d663923e087p-1, -0x1.6ea6febe8bbbap-56, 0x1.6b798920b3d99p-1, -0x1.a80386188c50ep-55,
    0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56, 0x1.748978fba8e0fp-1, 0x1.7b2a6165884a1p-59,
    0x1.78f6bbd5d315ep-1, 0x1.406a08980374p-55, 0x1.7d528289fa093p-1, 0x1.560821e2f3aa9p-55,
    0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56, 0x1.85d69576cc2c5p-1, 0x1.6b66e7fc8b8c3p-57,
    0x1.89ff5ff57f1f8p-1, -0x1.55b9a5e177a1bp-55, 0x1.8e17aa99cc05ep-1, -0x1.ec182ab042f61p-56,
    0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55,
};
/* end of numbers */

/* atan(a/b) for 0 <= a <= b, 0 < b: from the angle of the nearest c = j/64,
   atan(a/b) = atan(c) + atan((a - c b)/(b + c a)); below 1/8 as it is. */
TAUT_PART taut_pair taut_math_atan_pair(double a, double b)
{
    const double ratio = a / b, *p = taut_atan_p;
    taut_pair s;
    if (ratio < 0.125) {
        const double z = ratio * ratio, z2 = z * z;
        s.high = ratio;
        s.low = 0;
        if (ratio < 0x1p-900) return s;
        const double q1 = taut_math_top(ratio), q2 = ratio - q1, b1 = taut_math_top(b), b2 = b - b1;
        const double left = (((a - q1 * b1) - q1 * b2) - q2 * b1) - q2 * b2;
        s.low = ratio * z * (p[0] + z * ((p[1] + z * p[2]) + z2 * ((p[3] + z * p[4]) + z2 * (p[5] + z * p[6]))))
                + (1 - z) * (left / b);
        return s;
    }
    const double n = ratio * 64 + TAUT_MAGIC, c = (n - TAUT_MAGIC) * 0x1p-6, b1 = taut_math_top(b);
    const double *t = taut_atan_table + 2 * (taut_math_bits(n) & 127);
    const double r = ((a - c * b1) - c * (b - b1)) / (b + c * a), z = r * r;
    s.high = t[0];
    s.low = r + (t[1] + r * z * (p[0] + z * (p[1] + z * p[2])));
    return s;
}

/* == atan: arc == */
/* As a pair, x >= 0 or infinite. */
TAUT_PART taut_pair taut_math_atan_above(double x)
{
    if (x <= 1) return taut_math_atan_pair(x, 1);
    const taut_pair s = taut_math_atan_pair(1, x);
    taut_pair t = taut_math_sum(TAUT_HALF_PI_HIGH, -s.high);
    t.low += TAUT_HALF_PI_LOW - s.low;
    return t;
}

TAUT_FUNCTION double taut_math_atan(double x)
{
    if (x != x) return taut_math_nan();
    const taut_pair s = taut_math_atan_above(taut_math_fabs(x));
    return taut_math_signed(s.high + s.low, taut_math_bits(x));
}

/* == atan2: arc == */
TAUT_FUNCTION double taut_math_atan2(double y, double x)
{
    if (x != x || y != y) return taut_math_nan();
    const double along = taut_math_fabs(x), across = taut_math_fabs(y);
    const int steep = across > along, back = (int)(taut_math_bits(x) >> 63);
    double a = steep ? along : across, b = steep ? across : along;
    if (a > DBL_MAX) a = b = 1;
    if (b == 0) b = 1;
    if (b > 0x1p700)
        a *= 0x1p-300, b *= 0x1p-300;
    else if (a < 0x1p-800)
        a *= 0x1p300, b *= 0x1p300;
    const taut_pair s = taut_math_atan_pair(a, b);
    const uint64_t minus = (uint64_t)(steep != back) << 63;
    const double quarters = steep ? 1 : back ? 2 : 0;
    const taut_pair t = taut_math_sum(quarters * TAUT_HALF_PI_HIGH, taut_math_signed(s.high, minus));
    const double angle = t.high + (t.low + (quarters * TAUT_HALF_PI_LOW + taut_math_signed(s.low, minus)));
    return taut_math_signed(angle, taut_math_bits(y));
}

/* == arcsine: half_pi == */
/* asin x = x + x^3 p(x^2) up to 1/2, and pi/2 - 2 asin(sqrt((1 - x)/2)) beyond */
/* numbers: asin */
/* error 2^-59.4 of the result */
TAUT_TABLE double taut_asin_p[13] = {
    0x1.5555555555578p-3, 0x1.333333332df22p-4, 0x1.6db6db722a7e1p-5, 0x1.f1c71a8c0ad5ap-6,
    0x1.6e8bdfd85854ap-6, 0x1.1c49df22cb7eap-6, 0x1.ca212657e9da3p-7, 0x1.75789872c5c99p-7,
    0x1.6184668dd7155p-7, 0x1.e1c2058ec8746p-9, 0x1.64e08ea9d6de2p-6, -0x1.59c403a9154eep-6,
    0x1.0bd397c5ee601p-5,
};
/* end of numbers */
TAUT_PART double taut_math_asin_rest(double z)
{
    const double *p = taut_asin_p, z2 = z * z, z4 = z2 * z2;
    return z * (p[0] + z * (((p[1] + z * p[2]) + z2 * (p[3] + z * p[4]))
                            + z4 * (((p[5] + z * p[6]) + z2 * (p[7] + z * p[8]))
                                    + z4 * ((p[9] + z * p[10]) + z2 * (p[11] + z * p[12])))));
}

/* asin(sqrt((1 - x)/2)), 1/2 <= x <= 1 */
TAUT_PART taut_pair taut_math_asin_half(double x)
{
    const double z = 0.5 * (1 - x), root = TAUT_SQRT(z);
    taut_pair s;
    s.high = taut_math_top(root);
    s.low = (root > 0 ? (z - s.high * s.high) / (root + s.high) : 0) + root * taut_math_asin_rest(z);
    return s;
}

/* == asin: arcsine == */
TAUT_FUNCTION double taut_math_asin(double x)
{
    const double size = taut_math_fabs(x);
    if (!(size <= 1)) return taut_math_nan();
    if (size <= 0.5) return taut_math_signed(size + size * taut_math_asin_rest(size * size), taut_math_bits(x));
    const taut_pair s = taut_math_asin_half(size), t = taut_math_sum(TAUT_HALF_PI_HIGH, -2 * s.high);
    return taut_math_signed(t.high + (t.low + (TAUT_HALF_PI_LOW - 2 * s.low)), taut_math_bits(x));
}

/* == acos: arcsine == */
TAUT_FUNCTION double taut_math_acos(double x)
{
    const double size = taut_math_fabs(x);
    if (!(size <= 1)) return taut_math_nan();
    if (size <= 0.5) {
        const taut_pair t = taut_math_sum(TAUT_HALF_PI_HIGH, -x);
        return t.high + (t.low + (TAUT_HALF_PI_LOW - x * taut_math_asin_rest(x * x)));
    }
    const taut_pair s = taut_math_asin_half(size);
    if (x > 0) return 2 * (s.high + s.low);
    const taut_pair t = taut_math_sum(TAUT_HALF_PI_HIGH, -s.high);
    return 2 * (t.high + (t.low + (TAUT_HALF_PI_LOW - s.low)));
}

/* == hyperbolic: exponential == */
/* e^r = 1 + odd + even */
/* numbers: exp_parts */
/* error 2^-63.3 of the result */
TAUT_TABLE double taut_exp_odd_p[2] = {
    0x1.5555555548f88p-3, 0x1.11115b7881bb5p-7,
};
/* error 2^-73.3 of the result */
TAUT_TABLE double taut_exp_even_p[3] = {
    0x1p-1, 0x1.555555554e665p-5, 0x1.6c170f517a491p-10,
};
/* end of numbers */

/* up = e^x/4, down = e^-x/4 for 0 <= x <= 710.5, where e^x/2 may overflow; down is 0 where it does not matter */
typedef struct {
    taut_pair up, down;
} taut_exponentials;

TAUT_PART taut_exponentials taut_math_exponentials(double x)
{
    double n = x * TAUT_EXP_SCALE + TAUT_MAGIC;
    const uint64_t k = taut_math_bits(n) - taut_math_bits(TAUT_MAGIC);
    n -= TAUT_MAGIC;
    const double r = (x - n * TAUT_EXP_STEP_1) - n * TAUT_EXP_STEP_2, z = r * r;
    const double odd = r + r * z * (taut_exp_odd_p[0] + z * taut_exp_odd_p[1]);
    const double even = z * (taut_exp_even_p[0] + z * (taut_exp_even_p[1] + z * taut_exp_even_p[2]));
    const double *t = taut_exp_table + 2 * (k & 31), *u = taut_exp_table + 2 * ((0 - k) & 31);
    taut_exponentials e;
    /* 2^(exponent - 2) by its bits; for e^-x the exponent is -ceil(k/32) */
    const double rise = taut_math_number(((k >> 5) + 1021) << 52);
    e.up.high = t[0] * rise;
    e.up.low = (t[1] + t[0] * (even + odd)) * rise;
    e.down.high = e.down.low = 0;
    if (x < 22) {
        const double fall = taut_math_number((1021 - ((k + 31) >> 5)) << 52);
        e.down.high = u[0] * fall;
        e.down.low = (u[1] + u[0] * (even - odd)) * fall;
    }
    return e;
}

/* Half of sinh x and of cosh x. */
TAUT_PART taut_pair taut_math_sinh_pair(taut_exponentials e)
{
    taut_pair s = taut_math_sum(e.up.high, -e.down.high);
    s.low += e.up.low - e.down.low;
    return s;
}

TAUT_PART taut_pair taut_math_cosh_pair(taut_exponentials e)
{
    taut_pair c = taut_math_sum(e.up.high, e.down.high);
    c.low += e.up.low + e.down.low;
    return c;
}

/* == sinh: hyperbolic == */
/* numbers: sinh */
/* error 2^-64.2 of the result */
TAUT_TABLE double taut_sinh_p[6] = {
    0x1.5555555555555p-3, 0x1.1111111111259p-7, 0x1.a01a019fb2063p-13, 0x1.71de3b43f0611p-19,
    0x1.ae623cb59946bp-26, 0x1.635cffa103a17p-33,
};
/* end of numbers */
TAUT_FUNCTION double taut_math_sinh(double x)
{
    const double size = taut_math_fabs(x);
    if (size < 0.5) {
        const double *p = taut_sinh_p, z = x * x, z2 = z * z;
        const double rest = size * z * (p[0] + z * ((p[1] + z * p[2]) + z2 * ((p[3] + z * p[4]) + z2 * p[5])));
        return taut_math_signed(size + rest, taut_math_bits(x));
    }
    if (!(size < 710.5)) return x == x ? taut_math_signed(taut_math_inf(), taut_math_bits(x)) : taut_math_nan();
    const taut_pair s = taut_math_sinh_pair(taut_math_exponentials(size));
    return taut_math_signed(2 * (s.high + s.low), taut_math_bits(x));
}

/* == cosh: hyperbolic == */
TAUT_FUNCTION double taut_math_cosh(double x)
{
    const double size = taut_math_fabs(x);
    if (!(size < 710.5)) return x == x ? taut_math_inf() : taut_math_nan();
    const taut_pair c = taut_math_cosh_pair(taut_math_exponentials(size));
    return 2 * (c.high + c.low);
}

/* == tanh: hyperbolic == */
/* numbers: tanh */
/* error 2^-64.9 of the result */
TAUT_TABLE double taut_tanh_p[8] = {
    -0x1.5555555555555p-2, 0x1.1111111110f1p-3, -0x1.ba1ba1b9b2e62p-5, 0x1.664f4835c4511p-6,
    -0x1.226e17073d81ep-7, 0x1.d6c617d733673p-9, -0x1.7bd9664d74ba6p-10, 0x1.151d0a7addadbp-11,
};
/* end of numbers */
TAUT_FUNCTION double taut_math_tanh(double x)
{
    const double size = taut_math_fabs(x);
    if (size < 0.25) {
        const double *p = taut_tanh_p, z = x * x, z2 = z * z;
        const double more = (p[1] + z * p[2]) + z2 * ((p[3] + z * p[4]) + z2 * ((p[5] + z * p[6]) + z2 * p[7]));
        return taut_math_signed(size + size * z * (p[0] + z * more), taut_math_bits(x));
    }
    if (!(size < 22)) return x == x ? taut_math_signed(1, taut_math_bits(x)) : taut_math_nan();
    const taut_exponentials e = taut_math_exponentials(size);
    taut_pair s = taut_math_sinh_pair(e), c = taut_math_cosh_pair(e);
    s = taut_math_sum(s.high, s.low);
    c = taut_math_sum(c.high, c.low);
    return taut_math_signed(taut_math_quotient(s, c), taut_math_bits(x));
}

/* == atanh: log_pair == */
/* numbers: atanh */
/* error 2^-66.4 of the result */
TAUT_TABLE double taut_atanh_p[10] = {
    0x1.5555555555555p-2, 0x1.9999999999b63p-3, 0x1.2492492477cd6p-3, 0x1.c71c71df55d28p-4,
    0x1.745d10ef6fc93p-4, 0x1.3b14b61362cb4p-4, 0x1.10f680c44714ap-4, 0x1.e54ce09a02eedp-5,
    0x1.8d0faf5ed6671p-5, 0x1.1e92deb36aa9bp-4,
};
/* end of numbers */
/* (atanh x)/x - 1 over x^2, |x| <= 1/4 */
TAUT_PART double taut_math_atanh_rest(double z)
{
    const double *p = taut_atanh_p, z2 = z * z;
    return p[0] + z * ((p[1] + z * p[2]) + z2 * ((p[3] + z * p[4]) + z2 * ((p[5] + z * p[6])
                                                                          + z2 * ((p[7] + z * p[8]) + z2 * p[9]))));
}

/* (log(1 + x) - log(1 - x))/2 for 1/4 <= x < 1 */
TAUT_PART taut_pair taut_math_atanh_pair(double x)
{
    const taut_pair u = taut_math_sum(1, x), v = taut_math_sum(1, -x);
    const taut_pair a = taut_math_log_pair(u.high), b = taut_math_log_pair(v.high);
    /* of different signs, or a is 0 where v is far from 1: no cancellation */
    const double d = a.high - b.high, t = d - a.high;
    taut_pair s;
    s.high = 0.5 * d;
    s.low = 0.5 * (((a.high - (d - t)) - (b.high + t)) + ((a.low - b.low) + (u.low / u.high - v.low / v.high)));
    return s;
}

TAUT_FUNCTION double taut_math_atanh(double x)
{
    const double size = taut_math_fabs(x);
    if (size < 0.25) {
        const double z = x * x;
        return taut_math_signed(size + size * (z * taut_math_atanh_rest(z)), taut_math_bits(x));
    }
    if (!(size < 1)) return size == 1 ? taut_math_signed(taut_math_inf(), taut_math_bits(x)) : taut_math_nan();
    const taut_pair s = taut_math_atanh_pair(size);
    return taut_math_signed(s.high + s.low, taut_math_bits(x));
}

/* == quotient: == */
/* What difference quotients of the elementary functions are made of: f(x) = F(x)/x for F = sin, sinh, atan, atanh, and
   its n-th derivatives. They follow from x f^(n) + n f^(n-1) = F^(n); near 0, where that cancels, from polynomials for
   n <= 2 and from the power series beyond. */

/* sum c_k x^(2k), differentiated n times; c_k = 1/(2k+1)! (factorial) or 1/(2k+1), with alternating signs or not */
TAUT_FUNCTION double taut_math_series(double x, int32_t n, int factorial, int alternating)
{
    int k = (n + 1) / 2;
    double power = 2 * k > n ? taut_math_fabs(x) : 1, sum = 0, coefficient = 1;
    const double z = x * x;
    for (int i = 1; factorial && i <= k; i++) coefficient /= (2.0 * i) * (2 * i + 1);
    if (alternating && k % 2) coefficient = -coefficient;
    for (; k < 400; k++) {
        double term = (factorial ? coefficient : coefficient / (2 * k + 1)) * power;
        for (int i = 0; i < n; i++) term *= 2 * k - i;
        const double next = sum + term;
        if (next == sum && (k > n || z == 0)) break;
        sum = next;
        power *= z;
        if (factorial) coefficient /= (2.0 * k + 2) * (2 * k + 3);
        if (alternating) coefficient = -coefficient;
    }
    return n & 1 ? taut_math_signed(sum, taut_math_bits(x)) : sum;
}

/* A polynomial in z with n coefficients, even and odd powers apart: two chains instead of one. */
TAUT_FUNCTION double taut_math_polynomial(const double *p, int n, double z)
{
    const double z2 = z * z;
    double even = 0, odd = 0;
    for (int i = (n - 1) / 2; i > 0; i--) even = (even + p[2 * i]) * z2;
    for (int i = n / 2 - 1; i >= 0; i--) odd = odd * z2 + p[2 * i + 1];
    return p[0] + (even + z * odd);
}

/* (s.high + s.low)/x, x > 0 */
TAUT_PART double taut_math_over(taut_pair s, double x)
{
    taut_pair d;
    if (x > 0x1p1000) return (s.high + s.low) / x;
    d.high = x, d.low = 0;
    return taut_math_quotient(taut_math_sum(s.high, s.low), d);
}

/* == sinc: sin cos quotient == */
/* numbers: sinc */
/* error 2^-64.2 of the result */
TAUT_TABLE double taut_sinc_0[6] = {
    -0x1.5555555555555p-3, 0x1.1111111110fcap-7, -0x1.a01a019fb27ep-13, 0x1.71de396840d36p-19,
    -0x1.ae623ff32b809p-26, 0x1.5eeeb67ca4ac5p-33,
};
/* error 2^-54.0 of the result */
TAUT_TABLE double taut_sinc_1[8] = {
    -0x1.5555555555555p-2, 0x1.111111111100fp-5, -0x1.38138137f38f1p-10, 0x1.71de3a25ddb8fp-16,
    -0x1.0cfe944b2878ap-22, 0x1.08c2a37d7b8bep-29, -0x1.66d2bb4104b84p-37, -0x1.c1ba89a0c3b03p-44,
};
/* error 2^-54.0 of the result */
TAUT_TABLE double taut_sinc_2[9] = {
    -0x1.5555555555555p-2, 0x1.99999999998f5p-4, -0x1.861861860b43fp-8, 0x1.43a272fdef22dp-13,
    -0x1.2e9e8079f72fp-19, 0x1.6c2090294eaa6p-26, -0x1.2a81b4dff2448p-33, -0x1.8dc6df67d9431p-40,
    0x1.216f4e3247d2p-41,
};
/* end of numbers */
TAUT_FUNCTION double taut_math_sinc(double x, int32_t n)
{
    const double size = taut_math_fabs(x), z = x * x;
    if (!(size <= DBL_MAX)) return taut_math_nan();
    if (size < 0.5 && n == 0) return 1 + z * taut_math_polynomial(taut_sinc_0, 6, z);
    if (size < 1 && n > 0) {
        if (n == 1) return x * taut_math_polynomial(taut_sinc_1, 8, z);
        if (n == 2) return taut_math_polynomial(taut_sinc_2, 9, z);
        return taut_math_series(x, n, 1, 1);
    }
    double f = taut_math_over(taut_math_on_circle(taut_math_circle(size), 0), size);
    if (n == 0) return f;
    const double s = taut_math_sin(x), c = taut_math_cos(x);
    for (int32_t k = 1; k <= n; k++) { /* sin^(k) is cos, -sin, -cos, sin */
        const double top = k & 1 ? c : s;
        f = ((k & 2 ? -top : top) - k * f) / x;
    }
    return f;
}

/* == sinhc: sinh cosh quotient == */
/* numbers: sinhc */
/* error 2^-64.2 of the result */
TAUT_TABLE double taut_sinhc_0[6] = {
    0x1.5555555555555p-3, 0x1.111111111125ap-7, 0x1.a01a019fb184ap-13, 0x1.71de3b454b9c5p-19,
    0x1.ae6239c0836cep-26, 0x1.635f437d5be9dp-33,
};
/* error 2^-54.0 of the result */
TAUT_TABLE double taut_sinhc_1[8] = {
    0x1.5555555555555p-2, 0x1.111111111121ap-5, 0x1.38138137f20d8p-10, 0x1.71de3a87ff80ap-16,
    0x1.0cfe91b47ca27p-22, 0x1.08f616fae89f7p-29, 0x1.651860adb2d1fp-37, 0x1.cd7f190aa4aa8p-43,
};
/* error 2^-54.0 of the result */
TAUT_TABLE double taut_sinhc_2[9] = {
    0x1.5555555555555p-2, 0x1.9999999999a4ap-4, 0x1.861861860988fp-8, 0x1.43a27319e5e09p-13,
    0x1.2e9e7db00808dp-19, 0x1.6c3de13931dbap-26, 0x1.28465c3182c2bp-33, 0x1.e406bac535ee2p-39,
    -0x1.86f61f9a5760dp-41,
};
/* end of numbers */
TAUT_FUNCTION double taut_math_sinhc(double x, int32_t n)
{
    const double size = taut_math_fabs(x), z = x * x;
    if (x != x) return taut_math_nan();
    if (size < 0.5 && n == 0) return 1 + z * taut_math_polynomial(taut_sinhc_0, 6, z);
    if (size < 1 && n > 0) {
        if (n == 1) return x * taut_math_polynomial(taut_sinhc_1, 8, z);
        if (n == 2) return taut_math_polynomial(taut_sinhc_2, 9, z);
        return taut_math_series(x, n, 1, 0);
    }
    double f = taut_math_inf();
    if (size < 710.5) f = 2 * taut_math_over(taut_math_sinh_pair(taut_math_exponentials(size)), size);
    if (n == 0) return f;
    const double s = taut_math_sinh(x), c = taut_math_cosh(x);
    for (int32_t k = 1; k <= n; k++) f = ((k & 1 ? c : s) - k * f) / x;
    return f;
}

/* == atanc: atan quotient == */
/* numbers: atanc */
/* error 2^-52.7 of the result */
TAUT_TABLE double taut_atanc_1[23] = {
    -0x1.a1494c19fadd9p-2, 0x1.55a300bfb7b53p-2, -0x1.ee8dd4564aaeep-3, 0x1.58df7a83d094cp-3,
    -0x1.d9257d2d5b0a9p-4, 0x1.41bbf74c44204p-4, -0x1.b343b4d3e775bp-5, 0x1.256e728182009p-5,
    -0x1.8ab6753cf2ef7p-6, 0x1.09090855da8c7p-6, -0x1.637c1d969a419p-7, 0x1.dc59195f2b0e5p-8,
    -0x1.3eecb66542c27p-8, 0x1.aaf479547668bp-9, -0x1.1d899d842892cp-9, 0x1.7bb7408b6dba8p-10,
    -0x1.fbdec6bd7841ap-11, 0x1.65f32f99997f5p-11, -0x1.dc62e03d3bd67p-12, 0x1.ab4e73a290b07p-13,
    -0x1.238d331a824b7p-13, 0x1.089e5563be201p-12, -0x1.5ccbe2edc6618p-13,
};
/* error 2^-51.2 of the result */
TAUT_TABLE double taut_atanc_2[26] = {
    -0x1.2e992d690ca1fp-4, 0x1.092d96f46e38p-1, -0x1.6789ad8900955p-1, 0x1.6ef457d00052ap-1,
    -0x1.4b34b2439613dp-1, 0x1.17291038f4f4bp-1, -0x1.c28d61882fb43p-2, 0x1.60d3dc49752f8p-2,
    -0x1.0e4ccc10c8e26p-2, 0x1.9747d41e6de64p-3, -0x1.2ed39bc6d6a45p-3, 0x1.bd907c0da7959p-4,
    -0x1.44ef80db7e1a5p-4, 0x1.d6766bddcc773p-5, -0x1.5273358ab9457p-5, 0x1.e475f562380c9p-6,
    -0x1.596bc4d16615dp-6, 0x1.e92e14e29762cp-7, -0x1.55a45250f2f3fp-7, 0x1.e87cf99d1fb05p-8,
    -0x1.774ad691cd39ap-8, 0x1.e9902f1c390eep-9, -0x1.6b18d68e974cp-10, 0x1.68ff3c9f67aadp-10,
    -0x1.666e0b252a65bp-9, 0x1.ac1b030250b0ap-10,
};
/* end of numbers */
/* The derivatives of F: (1 + s x^2) F^(k+1) + 2 k s x F^(k) + k (k-1) s F^(k-1) = 0, k > 0,
   s = 1 (atan) or -1 (atanh) */
TAUT_FUNCTION double taut_math_atanc(double x, int32_t n)
{
    const double size = taut_math_fabs(x), z = x * x;
    if (x != x) return taut_math_nan();
    if (size < 1) {
        if (n == 1) return x * taut_math_polynomial(taut_atanc_1, 23, z - 0.5);
        if (n == 2) return taut_math_polynomial(taut_atanc_2, 26, z - 0.5);
    }
    if (size < 0.5 && n > 2) return taut_math_series(x, n, 0, 1);
    double f = 1;
    if (size >= 0.125)
        f = taut_math_over(taut_math_atan_above(size), size);
    else
        f = 1 + z * taut_math_polynomial(taut_atan_p, 7, z);
    if (n == 0) return f;
    const double factor = 1 / (1 + z);
    double before = 0, now = factor;
    for (int32_t k = 1; k <= n; k++) {
        if (k == 1 && size < 1)
            f = x * taut_math_polynomial(taut_atanc_1, 23, z - 0.5);
        else if (k == 2 && size < 1)
            f = taut_math_polynomial(taut_atanc_2, 26, z - 0.5);
        else
            f = (now - k * f) / x;
        const double next = -factor * (2 * k * x * now + (double)k * (k - 1) * before);
        before = now, now = next;
    }
    return f;
}

/* == atanhc: atanh quotient == */
/* numbers: atanhc */
/* error 2^-53.9 of the result */
TAUT_TABLE double taut_atanhc_1[15] = {
    0x1.5555555555555p-1, 0x1.9999999999b6ap-1, 0x1.b6db6db6c16cfp-1, 0x1.c71c71d020c8cp-1,
    0x1.d1745b82745c4p-1, 0x1.d89db211d2239p-1, 0x1.dddb8beca071fp-1, 0x1.e1f360a96a72dp-1,
    0x1.e511cfd5ac3bbp-1, 0x1.e1b250be904ccp-1, 0x1.151beb613c1b8p+0, 0x1.d75b0ef1b8697p-3,
    0x1.c2a4be1cba727p+1, -0x1.13d51fbd2f0bp+2, 0x1.96a66cebabb0dp+2,
};
/* error 2^-53.9 of the result */
TAUT_TABLE double taut_atanhc_2[16] = {
    0x1.5555555555555p-1, 0x1.33333333333e1p+1, 0x1.1249249241d6bp+2, 0x1.8e38e3921549bp+2,
    0x1.05d173d4ab10dp+3, 0x1.44ec656acb4c5p+3, 0x1.8441d000d120bp+3, 0x1.c3f285454d581p+3,
    0x1.00736856e738fp+4, 0x1.2d8caec3ec518p+4, 0x1.d859a10fe52f4p+3, 0x1.8b0d73474e6aep+5,
    -0x1.2d16f4ebe9667p+6, 0x1.10647a41c1c0bp+8, -0x1.6214df4be5da3p+8, 0x1.49c5e799845e2p+8,
};
/* end of numbers */
TAUT_FUNCTION double taut_math_atanhc(double x, int32_t n)
{
    const double size = taut_math_fabs(x), z = x * x;
    if (!(size < 1)) return size == 1 && n == 0 ? taut_math_inf() : taut_math_nan();
    if (size < 0.5) {
        if (n == 1) return x * taut_math_polynomial(taut_atanhc_1, 15, z);
        if (n == 2) return taut_math_polynomial(taut_atanhc_2, 16, z);
        if (n > 2) return taut_math_series(x, n, 0, 0);
    }
    double f = 1;
    if (size >= 0.25)
        f = taut_math_over(taut_math_atanh_pair(size), size);
    else
        f = 1 + z * taut_math_atanh_rest(z);
    if (n == 0) return f;
    const double factor = 1 / ((1 - x) * (1 + x));
    double before = 0, now = factor;
    for (int32_t k = 1; k <= n; k++) {
        f = (now - k * f) / x;
        const double next = factor * (2 * k * x * now + (double)k * (k - 1) * before);
        before = now, now = next;
    }
    return f;
}

/* == fma: == */
/* a b + c, rounded once. Compilers make no such operation of products and sums by themselves; where this one is asked
   for it is the processor's, if the code is compiled for one that has it, or computed with whole numbers: the bits are
   those that IEEE 754 wants either way. */
#if !defined(TAUT_FMA) && defined(__GNUC__) && (defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMA))
#define TAUT_FMA __builtin_fma
#endif

/* |x| = whole 2^power, of a number that is neither zero nor infinite; 2^52 <= whole < 2^53 */
TAUT_PART uint64_t taut_math_whole(double x, int *power)
{
    uint64_t bits = taut_math_bits(x) & ~TAUT_SIGN;
    *power = -1075;
    if (bits >> 52 == 0) bits = taut_math_bits(taut_math_number(bits) * 0x1p54), *power -= 54;
    *power += (int)(bits >> 52);
    return (bits & 0xfffffffffffffu) | 0x10000000000000u;
}

/* 2^64 high + low */
typedef struct {
    uint64_t high, low;
} taut_long;

TAUT_PART taut_long taut_math_long_product(uint64_t a, uint64_t b)
{
    const uint64_t a1 = a >> 32, a0 = a & 0xffffffffu, b1 = b >> 32, b0 = b & 0xffffffffu;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), rest = a0 * b1 + (middle & 0xffffffffu);
    taut_long p;
    p.high = a1 * b1 + (middle >> 32) + (rest >> 32);
    p.low = rest << 32 | (a0 * b0 & 0xffffffffu);
    return p;
}

TAUT_PART taut_long taut_math_long_left(taut_long x, int by) /* 0 < by < 64 */
{
    x.high = x.high << by | x.low >> (64 - by);
    x.low <<= by;
    return x;
}

/* x / 2^by; the lowest bit says whether anything was lost */
TAUT_PART taut_long taut_math_long_right(taut_long x, int by)
{
    uint64_t lost = 0;
    if (by >= 128) lost = x.high | x.low, x.high = x.low = 0, by = 0;
    if (by >= 64) lost = x.low, x.low = x.high, x.high = 0, by -= 64;
    if (by) lost |= x.low << (64 - by), x.low = x.low >> by | x.high << (64 - by), x.high >>= by;
    x.low |= lost != 0;
    return x;
}

/* |a b + c|, where it has the sign of the first one; x >= y where they are subtracted */
TAUT_PART taut_long taut_math_long_sum(taut_long x, taut_long y, int subtracts)
{
    taut_long s;
    s.low = subtracts ? x.low - y.low : x.low + y.low;
    s.high = subtracts ? x.high - y.high - (x.low < y.low) : x.high + y.high + (s.low < x.low);
    return s;
}

/* x 2^power rounded to a double; x is not zero */
TAUT_PART double taut_math_long_round(taut_long x, int power, uint64_t sign)
{
    if (!x.high) x.high = x.low, x.low = 0, power -= 64;
    for (int by = 32; by; by /= 2)
        if (x.high >> (64 - by) == 0) x = taut_math_long_left(x, by), power -= by;
    const uint64_t top = x.high | (x.low != 0);
    power += 64 + 63; /* of the highest bit, which is set */
    if (power > 1023) return taut_math_signed(taut_math_inf(), sign);
    const int by = power < -1022 ? -1022 - power + 11 : 11;
    if (by > 64) return taut_math_signed(0, sign);
    uint64_t kept = by < 64 ? top >> by : 0;
    const uint64_t rest = by < 64 ? top & (((uint64_t)1 << by) - 1) : top, half = (uint64_t)1 << (by - 1);
    kept += rest > half || (rest == half && (kept & 1));
    return taut_math_signed(taut_math_number(power < -1022 ? kept : ((uint64_t)(power + 1022) << 52) + kept), sign);
}

/* x to 26 bits: products of two such numbers, or of what is left of x, which has no more, are exact. */
TAUT_PART double taut_math_half(double x)
{
    return taut_math_number((taut_math_bits(x) + 0x4000000u) & ~(uint64_t)0x7ffffff);
}

/* Any numbers. */
TAUT_RARE double taut_math_fma_whole(double a, double b, double c)
{
    int power_a, power_b, power;
    uint64_t sign = (taut_math_bits(a) ^ taut_math_bits(b)) & TAUT_SIGN;
    const uint64_t sign_c = taut_math_bits(c) & TAUT_SIGN;
    if (a == 0 || b == 0 || !(taut_math_fabs(a) < taut_math_inf()) || !(taut_math_fabs(b) < taut_math_inf()))
        return a * b + c;
    if (!(taut_math_fabs(c) < taut_math_inf())) return c;
    if (c == 0) return a * b;
    const uint64_t whole_a = taut_math_whole(a, &power_a), whole_b = taut_math_whole(b, &power_b);
    taut_long p = taut_math_long_left(taut_math_long_product(whole_a, whole_b), 20), q;
    q.high = taut_math_whole(c, &power) << 8, q.low = 0;
    /* both between 2^124 and 2^126, so that the sum fits, and so that what is lost of the smaller one was at least
       20 places below the first that counts */
    power_a += power_b - 20, power -= 72;
    if (power_a >= power)
        q = taut_math_long_right(q, power_a - power), power = power_a;
    else
        p = taut_math_long_right(p, power - power_a);
    if (p.high < q.high || (p.high == q.high && p.low < q.low)) {
        const taut_long other = p;
        p = q, q = other;
        p = taut_math_long_sum(p, q, sign != sign_c), sign = sign_c;
    } else {
        p = taut_math_long_sum(p, q, sign != sign_c);
    }
    if (!p.high && !p.low) return 0;
    return taut_math_long_round(p, power, sign);
}

/* a b + c by additions and products alone. a b = p + low, and p + c = sum + rest; where p and c cancel, rest is 0. So
   the result is that of the last addition, unless rest + low was rounded and sum + left is halfway between two numbers.
   Then left is a multiple of a quarter of the last place of sum, at most 6 quarters, so its last bits are zeros; its
   neighbour towards the exact value is odd and rounds to the right side (Boldo and Melquiond 2008). For |p| of 2^-960
   and more no product of parts underflows. An overflow or a NaN anywhere shows in the result. */
TAUT_FUNCTION double taut_math_fma_parts(double a, double b, double c)
{
    const double p = a * b, a1 = taut_math_half(a), a2 = a - a1, b1 = taut_math_half(b), b2 = b - b1;
    const double low = a2 * b2 - ((p - a1 * b1) - (a1 * b2 + a2 * b1));
    const double sum = p + c, c1 = sum - p, rest = (p - (sum - c1)) + (c - c1);
    double left = rest + low;
    if (taut_math_bits(left) << 16 == 0) {
        const double low1 = left - rest, lost = (rest - (left - low1)) + (low - low1);
        const uint64_t bits = taut_math_bits(left), differs = (bits ^ taut_math_bits(lost)) >> 63;
        if (lost != 0) left = taut_math_number(bits + 1 - 2 * differs);
    }
    const double result = sum + left, size = taut_math_fabs(p);
    if (size >= 0x1p-960 && size < 0x1p960 && taut_math_fabs(result) < 0x1p1000) return result;
    return taut_math_fma_whole(a, b, c);
}

TAUT_PART double taut_math_fma(double a, double b, double c)
{
#ifdef TAUT_FMA
    return TAUT_FMA(a, b, c);
#else
    return taut_math_fma_parts(a, b, c);
#endif
}

/* == end: == */
#endif
