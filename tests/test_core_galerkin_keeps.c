/* What the Galerkin integrators keep, and what they do not: constraints, momenta, time symmetry, the symplectic form;
 * which models and options they take. */
#include "support_galerkin.h"

typedef struct {
    const char *name;
    double h;
} problem;

/* Steps of about 1/20 of the fastest period. */
static const problem problems[] = {
    { "pendulum", 0.1 },         { "double-spherical-pendulum", 0.05 },
    { "triple-pendulum", 0.1 },  { "rigid-body", 0.02 },
    { "slider-crank", 0.002 },   { "driven-pendulum", 0.001 },
    { "damped-pendulum", 0.05 }, { "bead-on-hoop", 0.02 },
    { "spring-pendulum", 0.1 },  { "four-particles", 0.01 },
    { "six-balls", 0.05 },
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* ---- constraints and momenta ---- */

typedef struct {
    real g, rate, momentum; /* in units of eps times their scale */
} kept;

static real momentum_scale(const simulation *z, const symmetry *y)
{
    real sum = 0, reach = y->type == SYMMETRY_ROTATION ? largest_of(z->x.q, z->s->n) : 1;
    for (uint32_t i = 0; i < z->s->n; i++) sum += REAL(fabs)(z->x.p[i]);
    return sum * reach;
}

/* Round-off of g_k is eps sum_i |G_ki| |q_i|, that of dg_k/dt the same with v; + g_t t and g_t for a moving
   constraint. */
static void look_at_constraints(simulation *z, real scale[2], real most[2])
{
    const pattern *p = z->s->blocks[BLOCK_G].parts[0].shape;
    real g, rate, q = largest_of(z->x.q, z->s->n);
    X(simulation_residuals)(z, &g, &rate);
    real v = largest_of(z->v, z->s->n);
    most[0] = larger(most[0], g), most[1] = larger(most[1], rate);
    for (uint32_t k = 0; k < z->s->c; k++) {
        real row = 0, g_t = z->g_rate[k];
        for (int e = p->start[k]; e < p->start[k + 1]; e++)
            row += REAL(fabs)(z->g_values[e]), g_t -= z->g_values[e] * z->v[p->index[e]];
        scale[0] = larger(scale[0], row * q + REAL(fabs)(g_t * z->x.t));
        scale[1] = larger(scale[1], row * v + REAL(fabs)(g_t));
    }
}

static kept follow(simulation *z, real h, long steps)
{
    real first[SYMMETRY_LIMIT], size[SYMMETRY_LIMIT] = { 0 }, change[SYMMETRY_LIMIT] = { 0 }, scale[2] = { 0 },
                                most[2] = { 0 };
    kept worst = { 0, 0, 0 };
    for (int i = 0; i < z->symmetry_count; i++)
        first[i] = momentum_of(z->s, &z->symmetries[i], z->x.q, z->x.p);
    for (long n = 0; n < steps; n++) {
        do_steps(z, 1, h);
        look_at_constraints(z, scale, most);
        for (int i = 0; i < z->symmetry_count; i++) {
            real now = momentum_of(z->s, &z->symmetries[i], z->x.q, z->x.p);
            change[i] = larger(change[i], REAL(fabs)(now - first[i]));
            size[i] = larger(size[i], momentum_scale(z, &z->symmetries[i]));
        }
    }
    worst.g = most[0] / (REAL_EPSILON * scale[0]);
    worst.rate = most[1] / (REAL_EPSILON * scale[1]);
    for (int i = 0; i < z->symmetry_count; i++)
        worst.momentum = larger(worst.momentum, change[i] / (REAL_EPSILON * size[i]));
    return worst;
}

/* Constraints: half a unit for the rounding of q, one for the evaluation, as much again for Newton: 3. Momenta: the
   rounding errors of the increments, h |f|/|p| units each, walk at random, and each step solves its equations to a
   unit or so: sqrt(n), and 2 for the evaluation. */
static void kept_at_every_step(void **unused)
{
    (void)unused;
    long steps = SANITIZED ? 20 : QUAD ? 50 : 500;
    for (int i = 0; i < PROBLEMS; i++)
        for (int a = 0; a < ALGORITHMS; a++) {
            int m = 2 + (i + a) % 4; /* each algorithm meets each m */
            simulation *z = open_model(problems[i].name);
            use_galerkin(z, algorithms[a], m);
            kept worst = follow(z, taut_wide_from_double(problems[i].h), steps);
            printf("%-26s %s m=%d, in units of round-off: g %.2f  dg/dt %.2f  momenta %.2f\n", problems[i].name,
                   algorithms[a], m, (double)worst.g, (double)worst.rate, (double)worst.momentum);
            assert_at_most(worst.g, 3);
            assert_at_most(worst.rate, 3);
            assert_at_most(worst.momentum, 2 + sqrt((double)steps));
            close_model(z);
        }
}

/* ---- time symmetry ---- */

/* n steps of h, n of -h. Each of the 2n steps leaves a few ulps, and the motion carries them along. */
static void steps_back_undo_steps(void **unused)
{
    (void)unused;
    static const char *const names[] = { "spring-pendulum", "triple-pendulum", "damped-pendulum", "driven-pendulum" };
    static const double h[] = { 0.1, 0.1, 0.05, 0.001 };
    long steps = QUAD ? 10 : 40;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int a = 0; a < ALGORITHMS; a++)
            for (int m = 2; m <= (SANITIZED ? 2 : QUAD ? 4 : 6); m += 2) {
                simulation *z = open_model(names[i]);
                use_galerkin(z, algorithms[a], m);
                assert_true(declared_galerkin(z, algorithms[a], m).keeps & KEEPS_REVERSIBLE);
                do_steps(z, 5, taut_wide_from_double(h[i]));
                state start = save_state(z);
                do_steps(z, steps, taut_wide_from_double(h[i]));
                uint32_t n = z->s->n;
                real moved = distance(z->x.q, start.q, n), p = larger(largest_of(z->x.p, n), largest_of(start.p, n));
                do_steps(z, steps, -taut_wide_from_double(h[i]));
                real q_error = distance(z->x.q, start.q, n) / largest_of(start.q, n),
                     p_error = distance(z->x.p, start.p, n) / p;
                real back = larger(q_error, p_error) / REAL_EPSILON;
                printf("%-16s %s m=%d: moved %.1g, comes back to %.1f eps\n", names[i], algorithms[a], m, (double)moved,
                       (double)back);
                assert_at_most(back, 8 * (double)steps);
                X(state_clear)(z->s, &start);
                close_model(z);
            }
}

