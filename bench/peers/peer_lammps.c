/* peer_lammps.c - LAMMPS 29 Sep 2021: the pendulum as a 3-atom cluster (pin of mass 1e20), fix nve + fix rattle|shake.
   Usage: peer_lammps j1 rattle|shake h tend [tolerance] | j4 rattle|shake h copies steps [tolerance]
          peer_lammps j3 rigid/nve|rigid h   (four atoms of mass 1/4 at x=+-2, y=+-sqrt 2: inertia diag(1,2,3)) */
#include "problem.h"
#include <lammps/library.h>

static void *build(const chain *c, const char *fix, double h, double tol, int copies)
{
    char *args[] = { "lmp", "-screen", "none", "-log", "none", "-nocite" }, cmd[2000];
    char file[] = P_tmpdir "/lmpXXXXXX";
    FILE *f = fdopen(mkstemp(file), "w");
    fprintf(f, "pendula\n\n%d atoms\n%d bonds\n3 atom types\n2 bond types\n-8 8 xlo xhi\n-8 8 ylo yhi\n-8 8 zlo zhi\n",
            3 * copies, 2 * copies);
    fprintf(f, "\nMasses\n\n1 1e20\n2 %.17g\n3 %.17g\n\nAtoms\n\n", c->m[0], c->m[1]);
    for (int k = 0; k < copies; k++)
        for (int i = 0; i < 3; i++)
            fprintf(f, "%d %d %d %.17g %.17g %.17g\n", 3 * k + i + 1, k + 1, i + 1, i ? c->q[3 * i - 3] : 0,
                    i ? c->q[3 * i - 2] : 0, i ? c->q[3 * i - 1] : 0);
    fprintf(f, "\nVelocities\n\n");
    for (int k = 0; k < copies; k++)
        for (int i = 0; i < 3; i++)
            fprintf(f, "%d %.17g %.17g %.17g\n", 3 * k + i + 1, i ? c->v[3 * i - 3] : 0, i ? c->v[3 * i - 2] : 0,
                    i ? c->v[3 * i - 1] : 0);
    fprintf(f, "\nBonds\n\n");
    for (int k = 0; k < copies; k++)
        for (int i = 0; i < 2; i++) fprintf(f, "%d %d %d %d\n", 2 * k + i + 1, i + 1, 3 * k + i + 1, 3 * k + i + 2);
    fclose(f);
    void *lmp = lammps_open_no_mpi(6, args, NULL);
    snprintf(
        cmd, sizeof cmd,
        "units lj\nboundary f f f\natom_style bond\natom_modify map array sort 0 0\npair_style none\nbond_style "
        "harmonic\n"
        "read_data %s extra/special/per/atom 4\nbond_coeff 1 0 %.17g\nbond_coeff 2 0 %.17g\ncomm_modify cutoff 8\n"
        "neigh_modify every 1000000000 delay 0 check no\ntimestep %.17g\ngroup mobile type 2 3\nfix 1 all nve\n"
        "fix 2 mobile gravity %.17g vector 0 0 -1\nfix 3 all %s %g 100 0 b 1 2\nthermo 1000000000\nrun 0 post no\n",
        file, c->l[0], c->l[1], h, c->g, fix, tol);
    lammps_commands_string(lmp, cmd);
    remove(file);
    return lmp;
}
static void advance(void *lmp, long n, int setup)
{
    char cmd[64];
    snprintf(cmd, sizeof cmd, "run %ld pre %s post no", n, setup ? "yes" : "no");
    lammps_command(lmp, cmd);
}
static void sample(void *lmp, double *q, double *v)
{
    double x[9], u[9];
    lammps_gather_atoms(lmp, "x", 1, 3, x), lammps_gather_atoms(lmp, "v", 1, 3, u);
    memcpy(q, x + 3, 6 * sizeof *q), memcpy(v, u + 3, 6 * sizeof *v);
}

