/* peer_ode.c - ODE 0.16.2 (double build), default ERP/CFM. Masses are bodies, bars are DBall (fixed distance) joints.
   Usage: peer_ode j1 step|quick h tend | j2 step|quick h n tend | j3 step|quick h
             | j5 step|quick h n tend
   step: dWorldStep (direct solve); quick: dWorldQuickStep (20 SOR sweeps). */
#include "problem.h"
#include <ode/ode.h>

typedef struct {
    dWorldID world;
    dBodyID *body;
    int n;
} scene;

static scene build(const chain *c)
{
    scene s = { dWorldCreate(), malloc(c->n * sizeof *s.body), c->n };
    dMass m;
    dWorldSetGravity(s.world, 0, 0, -c->g);
    for (int i = 0; i < c->n; i++) {
        const double *q = c->q + 3 * i, *v = c->v + 3 * i;
        dBodyID b = s.body[i] = dBodyCreate(s.world);
        dMassSetSphereTotal(&m, c->m[i], 0.1);
        dBodySetMass(b, &m);
        dBodySetPosition(b, q[0], q[1], q[2]), dBodySetLinearVel(b, v[0], v[1], v[2]);
        dJointID j = dJointCreateDBall(s.world, 0);
        dJointAttach(j, b, i ? s.body[i - 1] : 0);
        dJointSetDBallAnchor1(j, q[0], q[1], q[2]);
        dJointSetDBallAnchor2(j, i ? q[-3] : 0, i ? q[-2] : 0, i ? q[-1] : 0);
        dJointSetDBallDistance(j, c->l[i]);
    }
    return s;
}
static void step(dWorldID w, int quick, double h)
{
    if (quick)
        dWorldQuickStep(w, h);
    else
        dWorldStep(w, h);
}
static void sample(const scene *s, double *q, double *v)
{
    for (int i = 0; i < s->n; i++) {
        memcpy(q + 3 * i, dBodyGetPosition(s->body[i]), 3 * sizeof *q);
        memcpy(v + 3 * i, dBodyGetLinearVel(s->body[i]), 3 * sizeof *v);
    }
}

static void job1(const char *var, double h, double tend)
{
    chain c = chain_dsp();
    int per = (int)fmax(1, rint(0.1 / h)), total = (int)rint(tend / 0.1), quick = !strcmp(var, "quick");
    double q[6], v[6], best = INFINITY;
    monitor mon;
    for (int r = 0; r < reps(); r++) {
        scene s = build(&c);
        monitor_start(&mon, chain_energy(&c, c.q, c.v), total);
        double t0 = now();
        for (int i = 0; i < total; i++) {
            for (int k = 0; k < per; k++) step(s.world, quick, 0.1 / per);
            sample(&s, q, v);
            monitor_chain(&mon, &c, q, v);
        }
        best = fmin(best, now() - t0);
        dWorldDestroy(s.world), free(s.body);
    }
    report_j1("ode", var, 0.1 / per, tend, (double)per * total, best, &mon, q);
}

static void job2(const char *var, double h, int n, double tend)
{
    chain c = chain_horizontal(n);
    long steps = lrint(tend / h);
    double *q = malloc(3 * n * sizeof *q), *v = malloc(3 * n * sizeof *v), best = INFINITY;
    for (int r = 0; r < reps(); r++) {
        scene s = build(&c);
        double t0 = now();
        for (long k = 0; k < steps; k++) step(s.world, !strcmp(var, "quick"), h);
        best = fmin(best, now() - t0);
        sample(&s, q, v);
        dWorldDestroy(s.world), free(s.body);
    }
    report_j2("ode", var, h, n, tend, steps, best, &c, q, v);
}

static void job3(const char *var, double h)
{
    int steps = (int)rint(30 / h);
    double best = INFINITY;
    rb_monitor mon;
    for (int r = 0; r < reps(); r++) {
        dWorldID w = dWorldCreate();
        dBodyID b = dBodyCreate(w);
        dMass m;
        dMassSetParameters(&m, 1, 0, 0, 0, rb_inertia[0], rb_inertia[1], rb_inertia[2], 0, 0, 0);
        dBodySetMass(b, &m), dBodySetAngularVel(b, rb_omega[0], rb_omega[1], rb_omega[2]);
        memset(&mon, 0, sizeof mon);
        double t0 = now();
        for (int k = 0; k < steps; k++) {
            step(w, !strcmp(var, "quick"), h);
            const dReal *a = dBodyGetRotation(b); /* 3x4, row-major */
            double R[9] = { a[0], a[1], a[2], a[4], a[5], a[6], a[8], a[9], a[10] };
            rb_sample(&mon, R, dBodyGetAngularVel(b));
        }
        best = fmin(best, now() - t0);
        dWorldDestroy(w);
    }
    report_j3("ode", var, h, steps, best, &mon);
}

static void job5(const char *var, double h, int n, double tend)
{
    long steps = lrint(tend / h);
    double best = INFINITY, end = 0, c = cos(link_slope), s = sin(link_slope), l = link_size[0];
    dBodyID *body = malloc((size_t)n * sizeof *body);
    for (int r = 0; r < reps(); r++) {
        dWorldID w = dWorldCreate();
        dWorldSetGravity(w, 0, 0, -link_gravity);
        for (int i = 0; i < n; i++) {
            dMass m;
            dMatrix3 turned;
            dBodyID b = body[i] = dBodyCreate(w);
            dMassSetBoxTotal(&m, link_mass, link_size[0], link_size[1], link_size[2]);
            dRFromAxisAndAngle(turned, 0, 1, 0, link_slope);
            dBodySetMass(b, &m), dBodySetRotation(b, turned);
            dBodySetPosition(b, (i + 0.5) * l * c, 0, -(i + 0.5) * l * s);
            dJointID j = dJointCreateHinge(w, 0);
            dJointAttach(j, b, i ? body[i - 1] : 0);
            dJointSetHingeAnchor(j, i * l * c, 0, -i * l * s), dJointSetHingeAxis(j, 0, 1, 0);
        }
        double begun = now();
        for (long k = 0; k < steps; k++) step(w, !strcmp(var, "quick"), h);
        best = fmin(best, now() - begun);
        end = dBodyGetPosition(body[n - 1])[2];
        dWorldDestroy(w);
    }
    free(body);
    report_j5("ode", var, h, n, tend, (double)steps, best, end);
}

int main(int argc, char **argv)
{
    if (argc < 4) return fprintf(stderr, "usage: see the head of %s.c\n", argv[0]), 1;
    dInitODE2(0);
    if (!strcmp(argv[1], "j1"))
        job1(argv[2], atof(argv[3]), atof(argv[4]));
    else if (!strcmp(argv[1], "j2"))
        job2(argv[2], atof(argv[3]), atoi(argv[4]), atof(argv[5]));
    else if (!strcmp(argv[1], "j5"))
        job5(argv[2], atof(argv[3]), atoi(argv[4]), atof(argv[5]));
    else
        job3(argv[2], atof(argv[3]));
    dCloseODE();
}
