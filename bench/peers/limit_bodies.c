/* limit_bodies.c - hand-written limit for J5: n flat links on hinges (models/hinged-chain.lua), in space.
   maximal: positions and orientations of all bodies, five multipliers per hinge. RATTLE with the discrete Moser-Veselov
     rotation (McLachlan-Zanna): order 2, symplectic, momentum kept. Relative positions d_i = x_i - x_{i-1} and
     w_i = d_i', unit quaternions, angular momenta P in the body; a step turns a body by the Cayley vector c:
       J c + c x J c = (h/2 P + torque/2)(1 + |c|^2),    P' = 2/h (J c - c x J c)/(1 + |c|^2).
     Multipliers (force 3, torque 2) of a hinge are in the axes of its outer body, so that S = G M^-1 G^T has constant
     blocks but for the relative turn of two bodies. Chord Newton on S, 5 x 5 block tridiagonal, factored once per step
     for the velocity projection and reused by the next position solve; both elimination and sweeps run from both ends.
   table: the same with the rotation of Taut's `rattle`, whose unknowns are quaternion velocities: W1 = q0 (a0, a),
     W2 = q1 (b0, b), q1 = q0 + h/2 (W1 + W2) = q0 r, |r| = 1, for the kinetic energy 2 a.J a + 2 k a0^2; P is taken
     through r between the ends.
   closed: maximal with the end of the chain pinned (two more multipliers), links on an arc at the start.
   reduced: joint angles, articulated bodies (factored once per step), velocity Verlet with the Coriolis terms iterated.
   Usage: limit_bodies j5 maximal|table|closed|reduced h n tend [samples] */
#include "problem.h"

#ifndef ROW
#define ROW 1040 /* room for bodies -1 .. n */
#endif
#define EACH(i, m) _Pragma("GCC ivdep") for (int i = 0; i < (m); i++)
#define SET3(a, x, y, z) ((a)[0][i] = (x), (a)[1][i] = (y), (a)[2][i] = (z))

typedef double row[ROW];
typedef double vec __attribute__((vector_size(64)));
typedef long long bits __attribute__((vector_size(64)));
typedef struct {
    vec N[5], E[5], T[5];
} elim;

static const double RADIAL = 0.03125; /* k: of Taut's kinetic energy of quaternions, for this model */
static const double LEN = 0.05, MASS = 0.1, GRAV = 9.81, SLOPE = 0.3;

/* Index i + PAD is body i, and the hinge between bodies i - 1 and i; body -1 is the ground. */
enum { PAD = 8 };
static struct {
    vec A[ROW][5];                                /* block of S of a hinge without the turn of the body before */
    row im, J[3], iJ[3], hm, hp, on[5];           /* on: rows of a hinge that exist */
    row d[3], w[3], p[3], P[3], q[4], Q[4], c[3]; /* Q: quaternion at the end of the step, not normed */
    row F[3], W[3], R[9], S[9];      /* F, W: force and torque of a hinge in space; S: the new R */
    row y[5], y1[5], y2[5], z[5], a0, r[4];
    double R5[ROW][3][8], f[ROW][8]; /* rows of R in the lanes of multipliers; right-hand sides, solution */
    elim el[ROW];
    int n, nj, mid, closed, table;
} m __attribute__((aligned(64)));
#define AT(a) ((a) + PAD)
#define AT3(a) { AT((a)[0]), AT((a)[1]), AT((a)[2]) }

#define KEEP(x) asm volatile("" : "+m"(x)) /* in memory, whence single numbers are broadcast for nothing */
static inline vec splat(double x) { return x - (vec){ 0 }; }
static inline vec mix(bits b, vec x, vec y) { return (vec)(((bits)x & b) | ((bits)y & ~b)); } /* b ? x : y */

/* ---- block elimination ---- */

/* One of five symmetric sweeps, after which D is -D^-1. */
static inline __attribute__((always_inline)) void sweep(vec D[5], int k)
{
    bits e = { 0 };
    e[k] = -1;
    vec c = D[k], ip = splat(1 / c[k]), cp = c * ip;
#pragma GCC unroll 5
    for (int j = 0; j < 5; j++)
        if (j != k) {
            vec t = splat(cp[j]);
            D[j] = mix(e, t, D[j] - c * t);
        }
    D[k] = mix(e, -ip, cp);
}
static inline __attribute__((always_inline)) void sweep5(vec D[5], vec C[5]) /* C: another, in step, or null */
{
#pragma GCC unroll 5
    for (int k = 0; k < 5; k++) {
        sweep(D, k);
        if (C) sweep(C, k);
    }
}

/* Of hinge j: D its own block, U its coupling with hinge j - 1 (row: of j - 1, lane: of j). */
static inline __attribute__((always_inline)) void hinge(int j, vec U[5], vec D[5])
{
    static const bits force = { -1, -1, -1, 0, 0, 0, 0, 0 };
    const double(*a)[8] = AT(m.R5)[j - 1];
    const vec *b = (const vec *)AT(m.R5)[j];
    vec q[3], u[3], zero = { 0 }, x, y, z;
    for (int k = 0; k < 3; k++) q[k] = a[0][k] * b[0] + a[1][k] * b[1] + a[2][k] * b[2];
    vec hp = splat(AT(m.hp)[j]);
    u[0] = mix(force, zero, q[0]), u[1] = mix(force, hp * q[2], -q[1]), u[2] = mix(force, hp * q[1], q[2]);
    double ix = AT(m.iJ[0])[j - 1], iy = AT(m.iJ[1])[j - 1], iz = AT(m.iJ[2])[j - 1], im = AT(m.im)[j - 1],
           ha = AT(m.hm)[j - 1];
    U[0] = mix(force, -im * q[0], zero);
    U[1] = mix(force, -im * q[1], zero) + ha * iz * u[2];
    U[2] = mix(force, -im * q[2], zero) + ha * iy * u[1];
    U[3] = -ix * u[0], U[4] = -iz * u[2];
    x = ix * u[0], y = iy * u[1], z = iz * u[2];
    KEEP(*(vec(*)[3])u);
    for (int k = 0; k < 5; k++) D[k] = AT(m.A)[j][k] + y * u[1][k] + z * u[2][k];
    D[3] += x * u[0][3], D[4] += x * u[0][4];
    if (__builtin_expect(j == m.n, 0)) /* the pin of a closed chain has rows x and z only */
        for (int k = 0; k < 5; k++) {
            vec on = { AT(m.on[0])[j], AT(m.on[1])[j], AT(m.on[2])[j], AT(m.on[3])[j], AT(m.on[4])[j] };
            U[k] *= on, D[k] *= on * on[k], D[k][k] += 1 - on[k];
        }
}

