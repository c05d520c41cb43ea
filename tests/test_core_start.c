/* The consistent start: free values, refusal, projection. */
#include "solve/start.h"

#include "support_system.h"

static int begin(sample *z, start_mode mode, start_report *report) { return X(start_state)(z->s, mode, &z->x, report); }

static void start_ok(sample *z, const char *text, start_mode mode, start_report *report)
{
    open_sample(z, text);
    int status = begin(z, mode, report);
    if (status) print_error("%s\n", taut_error_text(context));
    assert_int_equal(status, TAUT_OK);
}

/* Largest |g| and |dg/dt| of the state. */
static real residual(sample *z)
{
    real g[MOST], rate[MOST], v[MOST], values[400], most = 0;
    struct system *s = z->s;
    place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, NULL);
    assert_true(s->c <= MOST && s->n <= MOST && s->blocks[BLOCK_G].value_count <= 400);
    X(system_constraints)(s, &at, g);
    X(system_velocity)(s, &at, v);
    X(system_constraint_rate)(s, &at, rate);
    X(system_block_values)(s, BLOCK_G, &at, values);
    X(block_multiply)(&s->blocks[BLOCK_G], values, 1, v, rate);
    for (uint32_t k = 0; k < s->c; k++) most = REAL(fmax)(most, REAL(fmax)(REAL(fabs)(g[k]), REAL(fabs)(rate[k])));
    return most;
}

/* Numbers of docs/reference/wendlandt-marsden.md, printed to 12 decimals. */
static void assert_double_spherical_pendulum(sample *z)
{
    static const double z0[] = { -2.836719055529, -4.802266053186 }, v0[] = { 3.383158434846, 2.689641565687 };
    for (int i = 0; i < 2; i++) {
        real mass = i ? (real)3.5 : 2;
        assert_near(z->x.q[3 * i + 2], z0[i], 6e-13, "z", i);
        assert_near(z->x.p[3 * i + 2] / mass, v0[i], 6e-13, "z'", i);
    }
    real v[6];
    place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, NULL);
    X(system_velocity)(z->s, &at, v);
    assert_near(X(system_energy)(z->s, &at, v), 24.939585255421, 6e-13, "energy", 0);
    const real *q = z->x.q, *p = z->x.p;
    assert_near(q[0] * p[1] - q[1] * p[0] + q[3] * p[4] - q[4] * p[3], 199.831905, 6e-7, "Jz", 0);
    assert_true(residual(z) <= 200 * REAL_EPSILON); /* |g| <= 16, |dg/dt| <= 60: a few units in the last place */
}

static void free_values_are_solved_for(void **state)
{
    (void)state;
    sample z;
    start_report report;
    memset(&z, 0, sizeof z);
    z.m = load_file(MODELS "/double-spherical-pendulum.lua", NULL, 0);
    assert_int_equal(X(system_create)(z.m, &z.s), TAUT_OK);
    assert_int_equal(X(state_create)(z.s, &z.x), TAUT_OK);
    assert_int_equal(begin(&z, START_STRICT, &report), TAUT_OK);
    assert_int_equal(report.free_q, 2);
    assert_int_equal(report.free_w, 2);
    assert_double_spherical_pendulum(&z);
    real two = 2, x = (real)282 / 100; /* what was given stays as given, but for the last digits */
    assert_near(z.x.q[0], x, 8 * REAL_EPSILON, "a.x", 0);
    assert_near(z.x.p[0], two * (real)3381 / 1000, 32 * REAL_EPSILON, "p.a.x", 0);
    close_sample(&z);
}

