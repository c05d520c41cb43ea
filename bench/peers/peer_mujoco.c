/* peer_mujoco.c - MuJoCo 2.2.2, minimal coordinates: ball joints, point masses with a tiny isotropic inertia.
   Usage: peer_mujoco j1 VARIANT h tend | j2 VARIANT h n tend | j3 VARIANT h
          peer_mujoco j4 VARIANT h copies steps   (independent J1 copies, one mjData each)
   VARIANT: euler|rk4|implicit on ball joints; rk4-hinge: two hinges per joint (order 4, but can turn singular) */
#include "problem.h"
#include <mujoco/mujoco.h>

enum { CHUNK = 80 }; /* bodies per file: the XML reader allows fewer than 100 nested elements */

static mjVFS vfs;
static mjModel *load(char *text[], int files, const char *integrator)
{
    char err[1000] = "", name[32];
    mj_defaultVFS(&vfs);
    for (int i = 0; i < files; i++) {
        int size = (int)strlen(text[i]);
        snprintf(name, sizeof name, "f%d.xml", i);
        if (mj_makeEmptyFileVFS(&vfs, name, size)) fprintf(stderr, "vfs full\n"), exit(1);
        memcpy(vfs.filedata[mj_findFileVFS(&vfs, name)], text[i], size);
    }
    mjModel *m = mj_loadXML("f0.xml", &vfs, err, sizeof err);
    if (!m) fprintf(stderr, "%s\n", err), exit(1);
    m->opt.integrator = !strncmp(integrator, "rk4", 3)    ? mjINT_RK4
                        : !strcmp(integrator, "implicit") ? mjINT_IMPLICIT
                                                          : mjINT_EULER;
    mj_deleteVFS(&vfs);
    return m;
}

/* Two unit axes perpendicular to r and to each other. */
static void axes(const double r[3], double e1[3], double e2[3])
{
    double up[3] = { 0, 0, 1 };
    mju_cross(e1, r, up), mju_normalize3(e1), mju_cross(e2, r, e1), mju_normalize3(e2);
}

/* Body i hangs from body i-1 at its mass, all frames parallel to the world at t=0. */
static mjModel *chain_model(const chain *c, const char *integrator, int hinge)
{
    int files = (c->n + CHUNK - 1) / CHUNK;
    double eps = hinge ? 1e-12 : 1e-9; /* a point mass may not have zero inertia */
    char **text = malloc(files * sizeof *text);
    for (int f = 0; f < files; f++) {
        char *p = text[f] = malloc(600 * CHUNK + 1000);
        int end = f + 1 == files ? c->n : (f + 1) * CHUNK;
        p += sprintf(p,
                     f ? "<mujocoinclude>"
                       : "<mujoco><compiler boundmass='0' boundinertia='0'/>"
                         "<option gravity='0 0 %.17g'><flag contact='disable'/></option><size nstack='%d'/><worldbody>",
                     -c->g, c->n > 500 ? 400000000 : 4000000);
        for (int i = f * CHUNK; i < end; i++) {
            const double *q = c->q + 3 * i, z[3] = { 0 }, *a = i ? q - 3 : z, *b = i > 1 ? q - 6 : z;
            double r[3] = { q[0] - a[0], q[1] - a[1], q[2] - a[2] }, e1[3], e2[3];
            axes(r, e1, e2);
            p += sprintf(p, "<body pos='%.17g %.17g %.17g'>", a[0] - b[0], a[1] - b[1], a[2] - b[2]);
            if (hinge)
                p += sprintf(
                    p, "<joint type='hinge' axis='%.17g %.17g %.17g'/><joint type='hinge' axis='%.17g %.17g %.17g'/>",
                    e1[0], e1[1], e1[2], e2[0], e2[1], e2[2]);
            else
                p += sprintf(p, "<joint type='ball'/>");
            p += sprintf(p, "<inertial pos='%.17g %.17g %.17g' mass='%.17g' diaginertia='%g %g %g'/>", r[0], r[1], r[2],
                         c->m[i], eps, eps, eps);
        }
        if (f + 1 < files) p += sprintf(p, "<include file='f%d.xml'/>", f + 1);
        for (int i = f * CHUNK; i < end; i++) p += sprintf(p, "</body>");
        sprintf(p, f ? "</mujocoinclude>" : "</worldbody></mujoco>");
    }
    mjModel *m = load(text, files, integrator);
    for (int f = 0; f < files; f++) free(text[f]);
    free(text);
    return m;
}

