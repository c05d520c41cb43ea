/* Structures of many bodies that carry each other: an arch of voussoirs, a ladder at its limit, dominoes. Against
 * closed forms and the limit theorem of plasticity. */
#include "support_cones.h"

static const real g = (real)981 / 100;

/* So many ulps. In quad the matrices are those of double, and decimals are of long double. */
#define LEFT(x) (QUAD ? (real)1e-15 : ROUND(x))

static int is_long(void) { return getenv("TAUT_TEST_LONG") != NULL; }

static const mode_set *forces_of(simulation *z) { return forces_inside_cones(z, LEFT(1000) * g); }

/* ---- the arch ---- */

/* By how much a line of thrust with horizontal thrust H fits into a symmetric arch of weight 1 and middle radius 1: at
   each joint, with normal force N, the moment about the centre is between inner N and outer N; what is free is one
   moment. Negative: it does not fit. */
static double thrust_fits(int n, double thickness, double H)
{
    double inner = 1 - thickness / 2, outer = 1 + thickness / 2, half = (double)WIDE_PI / (2 * n), moment = 0;
    double centre = 2 * (outer * outer * outer - inner * inner * inner) / (outer * outer - inner * inner) / 3 *
                  sin(half) / half;
    double least = -1000, most = 1000;
    for (int j = 0; j <= n; j++) {
        double angle = (double)WIDE_PI - 2 * j * half;
        double normal = sin(angle) * H - cos(angle) * ((double)1 / 2 - (double)j / n);
        least = fmax(least, -outer * normal - moment);
        most = fmin(most, -inner * normal - moment);
        moment -= centre * cos(angle - half) / n;
    }
    return most - least;
}

/* The thrust that fits best: the function is concave. */
static double best_thrust(int n, double thickness)
{
    double low = 0, high = 2;
    for (int k = 0; k < 300; k++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (thrust_fits(n, thickness, a) < thrust_fits(n, thickness, b)) low = a;
        else high = b;
    }
    return (low + high) / 2;
}

/* The thickness below which no line of thrust fits. */
static double least_thickness(int n)
{
    double low = (double)1 / 50, high = (double)3 / 10;
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        if (thrust_fits(n, middle, best_thrust(n, middle)) < 0) low = middle;
        else high = middle;
    }
    return high;
}

static simulation *open_arch(int n, real thickness, const char *method)
{
    char count[20], thick[60];
    snprintf(count, sizeof count, "%d", n);
    snprintf(thick, sizeof thick, "%.17g", (double)thickness);
    const char *const settings[] = { "n", count, "thickness", thick, NULL };
    return open_contact("arch", NULL, method, 0, settings);
}

/* It stands, does not creep, presses on its abutments with its weight, and its thrust is one that the theory allows. */
static void arch_stands(void **state)
{
    (void)state;
    static const int sizes[] = { 7, 15, 25, 51 };
    for (int k = 0; k < (QUAD ? 1 : SANITIZED ? 2 : 4); k++) {
        int n = sizes[k];
        simulation *z = open_arch(n, (real)0.15L, "rattle");
        record *r = listen(z);
        real *begin = calloc(z->s->n, sizeof *begin);
        memcpy(begin, z->x.q, z->s->n * sizeof *begin);
        do_steps(z, QUAD ? 3 : is_long() ? 100000 / n : 300, (real)1 / 100);
        assert_int_equal(r->count, 0);
        assert_at_most(distance(begin, z->x.q, z->s->n), LEFT(1000));
        const mode_set *set = forces_of(z);
        real weight = 0, thrust = 0;
        double low = 0, high = 2, best = best_thrust(n, 0.15);
        for (int i = 0; i < 2; i++) { /* the left abutment, then the right one */
            const real *a = set->lambda + set->first[i], *b = set->lambda + set->first[2 * n + i];
            weight += a[0] + b[0];
            thrust += a[1];
        }
        assert_at_most(REAL(fabs)(weight - g), LEFT(100000));
        for (double out = 0, in = best; in - out > 1e-6; low = in) /* the least and the greatest thrust */
            *(thrust_fits(n, 0.15, (in + out) / 2) < 0 ? &out : &in) = (in + out) / 2;
        for (double out = 2, in = best; out - in > 1e-6; high = in)
            *(thrust_fits(n, 0.15, (in + out) / 2) < 0 ? &out : &in) = (in + out) / 2;
        assert_between(thrust / g, (real)(low - 1e-5), (real)(high + 1e-5));
        free(begin);
        free(r);
        close_model(z);
    }
}

/* The least thickness of a semicircular arch of very many voussoirs is 0.1075 (Milankovitch 1907). With 24 the hinges
   must be at joints: a little less, and on both sides of that it stands, or falls with five hinges: at the springings,
   at the haunches and at the crown. */
