/* mujoco_motion FILE T h [NAME=VALUE ...]: the motion of a robot description (MJCF or URDF) by MuJoCo, with inputs of
   actuators that are held: a line for every body with its name and the place of its centre of mass at time T.
   Contacts, limits and dry friction are off; limits are soft there, and models of 'taut import' begin without.
   Equalities are made as stiff as the step allows. */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char error[1000] = "";
    if (argc < 4) return fprintf(stderr, "usage: see the head of %s.c\n", argv[0]), 2;
    const double until = atof(argv[2]), h = atof(argv[3]);
    mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
    if (!m) return fprintf(stderr, "%s\n", error), 1;
    m->opt.integrator = mjINT_RK4;
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_CLAMPCTRL;
    m->opt.tolerance = 0, m->opt.iterations = 200;
    const long steps = (long)(until / h + 0.5);
    m->opt.timestep = until / (double)steps;
    for (int i = 0; i < m->neq; i++) { /* time constant, damping ratio; nearly all of the violation is taken back */
        mjtNum *reference = m->eq_solref + i * mjNREF, *impedance = m->eq_solimp + i * mjNIMP;
        reference[0] = 2 * m->opt.timestep, reference[1] = 1;
        impedance[0] = impedance[1] = 0.9999;
    }
    mjData *d = mj_makeData(m);
    for (int i = 4; i < argc; i++) {
        char *equal = strchr(argv[i], '=');
        int id = -1;
        if (equal) *equal = 0, id = mj_name2id(m, mjOBJ_ACTUATOR, argv[i]);
        if (id < 0) return fprintf(stderr, "no actuator '%s'\n", argv[i]), 2;
        d->ctrl[id] = atof(equal + 1);
    }
    for (long k = 0; k < steps; k++) mj_step(m, d);
    mj_forward(m, d);
    for (int i = 1; i < m->nbody; i++) {
        const char *name = mj_id2name(m, mjOBJ_BODY, i);
        if (m->body_weldid[i] == 0 || m->body_mass[i] == 0) continue;
        if (name) printf("%s", name);
        else printf("body%d", i);
        printf(" %.12g %.12g %.12g\n", d->xipos[3 * i], d->xipos[3 * i + 1], d->xipos[3 * i + 2]);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