static void free_momenta_of_a_hamiltonian(void **state)
{
    (void)state;
    sample z;
    start_report report;
    start_ok(&z,
             "local a, b = point 'a', point 'b'; local p, r = momentum(a), momentum(b)\n"
             "hamiltonian(norm2(p)/4 + norm2(r)/7 + 9.81*(2*a.z + 3.5*b.z))\n"
             "constraint('rod1', norm2(a) - 16); constraint('rod2', norm2(b - a) - 9)\n"
             "start { a = {2.820, 0.025, free(-3)}, b = {5.085, 0.105, free(-5)},\n"
             "  ['p.a'] = {2*3.381, 2*2.506, free(0)}, ['p.b'] = {3.5*2.497, 3.5*10.495, free(0)} }",
             START_STRICT, &report);
    assert_int_equal(report.free_w, 2);
    assert_double_spherical_pendulum(&z);
    close_sample(&z);
}

/* Mass that depends on q, in both forms: p is L_v, the free value solves G nu + g_t = 0 all the same. */
static void free_values_with_varying_mass_and_time(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "local x, y, t = coordinate 'x', coordinate 'y', time(); lagrangian((1 + y^2)/2*x.dot^2 + y.dot^2/2 + "
        "x.dot*y.dot/2)\n"
        "constraint('c', x*y - 2 - 3*t); start { x = free(1.5), y = 1, ['x.dot'] = 1, ['y.dot'] = free(0) }",
        "local x, y, t = coordinate 'x', coordinate 'y', time(); local p, r = momentum(x), momentum(y)\n"
        "hamiltonian(p^2/(2 + 2*y^2) + r^2/2 + p*r/2); constraint('c', x*y - 2 - 3*t)\n"
        "start { x = free(1.5), y = 1, ['p.x'] = 1, ['p.y'] = free(0) }",
    };
    for (int i = 0; i < 2; i++) {
        sample z;
        start_report report;
        start_ok(&z, forms[i], START_STRICT, &report);
        const real few = 16 * REAL_EPSILON;
        assert_near(z.x.q[0], 2, few, "x", 0);
        /* x' y + x y' = 3: y' = 1 with x' = 1; x' = p/2 + r/2, y' = r + p/2, so 2.5 r = 3 - 1.5 with p = 1 */
        assert_near(z.x.w[1], i ? (real)6 / 10 : 1, few, "partner of y", 0);
        assert_near(z.x.p[0], i ? 1 : (real)2.5, few, "p.x", 0);
        assert_true(residual(&z) <= few);
        close_sample(&z);
    }
}

/* More free values than constraints: the nearest solution to the guess. */
static void minimum_norm(void **state)
{
    (void)state;
    sample z;
    start_report report;
    start_ok(&z,
             "local a = point 'a'; lagrangian(a.x.dot^2/2 + 5*a.y.dot^2 + 9*a.z.dot^2); constraint('plane', a.x + a.y "
             "+ a.z - 3)\n"
             "start { a = {free(1), free(2), free(3)}, ['a.dot'] = {free(1), free(0), 2} }",
             START_STRICT, &report);
    const real few = 16 * REAL_EPSILON;
    static const real q[] = { 0, 1, 2 }, w[] = { (real)-0.5, (real)-1.5, 2 }; /* (1,0) - (1,1) 3/2 */
    for (int i = 0; i < 3; i++) assert_near(z.x.q[i], q[i], 4e-15, "q", i);
    /* on the constraint in the precision of the unit; the nearest point on it to double precision, which is what it
       is found in */
    for (int i = 0; i < 3; i++) assert_near(z.x.w[i], w[i], 4e-15, "w", i);
    assert_true(residual(&z) <= few);
    assert_int_equal(report.free_q, 3);
    assert_int_equal(report.free_w, 2);
    close_sample(&z);
    start_ok(&z,
             "local a = point('a', 2); lagrangian(norm2(a.dot)); constraint('circle', norm2(a) - 1)\n"
             "start { a = {free(2), free(1)} }",
             START_STRICT, &report);
    assert_near(z.x.q[0], 2 / REAL(sqrt)((real)5), 4e-15, "radial", 0);
    assert_near(z.x.q[1], 1 / REAL(sqrt)((real)5), 4e-15, "radial", 1);
    assert_true(residual(&z) <= few);
    close_sample(&z);
}

