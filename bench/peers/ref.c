/* ref.c - binary128 reference for J1 at t=30: Gragg-Bulirsch-Stoer extrapolation of the index-1 equations.
   Usage: ref [steps per second] [stages] > ref30.inc ;  state, energy error and residual go to stderr. */
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>
typedef __float128 R;
enum { D = 12 };
static const R m1 = 2, m2 = 3.5, l1 = 4, l2 = 3;
static R g;

static R dot(const R *a, const R *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void rhs(const R *y, R *f)
{
    const R *q = y, *v = y + 6;
    R a[3], b[3], ad[3], bd[3];
    for (int k = 0; k < 3; k++) a[k] = q[k], b[k] = q[3 + k] - q[k], ad[k] = v[k], bd[k] = v[3 + k] - v[k];
    /* forces s1 a/m1 - s2 b/m1 - g ez on mass 1, s2 b/m2 - g ez on mass 2;  a.a'' = -|a'|^2, b.b'' = -|b'|^2 */
    R aa = dot(a, a) / m1, ab = dot(a, b) / m1, bb = dot(b, b) * (1 / m1 + 1 / m2);
    R r1 = -dot(ad, ad) + g * a[2], r2 = -dot(bd, bd), det = aa * bb - ab * ab;
    R s1 = (r1 * bb + ab * r2) / det, s2 = (aa * r2 + ab * r1) / det;
    for (int k = 0; k < 3; k++) {
        f[k] = v[k], f[3 + k] = v[3 + k];
        f[6 + k] = (s1 * a[k] - s2 * b[k]) / m1 - (k == 2 ? g : 0);
        f[9 + k] = s2 * b[k] / m2 - (k == 2 ? g : 0);
    }
}

static void step(R *y, R H, int stages)
{
    static R t[24][D];
    R f0[D];
    rhs(y, f0);
    for (int j = 0; j < stages; j++) {
        int n = 2 * (j + 1);
        R h = H / n, a[D], b[D], f[D];
        for (int k = 0; k < D; k++) a[k] = y[k], b[k] = y[k] + h * f0[k];
        for (int i = 1; i < n; i++) {
            rhs(b, f);
            for (int k = 0; k < D; k++) {
                R c = a[k] + 2 * h * f[k];
                a[k] = b[k], b[k] = c;
            }
        }
        rhs(b, f);
        for (int k = 0; k < D; k++) t[j][k] = (a[k] + b[k] + h * f[k]) / 2;
        for (int i = j - 1; i >= 0; i--) {
            R r = (R)(n * n) / (4 * (i + 1) * (i + 1)) - 1;
            for (int k = 0; k < D; k++) t[i][k] = t[i + 1][k] + (t[i + 1][k] - t[i][k]) / r;
        }
    }
    for (int k = 0; k < D; k++) y[k] = t[0][k];
}

static R energy(const R *y)
{
    return m1 * (dot(y + 6, y + 6) / 2 + g * y[2]) + m2 * (dot(y + 9, y + 9) / 2 + g * y[5]);
}

int main(int c, char **v)
{
    int per = c > 1 ? atoi(v[1]) : 50, stages = c > 2 ? atoi(v[2]) : 12;
    g = strtoflt128("9.81", 0);
    R y[D] = { strtoflt128("2.820", 0), strtoflt128("0.025", 0),  0,
               strtoflt128("5.085", 0), strtoflt128("0.105", 0),  0,
               strtoflt128("3.381", 0), strtoflt128("2.506", 0),  0,
               strtoflt128("2.497", 0), strtoflt128("10.495", 0), 0 };
    R dx = y[3] - y[0], dy = y[4] - y[1], dz;
    y[2] = -sqrtq(l1 * l1 - y[0] * y[0] - y[1] * y[1]);
    y[8] = -(y[0] * y[6] + y[1] * y[7]) / y[2];
    dz = -sqrtq(l2 * l2 - dx * dx - dy * dy);
    y[5] = y[2] + dz;
    y[11] = y[8] - (dx * (y[9] - y[6]) + dy * (y[10] - y[7])) / dz;
    R e0 = energy(y);
    char s[64];
    for (int i = 0; i < 30 * per; i++) step(y, (R)1 / per, stages);
    for (int k = 0; k < D; k++) {
        quadmath_snprintf(s, sizeof s, "%.25Qg", y[k]);
        if (k < 6) printf("%s%s", s, k < 5 ? ", " : "\n");
        fprintf(stderr, "%s\n", s);
    }
    fprintf(stderr, "E0 %.17g  dE/E %.3g  |q1|/l1-1 %.3g\n", (double)e0, (double)((energy(y) - e0) / e0),
            (double)(sqrtq(dot(y, y)) / l1 - 1));
}