/* Eliminates hinge e of block -D^-1; adds to its neighbour's block. U: coupling, row: of the earlier hinge. */
static inline __attribute__((always_inline)) void forth(elim *e, vec D[5], vec U[5], vec next[5])
{
    for (int k = 0; k < 5; k++) e->N[k] = D[k];
    KEEP(*(vec(*)[5])U);
    KEEP(*e);
    for (int k = 0; k < 5; k++) {
        vec s = U[0] * e->N[k][0], t = D[0] * U[0][k];
        for (int i = 1; i < 5; i++) s += U[i] * e->N[k][i], t += D[i] * U[i][k];
        e->E[k] = s, e->T[k] = t;
    }
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 5; i++) next[k] += e->E[i] * U[i][k];
}
static inline __attribute__((always_inline)) void back(elim *e, vec D[5], vec U[5], vec next[5])
{
    KEEP(*(vec(*)[5])U);
    for (int k = 0; k < 5; k++) {
        vec t = D[0] * U[k][0];
        for (int i = 1; i < 5; i++) t += D[i] * U[k][i];
        e->N[k] = D[k], e->T[k] = t;
    }
    for (int k = 0; k < 5; k++) e->E[k] = (vec){ e->T[0][k], e->T[1][k], e->T[2][k], e->T[3][k], e->T[4][k] };
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 5; i++) next[k] += e->E[i] * U[k][i];
}

static __attribute__((noinline)) void factor(void)
{
    int nj = m.nj, mid = m.mid, i = 0, k = nj - 1;
    vec U[5], V[5], W[5], D[5], C[5], X[5], Y[5];
    hinge(0, U, D);
    if (k > mid) hinge(k, V, C);
    while (i < mid && k > mid) {
        hinge(i + 1, U, X);
        hinge(k - 1, W, Y);
        if (k - 1 == mid) memset(Y, 0, sizeof Y);
        sweep5(D, C);
        forth(AT(m.el) + i, D, U, X);
        back(AT(m.el) + k, C, V, Y);
        memcpy(D, X, sizeof D), memcpy(C, Y, sizeof C), memcpy(V, W, sizeof V), i++, k--;
    }
    for (; i < mid; i++) {
        hinge(i + 1, U, X);
        sweep5(D, NULL);
        forth(AT(m.el) + i, D, U, X);
        memcpy(D, X, sizeof D);
    }
    if (mid < nj - 1)
        for (k = 0; k < 5; k++) D[k] += C[k];
    sweep5(D, NULL);
    for (k = 0; k < 5; k++) AT(m.el)[mid].N[k] = D[k];
}

static inline vec times(const vec A[5], vec x)
{
    return (A[0] * splat(x[0]) + A[1] * splat(x[1])) + (A[2] * splat(x[2]) + A[3] * splat(x[3])) + A[4] * splat(x[4]);
}
static __attribute__((noinline)) void solve(void)
{
    int nj = m.nj, mid = m.mid, r = nj - 1 - mid, both = mid < r ? mid : r, s = 0;
    const elim *el = AT(m.el);
    vec *f = (vec *)AT(m.f), a = f[0], b = f[nj - 1];
    for (; s < both; s++) {
        int i = s, k = nj - 1 - s;
        a = f[i + 1] + times(el[i].E, a), b = f[k - 1] + times(el[k].E, b);
        if (s < both - 1 || mid - both > 0 || r > both) f[i + 1] = a, f[k - 1] = b;
    }
    if (both && mid == both && r == both)
        f[mid] = a + b - f[mid];
    else {
        for (int i = s; i < mid; i++) f[i + 1] = a = f[i + 1] + times(el[i].E, a);
        for (int k = nj - 1 - s; k > mid; k--) f[k - 1] = b = f[k - 1] + times(el[k].E, b);
    }
    f[mid] = a = b = -times(el[mid].N, f[mid]);
    for (s = 1; s <= both; s++) {
        int i = mid - s, k = mid + s;
        f[i] = a = times(el[i].T, a) - times(el[i].N, f[i]), f[k] = b = times(el[k].T, b) - times(el[k].N, f[k]);
    }
    for (int i = mid - s; i >= 0; i--) f[i] = a = times(el[i].T, a) - times(el[i].N, f[i]);
    for (int k = mid + s; k < nj; k++) f[k] = b = times(el[k].T, b) - times(el[k].N, f[k]);
}

/* ---- the step ---- */

/* Forces and torques of the hinges with multipliers z, in space. */
#define IN_SPACE(z) \
    do { \
        F0[i] = R0[i] * z[0][i] + R1[i] * z[1][i] + R2[i] * z[2][i], W0[i] = R0[i] * z[3][i] + R2[i] * z[4][i]; \
        F1[i] = R3[i] * z[0][i] + R4[i] * z[1][i] + R5[i] * z[2][i], W1[i] = R3[i] * z[3][i] + R5[i] * z[4][i]; \
        F2[i] = R6[i] * z[0][i] + R7[i] * z[1][i] + R8[i] * z[2][i], W2[i] = R6[i] * z[3][i] + R8[i] * z[4][i]; \
    } while (0)