#define ROD "local a = point('a', 2); lagrangian(norm2(a.dot)/2 - a.y)\nconstraint('rod', norm2(a) - 1)\n"

/* Distances are those of the nearest consistent values in the metric of the masses, largest component: not the length
   of a Newton step. */
static void inconsistent_starts_are_refused(void **state)
{
    (void)state;
    static const struct { const char *text; const char *says[4];
    } table[] = {
        /* 1.1^2 - 1 = 0.21; the circle is 0.1 away, one Newton step is 0.0955 long */
        { ROD "start { a = {1.1, 0} }",
          { "test.lua:2", "'rod'", "misses by 0.21 ", "the nearest consistent positions differ by up to 0.1)" } },
        /* 1 - 1/sqrt(2); one Newton step is 0.25 */
        { ROD "start { a = {1, 1} }",
          { "test.lua:2", "'rod'", "misses by 1 ", "nearest consistent positions differ by up to 0.293)" } },
        /* x = 1.5/(1 + u/4), y = 1.5/(1 + u) with u = 0.8977 are on the ellipse: y differs by 0.7096. Newton's steps
           end elsewhere on it, at a difference of 0.738; the first is 0.569 */
        { "local a = point('a', 2); lagrangian(norm2(a.dot)/2)\nconstraint('ellipse', a.x^2/4 + a.y^2 - 1)\nstart { a "
          "= {1.5, 1.5} }",
          { "test.lua:2", "'ellipse'", "misses by 1.81 ", "nearest consistent positions differ by up to 0.71)" } },
        /* the bar is too long by 1: mass 1 moves by 3/4 of that along (3/5, 4/5), mass 3 by 1/4 */
        { "local a, b = point('a', 2), point('b', 2); lagrangian(norm2(a.dot)/2 + 3*norm2(b.dot)/2)\nconstraint('bar', "
          "norm2(a - b) - 1)\n"
          "start { a = {0, 0}, b = {1.2, 1.6} }",
          { "test.lua:2", "'bar'", "misses by 3 ", "nearest consistent positions differ by up to 0.6)" } },
        /* the velocity along the rod goes */
        { ROD "start { a = {1, 0}, ['a.dot'] = {0.25, 3} }",
          { "test.lua:2", "time derivative of constraint 'rod'", "misses by 0.5 ",
            "nearest consistent velocities differ by up to 0.25)" } },
        { ROD "start { a = {2, free(0.5)} }", { "test.lua:2", "no start positions", "'rod'", "misses by 3 " } },
        { ROD "start { a = {1, 0}, ['a.dot'] = {1, free(3)} }",
          { "test.lua:2", "no start velocities", "'rod'", "misses by 2 " } },
        { ROD "start { a = {1 + 1e-8, 0} }", { "inconsistent", "start mode 'project'", "free(", "'rod'" } },
        /* all links are 1.1 long but for rounding: the first is named */
        { "local b, s = {0, 0}, {}; for i = 1, 20 do local a = point('a' .. i, 2); lagrangian(norm2(a.dot)/2); s['a' "
          ".. i] = {1.1*i, 0}\n"
          "constraint('link' .. i, norm2(a - b) - 1); b = a end; start(s)",
          { "test.lua:2", "'link1' misses by 0.21 ", "positions differ by up to 2)", "" } },
        /* no gradient leads away from the centre, and yet there is a circle around it */
        { ROD "start { a = {0, 0} }",
          { "test.lua:2", "inconsistent", "'rod' misses by -1 ", "(consistent positions differ" } },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        sample z;
        start_report report;
        open_sample(&z, table[i].text);
        assert_int_equal(begin(&z, START_STRICT, &report), TAUT_BAD_MODEL);
        assert_true(report.unmet);
        for (int k = 0; k < 4; k++) assert_text_has(taut_error_text(context), table[i].says[k]);
        close_sample(&z);
    }
}

/* Whether constraints are met comes before their rank: gradients are parallel where what contradicts comes closest,
   and whether a matrix breaks down there is a matter of last bits. All of these were called redundant, on one
   processor or another. */
