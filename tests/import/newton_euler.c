/* newton_euler T: inverse dynamics of the arm of arm.urdf by the recursive scheme of Newton and Euler, in joint angles
   q_i = 0.3 i sin((1 + 0.2 i) t). A line for every joint: the torque about its axis, the force on its link at the joint
   and the torque about it without the part along the axis, in the axes of space. Nothing here is Taut's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double x, y, z;
} vec;
typedef struct {
    double e[3][3];
} mat;

static vec plus(vec a, vec b) { return (vec){ a.x + b.x, a.y + b.y, a.z + b.z }; }
static vec times(double k, vec a) { return (vec){ k * a.x, k * a.y, k * a.z }; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec cross(vec a, vec b) { return (vec){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; }
static vec apply(mat m, vec v)
{
    return (vec){ m.e[0][0] * v.x + m.e[0][1] * v.y + m.e[0][2] * v.z,
                  m.e[1][0] * v.x + m.e[1][1] * v.y + m.e[1][2] * v.z,
                  m.e[2][0] * v.x + m.e[2][1] * v.y + m.e[2][2] * v.z };
}
static mat product(mat a, mat b)
{
    mat c = { { { 0 } } };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) c.e[i][j] += a.e[i][k] * b.e[k][j];
    return c;
}
static mat transposed(mat a)
{
    mat c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c.e[i][j] = a.e[j][i];
    return c;
}
/* Rodrigues' formula. */
static mat about(vec n, double phi)
{
    const double l = sqrt(dot(n, n)), x = n.x / l, y = n.y / l, z = n.z / l, c = cos(phi), s = sin(phi), v = 1 - c;
    return (mat){ { { c + x * x * v, x * y * v - z * s, x * z * v + y * s },
                    { y * x * v + z * s, c + y * y * v, y * z * v - x * s },
                    { z * x * v - y * s, z * y * v + x * s, c + z * z * v } } };
}
static mat roll_pitch_yaw(vec a)
{
    return product(about((vec){ 0, 0, 1 }, a.z), product(about((vec){ 0, 1, 0 }, a.y), about((vec){ 1, 0, 0 }, a.x)));
}

typedef struct {
    vec at, turned;
    double m, I[6]; /* xx yy zz xy xz yz */
} mass;
static const struct {
    vec at, turned, axis;
    mass own;
} links[6] = {
    { { 0, 0, 0.1 }, { 0, 0, 0.2 }, { 0, 0, 1 }, { { 0, 0, 0.1 }, { 0, 0, 0 }, 8, { 0.05, 0.06, 0.03, 0, 0, 0 } } },
    { { 0.05, 0, 0.2 }, { 0.3, 0, 0 }, { 0, 1, 0 },
      { { 0, 0.01, 0.2 }, { 0.1, 0.2, 0.3 }, 6, { 0.08, 0.09, 0.02, 0.005, -0.004, 0.003 } } },
    { { 0, 0.02, 0.4 }, { 0, -0.4, 0.1 }, { 0, 1, 0 },
      { { 0.01, 0, 0.15 }, { 0, 0.3, 0 }, 4, { 0.03, 0.035, 0.01, 0, 0.002, 0 } } },
    { { 0.02, 0, 0.3 }, { 0, 0.5, 0 }, { 0, 0, 1 },
      { { 0, 0, 0.07 }, { 0, 0, 0 }, 1.5, { 0.004, 0.004, 0.002, 0, 0, 0 } } },
    { { 0, 0, 0.15 }, { 0.2, 0.1, -0.3 }, { 0, 1, 1 },
      { { 0, 0.01, 0.05 }, { 0, 0, 0.5 }, 1, { 0.002, 0.003, 0.0025, 0, 0, 0 } } },
    { { 0, 0, 0.1 }, { 0, 0, 1 }, { 0, 0, -1 },
      { { 0, 0, 0.03 }, { 0, 0, 0 }, 0.5, { 0.001, 0.001, 0.0008, 0, 0, 0 } } },
};
/* The fingers, closed and at rest in the hand; the tool is turned by 90 degrees about y, which leaves y and these
   moments as they are. */
static const mass fingers[2] = { { { 0, 0.02, 0.08 }, { 0, 0, 0 }, 0.05, { 1e-5, 1e-5, 1e-5, 0, 0, 0 } },
                                 { { 0, -0.02, 0.08 }, { 0, 0, 0 }, 0.05, { 1e-5, 1e-5, 1e-5, 0, 0, 0 } } };

typedef struct {
    mat R;
    vec at, axis, w, alpha, acceleration, force, torque;
} state;

/* Adds what accelerates a mass that is fixed in a link, its weight included, about the origin of the link. */
static void add(state *s, const mass *b)
{
    const mat Q = product(s->R, roll_pitch_yaw(b->turned));
    const mat I = { { { b->I[0], b->I[3], b->I[4] }, { b->I[3], b->I[1], b->I[5] }, { b->I[4], b->I[5], b->I[2] } } };
    const mat J = product(Q, product(I, transposed(Q)));
    const vec r = apply(s->R, b->at);
    const vec a = plus(s->acceleration, plus(cross(s->alpha, r), cross(s->w, cross(s->w, r))));
    const vec f = times(b->m, plus(a, (vec){ 0, 0, 9.81 }));
    const vec n = plus(apply(J, s->alpha), cross(s->w, apply(J, s->w)));
    s->force = plus(s->force, f);
    s->torque = plus(s->torque, plus(n, cross(r, f)));
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    const double t = atof(argv[1]);
    state s[6], before = { .R = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    for (int i = 0; i < 6; i++) {
        const double a = 0.3 * (i + 1), nu = 1 + 0.2 * (i + 1), q = a * sin(nu * t);
        const double v = a * nu * cos(nu * t), u = -nu * nu * q;
        const state *p = i ? &s[i - 1] : &before;
        const vec r = apply(p->R, links[i].at);
        state *l = &s[i];
        *l = (state){ .at = plus(p->at, r) };
        l->R = product(product(p->R, roll_pitch_yaw(links[i].turned)), about(links[i].axis, q));
        l->axis = times(1 / sqrt(dot(links[i].axis, links[i].axis)), apply(l->R, links[i].axis));
        l->w = plus(p->w, times(v, l->axis));
        l->alpha = plus(p->alpha, plus(times(u, l->axis), cross(p->w, times(v, l->axis))));
        l->acceleration = plus(p->acceleration, plus(cross(p->alpha, r), cross(p->w, cross(p->w, r))));
        add(l, &links[i].own);
        for (int k = 0; k < 2 && i == 5; k++) add(l, &fingers[k]);
    }
    for (int i = 4; i >= 0; i--) {
        const vec r = plus(s[i + 1].at, times(-1, s[i].at));
        s[i].force = plus(s[i].force, s[i + 1].force);
        s[i].torque = plus(s[i].torque, plus(s[i + 1].torque, cross(r, s[i + 1].force)));
    }
    for (int i = 0; i < 6; i++) {
        const double motor = dot(s[i].torque, s[i].axis);
        const vec f = s[i].force, n = plus(s[i].torque, times(-motor, s[i].axis));
        printf("%.15g %.15g %.15g %.15g %.15g %.15g %.15g\n", motor, f.x, f.y, f.z, n.x, n.y, n.z);
    }
    return 0;
}