/* qvel of a ball joint: relative angular velocity in the child frame (= world frame at t=0). */
static void start(const chain *c, const mjModel *m, mjData *d, int hinge)
{
    double wp[3] = { 0 };
    mj_resetData(m, d);
    for (int i = 0; i < c->n; i++) {
        double r[3], u[3], w[3];
        for (int k = 0; k < 3; k++) {
            r[k] = c->q[3 * i + k] - (i ? c->q[3 * i + k - 3] : 0);
            u[k] = c->v[3 * i + k] - (i ? c->v[3 * i + k - 3] : 0);
        }
        mju_cross(w, r, u);
        mju_scl3(w, w, 1 / mju_dot3(r, r));
        mju_sub3(w, w, wp); /* relative to the parent */
        if (hinge) {
            double e1[3], e2[3];
            axes(r, e1, e2);
            d->qvel[2 * i] = mju_dot3(w, e1), d->qvel[2 * i + 1] = mju_dot3(w, e2);
            for (int k = 0; k < 3; k++) w[k] = d->qvel[2 * i] * e1[k] + d->qvel[2 * i + 1] * e2[k];
        } else
            mju_copy3(d->qvel + 3 * i, w);
        mju_addTo3(wp, w);
    }
}
static void sample(const chain *c, const mjModel *m, mjData *d, double *q, double *v)
{
    mj_kinematics(m, d), mj_comPos(m, d), mj_comVel(m, d);
    for (int i = 0; i < c->n; i++) {
        double s[6];
        mj_objectVelocity(m, d, mjOBJ_BODY, i + 1, s, 0);
        mju_copy3(q + 3 * i, d->xipos + 3 * (i + 1)), mju_copy3(v + 3 * i, s + 3);
    }
}

static void job1(const char *var, double h, double tend)
{
    chain c = chain_dsp();
    int hinge = strstr(var, "hinge") != NULL;
    mjModel *m = chain_model(&c, var, hinge);
    mjData *d = mj_makeData(m);
    int per = (int)fmax(1, rint(0.1 / h)), total = (int)rint(tend / 0.1);
    double q[6], v[6], best = INFINITY;
    monitor mon;
    m->opt.timestep = 0.1 / per;
    for (int r = 0; r < reps(); r++) {
        start(&c, m, d, hinge);
        monitor_start(&mon, chain_energy(&c, c.q, c.v), total);
        double t0 = now();
        for (int i = 0; i < total; i++) {
            for (int k = 0; k < per; k++) mj_step(m, d);
            sample(&c, m, d, q, v);
            monitor_chain(&mon, &c, q, v);
        }
        best = fmin(best, now() - t0);
    }
    report_j1("mujoco", var, 0.1 / per, tend, (double)per * total, best, &mon, q);
}

static void job2(const char *var, double h, int n, double tend)
{
    chain c = chain_horizontal(n);
    int hinge = strstr(var, "hinge") != NULL;
    mjModel *m = chain_model(&c, var, hinge);
    mjData *d = mj_makeData(m);
    long steps = lrint(tend / h);
    double *q = malloc(3 * n * sizeof *q), *v = malloc(3 * n * sizeof *v), best = INFINITY;
    m->opt.timestep = h;
    for (int r = 0; r < reps(); r++) {
        start(&c, m, d, hinge);
        double t0 = now();
        for (long k = 0; k < steps; k++) mj_step(m, d);
        best = fmin(best, now() - t0);
        sample(&c, m, d, q, v);
    }
    report_j2("mujoco", var, h, n, tend, steps, best, &c, q, v);
}

static void job3(const char *var, double h)
{
    char *text = "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>"
                 "<inertial pos='0 0 0' mass='1' diaginertia='1 2 3'/></body></worldbody></mujoco>";
    mjModel *m = load(&text, 1, var);
    mjData *d = mj_makeData(m);
    double best = INFINITY, R[9], w[3];
    int steps = (int)rint(30 / h);
    rb_monitor mon;
    m->opt.timestep = h;
    for (int r = 0; r < reps(); r++) {
        mj_resetData(m, d);
        memset(&mon, 0, sizeof mon);
        mju_copy3(d->qvel + 3, rb_omega);
        double t0 = now();
        for (int k = 0; k < steps; k++) {
            mj_step(m, d);
            mju_quat2Mat(R, d->qpos + 3);
            mju_rotVecMat(w, d->qvel + 3, R);
            rb_sample(&mon, R, w);
        }
        best = fmin(best, now() - t0);
    }
    report_j3("mujoco", var, h, steps, best, &mon);
}

static void job4(const char *var, double h, int copies, int steps)
{
    chain c = chain_dsp();
    int hinge = strstr(var, "hinge") != NULL;
    mjModel *m = chain_model(&c, var, hinge);
    mjData **d = malloc(copies * sizeof *d);
    m->opt.timestep = h;
    for (int i = 0; i < copies; i++) d[i] = mj_makeData(m), start(&c, m, d[i], hinge);
    double t0 = now();
    for (int i = 0; i < copies; i++)
        for (int k = 0; k < steps; k++) mj_step(m, d[i]);
    double t = now() - t0;
    printf("j4 mujoco   %-12s copies=%d steps=%d threads=1 s=%.4g ns/pendulum/step=%.4g\n", var, copies, steps, t,
           1e9 * t / copies / steps);
}

int main(int argc, char **argv)
{
    if (argc < 4) return fprintf(stderr, "usage: see the head of %s.c\n", argv[0]), 1;
    const char *job = argv[1], *var = argv[2];
    double h = atof(argv[3]);
    if (!strcmp(job, "j1"))
        job1(var, h, atof(argv[4]));
    else if (!strcmp(job, "j2"))
        job2(var, h, atoi(argv[4]), atof(argv[5]));
    else if (!strcmp(job, "j3"))
        job3(var, h);
    else
        job4(var, h, atoi(argv[4]), atoi(argv[5]));
}