static void contradictory_constraints_are_not_redundant(void **state)
{
    (void)state;
#define CIRCLE(name, x, square) "constraint('" name "', norm2(a - {" x ", 0}) - " square ")\n"
    static const struct { const char *text; const char *says[4];
    } table[] = {
        /* at norm2(a) = 1.5 */
        { CIRCLE("one", "0", "1") CIRCLE("two", "0", "2") "start { a = {1, 0} }",
          { "test.lua:2: no start positions", "'one' (line 2) and 'two' (line 3) contradict", "by 0.5 and -0.5", "" } },
        { CIRCLE("one", "0", "1") CIRCLE("two", "0", "2") "start { a = {free(1), free(0.3)} }",
          { "test.lua:2: no start positions", "'one' (line 2) and 'two' (line 3) contradict", "by 0.5 and -0.5", "" } },
        /* half-way at (2.5, 0), where the gradients are parallel */
        { CIRCLE("one", "0", "1") CIRCLE("two", "5", "1") "start { a = {free(1), free(1)} }",
          { "test.lua:2: no start positions", "'one' (line 2) and 'two' (line 3) contradict", "by 5.25 and 5.25",
            "" } },
        { CIRCLE("one", "0", "1") CIRCLE("two", "5", "1") "start { a = {2.5, 0} }",
          { "test.lua:2: no start positions", "'one' (line 2) and 'two' (line 3) contradict", "by 5.25 and 5.25",
            "" } },
        /* a third constraint has no part in it */
        { "constraint('line', a.y)\n" CIRCLE("one", "0", "1") CIRCLE("two", "0", "2") "start { a = {1, 0} }",
          { "test.lua:3: no start positions", "'one' (line 3) and 'two' (line 4) contradict", "by 0.5 and -0.5", "" } },
        /* x = y, y = z, z = x + 3: a third of it is left of each */
        { "constraint('p', a.x - b)\nconstraint('q', b - c)\nconstraint('r', c - a.x - 3)\nstart { a = {0, 0}, b = 0, "
          "c = 0 }",
          { "test.lua:2: no start positions", "'p' (line 2) and 'q' (line 3) (and 1 more) contradict", "by -1 and -1",
            "" } },
        /* nothing contradicts it, and it has no zeros */
        { "constraint('rod', norm2(a) - 1)\nconstraint('never', a.x^2 + 1)\nstart { a = {1, 1} }",
          { "test.lua:3: no start positions", "'never' cannot be met", "misses by 1;", "" } },
        /* met, with the same gradient, and no longer met a moment later */
        { "constraint('one', a.x - time())\nconstraint('two', 2*a.x - 3*time())\nstart { a = {0, 0}, ['a.dot'] = {1, "
          "0} }",
          { "test.lua:3: ", "'two' contradicts 'one'", "part as time goes on", "" } },
    };
    static const char *const forms[] = {
        "local a, b, c = point('a', 2), coordinate 'b', coordinate 'c'; lagrangian(norm2(a.dot)/2 + b.dot^2 + "
        "c.dot^2)\n",
        "local a, b, c = point('a', 2), coordinate 'b', coordinate 'c'; lagrangian((norm2(a.dot)/2 + b.dot^2 + "
        "c.dot^2)*" ONE ")\n",
        "local a, b, c = point('a', 2), coordinate 'b', coordinate 'c'; hamiltonian(norm2(momentum(a))/2 + "
        "momentum(b)^2 + momentum(c)^2)\n",
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t form = 0; form < sizeof forms / sizeof *forms; form++)
            for (int mode = START_STRICT; mode <= START_PROJECT; mode++) {
                sample z;
                start_report report;
                char text[1000], *start;
                snprintf(text, sizeof text, "%s%s", forms[form], table[i].text);
                start = strstr(text, "start {") + 7;
                if (!strstr(start, "b = "))
                    memmove(start + 14, start, strlen(start) + 1), memcpy(start, " b = 0, c = 0,", 14);
                /* the Hamiltonian has momenta to start from; the velocity stands last */
                if (form == 2 && (start = strstr(text, "a.dot"))) memcpy(start, "p.a'] = {1, 0} }", 17);
                open_sample(&z, text);
                assert_int_equal(begin(&z, (start_mode)mode, &report), TAUT_BAD_MODEL);
                assert_true(report.unmet);
                for (int k = 0; k < 4; k++) assert_text_has(taut_error_text(context), table[i].says[k]);
                assert_null(strstr(taut_error_text(context), "redundant"));
                close_sample(&z);
            }
}