static void least_arch(void **state)
{
    (void)state;
    assert_at_most(fabs(least_thickness(400) - 0.1075), 5e-5);
    int n = QUAD ? 4 : SANITIZED ? 8 : 24;
    real limit = (real)least_thickness(n);
    for (int stands = 0; stands < 2; stands++) {
        simulation *z = open_arch(n, limit * (1 + (stands ? 1 : -1) * (real)1e-7), "rattle");
        do_steps(z, 5, (real)1 / 100);
        int open = 0;
        for (size_t i = 0; i < z->hybrid->count; i++) open += contact_mode_of(&z->x, i) == MODE_OPEN;
        if (stands) assert_at_most(largest_of(z->x.w, z->s->n), LEFT(10000));
        else assert_true(largest_of(z->x.w, z->s->n) > (real)1e-10);
        assert_int_equal(open, stands ? 0 : 5);
        close_model(z);
    }
}

/* A thin one falls from rest; under em no energy is made. */
static void thin_arch_falls(void **state)
{
    (void)state;
    int n = QUAD ? 4 : 8, crown = 3 * (n / 2 - 1) + 1;
    simulation *z = open_arch(n, (real)5 / 100, "em");
    real high = z->x.q[crown];
    for (int k = 0; k < (QUAD ? 5 : 20); k++) {
        real before = X(simulation_energy)(z);
        do_steps(z, 1, (real)1 / 100);
        assert_at_most(X(simulation_energy)(z) - before, LEFT(1000));
    }
    assert_true(z->x.q[crown] < high - (real)1e-4);
    close_model(z);
}

/* ---- the pyramid ---- */

/* 55 boxes on 200 contacts: they do not move, and the floor carries all of them. */
static void full_pyramid_stands(void **state)
{
    (void)state;
    const char *const settings[] = { "rows", QUAD ? "3" : "10", NULL };
    int rows = QUAD ? 3 : 10;
    simulation *z = open_contact("pyramid", NULL, "rattle", 0, settings);
    real begin[165], sum = 0;
    memcpy(begin, z->x.q, z->s->n * sizeof(real));
    do_steps(z, QUAD || SANITIZED ? 2 : 100, (real)1 / 100);
    const mode_set *set = forces_of(z);
    for (int i = 0; i < 2 * rows; i++) sum += set->lambda[set->first[i]];
    assert_at_most(REAL(fabs)(sum - g * rows * (rows + 1) / 2), LEFT(100000));
    assert_at_most(distance(begin, z->x.q, z->s->n), LEFT(100));
    close_model(z);
}

/* ---- the ladder ---- */

/* On a floor and a wall with the same friction it stays from the angle with tan = (1 - mu^2)/(2 mu) on. */
static void ladder_at_its_limit(void **state)
{
    (void)state;
    static const char text[] =
        "local m, L, a, mu = 10, 4, param('a', 1), param('mu', 0.4); local c, th = point('c', 2), coordinate 'th'\n"
        "lagrangian(m/2*norm2(c.dot) + m*L^2/24*th.dot^2 - m*9.81*c.y)\n"
        "contact('floor', c.y - L/2*sin(th), {friction = mu, slide = c.x - L/2*cos(th)})\n"
        "contact('wall', L*cos(a) - c.x - L/2*cos(th), {friction = mu, slide = c.y + L/2*sin(th)})\n"
        "start { c = {L/2*cos(a), L/2*sin(a)}, th = a }";
    static const char *const frictions[] = { "0.2", "0.4", "0.7" };
    static const long double numbers[] = { 0.2L, 0.4L, 0.7L };
    for (int k = 0; k < 6; k++) {
        real mu = (real)numbers[k / 2], limit = REAL(atan)((1 - mu * mu) / (2 * mu));
        int stays = k % 2;
        char angle[60];
        snprintf(angle, sizeof angle, "%.17g", (double)(limit + (stays ? 1 : -1) * (real)1e-9));
        const char *const settings[] = { "mu", frictions[k / 2], "a", angle, NULL };
        simulation *z = open_contact(NULL, text, "rattle", 0, settings);
        do_steps(z, 50, (real)1 / 100);
        if (stays) assert_at_most(largest_of(z->x.w, 3), LEFT(1000));
        else assert_true(z->x.w[2] < -(real)1e-11);
        if (stays) forces_of(z);
        close_model(z);
    }
}

/* ---- a heap of three cylinders ---- */

/* Two on the floor that touch, and one on top of them. Those below are in balance with forces of equal size along the
   floor and at the upper contact, which are at the angle of 15 degrees: friction of tan 15 = 2 - sqrt(3) is needed
   between them, and a third of that on the floor, which carries three halves of a weight for half a one above. */