#define MATRIX \
    double *R0 = AT(m.R[0]), *R1 = AT(m.R[1]), *R2 = AT(m.R[2]), *R3 = AT(m.R[3]), *R4 = AT(m.R[4]), *R5 = AT(m.R[5]), \
           *R6 = AT(m.R[6]), *R7 = AT(m.R[7]), *R8 = AT(m.R[8])
#define FORCES \
    __attribute__((unused)) double *F0 = AT(m.F[0]), *F1 = AT(m.F[1]), *F2 = AT(m.F[2]), *W0 = AT(m.W[0]), \
                                   *W1 = AT(m.W[1]), *W2 = AT(m.W[2])
/* Torque on body i in its axes, of multipliers z: of its own hinge, and of the next one. */
#define TORQUE(z) \
    double fy = R1[i] * F0[i + 1] + R4[i] * F1[i + 1] + R7[i] * F2[i + 1], \
           fz = R2[i] * F0[i + 1] + R5[i] * F1[i + 1] + R8[i] * F2[i + 1]; \
    double tx = z[3][i] - (R0[i] * W0[i + 1] + R3[i] * W1[i + 1] + R6[i] * W2[i + 1]); \
    double ty = hm[i] * z[2][i] + hp[i + 1] * fz - (R1[i] * W0[i + 1] + R4[i] * W1[i + 1] + R7[i] * W2[i + 1]); \
    double tz = z[4][i] - hm[i] * z[1][i] - hp[i + 1] * fy - (R2[i] * W0[i + 1] + R5[i] * W1[i + 1] + R8[i] * W2[i + 1])
#define MOVED(x, k) (x[i] + im[i] * (F##k[i] - F##k[i + 1]) - im[i - 1] * (F##k[i - 1] - F##k[i]))

/* S := the rotation of the quaternions Q, which need not be normed. */
#define ROTATION \
    double s = 2 / (e * e + f * f + g * g + k * k), sf = s * f, sg = s * g, sk = s * k; \
    AT(m.Q[0])[i] = e, AT(m.Q[1])[i] = f, AT(m.Q[2])[i] = g, AT(m.Q[3])[i] = k; \
    AT(m.S[0])[i] = 1 - sg * g - sk * k, AT(m.S[1])[i] = sf * g - sk * e, AT(m.S[2])[i] = sf * k + sg * e; \
    AT(m.S[3])[i] = sf * g + sk * e, AT(m.S[4])[i] = 1 - sf * f - sk * k, AT(m.S[5])[i] = sg * k - sf * e; \
    AT(m.S[6])[i] = sf * k - sg * e, AT(m.S[7])[i] = sg * k + sf * e, AT(m.S[8])[i] = 1 - sf * f - sg * g

/* (k b0, J b) = conj(r) (k a0, J a), all times h */
#define SECOND \
    double u0 = RADIAL * a0, u1 = J[0][i] * x, u2 = J[1][i] * y, u3 = J[2][i] * z; \
    double v0 = r0 * u0 + r1 * u1 + r2 * u2 + r3 * u3, v1 = r0 * u1 - r1 * u0 - r2 * u3 + r3 * u2; \
    double v2 = r0 * u2 - r2 * u0 - r3 * u1 + r1 * u3, v3 = r0 * u3 - r3 * u0 - r1 * u2 + r2 * u1; \
    double b0 = v0 / RADIAL, b1 = iJ[0][i] * v1, b2 = iJ[1][i] * v2, b3 = iJ[2][i] * v3

/* As turn. */
static __attribute__((noinline)) void turn_table(int n8, double h)
{
    MATRIX;
    FORCES;
    const double *y[5] = { AT(m.y[0]), AT(m.y[1]), AT(m.y[2]), AT(m.y[3]), AT(m.y[4]) }, *hm = AT(m.hm), *hp = AT(m.hp);
    double *c[3] = AT3(m.c), *P[3] = AT3(m.P), *J[3] = AT3(m.J), *iJ[3] = AT3(m.iJ);
    EACH (i, n8) IN_SPACE(y);
    EACH (i, n8) {
        TORQUE(y);
        double t1 = 0.5 * (h * P[0][i] + tx), t2 = 0.5 * (h * P[1][i] + ty), t3 = 0.5 * (h * P[2][i] + tz);
        double x = c[0][i], y = c[1][i], z = c[2][i], a0 = AT(m.a0)[i];
        double r0 = AT(m.r[0])[i], r1 = AT(m.r[1])[i], r2 = AT(m.r[2])[i], r3 = AT(m.r[3])[i];
#pragma GCC unroll 3
        for (int pass = 0; pass < 3; pass++) {
            double w = 0.5 * RADIAL * a0, d = 1 + 0.5 * a0; /* w is not small beside J while a0 is not right */
            double ux = t1 - 0.5 * (J[2][i] - J[1][i]) * y * z, uy = t2 - 0.5 * (J[0][i] - J[2][i]) * z * x,
                   uz = t3 - 0.5 * (J[1][i] - J[0][i]) * x * y;
            x = ux / (d * J[0][i] - w), y = uy / (d * J[1][i] - w), z = uz / (d * J[2][i] - w);
            SECOND;
            double s0 = 1 + 0.5 * (a0 + r0 * b0 - r1 * b1 - r2 * b2 - r3 * b3),
                   s1 = 0.5 * (x + r0 * b1 + r1 * b0 + r2 * b3 - r3 * b2);
            double s2 = 0.5 * (y + r0 * b2 + r2 * b0 + r3 * b1 - r1 * b3),
                   s3 = 0.5 * (z + r0 * b3 + r3 * b0 + r1 * b2 - r2 * b1);
            r0 = s0, r1 = s1, r2 = s2, r3 = s3;
            double miss = 0.5 * (r0 * r0 + r1 * r1 + r2 * r2 + r3 * r3 - 1);
            a0 -= miss / (1 + 0.25 * RADIAL * (iJ[0][i] * x * x + iJ[1][i] * y * y + iJ[2][i] * z * z)), r0 -= miss;
        }
        c[0][i] = x, c[1][i] = y, c[2][i] = z, AT(m.a0)[i] = a0;
        AT(m.r[0])[i] = r0, AT(m.r[1])[i] = r1, AT(m.r[2])[i] = r2, AT(m.r[3])[i] = r3;
        double q0 = AT(m.q[0])[i], q1 = AT(m.q[1])[i], q2 = AT(m.q[2])[i], q3 = AT(m.q[3])[i];
        double e = q0 * r0 - q1 * r1 - q2 * r2 - q3 * r3, f = q1 * r0 + q0 * r1 + q2 * r3 - q3 * r2;
        double g = q2 * r0 + q0 * r2 + q3 * r1 - q1 * r3, k = q3 * r0 + q0 * r3 + q1 * r2 - q2 * r1;
        ROTATION;
    }
}
static void momentum_table(int n8, double h)
{
    double *c[3] = AT3(m.c), *P[3] = AT3(m.P), *J[3] = AT3(m.J), *iJ[3] = AT3(m.iJ);
    EACH (i, n8) {
        double x = c[0][i], y = c[1][i], z = c[2][i], a0 = AT(m.a0)[i], p = 2 / h;
        double r0 = AT(m.r[0])[i], r1 = AT(m.r[1])[i], r2 = AT(m.r[2])[i], r3 = AT(m.r[3])[i];
        SECOND;
        double d = 1 - 0.5 * b0, w = 0.5 * RADIAL * b0;
        SET3(P, p * (d * v1 + w * b1 - 0.5 * (J[2][i] - J[1][i]) * b2 * b3),
             p * (d * v2 + w * b2 - 0.5 * (J[0][i] - J[2][i]) * b3 * b1),
             p * (d * v3 + w * b3 - 0.5 * (J[1][i] - J[0][i]) * b1 * b2));
    }
}

