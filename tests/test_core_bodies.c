/* The models of rigid bodies on joints, with friction, and of the damped catenary: a consistent start, constraints that
   are kept, and what is known of the motion from elsewhere. */
#include <float.h>

#include "support_keeps.h"

static simulation *open_defined(const char *name, const char *parameter, const char *value)
{
    char path[512];
    definition d = { parameter, value, 0 };
    model *m = NULL;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, name);
    int status = taut_model_read_file(context, path, &d, 1, &m);
    return simulation_of(context, status, m);
}

/* The value of a column of the frame. */
static real column(simulation *z, const char *wanted)
{
    char name[128];
    size_t count = X(simulation_column_count)(z);
    real *values = malloc(count * sizeof *values), value = 0;
    assert_non_null(values);
    assert_int_equal(X(simulation_frame)(z, values), TAUT_OK);
    size_t i = 0;
    for (; i < count; i++) {
        X(simulation_column_name)(z, i, name, sizeof name);
        if (strcmp(name, wanted) == 0) break;
    }
    if (i == count) fail_msg("there is no column '%s'", wanted);
    value = values[i];
    free(values);
    return value;
}

/* Bounds as in test_core_rattle_keeps.c. */
static void constraints_are_kept(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double h;
        int symmetries;
        int constraints;
    } problems[] = { { "hinged-plates", 0.01, 3, 7 },
                     { "billiard-ball", 0.001, 0, 2 },
                     { "stewart-platform", 0.005, 0, 7 },
                     { "spatial-four-bar", 0.002, 0, 19 },
                     { "damped-catenary", 0.002, 0, 200 } };
    long steps = QUAD || SANITIZED ? 20 : 1000;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        simulation *z = open_model(problems[i].name);
        assert_int_equal(z->symmetry_count, problems[i].symmetries);
        assert_int_equal(z->s->c, problems[i].constraints);
        kept worst = follow(z, taut_wide_from_double(problems[i].h), steps);
        printf("%-18s in units of round-off: g %.2f  dg/dt %.2f  momenta %.2f\n", problems[i].name,
               (double)worst.position, (double)worst.velocity, (double)worst.momentum);
        assert_at_most(worst.position, 3);
        assert_at_most(worst.velocity, 3);
        assert_at_most(worst.momentum, 2 + 0.2 * sqrt((double)steps));
        close_model(z);
    }
}

/* Largest change of energy less work in `until`, with steps of h. */
static double energy_error(const char *name, double h, double until)
{
    simulation *z = open_model(name);
    real first = X(simulation_energy)(z), worst = 0;
    int has_work = X(simulation_has_work)(z);
    for (long n = lrint(until / h); n > 0; n--) {
        do_steps(z, 1, taut_wide_from_double(h));
        real now = X(simulation_energy)(z) - (has_work ? X(simulation_work)(z) : 0);
        worst = larger(worst, REAL(fabs)(now - first));
    }
    close_model(z);
    return (double)worst;
}

/* Energy, less what the legs do: the error of a method of order 2 is a quarter with half the step. What
   remains of order 4 is about h^2 of it: with h = 1/50 of the fastest period and less, a tenth. */
static void energy_balance_is_of_order_two(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double h, until, most;
    } problems[] = { { "hinged-plates", 0.01, 1, 1e-4 },
                     { "stewart-platform", 0.01, 1, 0.05 },
                     { "spatial-four-bar", 0.002, 0.5, 1e-3 } };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        double until = QUAD || SANITIZED ? problems[i].until / 5 : problems[i].until;
        double whole = energy_error(problems[i].name, problems[i].h, until),
               half = energy_error(problems[i].name, problems[i].h / 2, until);
        printf("%-18s energy - work changes by %.2e, with half the step %.2e: order %.2f\n", problems[i].name, whole,
               half, log2(whole / half));
        assert_at_most(whole, problems[i].most);
        assert_between(log2(whole / half), 1.85, 2.15);
    }
}

