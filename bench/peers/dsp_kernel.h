/* dsp_kernel.h - specialised steps for the double spherical pendulum in bar vectors a=q1, b=q2-q1.
   Include with V (double or a gcc vector of doubles), NAME() and, if wanted, NEWTON (default 2) defined.
   a'' = s1 a/m1 - s2 b/m1 - g ez,  b'' = -s1 a/m1 + K s2 b/m1,  K = 1+m1/m2;  s1, s2: multipliers (warm start). */
#ifndef NEWTON
#define NEWTON 2
#endif
#define M1 2.0
#define M2 3.5
#define LA 16.0 /* l1^2 */
#define LB 9.0  /* l2^2 */
#define KAP (1 + M1 / M2)
#define GR 9.81
#define DOT(p, q) (p[0] * q[0] + p[1] * q[1] + p[2] * q[2])

typedef struct {
    V a[3], b[3], u[3], w[3], s1, s2;
} NAME(state);

/* RATTLE: kick-drift with position multipliers, then kick with velocity multipliers. */
static inline __attribute__((always_inline)) void NAME(rattle)(NAME(state) * s, double h)
{
    const double c = 0.5 * h * h / M1, ic = 1 / c, ih = 1 / h, hg = 0.5 * h * GR;
    V p[3], r[3], x = c * s->s1, y = c * s->s2;
    for (int k = 0; k < 3; k++) p[k] = s->a[k] + h * s->u[k], r[k] = s->b[k] + h * s->w[k];
    p[2] -= h * hg;
    V ab = DOT(s->a, s->b), pp = DOT(p, p) - LA, rr = DOT(r, r) - LB;
    V pa = DOT(p, s->a), pb = DOT(p, s->b), ra = DOT(r, s->a), rb = KAP * DOT(r, s->b);
    for (int i = 0; i < NEWTON; i++) { /* |p + x a - y b|^2 = LA, |r - x a + K y b|^2 = LB */
        V f1x = pa + x * LA - y * ab, f1y = y * LB - pb - x * ab;
        V f2x = x * LA - ra - KAP * y * ab, f2y = rb - KAP * x * ab + KAP * KAP * y * LB;
        V f1 = 0.5 * (pp + x * (pa + f1x) + y * (f1y - pb)), f2 = 0.5 * (rr + x * (f2x - ra) + y * (f2y + rb));
        V id = 1 / (f1x * f2y - f1y * f2x);
        x -= (f1 * f2y - f2 * f1y) * id;
        y -= (f1x * f2 - f2x * f1) * id;
    }
    s->s1 = x * ic, s->s2 = y * ic;
    V u[3], w[3];
    for (int k = 0; k < 3; k++) {
        V da = x * s->a[k] - y * s->b[k], db = KAP * y * s->b[k] - x * s->a[k];
        u[k] = s->u[k] + ih * da, w[k] = s->w[k] + ih * db;
        s->a[k] = p[k] + da, s->b[k] = r[k] + db;
    }
    u[2] -= 2 * hg;
    ab = DOT(s->a, s->b);
    V r1 = DOT(s->a, u), r2 = DOT(s->b, w), id = 1 / (KAP * LA * LB - ab * ab);
    V xi = -(KAP * LB * r1 + ab * r2) * id, et = -(ab * r1 + LA * r2) * id;
    for (int k = 0; k < 3; k++) {
        s->u[k] = u[k] + xi * s->a[k] - et * s->b[k];
        s->w[k] = w[k] - xi * s->a[k] + KAP * et * s->b[k];
    }
}