static void three_cylinders(void **state)
{
    (void)state;
    static const char text[] =
        "local R, mu, rub = 0.1, param('mu', 1), param('rub', 1); local at, begin = {}, {}\n"
        "for i, x in ipairs{-R, R, 0} do\n"
        "  local c, phi = point('b' .. i, 2), coordinate('t' .. i)\n"
        "  lagrangian(norm2(c.dot)/2 + R^2/4*phi.dot^2 - 9.81*c.y)\n"
        "  at[i], begin[c], begin[phi] = {c = c, phi = phi}, {x, i < 3 and R or R + sqrt(3)*R}, 0\n"
        "end\n"
        "local function touch(name, a, b)\n" /* the line of centres turns by half of what rolling without slip would */
        "  local d = b.c - a.c\n"
        "  contact(name, norm(d) - 2*R, {friction = rub, slide = 2*R*atan2(d.x, d.y) + R*a.phi + R*b.phi})\n"
        "end\n"
        "for i = 1, 2 do\n"
        "  local c = at[i].c\n"
        "  contact('floor' .. i, c.y - R, {friction = mu, body = {c, at[i].phi, at = c - vector{0, R}}})\n"
        "  touch('on' .. i, at[i], at[3])\n"
        "end\n"
        "touch('side', at[1], at[2]); start(begin)\n";
    real limit = 2 - REAL(sqrt)(3);
    for (int k = 0; k < 3; k++) { /* it stands; slips on the floor; slips above */
        char mu[60], rub[60];
        snprintf(mu, sizeof mu, "%.17g", (double)(limit / 3 * (1 + (k == 1 ? -1 : 1) * (real)1e-9)));
        snprintf(rub, sizeof rub, "%.17g", (double)(limit * (1 + (k == 2 ? -1 : 1) * (real)1e-9)));
        const char *const settings[] = { "mu", mu, "rub", rub, NULL };
        simulation *z = open_contact(NULL, text, "rattle", 0, settings);
        do_steps(z, QUAD ? 5 : 50, (real)1 / 100);
        if (k) assert_true(largest_of(z->x.w, 9) > (real)1e-11);
        else assert_at_most(largest_of(z->x.w, 9), LEFT(1000));
        if (!k) {
            const mode_set *set = forces_of(z);
            real sum = set->lambda[set->first[0]] + set->lambda[set->first[2]];
            assert_at_most(REAL(fabs)(sum - 3 * g), LEFT(1000) * g);
        }
        close_model(z);
    }
}

/* ---- a brick wall ---- */

/* Bricks in running bond that touch on all sides: the floor carries them, and they do not move. Pushed, the row at the
   top slides as one from mu times its weight on. */
static void brick_wall(void **state)
{
    (void)state;
    static const char text[] =
        "local rows, columns, mu, push = 3, 3, 0.6, param('push', 0)\n"
        "local a, b = 0.25, 0.1; local wall, begin = {}, {}\n"
        "local function corner(d, x, y)\n"
        "  return d.c.x + x*cos(d.phi) - y*sin(d.phi), d.c.y + x*sin(d.phi) + y*cos(d.phi)\n"
        "end\n"
        "local function seen(d, x, y)\n"
        "  x, y = x - d.c.x, y - d.c.y; return cos(d.phi)*x + sin(d.phi)*y, cos(d.phi)*y - sin(d.phi)*x\n"
        "end\n"
        "local function touch(name, gap, slide) contact(name, gap, {friction = mu, slide = slide}) end\n"
        "for r = 1, rows do wall[r] = {}; for k = 1, columns do\n"
        "  local c, phi = point('c' .. r .. k, 2), coordinate('t' .. r .. k)\n"
        "  lagrangian(norm2(c.dot)/2 + (a^2 + b^2)/6*phi.dot^2 - 9.81*c.y)\n"
        "  begin[c], begin[phi] = {(2*k + r % 2)*a, b + (r - 1)*2*b}, 0\n"
        "  wall[r][k] = {c = c, phi = phi, x = 2*k + r % 2}\n"
        "end end\n"
        "for r = 1, rows do for k, d in ipairs(wall[r]) do\n"
        "  for s = -1, 1, 2 do\n"
        "    local at = r .. '_' .. k .. (s < 0 and 'a' or 'b'); local x, y = corner(d, s*a, -b)\n"
        "    if r == 1 then touch('floor' .. at, y, x) end\n"
        "    if k > 1 then x, y = seen(wall[r][k - 1], corner(d, -a, s*b)); touch('side' .. at, x - a, y) end\n"
        "  end\n"
        "  for j, u in ipairs(r > 1 and wall[r - 1] or {}) do local s = u.x - d.x; if s == 1 or s == -1 then\n"
        "    local x, y = seen(u, corner(d, s*a, -b)); touch('down' .. r .. k .. j, y - b, x)\n"
        "    x, y = seen(d, corner(u, -s*a, b)); touch('up' .. r .. k .. j, -b - y, -x)\n"
        "  end end\n"
        "end end\n"
        "force(wall[rows][1].c.x, push); start(begin)\n";
    real most = (real)0.6L * 3 * g;
    for (int k = 0; k < (QUAD ? 0 : 3); k++) { /* alone; pushed a little less than it takes; and a little more */
        char push[60];
        snprintf(push, sizeof push, "%.17g", k ? (double)(most * (1 + (k == 1 ? -1 : 1) * (real)1e-6)) : 0);
        const char *const settings[] = { "push", push, NULL };
        simulation *z = open_contact(NULL, text, "rattle", 0, settings);
        real begin[27], sum = 0;
        memcpy(begin, z->x.q, sizeof begin);
        do_steps(z, SANITIZED ? 2 : k ? 20 : 500, (real)1 / 100);
        if (k < 2) assert_at_most(distance(begin, z->x.q, 27), LEFT(1000));
        else /* all three with the acceleration of the force that is left */
            for (int i = 0; i < 3; i++)
                assert_at_most(REAL(fabs)(z->x.w[18 + 3 * i] - most * (real)1e-6 / 3 * z->x.t), (real)1e-10);
        if (!k) {
            const mode_set *set = forces_of(z);
            for (size_t i = 0; i < z->hybrid->count; i++)
                if (strncmp(z->hybrid->traits[i].origin.name, "floor", 5) == 0) sum += set->lambda[set->first[i]];
            assert_at_most(REAL(fabs)(sum - 9 * g), LEFT(100000));
        }
        close_model(z);
    }
}