static void job3(const char *fix, double h)
{
    char *args[] = { "lmp", "-screen", "none", "-log", "none", "-nocite" }, cmd[2000];
    int steps = (int)rint(30 / h);
    double best = INFINITY, b = sqrt(2.0);
    rb_monitor mon;
    for (int r = 0; r < reps(); r++) {
        void *lmp = lammps_open_no_mpi(6, args, NULL);
        snprintf(
            cmd, sizeof cmd,
            "units lj\nboundary f f f\natom_modify map array sort 0 0\nregion b block -8 8 -8 8 -8 8\ncreate_box 1 b\n"
            "create_atoms 1 single 2 0 0\ncreate_atoms 1 single -2 0 0\ncreate_atoms 1 single 0 %.17g 0\n"
            "create_atoms 1 single 0 %.17g 0\nmass 1 0.25\npair_style none\ncomm_modify cutoff 8\n"
            "neigh_modify every 1000000000 delay 0 check no\ntimestep %.17g\n",
            b, -b, h);
        lammps_commands_string(lmp, cmd);
        double v0[12] = { 0, 8, -6, 0, -8, 6, -4 * b, 0, 0, 4 * b, 0, 0 }, x[12], v[12]; /* omega x r */
        lammps_scatter_atoms(lmp, "v", 1, 3, v0);
        snprintf(cmd, sizeof cmd, "fix 1 all %s single\nthermo 1000000000\nrun 0 post no\n", fix);
        lammps_commands_string(lmp, cmd);
        memset(&mon, 0, sizeof mon);
        for (int k = 0; k < steps; k++) { /* axes e, their rates, then omega */
            double e[3][3], d[2][3], w[3], c[3] = { 0 }, R[9];
            advance(lmp, 1, k == 0);
            lammps_gather_atoms(lmp, "x", 1, 3, x), lammps_gather_atoms(lmp, "v", 1, 3, v);
            for (int i = 0; i < 3; i++) {
                e[0][i] = (x[i] - x[3 + i]) / 4, e[1][i] = (x[6 + i] - x[9 + i]) / (2 * b);
                d[0][i] = (v[i] - v[3 + i]) / 4, d[1][i] = (v[6 + i] - v[9 + i]) / (2 * b);
            }
            for (int i = 0; i < 3; i++)
                e[2][i] = e[0][(i + 1) % 3] * e[1][(i + 2) % 3] - e[0][(i + 2) % 3] * e[1][(i + 1) % 3];
            for (int i = 0; i < 3; i++) c[0] += d[1][i] * e[2][i], c[1] -= d[0][i] * e[2][i], c[2] += d[0][i] * e[1][i];
            for (int i = 0; i < 3; i++) w[i] = c[0] * e[0][i] + c[1] * e[1][i] + c[2] * e[2][i];
            for (int i = 0; i < 9; i++) R[i] = e[i % 3][i / 3];
            rb_sample(&mon, R, w);
        }
        double t0 = now();
        advance(lmp, steps, 0);
        best = fmin(best, now() - t0);
        lammps_close(lmp);
    }
    report_j3("lammps", fix, h, steps, best, &mon);
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "j3")) return job3(argv[2], atof(argv[3])), 0;
    if (argc < 5) return fprintf(stderr, "usage: see the head of %s.c\n", argv[0]), 1;
    int four = !strcmp(argv[1], "j4");
    double h = atof(argv[3]), best = INFINITY, q[6], v[6], tol = argc > 5 + four ? atof(argv[5 + four]) : 1e-10;
    chain c = chain_dsp();
    if (four) {
        int copies = atoi(argv[4]), steps = atoi(argv[5]);
        void *lmp = build(&c, argv[2], h, tol, copies);
        double t0 = now();
        advance(lmp, steps, 1);
        double t = now() - t0;
        printf("j4 lammps   %-12s copies=%d steps=%d threads=1 s=%.4g ns/pendulum/step=%.4g\n", argv[2], copies, steps,
               t, 1e9 * t / copies / steps);
        return 0;
    }
    double tend = atof(argv[4]);
    int per = (int)fmax(1, rint(0.1 / h)), total = (int)rint(tend / 0.1);
    monitor mon;
    monitor_start(&mon, chain_energy(&c, c.q, c.v), total);
    for (int r = 0; r <= reps(); r++) { /* run 0 samples every 0.1 s and is not timed */
        void *lmp = build(&c, argv[2], 0.1 / per, tol, 1);
        double t0 = now();
        for (int i = 0; !r && i < total; i++) {
            advance(lmp, per, i == 0);
            sample(lmp, q, v);
            monitor_chain(&mon, &c, q, v);
        }
        if (r) advance(lmp, (long)per * total, 1), best = fmin(best, now() - t0);
        lammps_close(lmp);
    }
    report_j1("lammps", argv[2], 0.1 / per, tend, (double)per * total, best, &mon, q);
}
