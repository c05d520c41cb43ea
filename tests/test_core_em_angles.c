/* Potentials of angles under em: the energy where an angle crosses the cut of atan2. */
#include "support.h"
#include "support_method.h"

static const char *const every[] = { "em", "em:project" };

typedef struct {
    const char *name, *text;
    real h;
    long steps;
} problem;

/* A bead on a circle that goes round in some 2.1 time units: each time another step crosses the cut. */
#define POLAR(potential) \
    "title 'polar' local a = point('a', 2) local phi = atan2(a.y, a.x) lagrangian(norm2(a.dot)/2 - (" potential "))\n" \
    "constraint('c', norm2(a) - 1) start { a = {1, 0}, ['a.dot'] = {0, 3} }"

/* Five atoms on rigid bonds, with the dihedral potentials of molecular dynamics. */
#define MOLECULE(torsion) \
    "title 'molecule' local q = {} for i = 1, 5 do q[i] = point('q' .. i) lagrangian(norm2(q[i].dot)/2) end\n" \
    "for i = 1, 4 do constraint('b' .. i, norm2(q[i + 1] - q[i]) - 1) end\n" \
    "for i = 1, 3 do local u, v = q[i] - q[i + 1], q[i + 2] - q[i + 1]\n" \
    "  lagrangian(-5*(acos(dot(u, v)/(norm(u)*norm(v))) - 1.9)^2) end\n" \
    "for i = 1, 2 do local b1, b2, b3 = q[i + 1] - q[i], q[i + 2] - q[i + 1], q[i + 3] - q[i + 2]\n" \
    "  local n1, n2 = cross(b1, b2), cross(b2, b3) " torsion " end\n" \
    "start { q1 = {0, 0, 0}, q2 = {1, 0, 0}, q3 = {1.3, sqrt(0.91), 0}, q4 = {1.3, sqrt(0.91), 1},\n" \
    "  q5 = {1.9, sqrt(0.91), 1.8}, ['q1.dot'] = {0, 0, 0.5}, ['q5.dot'] = {-0.24, 0.3, 0.18} }"

#define PHI "local phi = atan2(norm(b2)*dot(b1, n2), dot(n1, n2)) "

/* em keeps each of these within 40 units of round-off, as the models of test_core_em_keeps. */
static void energy_over_the_cut(void **unused)
{
    (void)unused;
    static const problem problems[] = {
        { "cos", POLAR("cos(3*phi)"), (real)0.01, 700 },
        { "several waves", POLAR("1 + sin(phi - 0.3) + 0.4*cos(2*phi)^3 + exp(sin(3*phi))/5"), (real)0.013, 700 },
        { "angle and length", POLAR("(norm2(a) + a.x)*sin(2*phi + a.y)"), (real)0.02, 700 },
        { "square, a corner", POLAR("0.3*phi^2 + abs(2*phi)/5"), (real)0.011, 700 },
        { "dihedral", MOLECULE(PHI "lagrangian(-2*(1 + cos(phi - 1)) - 0.5*(1 + sin(2*phi)))"), (real)0.01,
          1000 },
    };
    const long part = SANITIZED || QUAD ? 10 : 1;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int k = 0; k < 2; k++) {
            const problem *p = &problems[i];
            const int molecule = i == 4;
            simulation *z = open_text(p->text);
            engine_follow kept;
            use_method(z, every[k]);
            /* in quad a few crossings: larger steps */
            const real h = p->h * (real)(part > 1 && !molecule ? 4 : 1);
            int status = X(simulation_follow)(z, h, p->steps / part, &kept);
            if (status) fail_msg("%s, %s: %s", p->name, every[k], taut_error_text(z->m->context));
            double energy = (double)(kept.energy.error / kept.energy.scale / REAL_EPSILON);
            printf("%-18s %-10s energy %5.1f units\n", p->name, every[k], energy);
            assert_at_most(energy, 40);
            close_model(z);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_over_the_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
