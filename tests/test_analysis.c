/* The Dirac algorithm. Expected formulas are given as observables of the model, in which x.dot stands for the momentum
   of x: both are the variable (KIND_W, x) of the graph. */
#include "analysis/dirac_inside.h"

#include "support_core.h"

static model *m;
static dirac *d;

static dirac_verdict analyse(const char *text)
{
    m = load(text);
    assert_int_equal(taut_dirac_analyse(m, &d), TAUT_OK);
    return d->verdict;
}

static void done(void)
{
    taut_dirac_destroy(d);
    taut_model_free(m);
    d = NULL;
    m = NULL;
}

static expr expected(const char *name)
{
    for (size_t i = 0; i < m->observable_count; i++)
        if (strcmp(m->observables[i].name, name) == 0) return m->observables[i].value;
    fail_msg("no observable %s", name);
    return 0;
}

/* Everywhere, not only on the manifold. */
static void assert_same(expr e, const char *name)
{
    expr zero = taut_expr_simplify(d->g, taut_expr_sub(d->g, e, expected(name)), NULL, NULL);
    char found[400], wanted[400];
    taut_dirac_print(d, e, found, sizeof found);
    taut_dirac_print(d, expected(name), wanted, sizeof wanted);
    if (!taut_expr_is_number(d->g, zero, 0)) print_error("%s: %s, not %s\n", name, found, wanted);
    assert_true(taut_expr_is_number(d->g, zero, 0));
}

static void assert_generations(const char *generations) /* "112" */
{
    assert_int_equal(d->count, strlen(generations));
    for (size_t k = 0; k < d->count; k++) assert_int_equal(d->chi[k].generation, generations[k] - '0');
}

static char report[8000];
static void keep_line(void *user, const char *line)
{
    (void)user;
    size_t at = strlen(report);
    snprintf(report + at, sizeof report - at, "%s\n", line);
}

static void make_report(int full)
{
    report[0] = 0;
    assert_int_equal(taut_dirac_report(d, full ? NULL : "the whole report", keep_line, NULL), TAUT_OK);
}

/* ---- Seiler, section 2: p2 primary, -V_q2 secondary, both second class, u = -p1 V_q1q2 / V_q2q2 ---- */
static void second_class(void **state)
{
    (void)state;
    analyse("local q1, q2 = coordinate 'q1', coordinate 'q2'\n"
            "local V = q1^2/2 + q1^3*q2 + q2^4/4 + q2^2\n"
            "lagrangian(q1.dot^2/2 - V)\n"
            "observe('h', q1.dot^2/2 + V); observe('phi', q2.dot); observe('psi', -(q1^3 + q2^3 + 2*q2))\n"
            "observe('u', -q1.dot*3*q1^2/(3*q2^2 + 2)); start { q1 = 1, q2 = -0.4533976515164038 }");
    assert_int_equal(d->verdict, DIRAC_DETERMINED);
    assert_generations("12");
    assert_same(d->hamiltonian, "h");
    assert_same(d->chi[0].value, "phi");
    assert_same(d->chi[1].value, "psi");
    assert_same(d->multiplier[0], "u");
    assert_int_equal(d->second, 2);
    assert_int_equal(d->first, 0);
    done();
}

/* (12) with its dots: H_c = (p1^2 + p2^2)/2 + q3 (q2 p1 - q1 p2); p3 and q2 p1 - q1 p2 (here with the other sign) first
   class */