/* New orientations for multipliers y. */
static __attribute__((noinline)) void turn(int n8, double h)
{
    if (m.table) {
        turn_table(n8, h);
        return;
    }
    MATRIX;
    FORCES;
    const double *y[5] = { AT(m.y[0]), AT(m.y[1]), AT(m.y[2]), AT(m.y[3]), AT(m.y[4]) }, *hm = AT(m.hm), *hp = AT(m.hp);
    double *c0 = AT(m.c[0]), *c1 = AT(m.c[1]), *c2 = AT(m.c[2]), *P[3] = AT3(m.P), *J[3] = AT3(m.J), *iJ[3] = AT3(m.iJ);
    EACH (i, n8) IN_SPACE(y);
    EACH (i, n8) {
        TORQUE(y);
        double b0 = 0.5 * (h * P[0][i] + tx), b1 = 0.5 * (h * P[1][i] + ty), b2 = 0.5 * (h * P[2][i] + tz), x = c0[i],
               y = c1[i], z = c2[i];
#pragma GCC unroll 2
        for (int pass = 0; pass < 2; pass++) {
            double s = 1 + x * x + y * y + z * z, yz = (J[2][i] - J[1][i]) * y * z, zx = (J[0][i] - J[2][i]) * z * x,
                   xy = (J[1][i] - J[0][i]) * x * y;
            x = iJ[0][i] * (b0 * s - yz), y = iJ[1][i] * (b1 * s - zx), z = iJ[2][i] * (b2 * s - xy);
        }
        c0[i] = x, c1[i] = y, c2[i] = z;
        double a = AT(m.q[0])[i], b = AT(m.q[1])[i], c = AT(m.q[2])[i], d = AT(m.q[3])[i];
        double e = a - b * x - c * y - d * z, f = b + a * x + c * z - d * y, g = c + a * y + d * x - b * z,
               k = d + a * z + b * y - c * x;
        ROTATION;
    }
}

/* Minus the constraints at the new places, in the lanes of the solver; returns the largest. */
static __attribute__((noinline)) double gaps(int n8)
{
    MATRIX;
    FORCES;
    const double *p[3] = AT3(m.p), *im = AT(m.im), *hm = AT(m.hm), *hp = AT(m.hp), *S[9];
    for (int k = 0; k < 9; k++) S[k] = AT(m.S[k]);
    double r = 0;
    EACH (i, n8) {
        double x = MOVED(p[0], 0) - hm[i] * S[0][i] - hp[i] * S[0][i - 1];
        double y = MOVED(p[1], 1) - hm[i] * S[3][i] - hp[i] * S[3][i - 1];
        double z = MOVED(p[2], 2) - hm[i] * S[6][i] - hp[i] * S[6][i - 1];
        double a = -AT(m.on[0])[i] * (R0[i] * x + R3[i] * y + R6[i] * z),
               b = -AT(m.on[1])[i] * (R1[i] * x + R4[i] * y + R7[i] * z);
        double c = -AT(m.on[2])[i] * (R2[i] * x + R5[i] * y + R8[i] * z);
        double d = AT(m.on[3])[i] * (S[2][i] * S[1][i - 1] + S[5][i] * S[4][i - 1] + S[8][i] * S[7][i - 1]);
        double e = -AT(m.on[4])[i] * (S[0][i] * S[1][i - 1] + S[3][i] * S[4][i - 1] + S[6][i] * S[7][i - 1]);
        double *f = AT(m.f)[i];
        f[0] = a, f[1] = b, f[2] = c, f[3] = d, f[4] = e, f[5] = f[6] = f[7] = 0;
        r = fmax(r, fmax(fmax(fabs(a), fabs(b)), fmax(fmax(fabs(c), fabs(d)), fabs(e))));
    }
    return r;
}