/* ---- the symplectic form ---- */

/* The spring pendulum in minimal coordinates: y = (x, theta, x', theta'). Its masses are 1, so p is the velocity. */
static void put_spring(simulation *z, const state *start, const real *y)
{
    real s = REAL(sin)(y[1]), c = REAL(cos)(y[1]);
    real q[4] = { y[0], 0, y[0] + s, c }, v[4] = { y[2], 0, y[2] + c * y[3], -s * y[3] };
    X(state_copy)(start, &z->x);
    for (int i = 0; i < 4; i++) z->x.q[i] = q[i], z->x.w[i] = z->x.p[i] = v[i], z->x.q_low[i] = z->x.p_low[i] = 0;
}

static void get_spring(const simulation *z, real *y)
{
    const real *q = z->x.q, *v = z->x.w;
    real dx = q[2] - q[0], dy = q[3];
    y[0] = q[0], y[1] = REAL(atan2)(dx, dy), y[2] = v[0], y[3] = (v[2] - v[0]) * dy - v[3] * dx;
}

/* Largest |omega(T a, T b) - omega(a, b)| over an orthonormal basis of the manifold's tangent space at y, T the
   derivative of a step, by differences of order 4: an error of eps/d + d^4, that is eps^(4/5) at best. */
static double defect_at(simulation *z, const state *start, const real *y, real h)
{
    static const struct { int at, weight; } stencil[] = { { -2, 1 }, { -1, -8 }, { 1, 8 }, { 2, -1 } };
    const real d = REAL(pow)(REAL_EPSILON, (real)0.2) / 4;
    real before[4][8] = { { 0 } }, after[4][8] = { { 0 } };
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            real moved[4];
            memcpy(moved, y, sizeof moved);
            moved[i] += stencil[k].at * d;
            put_spring(z, start, moved);
            for (int done = 0; done < 2; done++) {
                real *row = done ? after[i] : before[i];
                if (done) do_steps(z, 1, h);
                for (int j = 0; j < 4; j++) {
                    row[j] += stencil[k].weight * (z->x.q[j] + z->x.q_low[j]) / (12 * d);
                    row[4 + j] += stencil[k].weight * (z->x.p[j] + z->x.p_low[j]) / (12 * d);
                }
            }
        }
    for (int i = 0; i < 4; i++) { /* Gram-Schmidt, and the same combinations afterwards */
        real norm = 0;
        for (int l = 0; l < i; l++) {
            real dot = 0;
            for (int j = 0; j < 8; j++) dot += before[i][j] * before[l][j];
            for (int j = 0; j < 8; j++) before[i][j] -= dot * before[l][j], after[i][j] -= dot * after[l][j];
        }
        for (int j = 0; j < 8; j++) norm += before[i][j] * before[i][j];
        norm = REAL(sqrt)(norm);
        for (int j = 0; j < 8; j++) before[i][j] /= norm, after[i][j] /= norm;
    }
    real worst = 0;
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < i; l++) {
            real change = 0;
            for (int j = 0; j < 4; j++) {
                change += after[i][j] * after[l][4 + j] - after[i][4 + j] * after[l][j];
                change -= before[i][j] * before[l][4 + j] - before[i][4 + j] * before[l][j];
            }
            worst = larger(worst, REAL(fabs)(change));
        }
    return (double)worst;
}

