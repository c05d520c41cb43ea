#include "import/pose.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"

const pose pose_none = { { 0, 0, 0 }, { 1, 0, 0, 0 } };

void quaternion_multiply(const double a[4], const double b[4], double out[4])
{
    const double c[4] = { a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0] };
    memcpy(out, c, sizeof c);
}

void pose_turn(const double q[4], const double v[3], double out[3])
{
    const double pure[4] = { 0, v[0], v[1], v[2] }, back[4] = { q[0], -q[1], -q[2], -q[3] };
    double t[4];
    quaternion_multiply(q, pure, t);
    quaternion_multiply(t, back, t);
    memcpy(out, t + 1, 3 * sizeof *out);
}

pose pose_compose(const pose *a, const pose *b)
{
    pose c = { { 0 }, { 0 } };
    pose_apply(a, b->at, c.at);
    quaternion_multiply(a->q, b->q, c.q);
    return c;
}

pose pose_inverse(const pose *p)
{
    pose back = { { 0 }, { p->q[0], -p->q[1], -p->q[2], -p->q[3] } };
    pose_turn(back.q, p->at, back.at);
    for (int i = 0; i < 3; i++) back.at[i] = -back.at[i];
    return back;
}

void pose_apply(const pose *p, const double v[3], double out[3])
{
    pose_turn(p->q, v, out);
    for (int i = 0; i < 3; i++) out[i] += p->at[i];
}

void pose_within(const pose *p, const double v[3], double out[3])
{
    const pose back = pose_inverse(p);
    pose_apply(&back, v, out);
}

void quaternion_about(int axis, double angle, double out[4])
{
    memset(out, 0, 4 * sizeof *out);
    out[0] = taut_math_cos(angle / 2);
    out[axis + 1] = taut_math_sin(angle / 2);
}

static int normalise(double *v, int count)
{
    double square = 0;
    for (int i = 0; i < count; i++) square += v[i] * v[i];
    if (!(square > 0) || !isfinite(square)) return -1;
    for (int i = 0; i < count; i++) v[i] /= sqrt(square);
    return 0;
}

int quaternion_normalise(double q[4]) { return normalise(q, 4); }

int quaternion_about_vector(const double axis[3], double angle, double out[4])
{
    double n[3] = { axis[0], axis[1], axis[2] };
    if (normalise(n, 3)) return -1;
    const double s = taut_math_sin(angle / 2);
    out[0] = taut_math_cos(angle / 2);
    for (int i = 0; i < 3; i++) out[i + 1] = s * n[i];
    return 0;
}

int quaternion_of_z(const double z[3], double out[4])
{
    double n[3] = { z[0], z[1], z[2] };
    if (normalise(n, 3)) return -1;
    if (n[2] < -1 + 1e-14) {
        memcpy(out, (double[4]){ 0, 1, 0, 0 }, 4 * sizeof *out);
        return 0;
    }
    memcpy(out, (double[4]){ 1 + n[2], -n[1], n[0], 0 }, 4 * sizeof *out);
    return normalise(out, 4);
}

int quaternion_of_xy(const double x[3], const double y[3], double out[4])
{
    double a[3] = { x[0], x[1], x[2] }, b[3], c[3];
    if (normalise(a, 3)) return -1;
    const double along = a[0] * y[0] + a[1] * y[1] + a[2] * y[2];
    for (int i = 0; i < 3; i++) b[i] = y[i] - along * a[i];
    if (normalise(b, 3)) return -1;
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    /* the matrix with columns a, b, c: from the largest component of the quaternion on */
    const double m[3][3] = { { a[0], b[0], c[0] }, { a[1], b[1], c[1] }, { a[2], b[2], c[2] } };
    if (m[0][0] + m[1][1] + m[2][2] > 0) {
        out[0] = 1 + m[0][0] + m[1][1] + m[2][2];
        out[1] = m[2][1] - m[1][2], out[2] = m[0][2] - m[2][0], out[3] = m[1][0] - m[0][1];
        return normalise(out, 4);
    }
    int i = m[1][1] > m[0][0] ? 1 : 0;
    if (m[2][2] > m[i][i]) i = 2;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[0] = m[k][j] - m[j][k];
    out[i + 1] = 1 + m[i][i] - m[j][j] - m[k][k];
    out[j + 1] = m[j][i] + m[i][j];
    out[k + 1] = m[k][i] + m[i][k];
    return normalise(out, 4);
}