/* Turning both plates is a linear map of centres and quaternions, so RATTLE keeps angular momentum to round-off: it is
   some 3 here, a sum of 12 products each of which may be off by an ulp, and steps add up like a random walk. */
static void angular_momentum_of_the_plates(void **unused)
{
    (void)unused;
    static const char *const names[] = { "Lx", "Ly", "Lz" };
    simulation *z = open_model("hinged-plates");
    long steps = QUAD || SANITIZED ? 50 : 2000;
    real first[3], fold = column(z, "fold");
    for (int i = 0; i < 3; i++) first[i] = column(z, names[i]);
    do_steps(z, steps, (real)1 / 100);
    for (int i = 0; i < 3; i++) {
        double change = fabs((double)(column(z, names[i]) - first[i]));
        printf("%s = %.3f changed by %.1e\n", names[i], (double)first[i], change);
        assert_at_most(change, (12 + sqrt((double)steps)) * 3 * (double)REAL_EPSILON);
    }
    assert_true(fabs((double)(column(z, "fold") - fold)) > 0.1); /* and the hinge has moved */
    close_model(z);
}

/* With the legs at rest the plate stands still, and the legs carry its weight: each is as steep as the others, height
   1.2 of a length sqrt(1.2^2 + |(cos 10, sin 10) - 0.6 (cos 50, sin 50)|^2), so a leg pushes with m g length/(6
   height). */
static void legs_carry_the_weight(void **unused)
{
    (void)unused;
    simulation *z = open_defined("stewart-platform", "A", "0");
    const double degree = acos(-1.0) / 180, dx = cos(10 * degree) - 0.6 * cos(50 * degree),
                 dy = sin(10 * degree) - 0.6 * sin(50 * degree), length = sqrt(1.44 + dx * dx + dy * dy);
    do_steps(z, 10, (real)1 / 100);
    for (int i = 1; i <= 6; i++) {
        char name[24];
        snprintf(name, sizeof name, "force%d", i);
        double push = (double)column(z, name);
        assert_between(push / (200 * 9.81 * length / 7.2), 1 - 1e-12, 1 + 1e-12);
    }
    assert_at_most(fabs((double)column(z, "c.z") - 1.2), 1e-14);
    close_model(z);
    z = open_model("stewart-platform");
    do_steps(z, 100, (real)1 / 100); /* half a period: the strokes are at their largest */
    double tilt = (double)column(z, "tilt");
    printf("tilt after half a period: %.4f\n", tilt);
    assert_between(tilt, 0.01, 0.5);
    close_model(z);
}

/* The closure of the linkage: crank pin at 0.1 (cos, sin, 0) of the crank's angle, rocker pin at (0.3 + 0.2 sin a, 0.1,
   0.2 cos a), 0.3 apart. So sin a = (0.05 - X^2 - Y^2)/(0.4 X) with X = 0.3 - 0.1 cos, Y = 0.1 - 0.1 sin. */
static void four_bar_in_space_closes(void **unused)
{
    (void)unused;
    simulation *z = open_model("spatial-four-bar");
    double worst = 0, turned = 0, before = 0;
    long steps = QUAD || SANITIZED ? 30 : 1000;
    for (long n = 0; n <= steps; n++) {
        if (n) do_steps(z, 1, (real)1 / 500);
        double crank = (double)column(z, "crank_angle"), rocker = (double)column(z, "rocker_angle");
        double x = 0.3 - 0.1 * cos(crank), y = 0.1 - 0.1 * sin(crank);
        worst = fmax(worst, fabs(sin(rocker) - (0.05 - x * x - y * y) / (0.4 * x)));
        turned += remainder(crank - before, 2 * acos(-1.0));
        before = crank;
    }
    printf("closure within %.1e; the crank has turned by %.2f\n", worst, turned);
    assert_at_most(worst, 20 * DBL_EPSILON); /* of sums of a few terms below 1, divided by 0.08 at least */
    if (!QUAD && !SANITIZED) assert_true(turned > 4 * acos(-1.0));
    close_model(z);
}