/* At R, or half way to S. */
static inline void factor_at(int n8, double half)
{
    for (int i = 0; i < n8; i++)
        for (int k = 0; k < 3; k++) {
            double *t = AT(m.R5)[i][k], r[3];
            for (int j = 0; j < 3; j++)
                r[j] = AT(m.R[3 * k + j])[i] + half * (AT(m.S[3 * k + j])[i] - AT(m.R[3 * k + j])[i]);
            t[0] = r[0], t[1] = r[1], t[2] = r[2], t[3] = r[0], t[4] = r[2], t[5] = t[6] = t[7] = 0;
        }
    factor();
}

/* Factors S at the new places and projects the velocities; returns the largest velocity error before. */
static __attribute__((noinline)) double velocity(int n8)
{
    MATRIX;
    FORCES;
    const double *im = AT(m.im), *hm = AT(m.hm), *hp = AT(m.hp), *iJ[3] = AT3(m.iJ);
    double *w[3] = AT3(m.w), *P[3] = AT3(m.P), *z[5] = { AT(m.z[0]), AT(m.z[1]), AT(m.z[2]), AT(m.z[3]), AT(m.z[4]) },
           r = 0;
    factor_at(n8, 0);
    EACH (i, n8) { /* W: angular velocity in space; F: velocity at the next hinge against the centre */
        double x = iJ[0][i] * P[0][i], y = iJ[1][i] * P[1][i], s = iJ[2][i] * P[2][i], h = hp[i + 1], hy = h * y,
               hs = h * s;
        W0[i] = R0[i] * x + R1[i] * y + R2[i] * s, W1[i] = R3[i] * x + R4[i] * y + R5[i] * s,
        W2[i] = R6[i] * x + R7[i] * y + R8[i] * s;
        F0[i] = hs * R1[i] - hy * R2[i], F1[i] = hs * R4[i] - hy * R5[i], F2[i] = hs * R7[i] - hy * R8[i];
    }
    EACH (i, n8) {
        double x = w[0][i] - F0[i - 1], y = w[1][i] - F1[i - 1], s = w[2][i] - F2[i - 1];
        double a = W0[i] - W0[i - 1], b = W1[i] - W1[i - 1], c = W2[i] - W2[i - 1], oy = iJ[1][i] * P[1][i],
               oz = iJ[2][i] * P[2][i];
        double *f = AT(m.f)[i];
        f[0] = -AT(m.on[0])[i] * (R0[i] * x + R3[i] * y + R6[i] * s),
        f[1] = -AT(m.on[1])[i] * (R1[i] * x + R4[i] * y + R7[i] * s - hm[i] * oz);
        f[2] = -AT(m.on[2])[i] * (R2[i] * x + R5[i] * y + R8[i] * s + hm[i] * oy);
        f[3] = -AT(m.on[3])[i] * (R0[i] * a + R3[i] * b + R6[i] * c),
        f[4] = -AT(m.on[4])[i] * (R2[i] * a + R5[i] * b + R8[i] * c);
        f[5] = f[6] = f[7] = 0;
        r = fmax(r, fmax(fmax(fabs(f[0]), fabs(f[1])), fmax(fmax(fabs(f[2]), fabs(f[3])), fabs(f[4]))));
    }
    solve();
    EACH (i, n8) {
        const double *f = AT(m.f)[i];
        z[0][i] = f[0], z[1][i] = f[1], z[2][i] = f[2], z[3][i] = f[3], z[4][i] = f[4];
        IN_SPACE(z);
    }
    EACH (i, n8) {
        TORQUE(z);
        P[0][i] += tx, P[1][i] += ty, P[2][i] += tz;
        w[0][i] = MOVED(w[0], 0), w[1][i] = MOVED(w[1], 1), w[2][i] = MOVED(w[2], 2);
    }
    return r;
}

/* One step; returns the number of multiplier iterations. Stops at a residual whose next iterate is below rounding. */
static int step(double h)
{
    int n8 = (m.nj + 7) & ~7, it = 0;
    double *d[3] = AT3(m.d), *w[3] = AT3(m.w), *p[3] = AT3(m.p), *P[3] = AT3(m.P), *c[3] = AT3(m.c), r;
    const double *im = AT(m.im), *J[3] = AT3(m.J);
    FORCES;
    EACH (i, n8) {
        for (int k = 0; k < 3; k++) p[k][i] = d[k][i] + h * w[k][i];
        for (int k = 0; k < 5; k++) {
            double a = AT(m.y[k])[i], b = AT(m.y1[k])[i], t = 3 * (a - b) + AT(m.y2[k])[i];
            AT(m.y2[k])[i] = b, AT(m.y1[k])[i] = a, AT(m.y[k])[i] = t;
        }
    }
    p[2][0] -= 0.5 * h * h * GRAV;
    if (m.closed) p[2][m.n] += 0.5 * h * h * GRAV;
    do {
        turn(n8, h);
        r = gaps(n8);
        if (it == 6) factor_at(n8, 0.5); /* a whip: the chain turns by 0.1 or more in this step */
        solve();
        EACH (i, n8)
            for (int k = 0; k < 5; k++) AT(m.y[k])[i] += AT(m.f)[i][k];
    } while (++it < 40 && r > 2e-14);
    turn(n8, h);
    double ih = 1 / h;
    EACH (i, n8) {
        double x = MOVED(p[0], 0), y = MOVED(p[1], 1), z = MOVED(p[2], 2);
        w[0][i] += ih * (x - p[0][i]), w[1][i] += ih * (y - p[1][i]), w[2][i] += ih * (z - p[2][i]);
        SET3(d, x, y, z);
        x = c[0][i], y = c[1][i], z = c[2][i];
        double s = 2 * ih / (1 + x * x + y * y + z * z);
        SET3(P, s * (J[0][i] * x - (J[2][i] - J[1][i]) * y * z), s * (J[1][i] * y - (J[0][i] - J[2][i]) * z * x),
             s * (J[2][i] * z - (J[1][i] - J[0][i]) * x * y));
        double e = AT(m.Q[0])[i], f = AT(m.Q[1])[i], g = AT(m.Q[2])[i], k = AT(m.Q[3])[i],
               l = 1 / sqrt(e * e + f * f + g * g + k * k);
        AT(m.q[0])[i] = l * e, AT(m.q[1])[i] = l * f, AT(m.q[2])[i] = l * g, AT(m.q[3])[i] = l * k;
        for (int j = 0; j < 9; j++) AT(m.R[j])[i] = AT(m.S[j])[i];
    }
    if (m.table) momentum_table(n8, h);
    w[2][0] -= h * GRAV;
    if (m.closed) w[2][m.n] += h * GRAV;
    velocity(n8);
    return it;
}