/* ---- dominoes ---- */

/* The wave runs through the row: one after the other is hit; all come to rest leaning on the next, the last one flat;
   under em the energy never grows. */
static void row_falls(int n, const char *option, const char *value)
{
    char count[20];
    snprintf(count, sizeof count, "%d", n);
    const char *const settings[] = { "n", count, option, value, NULL };
    simulation *z = open_contact("dominoes", NULL, "em", 0, settings);
    record *r = listen(z);
    for (int k = 0; k < (QUAD ? 50 : 500); k++) {
        real before = X(simulation_energy)(z);
        do_steps(z, 1, (real)1 / 100);
        assert_at_most(X(simulation_energy)(z) - before, LEFT(100) * 30);
    }
    real last = 0;
    for (int i = QUAD ? n : 1; i < n; i++) {
        real first = -1;
        snprintf(count, sizeof count, "hits%d", i);
        for (long k = 0; k < r->count && first < 0; k++)
            if (r->at[k].kind == EVENT_IMPACT && strcmp(r->at[k].contact, count) == 0) first = r->at[k].t;
        assert_true(first > last);
        last = first;
    }
    if (!QUAD) { /* which takes too long to the end */
        assert_at_most(largest_of(z->x.w, 3 * (size_t)n), (real)1e-9);
        assert_at_most(REAL(fabs)(z->x.q[3 * n - 1] + (real)WIDE_PI / 2), (real)1e-9);
        assert_true(z->x.q[2] < -1);
    }
    free(r);
    close_model(z);
}

/* In longer rows slips at the near end are smaller than those at the far end by a hundredth for each domino, and many
   end at almost the same time. */
static void dominoes_fall(void **state)
{
    (void)state;
    row_falls(QUAD || SANITIZED ? 2 : 4, NULL, NULL);
    if (QUAD || SANITIZED) return;
    row_falls(8, NULL, NULL);
    /* bounces without end, by merged steps: 5 of them with 3, 3 with 4 */
    row_falls(3, "e", "0.5");
    row_falls(4, "e", "0.3");
    if (!getenv("TAUT_TEST_LONG")) return;
    row_falls(6, "e", "0.3"); /* at t = 2.547 all dominoes rest, and have no energy to be put onto the others */
    row_falls(7, NULL, NULL);
    row_falls(10, NULL, NULL);
    /* by merged steps */
    row_falls(12, NULL, NULL);
    row_falls(8, "rub", "0.4");
    row_falls(8, "e", "0.3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arch_stands),         cmocka_unit_test(least_arch),    cmocka_unit_test(thin_arch_falls),
        cmocka_unit_test(full_pyramid_stands), cmocka_unit_test(ladder_at_its_limit), cmocka_unit_test(dominoes_fall),
        cmocka_unit_test(three_cylinders),     cmocka_unit_test(brick_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