/* Where surfaces touch, the point is found to the square root of the round-off only; there, too, the constraints are
   met and dependent. */
static void touching_surfaces_are_singular_there(void **state)
{
    (void)state;
    static const char *const starts[] = { "{1, 0}", "{free(0.8), free(0.3)}", "{free(1.3), free(-0.7)}",
                                          "{free(1), free(0.01)}" };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        sample z;
        start_report report;
        char text[400];
        snprintf(text, sizeof text,
                 "local a = point('a', 2); lagrangian(norm2(a.dot)/2)\n" CIRCLE("one", "0", "1")
                     CIRCLE("two", "2", "1") "start { a = %s }",
                 starts[i]);
        open_sample(&z, text);
        assert_int_equal(begin(&z, START_STRICT, &report), TAUT_SINGULAR);
        assert_false(report.unmet);
        assert_text_has(taut_error_text(context),
                        "test.lua:3: the start is a singular position: constraint 'two' depends on 'one' here");
        close_sample(&z);
    }
}

/* On the line between the centres of two circles that meet, the gradients are parallel and no step of least norm
   leaves it. */
static void free_values_leave_a_saddle(void **state)
{
    (void)state;
    sample z;
    start_report report;
    start_ok(&z,
             "local a = point('a', 2); lagrangian(norm2(a.dot)/2)\n" CIRCLE("one", "0", "1")
                 CIRCLE("two", "1", "1") "start { a = {free(0.5), free(0)} }",
             START_STRICT, &report);
    assert_near(z.x.q[0], (real)0.5, 8 * REAL_EPSILON, "x", 0);
    assert_near(z.x.q[1] * z.x.q[1], (real)0.75, 8 * REAL_EPSILON, "y^2", 0);
    close_sample(&z);
}

/* Numbers rounded to ten digits or more are meant to be consistent: the rest is polished. */
static void rounded_starts_are_polished(void **state)
{
    (void)state;
    sample z;
    start_report report;
    start_ok(&z, ROD "start { a = {0.70710678119, -0.70710678119}, ['a.dot'] = {1.00000000001, 1} }", START_STRICT,
             &report);
    assert_true(residual(&z) <= 4 * REAL_EPSILON);
    assert_true(report.moved_q > (real)1e-12 && report.moved_q < (real)1e-11);
    assert_true(report.moved_w > (real)1e-12 && report.moved_w < (real)1e-10);
    close_sample(&z);
}

/* Along M^-1 G': masses 1 and 3 on a bar that is too long by 1 move by 3/4 and 1/4 of it, and the centre of mass not
   at all; velocities likewise. In constant mass, in the full form, and by the Hamiltonian. */