static double slope_of(int i, int n, int closed) { return closed ? SLOPE * (4 - 6.0 * i / (n - 1)) : SLOPE; }

static void start(int n, int closed, int table)
{
    memset(&m, 0, sizeof m);
    m.n = n, m.nj = n + closed, m.mid = m.nj / 2, m.closed = closed, m.table = table;
    double x[3] = { 0 };
    for (int i = -PAD; i < ROW - PAD; i++) {
        AT(m.J[0])[i] = AT(m.J[1])[i] = AT(m.J[2])[i] = AT(m.r[0])[i] = AT(m.q[0])[i] = 1;
        AT(m.R[0])[i] = AT(m.R[4])[i] = AT(m.R[8])[i] = AT(m.S[0])[i] = AT(m.S[4])[i] = AT(m.S[8])[i] = 1;
        AT(m.R5)[i][0][0] = AT(m.R5)[i][0][3] = AT(m.R5)[i][1][1] = AT(m.R5)[i][2][2] = AT(m.R5)[i][2][4] = 1;
    }
    for (int i = 0; i < n; i++) {
        double a = slope_of(i, n, closed), size[3] = { LEN, 0.1, 0.01 };
        AT(m.im)[i] = 1 / MASS, AT(m.hm)[i] = AT(m.hp)[i + 1] = LEN / 2;
        for (int k = 0; k < 3; k++) {
            double u = size[(k + 1) % 3], v = size[(k + 2) % 3], J = MASS / 12 * (u * u + v * v);
            AT(m.J[k])[i] = J, AT(m.iJ[k])[i] = 1 / J;
        }
        AT(m.q[0])[i] = cos(a / 2), AT(m.q[2])[i] = sin(a / 2);
        AT(m.R[0])[i] = AT(m.R[8])[i] = cos(a), AT(m.R[2])[i] = sin(a), AT(m.R[6])[i] = -sin(a);
        double c[3] = { x[0] + LEN / 2 * cos(a), 0, x[2] - LEN / 2 * sin(a) };
        for (int k = 0; k < 3; k++) AT(m.d[k])[i] = c[k];
        x[0] += LEN * cos(a), x[2] -= LEN * sin(a);
        for (int k = 0; k < 5; k++) AT(m.on[k])[i] = 1;
    }
    if (!closed)
        AT(m.hp)[n] = 0;
    else {
        AT(m.on[0])[n] = AT(m.on[2])[n] = 1;
        for (int k = 0; k < 3; k++) AT(m.d[k])[n] = x[k];
    }
    for (int i = 0; i < m.nj; i++) {
        double x = AT(m.iJ[0])[i], y = AT(m.iJ[1])[i], z = AT(m.iJ[2])[i], g = AT(m.hm)[i],
               u = AT(m.im)[i - 1] + AT(m.im)[i];
        vec A[5] = {
            { u }, { 0, u + g * g * z, 0, 0, -g * z }, { 0, 0, u + g * g * y }, { 0, 0, 0, x }, { 0, -g * z, 0, 0, z }
        };
        memcpy(AT(m.A)[i], A, sizeof A);
    }
    for (int i = m.nj - 1; i > 0; i--)
        for (int k = 0; k < 3; k++) AT(m.d[k])[i] -= AT(m.d[k])[i - 1];
    velocity((m.nj + 7) & ~7);
}

/* Energy against that at rest in the origin, height of the last centre, largest constraint and velocity errors. */
static double measure(double *height, double *gap, double *slip)
{
    double e = 0, x[3] = { 0 }, v[3] = { 0 };
    for (int i = 0; i < m.n; i++) {
        for (int k = 0; k < 3; k++) {
            x[k] += AT(m.d[k])[i], v[k] += AT(m.w[k])[i];
            e += 0.5 * MASS * v[k] * v[k] + 0.5 * AT(m.iJ[k])[i] * AT(m.P[k])[i] * AT(m.P[k])[i];
        }
        e += MASS * GRAV * x[2];
    }
    *height = x[2];
    int n8 = (m.nj + 7) & ~7;
    memcpy(m.p, m.d, sizeof m.p), memset(m.F, 0, sizeof m.F), memcpy(m.S, m.R, sizeof m.S);
    *gap = gaps(n8);
    *slip = velocity(n8);
    return e;
}

/* ---- joint angles ---- */

typedef struct {
    double c, s, U[6], A[3], B[6], C[6],
        id; /* after elimination: A (xx xz zz), B (rows x and z), C (xx xy xz yy yz zz) */
    double w[3], za[2], zl[3], p[6], u, qdd; /* za: x and z */
} link;
static struct {
    int n;
    double th[ROW], om[ROW], a[ROW], a1[ROW], a2[ROW];
    link k[ROW];
} t;

static const double box_J[3] = { 0.1 / 12 * (0.1 * 0.1 + 0.01 * 0.01), 0.1 / 12 * (0.05 * 0.05 + 0.01 * 0.01),
                                 0.1 / 12 * (0.05 * 0.05 + 0.1 * 0.1) };