/* SHAKE: same positions, u and w hold the half-step velocities, no velocity projection. */
static inline __attribute__((always_inline)) void NAME(shake)(NAME(state) * s, double h)
{
    const double c = h * h / M1, ic = 1 / c, ih = 1 / h;
    V p[3], r[3], x = c * s->s1, y = c * s->s2;
    s->u[2] -= h * GR;
    for (int k = 0; k < 3; k++) p[k] = s->a[k] + h * s->u[k], r[k] = s->b[k] + h * s->w[k];
    V ab = DOT(s->a, s->b), pp = DOT(p, p) - LA, rr = DOT(r, r) - LB;
    V pa = DOT(p, s->a), pb = DOT(p, s->b), ra = DOT(r, s->a), rb = KAP * DOT(r, s->b);
    for (int i = 0; i < NEWTON; i++) {
        V f1x = pa + x * LA - y * ab, f1y = y * LB - pb - x * ab;
        V f2x = x * LA - ra - KAP * y * ab, f2y = rb - KAP * x * ab + KAP * KAP * y * LB;
        V f1 = 0.5 * (pp + x * (pa + f1x) + y * (f1y - pb)), f2 = 0.5 * (rr + x * (f2x - ra) + y * (f2y + rb));
        V id = 1 / (f1x * f2y - f1y * f2x);
        x -= (f1 * f2y - f2 * f1y) * id;
        y -= (f1x * f2 - f2x * f1) * id;
    }
    s->s1 = x * ic, s->s2 = y * ic;
    for (int k = 0; k < 3; k++) {
        V da = x * s->a[k] - y * s->b[k], db = KAP * y * s->b[k] - x * s->a[k];
        s->u[k] += ih * da, s->w[k] += ih * db;
        s->a[k] = p[k] + da, s->b[k] = r[k] + db;
    }
}

/* Energy-momentum (Gonzalez): midpoint a, b solve (1-X) a + Y b = A, X a + (1-K Y) b = B with X = h^2 s1/(4 m1). */
static inline __attribute__((always_inline)) void NAME(energy)(NAME(state) * s, double h)
{
    const double c = 0.25 * h * h / M1, ic = 1 / c, i4h = 4 / h;
    V A[3], B[3], X = c * s->s1, Y = c * s->s2;
    for (int k = 0; k < 3; k++) A[k] = s->a[k] + 0.5 * h * s->u[k], B[k] = s->b[k] + 0.5 * h * s->w[k];
    A[2] -= 0.25 * h * h * GR;
    V AA = DOT(A, A), AB = DOT(A, B), BB = DOT(B, B), Aa = DOT(A, s->a), Ba = DOT(B, s->a), Ab = DOT(A, s->b),
      Bb = DOT(B, s->b), c1 = 0.25 * (DOT(s->a, s->a) - LA), c2 = 0.25 * (DOT(s->b, s->b) - LB), D, P, S;
    for (int i = 0; i < NEWTON; i++) { /* det*a = P A - Y B, det*b = S B - X A; |2a-a0|^2 = LA, |2b-b0|^2 = LB */
        P = 1 - KAP * Y, S = 1 - X, D = P * S - X * Y;
        V Dx = -P - Y, Dy = -KAP * S - X, a1 = P * Aa - Y * Ba, b1 = S * Bb - X * Ab;
        V PA = P * AA - Y * AB, PB = P * AB - Y * BB, SB = S * BB - X * AB, SA = S * AB - X * AA;
        V f1 = P * PA - Y * PB - D * a1 + D * D * c1, f2 = S * SB - X * SA - D * b1 + D * D * c2;
        V f1x = -Dx * a1 + 2 * D * Dx * c1,
          f1y = -2 * (KAP * PA + PB) - Dy * a1 + D * (KAP * Aa + Ba) + 2 * D * Dy * c1;
        V f2x = -2 * (SB + SA) - Dx * b1 + D * (Bb + Ab) + 2 * D * Dx * c2, f2y = -Dy * b1 + 2 * D * Dy * c2;
        V id = 1 / (f1x * f2y - f1y * f2x);
        X -= (f1 * f2y - f2 * f1y) * id;
        Y -= (f1x * f2 - f2x * f1) * id;
    }
    s->s1 = X * ic, s->s2 = Y * ic;
    P = 1 - KAP * Y, S = 1 - X, D = 1 / (P * S - X * Y);
    for (int k = 0; k < 3; k++) {
        V am = (P * A[k] - Y * B[k]) * D, bm = (S * B[k] - X * A[k]) * D;
        s->a[k] = 2 * am - s->a[k], s->b[k] = 2 * bm - s->b[k];
        s->u[k] += i4h * (X * am - Y * bm), s->w[k] += i4h * (KAP * Y * bm - X * am);
    }
    s->u[2] -= h * GR;
}