static void first_class(void **state)
{
    (void)state;
    analyse("local q1, q2, q3 = coordinate 'q1', coordinate 'q2', coordinate 'q3'\n"
            "lagrangian((q1.dot - q3*q2)^2/2 + (q2.dot + q3*q1)^2/2)\n"
            "observe('h', (q1.dot^2 + q2.dot^2)/2 + q3*(q2*q1.dot - q1*q2.dot)); observe('phi', q3.dot)\n"
            "observe('psi', q1*q2.dot - q2*q1.dot); start { q1 = 1, q2 = 0, q3 = 0, ['q1.dot'] = 1 }");
    assert_int_equal(d->verdict, DIRAC_UNDETERMINED);
    assert_generations("12");
    assert_same(d->hamiltonian, "h");
    assert_same(d->chi[0].value, "phi");
    assert_same(d->chi[1].value, "psi");
    assert_int_equal(d->first, 2);
    assert_int_equal(d->second, 0);
    assert_true(d->chi[0].first_class && d->chi[1].first_class);
    assert_true(d->multiplier[0] == 0); /* free: one arbitrary function */
    char moved[100];
    taut_dirac_moved(d, d->generator[0], moved, sizeof moved);
    assert_string_equal(moved, "q3");
    make_report(0);
    assert_text_has(report, "2 first class, 0 second class: (2*3 - 2*2 - 0)/2 = 1 degree of freedom");
    assert_text_has(report, "1 arbitrary function of time; gauge conditions to add: 1, or up to 2 until nothing is");
    done();
}

/* (34) and (36) */
static void pendulum_bracket(void **state)
{
    (void)state;
    analyse("local x, y = coordinate 'x', coordinate 'y'; local p, r = momentum(x), momentum(y)\n"
            "hamiltonian(p^2/2 + r^2/2 + y); constraint('rod', (x^2 + y^2 - 1)/2); observe('psi', x*p + y*r)\n"
            "start { x = 1, y = 0, ['p.y'] = -2 }");
    assert_int_equal(d->verdict, DIRAC_DETERMINED);
    assert_generations("12");
    assert_same(d->chi[1].value, "psi");
    make_report(0);
    assert_text_has(report, "{F,G}* = {F,G} + ({F,chi1}{chi2,G} - {F,chi2}{chi1,G})/(x^2 + y^2)\n");
    assert_text_has(report, "lambda.rod = (y - p.x^2 - p.y^2)/(x^2 + y^2)\n");
    make_report(1);
    assert_text_has(report, "{x,p.x}* = y^2/(x^2 + y^2)\n");
    assert_text_has(report, "{p.x,p.y}* = ");
    done();
}

/* Section 5: the multiplier as a coordinate; p_l, phi, psi, (26), and then u. In a rod frame the tension l of a
   pendulum obeys l = y - p^2, l' = 3 p_y on the manifold. */
static void four_generations(void **state)
{
    (void)state;
    analyse("local x, y, l = coordinate 'x', coordinate 'y', coordinate 'l'\n"
            "lagrangian(x.dot^2/2 + y.dot^2/2 - y + l*(x^2 + y^2 - 1)/2)\n"
            "observe('third', x*x.dot + y*y.dot); observe('fourth', x.dot^2 + y.dot^2 - y + l*(x^2 + y^2)); "
            "observe('u', 3*y.dot)\n"
            "start { x = 1, y = 0, l = free(0), ['y.dot'] = -2 }");
    assert_int_equal(d->verdict, DIRAC_DETERMINED);
    assert_generations("1234");
    assert_same(d->chi[2].value, "third");
    assert_same(d->chi[3].value, "fourth");
    assert_int_equal(d->second, 4);
    weakness weak;
    assert_int_equal(taut_sampler_judge(d->sampler, taut_expr_sub(d->g, d->multiplier[0], expected("u")), &weak),
                     TAUT_OK);
    assert_int_equal(weak, WEAK_ZERO);
    make_report(0);
    assert_text_has(report, "quaternary     chi4 = ");
    done();
}