/* Articulated inertias at the angles th, about the hinge of each link, from the tip. */
static __attribute__((noinline)) void articulate(void)
{
    const double cx = LEN / 2, mc = MASS * cx, Ix = box_J[0], Iy = box_J[1] + mc * cx, Iz = box_J[2] + mc * cx, l = LEN;
    double Axx = Ix, Axy = 0, Axz = 0, Ayy = Iy, Ayz = 0, Azz = Iz;
    double Bxx = 0, Bxy = 0, Bxz = 0, Byx = 0, Byy = 0, Byz = -mc, Bzx = 0, Bzy = mc, Bzz = 0;
    double Cxx = MASS, Cxy = 0, Cxz = 0, Cyy = MASS, Cyz = 0, Czz = MASS;
    for (int i = 0; i < t.n; i++) t.k[i].c = cos(t.th[i]), t.k[i].s = sin(t.th[i]);
    for (int i = t.n - 1; i >= 0; i--) {
        link *k = t.k + i;
        double id = 1 / Ayy, c = k->c, s = k->s;
        double ux = Axy * id, uz = Ayz * id, fx = Byx * id, fy = Byy * id, fz = Byz * id;
        k->id = id, k->U[0] = Axy, k->U[1] = Ayy, k->U[2] = Ayz, k->U[3] = Byx, k->U[4] = Byy, k->U[5] = Byz;
        Axx -= ux * Axy, Axz -= ux * Ayz, Azz -= uz * Ayz;
        Bxx -= ux * Byx, Bxy -= ux * Byy, Bxz -= ux * Byz, Bzx -= uz * Byx, Bzy -= uz * Byy, Bzz -= uz * Byz;
        Cxx -= fx * Byx, Cxy -= fx * Byy, Cxz -= fx * Byz, Cyy -= fy * Byy, Cyz -= fy * Byz, Czz -= fz * Byz;
        k->A[0] = Axx, k->A[1] = Axz, k->A[2] = Azz;
        k->B[0] = Bxx, k->B[1] = Bxy, k->B[2] = Bxz, k->B[3] = Bzx, k->B[4] = Bzy, k->B[5] = Bzz;
        k->C[0] = Cxx, k->C[1] = Cxy, k->C[2] = Cxz, k->C[3] = Cyy, k->C[4] = Cyz, k->C[5] = Czz;
        /* to the axes of the link before: x' = c x + s z, z' = c z - s x */
        double cc = c * c, cs = c * s, ss = s * s, a, b;
        a = cc * Axx + 2 * cs * Axz + ss * Azz, b = (cc - ss) * Axz + cs * (Azz - Axx),
        Azz = ss * Axx - 2 * cs * Axz + cc * Azz, Axx = a, Axz = b;
        a = cc * Cxx + 2 * cs * Cxz + ss * Czz, b = (cc - ss) * Cxz + cs * (Czz - Cxx),
        Czz = ss * Cxx - 2 * cs * Cxz + cc * Czz, Cxx = a, Cxz = b;
        a = c * Cxy + s * Cyz, Cyz = c * Cyz - s * Cxy, Cxy = a;
        a = c * Bxy + s * Bzy, Bzy = c * Bzy - s * Bxy, Bxy = a;
        double pp = cc * Bxx + cs * (Bxz + Bzx) + ss * Bzz, pq = cc * Bxz + cs * (Bzz - Bxx) - ss * Bzx;
        double qp = cc * Bzx + cs * (Bzz - Bxx) - ss * Bxz, qq = cc * Bzz - cs * (Bxz + Bzx) + ss * Bxx;
        Bxx = pp, Bxz = pq, Bzx = qp, Bzz = qq;
        /* to its hinge, l further back: B += S C, A += S B'^T - B S */
        double Nyx = -l * Cxz, Nyy = -l * Cyz, Nyz = -l * Czz, Nzx = Bzx + l * Cxy, Nzy = Bzy + l * Cyy,
               Nzz = Bzz + l * Cyz;
        Axy = -l * Bxz, Axz += l * Bxy, Ayy = -l * Nyz, Ayz = -l * Nzz, Azz += l * (Bzy + Nzy);
        Byx = Nyx, Byy = Nyy, Byz = Nyz, Bzx = Nzx, Bzy = Nzy, Bzz = Nzz;
        Axx += Ix, Ayy += Iy, Azz += Iz, Byz -= mc, Bzy += mc, Cxx += MASS, Cyy += MASS, Czz += MASS;
    }
}

/* Accelerations a at the speeds om, with the inertias of articulate. */
static __attribute__((noinline)) void accelerate(const double *om, double *acc)
{
    const double cx = LEN / 2, mc = MASS * cx;
    double x = 0, y = 0, z = 0, l = 0;
    for (int i = 0; i < t.n; i++, l = LEN) {
        link *k = t.k + i;
        double c = k->c, s = k->s, v = om[i], a = -l * (y * y + z * z), b = l * x * z, u = c * x - s * z,
               q = s * x + c * z;
        k->zl[0] = c * a - s * b, k->zl[1] = l * x * y, k->zl[2] = s * a + c * b;
        k->za[0] = -q * v, k->za[1] = u * v;
        x = u, z = q, y += v;
        double fx = -mc * (y * y + z * z), fy = mc * x * y, fz = mc * x * z;
        k->p[0] = (box_J[2] - box_J[1]) * y * z, k->p[1] = (box_J[0] - box_J[2]) * z * x - cx * fz,
        k->p[2] = (box_J[1] - box_J[0]) * x * y + cx * fy;
        k->p[3] = fx, k->p[4] = fy, k->p[5] = fz;
    }
    double N[3] = { 0 }, F[3] = { 0 };
    l = LEN;
    for (int i = t.n - 1; i >= 0; i--) {
        link *k = t.k + i;
        const double *U = k->U, *A = k->A, *B = k->B, *C = k->C, *za = k->za, *zl = k->zl;
        double c = k->c, s = k->s, u = -(k->p[1] + N[1]), g = u * k->id;
        k->u = u;
        double nx =
            k->p[0] + N[0] + A[0] * za[0] + A[1] * za[1] + B[0] * zl[0] + B[1] * zl[1] + B[2] * zl[2] + U[0] * g;
        double nz =
            k->p[2] + N[2] + A[1] * za[0] + A[2] * za[1] + B[3] * zl[0] + B[4] * zl[1] + B[5] * zl[2] + U[2] * g;
        double fx =
            k->p[3] + F[0] + B[0] * za[0] + B[3] * za[1] + C[0] * zl[0] + C[1] * zl[1] + C[2] * zl[2] + U[3] * g;
        double fy =
            k->p[4] + F[1] + B[1] * za[0] + B[4] * za[1] + C[1] * zl[0] + C[3] * zl[1] + C[4] * zl[2] + U[4] * g;
        double fz =
            k->p[5] + F[2] + B[2] * za[0] + B[5] * za[1] + C[2] * zl[0] + C[4] * zl[1] + C[5] * zl[2] + U[5] * g;
        F[0] = c * fx + s * fz, F[1] = fy, F[2] = c * fz - s * fx;
        N[0] = c * nx + s * nz, N[1] = -l * F[2], N[2] = c * nz - s * nx + l * F[1];
    }
    double ax = 0, ay = 0, az = 0, lx = 0, ly = 0, lz = GRAV;
    l = 0;
    for (int i = 0; i < t.n; i++, l = LEN) {
        link *k = t.k + i;
        double c = k->c, s = k->s, u, v;
        const double *U = k->U;
        ly += l * az, lz -= l * ay;
        u = c * lx - s * lz + k->zl[0], v = s * lx + c * lz + k->zl[2], lx = u, lz = v, ly += k->zl[1];
        u = c * ax - s * az + k->za[0], v = s * ax + c * az + k->za[1], ax = u, az = v;
        double q = (k->u - U[0] * ax - U[1] * ay - U[2] * az - U[3] * lx - U[4] * ly - U[5] * lz) * k->id;
        acc[i] = q, ay += q;
    }
}