/* Sliding: the direction of slip stays, friction is mu m g against it, and slip falls by 7/2 mu g a second; smoothing
   takes (0.001/slip)^2/2 of the friction, together 1e-7 of the speed and 3.7e-7 of the slip until t = 0.3. Rolling:
   angular momentum about the line of contact is what it was, so v = v0 - 2/7 of the first slip, whatever the law of
   friction. */
static void ball_slides_then_rolls(void **unused)
{
    (void)unused;
    if (QUAD || SANITIZED) skip(); /* as long in time as it takes to roll */
    const double mu_g = 0.2 * 9.81, R = 0.02625, slip_x = 1.5 + 40 * R, slip_y = 60 * R, slip = hypot(slip_x, slip_y);
    simulation *z = open_model("billiard-ball");
    do_steps(z, 300, (real)1 / 1000);
    double vx = (double)column(z, "c.x.dot"), vy = (double)column(z, "c.y.dot");
    printf("sliding: v off by %.1e %.1e, slip by %.1e\n", vx - (1.5 - 0.3 * mu_g * slip_x / slip),
           vy + 0.3 * mu_g * slip_y / slip, (double)column(z, "slip") - (slip - 3.5 * 0.3 * mu_g));
    assert_at_most(fabs(vx - (1.5 - 0.3 * mu_g * slip_x / slip)), 2e-7);
    assert_at_most(fabs(vy + 0.3 * mu_g * slip_y / slip), 2e-7);
    assert_at_most(fabs((double)column(z, "slip") - (slip - 3.5 * 0.3 * mu_g)), 5e-7);
    do_steps(z, 700, (real)1 / 1000);
    vx = (double)column(z, "c.x.dot"), vy = (double)column(z, "c.y.dot");
    printf("rolling: v off by %.1e %.1e, slip %.1e\n", vx - (1.5 - 2 * slip_x / 7), vy + 2 * slip_y / 7,
           (double)column(z, "slip"));
    assert_at_most((double)column(z, "slip"), 1e-12);
    assert_at_most(fabs(vx - (1.5 - 2 * slip_x / 7)), 1e-13);
    assert_at_most(fabs(vy + 2 * slip_y / 7), 1e-13);
    close_model(z);
}

/* At rest the pull of link i is (H, V_i) with the same H for all and V_i = (N/2 - i + 1/2) m g/N; H follows from the
   span, the sag from H. The slowest swing decays like exp(-t). */
static void catenary_comes_to_rest(void **unused)
{
    (void)unused;
    int links = QUAD || SANITIZED ? 10 : 50; /* the fastest wave of it has 2.5 steps a radian */
    char count[16];
    snprintf(count, sizeof count, "%d", links);
    simulation *z = open_defined("damped-catenary", "N", count);
    double low = 0, high = 100, length = 1.5 / links, sag = 0;
    for (int k = 0; k < 200; k++) { /* bisection for H, in units of m g/N */
        double H = (low + high) / 2, span = 0;
        sag = 0;
        for (int i = 1; i <= links; i++) {
            double V = links / 2 - i + 0.5;
            span += length * H / hypot(H, V);
            if (i <= links / 2) sag += length * V / hypot(H, V);
        }
        if (span < 1) low = H;
        else high = H;
    }
    do_steps(z, 400L * links / 2, (real)1 / (5 * links));
    printf("catenary of %d links: sag %.12f, at rest %.12f\n", links, (double)column(z, "sag"), sag);
    assert_at_most(fabs((double)column(z, "sag") - sag), 1e-11);
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_are_kept),           cmocka_unit_test(energy_balance_is_of_order_two),
        cmocka_unit_test(angular_momentum_of_the_plates), cmocka_unit_test(legs_carry_the_weight),
        cmocka_unit_test(four_bar_in_space_closes),       cmocka_unit_test(ball_slides_then_rolls),
        cmocka_unit_test(catenary_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