static void projection_is_mass_weighted(void **state)
{
    (void)state;
#define BAR "constraint('bar', norm2(a - b) - 1); start { a = {0, 0}, b = {1.2, 1.6}"
    static const char *const forms[] = {
        "local a, b = point('a', 2), point('b', 2); lagrangian(norm2(a.dot)/2 + 3*norm2(b.dot)/2)\n"
        BAR ", ['a.dot'] = {2, 0}, ['b.dot'] = {0, 1} }",
        "local a, b = point('a', 2), point('b', 2); lagrangian(norm2(a.dot)/2 + 3*norm2(b.dot)/2*" ONE ")\n"
        BAR ", ['a.dot'] = {2, 0}, ['b.dot'] = {0, 1} }",
        "local a, b = point('a', 2), point('b', 2); hamiltonian(norm2(momentum(a))/2 + norm2(momentum(b))/6)\n"
        BAR ", ['p.a'] = {2, 0}, ['p.b'] = {0, 3} }",
    };
    for (int i = 0; i < 3; i++) {
        sample z;
        start_report report;
        start_ok(&z, forms[i], START_PROJECT, &report);
        /* The direction is found in double (the full form rounds it), the constraints hold in the precision of the
           unit. */
        const real few = 4e-15, d[] = { (real)3 / 5, (real)4 / 5 };
        for (int k = 0; k < 2; k++) {
            assert_near(z.x.q[k], d[k] * 3 / 4, few, "a", k);
            assert_near(z.x.q[2 + k], d[k] * 7 / 4, few, "b", k);
        }
        /* (v_b - v_a) . d = -0.4: a loses 3/4 of that along d, b gains 1/4 */
        const real v[] = { 2, 0, 0, 1 };
        for (int k = 0; k < 2; k++) {
            assert_near(z.x.p[k], v[k] + (real)-4 / 10 * 3 / 4 * d[k], few, "p.a", k);
            assert_near(z.x.p[2 + k], 3 * (v[2 + k] + (real)4 / 10 / 4 * d[k]), few, "p.b", k);
        }
        assert_near(report.moved_q, d[1] * 3 / 4, few, "largest displacement", 0);
        assert_true(residual(&z) <= 32 * REAL_EPSILON);
        close_sample(&z);
    }
}

static void dependent_constraints_are_named(void **state)
{
    (void)state;
#define TWICE \
    "constraint('rod', norm2(a) - 1); constraint('free', a.z)\nconstraint('again', 2*norm2(a) - 2)\nstart { a = {1, " \
    "0, 0} }"
    static const char *const forms[] = {
        "local a = point 'a'; lagrangian(norm2(a.dot)/2)\n" TWICE,
        "local a = point 'a'; lagrangian(norm2(a.dot)/2*" ONE ")\n" TWICE,
        "local a = point 'a'; hamiltonian(norm2(momentum(a))/2)\n" TWICE,
        "local a = point 'a'; hamiltonian(norm2(momentum(a))/2*" ONE ")\n" TWICE,
    };
    for (int i = 0; i < 4; i++) {
        sample z;
        start_report report;
        open_sample(&z, forms[i]);
        assert_int_equal(begin(&z, START_STRICT, &report), TAUT_OK);
        /* the last one declared, whatever the order in which the matrix was eliminated */
        assert_int_equal(report.dependent, 1);
        assert_string_equal(report.names, "again");
        assert_false(report.unmet);
        close_sample(&z);
    }
}

/* Solving for the free value leads to x = 0, where the constraint has no derivative: not a lack of memory. */
static void free_values_where_nothing_is_finite(void **state)
{
    (void)state;
    sample z;
    start_report report;
    open_sample(
        &z, "local x = coordinate 'x'; lagrangian(x.dot^2/2); constraint('kink', sqrt(x^2)); start { x = free(1) }");
    assert_int_equal(begin(&z, START_STRICT, &report), TAUT_NOT_FINITE);
    assert_text_has(taut_error_text(context), "'kink'");
    close_sample(&z);
}

/* A singular start: the rod's gradient vanishes. */
static void hopeless_projection(void **state)
{
    (void)state;
    sample z;
    start_report report;
    open_sample(&z, ROD "start { a = {0, 0} }");
    assert_int_equal(begin(&z, START_PROJECT, &report), TAUT_SINGULAR);
    close_sample(&z);
    open_sample(&z, "local x = coordinate 'x'; lagrangian(x.dot^2/2); constraint('never', x^2 + 1); start { x = 1 }");
    assert_int_equal(begin(&z, START_PROJECT, &report) != TAUT_OK, 1);
    assert_text_has(taut_error_text(context), "'never'");
    close_sample(&z);
}