/* The largest defect of the first steps of a run. */
static double defect(simulation *z, const state *start, const char *name, int m, real h, int steps)
{
    state here = save_state(z);
    double worst = 0;
    X(state_copy)(start, &here);
    use_galerkin(z, name, m);
    for (int n = 0; n < steps; n++) {
        real y[4];
        X(state_copy)(&here, &z->x);
        get_spring(z, y);
        worst = fmax(worst, defect_at(z, start, y, h));
        X(state_copy)(&here, &z->x);
        do_steps(z, 1, h);
        X(state_copy)(&z->x, &here);
    }
    X(state_clear)(z->s, &here);
    return worst;
}

/* Only those whose constraint points are those of the constraints' rule. The others fall short by h^3 (m = 2), h^5 (m =
   3) a step, with sizes of a factor of two about those of the reference (1.593e-3, 2.377e-4 and 1.054e-5, 3.789e-7 for
   h = 0.2, 0.1; it does not say at which state and in which basis). */
static void only_some_are_symplectic(void **unused)
{
    (void)unused;
    static const double reference[2][2] = { { 1.593e-3, 2.377e-4 }, { 1.054e-5, 3.789e-7 } };
    const double round_off = 100 * pow((double)REAL_EPSILON, 0.8); /* see defect_at; derivatives of some tens */
    simulation *z = open_model("spring-pendulum");
    state start = save_state(z);
    int steps = SANITIZED ? 5 : 20, most = SANITIZED ? 3 : QUAD ? 4 : 5;
    for (int a = 0; a < ALGORITHMS; a++)
        for (int m = 2; m <= most; m++) {
            double large = defect(z, &start, algorithms[a], m, (real)1 / 5, steps);
            int declared = (declared_galerkin(z, algorithms[a], m).keeps & KEEPS_SYMPLECTIC) != 0;
            printf("%s m=%d: %s symplectic, defect %.3e", algorithms[a], m, declared ? "   " : "not", large);
            if (declared) {
                assert_at_most(large, round_off);
            } else if (QUAD || m <= 4) {
                assert_true(large > 20 * round_off);
                if (m <= 3) {
                    double small = defect(z, &start, algorithms[a], m, (real)1 / 10, 2 * steps);
                    printf(", with half the step %.3e", small);
                    assert_between(log2(large / small), 2 * m - 1.5, 2 * m - 0.5);
                    if (strcmp(algorithms[a], "LGG") == 0) {
                        assert_between(large / reference[m - 2][0], 0.5, 2);
                        assert_between(small / reference[m - 2][1], 0.5, 2);
                    }
                }
            }
            puts("");
        }
    X(state_clear)(z->s, &start);
    close_model(z);
}