/* q1 = q + h v + h^2/2 a(q, v); v1 = v + h/2 (a(q, v) + a(q1, v1)). */
static int step_angles(double h)
{
    static double om[ROW], b[ROW];
    double *a = t.a, *a1 = t.a1, *a2 = t.a2, *v = t.om, r;
    int it = 0, n = t.n;
    EACH (i, n) {
        v[i] += 0.5 * h * a[i], t.th[i] += h * v[i];
        double g = 3 * (a[i] - a1[i]) + a2[i];
        a2[i] = a1[i], a1[i] = a[i], a[i] = g, om[i] = v[i] + 0.5 * h * g;
    }
    articulate();
    do {
        accelerate(om, b);
        r = 0;
        EACH (i, n) r = fmax(r, fabs(b[i] - a[i])), a[i] = b[i], om[i] = v[i] + 0.5 * h * b[i];
    } while (0.5 * h * r > 1e-12 && ++it < 30);
    EACH (i, n) v[i] = om[i];
    return it + 1;
}
static void start_angles(int n)
{
    memset(&t, 0, sizeof t);
    t.n = n, t.th[0] = SLOPE;
    articulate(), accelerate(t.om, t.a);
    memcpy(t.a1, t.a, sizeof t.a), memcpy(t.a2, t.a, sizeof t.a);
}
static double measure_angles(double *height)
{
    double e = 0, th = 0, om = 0, x = 0, z = 0, u = 0, v = 0; /* in the plane */
    for (int i = 0; i < t.n; i++) {
        th += t.th[i], om += t.om[i];
        double hx = LEN / 2 * cos(th), hz = -LEN / 2 * sin(th), hu = hz * om, hv = -hx * om;
        x += hx, z += hz, u += hu, v += hv, *height = z;
        e += 0.5 * MASS * (u * u + v * v) + 0.5 * box_J[1] * om * om + MASS * GRAV * z;
        x += hx, z += hz, u += hu, v += hv;
    }
    return e;
}

int main(int argc, char **argv)
{
    if (argc < 6) return fprintf(stderr, "usage: %s j5 maximal|table|closed|reduced h n tend [samples]\n", argv[0]), 1;
    int n = atoi(argv[4]), angles = !strcmp(argv[2], "reduced"), closed = !strcmp(argv[2], "closed");
    double h = atof(argv[3]), tend = atof(argv[5]), best = INFINITY, z, gap = 0, slip = 0, e0 = 0, e = 0, dmax = 0;
    long steps = lrint(tend / h), its = 0, samples = argc > 6 ? atol(argv[6]) : 1;
    if (n < 1 + 2 * closed || n > ROW - 3 * PAD)
        return fprintf(stderr, "number of links: %d to %d\n", 1 + 2 * closed, ROW - 3 * PAD), 1;
    for (int rep = 0; rep < reps(); rep++) {
        double cpu = 0;
        if (angles)
            start_angles(n);
        else
            start(n, closed, !strcmp(argv[2], "table"));
        e0 = angles ? measure_angles(&z) : measure(&z, &gap, &slip);
        its = 0, dmax = 0;
        for (long s = 0; s < samples; s++) {
            double t0 = now(), g, l;
            for (long i = s * steps / samples; i < (s + 1) * steps / samples; i++)
                its += angles ? step_angles(h) : step(h);
            cpu += now() - t0;
            e = angles ? measure_angles(&z) : measure(&z, &g, &l);
            dmax = fmax(dmax, fabs(e - e0));
            if (!angles) gap = fmax(gap, g), slip = fmax(slip, l);
        }
        best = fmin(best, cpu);
    }
    double scale = MASS * GRAV * n * n * LEN / 2;
    printf("j5 limit    %-8s set=%-8.3g N=%-5d T=%-5g steps=%-7ld us/step=%-9.4g ns/body/step=%-8.4g iterations=%-5.2f "
           "dE=%-9.2e "
           "dEmax=%-9.2e gap=%-9.2e slip=%-9.2e end_height=%.15f\n",
           argv[2], h, n, tend, steps, 1e6 * best / steps, 1e9 * best / steps / n, (double)its / steps,
           (e - e0) / scale, dmax / scale, gap, slip, z);
}