/* Two vortices: x and y are conjugate, {x,y}* = 1/strength. */
static void first_order(void **state)
{
    (void)state;
    analyse("local x, y = coordinate 'x', coordinate 'y'; lagrangian(4*x.dot*y - x^2 - y^2); start { x = 1, y = 0 }");
    assert_int_equal(d->verdict, DIRAC_DETERMINED);
    assert_generations("11");
    make_report(0);
    assert_text_has(report, "{x,y}* = 0.25\n");
    done();
    /* a singular Hessian with mixed entries: the velocities enter as x' + y' only */
    analyse("local x, y = coordinate 'x', coordinate 'y'; lagrangian((x.dot + y.dot)^2/2 - x^2/2 - y^4/4)\n"
            "observe('phi', y.dot - x.dot); observe('psi', x - y^3); start { x = 1, y = 1 }");
    assert_int_equal(d->verdict, DIRAC_DETERMINED);
    assert_generations("12");
    assert_same(d->chi[0].value, "phi");
    done();
}

/* First and second class together; the combination p_z - p_x has no row of zeros in the bracket matrix. */
static void mixed_classes(void **state)
{
    (void)state;
    analyse("local x, y, z = coordinate 'x', coordinate 'y', coordinate 'z'\n"
            "lagrangian((x.dot + z.dot)*y - y^2/2 - (x + z)^2/2); observe('generator', z.dot - x.dot); start { x = 1, "
            "y = 0, z = 0.5 }");
    assert_int_equal(d->verdict, DIRAC_UNDETERMINED);
    assert_int_equal(d->first, 1);
    assert_int_equal(d->second, 2);
    for (size_t k = 0; k < 3; k++) assert_false(d->chi[k].first_class);
    assert_same(d->generator[0], "generator");
    done();
    analyse("local q1, q2, q3, q4 = coordinate 'q1', coordinate 'q2', coordinate 'q3', coordinate 'q4'\n"
            "lagrangian((q1.dot - q2 - q4)^2/2 + q3.dot^2/2 - (q4 - q3^2)^2/2 - q3^2/2); start { q1 = 1, q2 = 0, q3 = "
            "0.5, q4 = 0.25 }");
    assert_int_equal(d->verdict, DIRAC_UNDETERMINED);
    assert_generations("1122");
    assert_int_equal(d->first, 2);
    assert_int_equal(d->second, 2);
    assert_true(d->chi[0].first_class && d->chi[2].first_class && !d->chi[1].first_class && !d->chi[3].first_class);
    done();
}

static void inconsistent(void **state)
{
    (void)state;
    analyse("local q1 = coordinate 'q1'; lagrangian(q1.dot + q1); start { q1 = 1 }");
    assert_int_equal(d->verdict, DIRAC_INCONSISTENT);
    assert_text_has(d->reason, "changes at the rate 1, which is never zero");
    done();
    /* x^2 + 1 = 0 has no real solution */
    analyse("local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 - y*(x^2 + 1)); start { x = 1, y = 1 }");
    assert_int_equal(d->verdict, DIRAC_INCONSISTENT);
    assert_text_has(d->reason, "no point near the start");
    done();
}

/* Gauge conditions make the rest second class; the time derivative of one gives another where it has to. One that
   determines the multiplier is enough: what it leaves first class moves the start alone. */