/* ---- equal algorithms ---- */

/* Up to m = 3 equidistant points are Lobatto's: bit for bit. */
static void equidistant_is_lobatto_up_to_three(void **unused)
{
    (void)unused;
    for (int a = 0; a < 4; a++)
        for (int m = 2; m <= 3; m++) {
            simulation *z = open_model("triple-pendulum"), *other = open_model("triple-pendulum");
            use_galerkin(z, algorithms[a], m);
            use_galerkin(other, algorithms[a + 4], m);
            do_steps(z, 10, (real)1 / 10);
            do_steps(other, 10, (real)1 / 10);
            assert_memory_equal(z->x.q, other->x.q, z->s->n * sizeof(real));
            assert_memory_equal(z->x.p, other->x.p, z->s->n * sizeof(real));
            close_model(z);
            close_model(other);
        }
}

/* For a constant mass LLL with m = 2 is RATTLE. */
static void two_lobatto_points_are_rattle(void **unused)
{
    (void)unused;
    static const char *const names[] = { "spring-pendulum", "six-balls", "double-spherical-pendulum" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        simulation *z = open_model(names[i]), *rattle = open_model(names[i]);
        use_galerkin(z, "LLL", 2);
        do_steps(z, 20, (real)1 / 50);
        do_steps(rattle, 20, (real)1 / 50);
        /* a few ulps a step */
        assert_at_most(distance(z->x.q, rattle->x.q, z->s->n), 100 * REAL_EPSILON * largest_of(z->x.q, z->s->n));
        assert_at_most(distance(z->x.p, rattle->x.p, z->s->n), 200 * REAL_EPSILON * largest_of(z->x.p, z->s->n));
        close_model(z);
        close_model(rattle);
    }
}

/* ---- models and options ---- */

static int try_method(simulation *z, const char *text)
{
    method_spec spec;
    method made = { 0 };
    int status = X(method_parse)(z->m->context, text, &spec);
    if (!status) status = X(method_create)(z->s, &spec, 0, &made);
    X(method_destroy)(&made);
    return status;
}

static void takes_and_refuses(void **unused)
{
    (void)unused;
    simulation *z = open_model("henon-heiles");
    assert_int_equal(try_method(z, "galerkin:LLL"), z->s->form == FORM_LAGRANGIAN ? TAUT_OK : TAUT_UNSUPPORTED);
    close_model(z);
    z = open_text(
        "local x = coordinate 'x'; local p = momentum(x); hamiltonian(p^2/2 + x^2/2); start { x = 1, ['p.x'] = 0 }\n");
    assert_int_equal(try_method(z, "galerkin"), TAUT_UNSUPPORTED);
    assert_non_null(strstr(taut_error_text(z->m->context), "Lagrangian"));
    close_model(z);
    z = open_model("pendulum");
    assert_int_equal(try_method(z, "galerkin"), TAUT_OK);
    assert_int_equal(try_method(z, "galerkin:LGG,m=9"), TAUT_OK);
    static const char *const bad[] = { "galerkin:LGG,m=1", "galerkin:LGG,m=10", "galerkin:LLL,LGG", "galerkin:LLL=3",
                                       "galerkin:XYZ",     "galerkin:m",        "galerkin:m=x" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(try_method(z, bad[i]), TAUT_BAD_USAGE);
        assert_non_null(strstr(taut_error_text(z->m->context), "galerkin"));
    }
    close_model(z);
}

/* Friction that depends on a multiplier, without constraints, and one coordinate alone: all run, with the declared
   order. */