/* A start that is consistent as given, but for rounding errors, keeps its numbers to the last bit. */
static void consistent_starts_are_left_alone(void **state)
{
    (void)state;
    sample z;
    start_report report;
    start_ok(&z, "local a = point 'a'\nlagrangian(norm2(a.dot)/2)\nconstraint('rod', norm2(a) - 1)\n"
                 "start { a = {1/3, 2/3, 2/3}, ['a.dot'] = {2/3, 1/3, -2/3} }\n", START_STRICT, &report);
    /* 1/3 in Lua is a double, and stands for its shortest text: 0.3333333333333333 in quad, which is off by 3e-17 and
       put right */
    if (REAL_EPSILON > (real)1e-20) {
        assert_true(z.x.q[0] == (real)1 / 3 && z.x.q[1] == (real)2 / 3 && z.x.q[2] == (real)2 / 3);
        assert_true(z.x.w[0] == (real)2 / 3 && z.x.w[1] == (real)1 / 3 && z.x.w[2] == (real)-2 / 3);
        assert_true(report.moved_q == 0 && report.moved_w == 0);
    }
    assert_true(residual(&z) <= 4 * REAL_EPSILON);
    close_sample(&z);
}

/* Points of the circle are off it by the rounding of their coordinates, half of them to one side: a Newton step would
   change last digits of most. Velocities along it as well. */
static void rounded_numbers_are_left_alone(void **state)
{
    (void)state;
    int off = 0;
    for (int k = 1; k <= 60; k++) {
        sample z;
        start_report report;
        char text[300];
        snprintf(text, sizeof text,
                 "local u = param('u', %d/32)\nlocal a = point('a', 2)\nlagrangian(norm2(a.dot)/2)\n"
                 "constraint('rod', norm2(a) - 1)\nstart { a = {cos(u), sin(u)}, ['a.dot'] = {-3*sin(u), 3*cos(u)} }\n",
                 k);
        start_ok(&z, text, START_STRICT, &report);
        for (int i = 0; i < 2; i++) assert_true(z.x.q[i] == z.s->start.q[i] && z.x.w[i] == z.s->start.w[i]);
        assert_true(report.moved_q == 0 && report.moved_w == 0);
        off += residual(&z) > 0;
        close_sample(&z);
    }
    assert_true(off > 20); /* or there was nothing to leave alone */
}

/* A state that is put onto the constraints is that: nothing is left of sums it was the result of. */
static void projection_ends_sums(void **state)
{
    (void)state;
    sample z;
    start_report report;
    start_ok(&z,
             "local a = point('a', 2)\nlagrangian(norm2(a.dot)/2)\nconstraint('rod', norm2(a) - 1)\nstart { a = {0, "
             "1}, ['a.dot'] = {1, 0} }\n",
             START_STRICT, &report);
    z.x.q[0] += (real)1 / 64;
    for (int i = 0; i < 2; i++) z.x.q_low[i] = z.x.p_low[i] = REAL_EPSILON / 4;
    assert_int_equal(X(start_project)(z.s, &z.x), TAUT_OK);
    for (int i = 0; i < 2; i++) assert_true(z.x.q_low[i] == 0 && z.x.p_low[i] == 0);
    assert_true(residual(&z) <= 4 * REAL_EPSILON);
    close_sample(&z);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(free_values_are_solved_for),
        TEST(free_momenta_of_a_hamiltonian),
        TEST(free_values_with_varying_mass_and_time),
        TEST(minimum_norm),
        TEST(inconsistent_starts_are_refused),
        TEST(contradictory_constraints_are_not_redundant),
        TEST(touching_surfaces_are_singular_there),
        TEST(free_values_leave_a_saddle),
        TEST(rounded_starts_are_polished),
        TEST(projection_is_mass_weighted),
        TEST(dependent_constraints_are_named),
        TEST(free_values_where_nothing_is_finite),
        TEST(hopeless_projection),
        TEST(consistent_starts_are_left_alone),
        TEST(rounded_numbers_are_left_alone),
        TEST(projection_ends_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
