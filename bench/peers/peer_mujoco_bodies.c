/* peer_mujoco_bodies.c - J5 in MuJoCo: n boxes on hinges (models/hinged-chain.lua), or the robot of a file.
   Contacts, limits and dry friction are off, as in models of `taut import`. At most 80 boxes: MuJoCo reads no deeper
   nesting of elements than about 100.
   Usage: peer_mujoco_bodies N|FILE.xml Euler|RK4|implicit h tend */
#include "problem.h"

#include <mujoco/mujoco.h>
#include <unistd.h>

static void quiet(const char *text) { (void)text; } /* instead of a file MUJOCO_LOG.TXT in the current folder */

static mjModel *chain_model(int n)
{
    char path[] = P_tmpdir "/chainXXXXXX", error[1000];
    int file = mkstemp(path);
    FILE *f = file < 0 ? NULL : fdopen(file, "w");
    if (!f) return perror(path), NULL;
    fprintf(f, "<mujoco><worldbody>\n");
    for (int i = 0; i < n; i++)
        fprintf(f, "<body pos='%g 0 0' %s><joint type='hinge' axis='0 1 0'/>"
                   "<geom type='box' size='0.025 0.05 0.005' pos='0.025 0 0' mass='0.1'/>\n",
                i ? 0.05 : 0.0, i ? "" : "euler='0 17.188733853924695 0'");
    for (int i = 0; i < n; i++) fprintf(f, "</body>");
    fprintf(f, "</worldbody></mujoco>\n");
    fclose(f);
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    unlink(path);
    if (!m) fprintf(stderr, "%s\n", error);
    return m;
}

int main(int argc, char **argv)
{
    if (argc < 5) return fprintf(stderr, "usage: %s N|FILE.xml Euler|RK4|implicit h tend\n", argv[0]), 2;
    char error[1000] = "";
    int n = atoi(argv[1]);
    mju_user_warning = quiet;
    mjModel *m = n > 0 ? chain_model(n) : mj_loadXML(argv[1], NULL, error, sizeof error);
    if (!m) return fprintf(stderr, "%s\n", error), 1;
    double h = atof(argv[3]), tend = atof(argv[4]), best = INFINITY;
    long steps = lrint(tend / h);
    m->opt.timestep = h;
    m->opt.integrator = !strcmp(argv[2], "RK4") ? mjINT_RK4 : !strcmp(argv[2], "Euler") ? mjINT_EULER : mjINT_IMPLICIT;
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
    mjData *d = mj_makeData(m);
    for (int rep = 0; rep < reps(); rep++) {
        mj_resetData(m, d);
        double begun = now();
        for (long i = 0; i < steps; i++) mj_step(m, d);
        best = fmin(best, now() - begun);
    }
    mj_kinematics(m, d), mj_comPos(m, d);
    int bodies = m->nbody - 1;
    report_j5("mujoco", argv[2], h, bodies, tend, (double)steps, best, d->xipos[3 * bodies + 2]);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