static void odd_models(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "local a = point('a', 2); lagrangian(norm2(a.dot)/2 - a.y)\n"
        "local l = constraint('rod', norm2(a) - 1); force(a, -0.2*sqrt(1 + l^2)*a.dot)\n"
        "start { a = {0.6, -0.8}, ['a.dot'] = {0.8, 0.6} }\n",
        "local x, y, t = coordinate 'x', coordinate 'y', time()\n"
        "lagrangian((1 + x^2/2)*x.dot^2/2 + y.dot^2/2 + x.dot*y - x^4/4 - x*y^2*cos(t))\n"
        "start { x = 1, y = 0.5, ['x.dot'] = 0, ['y.dot'] = 0.3 }\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int a = 0; a < 4; a++) {
            simulation *z = open_text(texts[i]);
            uint32_t n = z->s->n;
            state start = save_state(z);
            use_galerkin(z, "LGG", 9);
            do_steps(z, 20, (real)1 / 20);
            state exact = save_state(z);
            real error[3];
            for (int k = 0; k < 3; k++) {
                X(state_copy)(&start, &z->x);
                use_galerkin(z, algorithms[a], 3);
                do_steps(z, 10L << k, (real)1 / (10 << k));
                error[k] = larger(distance(z->x.q, exact.q, n), distance(z->x.p, exact.p, n));
            }
            double order = log2((double)(error[1] / error[2]));
            printf("model %zu, %s m=3: errors %.2e %.2e %.2e, order %.2f\n", i, algorithms[a], (double)error[0],
                   (double)error[1], (double)error[2], order);
            assert_between(order, 3.8, 4.2);
            X(state_clear)(z->s, &start);
            X(state_clear)(z->s, &exact);
            close_model(z);
        }
}

/* A step that fails says why and leaves the state as it was; the next one is what it would have been, bit for bit. */
static void a_failed_step_changes_nothing(void **unused)
{
    (void)unused;
    simulation *z = open_model("triple-pendulum"), *other = open_model("triple-pendulum");
    use_galerkin(z, "LGL", 4);
    use_galerkin(other, "LGL", 4);
    do_steps(z, 3, (real)1 / 16);
    do_steps(other, 3, (real)1 / 16);
    state before = save_state(z);
    assert_true(X(simulation_step)(z, 1000) > 0);
    assert_non_null(strstr(taut_error_text(z->m->context), "smaller"));
    assert_memory_equal(before.block, z->x.block, X(state_size)(&before) * sizeof(real));
    do_steps(z, 3, (real)1 / 16);
    do_steps(other, 3, (real)1 / 16);
    assert_memory_equal(z->x.block, other->x.block, X(state_size)(&before) * sizeof(real));
    X(state_clear)(z->s, &before);
    close_model(z);
    close_model(other);
}

/* 200 links: with the wrong order of the columns a step of m = 4 takes seconds, here milliseconds. */
static void a_chain_takes_linear_time(void **unused)
{
    (void)unused;
    simulation *z = open_text("local previous = origin\n"
                              "for i = 1, 200 do local a = point('a' .. i)\n"
                              "lagrangian(norm2(a.dot)/2 - 9.81*a.z); constraint('bar' .. i, norm2(a - previous) - 1)\n"
                              "start { ['a' .. i] = {i, 0, 0} }; previous = a end\n");
    use_galerkin(z, "LGG", 4);
    do_steps(z, 2, (real)1 / 500);
    real g, rate;
    X(simulation_residuals)(z, &g, &rate);
    /* |G| |q| = 2 * 200, see look_at_constraints */
    assert_at_most(g, 3 * 800 * REAL_EPSILON);
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_at_every_step),
        cmocka_unit_test(steps_back_undo_steps),
        cmocka_unit_test(only_some_are_symplectic),
        cmocka_unit_test(equidistant_is_lobatto_up_to_three),
        cmocka_unit_test(two_lobatto_points_are_rattle),
        cmocka_unit_test(takes_and_refuses),
        cmocka_unit_test(odd_models),
        cmocka_unit_test(a_failed_step_changes_nothing),
        cmocka_unit_test(a_chain_takes_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