static void gauges(void **state)
{
    (void)state;
    static const char text[] = "local q1, q2, q3 = coordinate 'q1', coordinate 'q2', coordinate 'q3'\n"
                               "lagrangian((q1.dot - q3*q2)^2/2 + (q2.dot + q3*q1)^2/2 + (q1^2 + q2^2)/2)\n"
                               "start { q1 = 1, q2 = 0, q3 = free(1), ['q2.dot'] = free(0) }\n%s";
    static const struct { const char *gauge; dirac_verdict verdict; int first, second; } cases[] = {
        { "gauge('angle', q2)", DIRAC_DETERMINED, 0, 4 },
        { "gauge('rate', q3 - 1); gauge('angle', q1*sin(time()) + q2*cos(time()))", DIRAC_DETERMINED, 0, 4 },
        { "gauge('rate', q3)", DIRAC_DETERMINED, 1, 2 },
        { "gauge('rate', q3 - sin(time()))", DIRAC_DETERMINED, 1, 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char whole[1000];
        snprintf(whole, sizeof whole, text, cases[i].gauge);
        analyse(whole);
        assert_int_equal(d->verdict, cases[i].verdict);
        assert_int_equal(d->first, cases[i].first);
        assert_int_equal(d->second, cases[i].second);
        if (cases[i].first) { /* p.q3, p.q2 q1 - p.q1 q2, the condition */
            assert_int_equal(d->count, 3);
            assert_true(d->chi[0].in_bracket && !d->chi[1].in_bracket && d->chi[2].in_bracket);
            make_report(0);
            assert_text_has(report, "every multiplier is determined");
            assert_text_has(report, "{F,G}* = {F,G} - ({F,chi1}{chi3,G} - {F,chi3}{chi1,G})\n");
        }
        done();
    }
    /* two of them free, and a condition for one */
    analyse("local x, a, y, b = coordinate 'x', coordinate 'a', coordinate 'y', coordinate 'b'\n"
            "lagrangian((x.dot - a)^2/2 + (y.dot - b)^2/2); gauge('a', a - time())\n"
            "start { x = 1, a = 0, y = 1, b = 0 }");
    assert_int_equal(d->verdict, DIRAC_UNDETERMINED);
    make_report(0);
    assert_text_has(report, "u1 = 1");
    assert_text_has(report, "u2 is free");
    done();
    analyse("local x = coordinate 'x'; lagrangian(x.dot^2/2); gauge('a', x); start { x = 1 }");
    assert_int_equal(d->verdict, DIRAC_REFUSED);
    assert_text_has(d->reason, "no gauge freedom");
    done();
}

/* What is so in one place and not in another is said; what is zero at t = 0 only is not zero. */
static void places(void **state)
{
    (void)state;
    analyse("local x, y, u = coordinate 'x', coordinate 'y', coordinate 'u'; hamiltonian(x^2/2); constraint('a', "
            "momentum(y))\n"
            "constraint('b', momentum(u) - y*max(x, 0)); start { x = 0, y = 1, u = 1, ['p.x'] = 1 }");
    assert_text_has(d->warning, "the rank of the brackets changes from place to place");
    assert_text_has(d->warning, "the rank of the bracket matrix changes from place to place");
    done();
    analyse("local y, u = coordinate 'y', coordinate 'u'; hamiltonian(momentum(u)^2/2); constraint('a', momentum(y))\n"
            "constraint('b', momentum(u) - y*time()); start { y = 1, u = 1 }");
    assert_int_equal(d->first, 0);
    assert_int_equal(d->second, 2); /* {chi1, chi2} = t */
    assert_generations("11");
    done();
}

/* Formulas that are numbers near the start alone: points are sampled there. */
static void near_the_start(void **state)
{
    (void)state;
    analyse("local x, y, l = coordinate 'x', coordinate 'y', coordinate 'l'\n"
            "lagrangian(x.dot^2/2 + y.dot^2/2 + log(x - 100) + l*(x - y))\n"
            "observe('phi', x - y); start { x = 102, y = 102, l = free(0) }");
    assert_int_equal(d->verdict, DIRAC_DETERMINED);
    assert_generations("1234");
    assert_same(d->chi[1].value, "phi");
    done();
}

static void squares(void **state)
{
    (void)state;
    analyse("local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 + y*x^2); start { x = 0, y = 1 }");
    assert_text_has(d->warning, "ineffective");
    assert_generations("123"); /* p_y, x, p_x */
    assert_int_equal(d->first, 1);
    done();
    analyse("local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 + y.dot^2/2); constraint('c', (x - y)^2 "
            "+ 0*x)\n"
            "start { x = 1, y = 1 }");
    assert_int_equal(d->verdict, DIRAC_REFUSED);
    assert_text_has(d->reason, "not effective");
    done();
}

static void refusals(void **state)
{
    (void)state;
    static const struct { const char *text, *reason;
    } cases[] = {
        { "local x = coordinate 'x'; lagrangian(sqrt(1 + x.dot^2)); start { x = 1 }",
          "not quadratic in the velocities (see 'x')" },
        { "local x = coordinate 'x'; lagrangian(x.dot^2/2); force(x, -x); start { x = 1 }", "forces" },
        { "for i = 1, 41 do local x = coordinate('x' .. i); lagrangian(x.dot^2/2); start { ['x' .. i] = 1 } end",
          "too large" },
        { "local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 + max(x, 0)*y.dot^2/2); start { x = 0, y "
          "= 0 }",
          "rank of the Hessian" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        analyse(cases[i].text);
        assert_int_equal(d->verdict, DIRAC_REFUSED);
        assert_text_has(d->reason, cases[i].reason);
        done();
    }
    analyse("local x, y = coordinate 'x', coordinate 'y'; hamiltonian(momentum(x)^2/2 + momentum(y)^2/2); "
            "constraint('a', x - y)\n"
            "constraint('b', 2*x - 2*y); start { x = 1, y = 1 }");
    assert_int_equal(d->verdict, DIRAC_DETERMINED);
    assert_text_has(d->warning, "'b' says nothing new");
    done();
}

/* A chain: a holonomic constraint gives a pair, all second class, of full rank. */
static void chain(void **state)
{
    (void)state;
    analyse("local last = origin\nfor i = 1, 4 do local a = point('a' .. i, 2); lagrangian(norm2(a.dot)/2 - a.y)\n"
            "constraint('rod' .. i, norm2(a - last) - 1); start { ['a' .. i] = { i, 0 } }; last = a end");
    assert_int_equal(d->verdict, DIRAC_DETERMINED);
    assert_generations("11112222");
    assert_int_equal(d->second, 8);
    done();
}

/* Which velocities a Lagrangian lacks, and when that is worth a warning: only when nothing at all moves. */
static void missing_velocities(void **state)
{
    static const struct { const char *text, *said; int all;
    } cases[] = {
        { "local x = coordinate 'x' lagrangian(x^2/2) start { x = 0 }", "write x.dot where it was forgotten", 1 },
        { "local r = rotation 'r' lagrangian(r.x) start { r = {1, 0, 0, 0} }", "write r.omega where it was forgotten",
          1 },
        { "local x = coordinate 'x' local e = embed('e', {cos(x), sin(x)}) lagrangian(norm2(e) - e.y) start { x = 0 }",
          "write e.dot where it was forgotten", 1 },
        { "local a, x = point 'a', coordinate 'x' lagrangian(a.dot.y^2 - (x - a.y)^2) start { a = origin, x = 0 }",
          "no velocity of 'x': if it was forgotten, write x.dot", 0 },
        { "local x, y = coordinate 'x', coordinate 'y' lagrangian(x*y.dot - y*x.dot - x^2) start { x = 0, y = 0 }", "",
          0 },
        { "local x = coordinate 'x' hamiltonian(x^2/2) start { x = 0 }", "", 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[sizeof m->phase->missing];
        int all;
        analyse(cases[i].text);
        assert_int_equal(taut_missing_velocity(m, text, sizeof text, &all), TAUT_OK);
        assert_int_equal(all, cases[i].all);
        assert_text_has(text, cases[i].said);
        assert_int_equal(text[0] != 0, cases[i].said[0] != 0);
        assert_int_equal(strstr(d->warning, "contains no velocity") != NULL, cases[i].all);
        done();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_class),
        cmocka_unit_test(first_class),
        cmocka_unit_test(pendulum_bracket),
        cmocka_unit_test(four_generations),
        cmocka_unit_test(first_order),
        cmocka_unit_test(mixed_classes),
        cmocka_unit_test(inconsistent),
        cmocka_unit_test(gauges),
        cmocka_unit_test(places),
        cmocka_unit_test(near_the_start),
        cmocka_unit_test(squares),
        cmocka_unit_test(refusals),
        cmocka_unit_test(chain),
        cmocka_unit_test(missing_velocities),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
