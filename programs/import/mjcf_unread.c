/* MJCF: what nobody has asked for, and what of it makes no difference. */
#include "import/mjcf.h"
#include "import/unread.h"

enum { OF_CONTACTS, OF_SOLVER, OF_LOOKS, OF_NOBODY };

static const char *const reasons[] = {
    [OF_CONTACTS] = "since nothing touches (write contact(...) for what should)",
    [OF_SOLVER] = "settings of MuJoCo's solver and the softness of its constraints",
    [OF_LOOKS] = "names, looks and files",
    [OF_NOBODY] = "defaults that no element has",
};

#define SOFTNESS "solref solimp solreflimit solimplimit solreffriction solimpfriction margin gap torquescale"

static const unread_known known[] = {
    { "*", "name user", OF_LOOKS, NULL },
    { "geom", "contype conaffinity condim priority friction solmix solref solimp margin gap", OF_CONTACTS, NULL },
    { "pair exclude", NULL, OF_CONTACTS, NULL },
    { "flag", "contact filterparent nativeccd multiccd midphase", OF_CONTACTS, NULL },
    { "option", "collision o_margin o_solref o_solimp o_friction ccd_iterations ccd_tolerance sdf_iterations "
                "sdf_initpoints mpr_iterations mpr_tolerance", OF_CONTACTS, NULL },
    { "joint connect weld flex fixed spatial tendon", SOFTNESS, OF_SOLVER, NULL },
    { "option", "timestep integrator cone jacobian solver iterations tolerance ls_iterations ls_tolerance "
                "noslip_iterations noslip_tolerance impratio apirate", OF_SOLVER, NULL },
    { "flag", "override energy fwdinv invdiscrete sensor warmstart refsafe eulerdamp autoreset island", OF_SOLVER,
      NULL },
    { "geom", "rgba material mesh hfield fitscale type size pos quat axisangle xyaxes zaxis euler fromto", OF_LOOKS,
      NULL },
    { "site", "rgba material size type group", OF_LOOKS, NULL },
    { "fixed spatial", "rgba material width group", OF_LOOKS, NULL },
    { "joint freejoint general motor position velocity damper intvelocity cylinder muscle adhesion", "group", OF_LOOKS,
      NULL },
    { "freejoint", "align", OF_LOOKS, NULL },
    { "compiler", "meshdir texturedir assetdir strippath discardvisual convexhull usethread", OF_LOOKS, NULL },
    { "asset visual statistic size custom camera light material texture mesh skin", NULL, OF_LOOKS, NULL },
    { "*", NULL, OF_NOBODY, "default" },
};

void mjcf_write_unread(mjcf_model *m, FILE *f)
{
    if (taut_unread_write(f, m->root, known, sizeof known / sizeof *known, reasons, &m->left_out) && !m->code)
        m->code = taut_fail(m->context, TAUT_OUT_OF_MEMORY, "out of memory");
}
