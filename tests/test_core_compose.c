/* Compositions: order conditions of the coefficients, the figures of docs/reference/jay-simeon.md on (4.1), measured
   orders, what is kept. */
#include "method/composition.h"
#include "support_jay_simeon.h"
#include "support_keeps.h"

/* ---- coefficients ---- */

/* Coefficient of a word in the product of exp(sum_k g_i^k A_k), i = 1 .. m: a symmetric method of order 2 is exp(h A1 +
   h^3 A3 + h^5 A5 + ..). */
static real word_coefficient(const real *steps, int count, const int *word, int length)
{
    real c[16] = { 1 };
    for (int i = 0; i < count; i++)
        for (int j = length; j >= 1; j--) {
            real factor = 1, sum = c[j];
            for (int k = j - 1; k >= 0; k--) { /* the letters k .. j-1 come from this substep */
                for (int d = 0; d < word[k]; d++) factor *= steps[i];
                factor /= j - k;
                sum += c[k] * factor;
            }
            c[j] = sum;
        }
    return c[length];
}

/* All words in the odd letters up to degree `degree`: not only the independent ones. Largest deviation from those of
   exp(h A1). */
typedef struct {
    const real *steps;
    int count, degree, base;
    int word[16];
    real worst;
} words;

static void look_at_words(words *w, int length, int degree)
{
    int plain = degree == length;
    real expected = plain;
    for (int i = 2; plain && i <= length; i++) expected /= i;
    if (length)
        w->worst = larger(w->worst, REAL(fabs)(word_coefficient(w->steps, w->count, w->word, length) - expected));
    for (int letter = 1; degree + letter <= w->degree; letter += 2) {
        if (letter > 1 && letter < w->base) continue; /* a base of order p has no A3 .. A(p-1) */
        w->word[length] = letter;
        look_at_words(w, length + 1, degree + letter);
    }
}

static real worst_word(const real *steps, int count, int degree, int base)
{
    words w = { .steps = steps, .count = count, .degree = degree, .base = base };
    look_at_words(&w, 0, 0);
    return w.worst;
}

static const struct {
    const char *scheme;
    int base, order, count;
} schemes[] = {
    { "jump", 2, 4, 3 },          { "suzuki", 2, 4, 5 },    { "yoshida", 2, 4, 3 },
    { "yoshida", 2, 6, 7 },       { "kahan-li", 2, 6, 9 },  { "sofroniou-spaletta", 2, 6, 11 },
    { "jump", 2, 6, 9 },          { "suzuki", 2, 6, 25 },   { "yoshida", 2, 8, 15 },
    { "suzuki-umeno", 2, 8, 15 }, { "kahan-li", 2, 8, 17 }, { "jump", 2, 8, 27 },
    { "suzuki", 2, 8, 125 },      { "jump", 4, 6, 3 },      { "suzuki", 4, 6, 5 },
    { "jump", 4, 8, 9 },          { "suzuki", 4, 8, 25 },   { "suzuki", 6, 8, 5 },
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* Rounding errors: the coefficient of a word with k letters is a sum of products of size (sum |g|)^k / k!, whose
   largest, times eps, is the yardstick. In quad this says that the 40 digits of the tables are right: published
   digits leave 1e-20 and more. */
static void order_conditions_hold(void **unused)
{
    (void)unused;
    for (int i = 0; i < SCHEMES; i++) {
        real steps[COMPOSITION_MOST], sum = 0, size = 1;
        int count = X(composition_find)(schemes[i].scheme, schemes[i].base, schemes[i].order, steps);
        assert_int_equal(count, schemes[i].count);
        for (int k = 0; k < count; k++) {
            sum += REAL(fabs)(steps[k]);
            assert_true(steps[k] == steps[count - 1 - k]);
        }
        for (int k = 1; k < schemes[i].order; k++) size = larger(size, REAL(pow)(sum, k) / (real)tgamma(k + 1));
        /* the words up to degree order, since even degrees follow from the symmetry */
        real worst = worst_word(steps, count, schemes[i].order, schemes[i].base),
             beyond = worst_word(steps, count, schemes[i].order + 1, schemes[i].base);
        printf("%-18s %d -> %d with %3d: sum |g| %.2f, conditions %.1f eps, next ones %.1e\n", schemes[i].scheme,
               schemes[i].base, schemes[i].order, count, (double)sum, (double)(worst / REAL_EPSILON), (double)beyond);
        assert_at_most(worst, 4 * size * REAL_EPSILON);
        assert_true(beyond > 1e-9); /* and not by chance: the next order is not met */
    }
}

static void unknown_schemes_are_refused(void **unused)
{
    (void)unused;
    real steps[COMPOSITION_MOST];
    assert_int_equal(X(composition_find)("kahan-li", 2, 4, steps), 0);
    assert_int_equal(X(composition_find)("kahan-li", 4, 6, steps), 0);
    assert_int_equal(X(composition_find)("yoshida", 4, 6, steps), 0);
    assert_int_equal(X(composition_find)("trapezoid", 2, 4, steps), 0);
    assert_int_equal(X(composition_find)(NULL, 4, 4, steps), 1);
    assert_true(steps[0] == 1);
}

/* ---- Jay & Simeon (4.1) ---- */

/* Figures of the prototype, 320 steps. */
static void adjoint_after_true(void **unused)
{
    (void)unused;
    errors second = errors_at_1(PROBLEM_1, "compose:euler,order=2", 320),
           fourth = errors_at_1(PROBLEM_1, "compose:euler,order=4,scheme=jump", 320);
    assert_digits(second.y, 8.458853e-5, 7);
    assert_digits(second.z, 8.850165e-5, 7);
    assert_digits(fourth.y, 1.371084e-8, QUAD ? 7 : 5); /* in double the rounding errors of 1920 steps count */
    assert_digits(fourth.z, 1.614066e-8, QUAD ? 7 : 5);
}

static void check_order(const char *model, const char *method, long steps, double order, double tolerance)
{
    errors a = errors_at_1(model, method, steps), b = errors_at_1(model, method, 2 * steps);
    printf("   order %.3f %.3f\n", log2(a.y / b.y), log2(a.z / b.z));
    assert_between(log2(a.y / b.y), order - tolerance, order + tolerance);
    assert_between(log2(a.z / b.z), order - tolerance, order + tolerance);
}

/* Even powers of h: the deviation falls fourfold with each halving, and grows with the order. */
static void orders_on_4_1(void **unused)
{
    (void)unused;
    check_order(PROBLEM_1, "compose:euler,order=2", 160, 2, 0.02);
    check_order(PROBLEM_1, "compose:euler:conjugate,order=2", 160, 2, 0.02);
    check_order(PROBLEM_1, "compose:euler,alpha=0.3,order=4", 40, 4, 0.1);
    check_order(PROBLEM_1, "compose:euler,order=4,scheme=jump", 160, 4, 0.1);
    check_order(PROBLEM_1, "compose:rattle,order=4", 40, 4, 0.1);
    check_order(PROBLEM_1, "compose:euler,order=6", QUAD ? 40 : 20, 6, QUAD ? 0.1 : 0.3);
    check_order(PROBLEM_1, "compose:euler,order=6,scheme=yoshida", QUAD ? 80 : 40, 6, QUAD ? 0.1 : 0.3);
}

static void high_orders_on_4_1(void **unused)
{
    (void)unused;
    if (!QUAD) skip(); /* errors of 1e-14 and below */
    check_order(PROBLEM_1, "compose:euler,order=8", 20, 8, 0.3);
    check_order(PROBLEM_1, "compose:rattle,order=6,scheme=kahan-li", 80, 6, 0.1);
}

/* ---- the double spherical pendulum ---- */

static void state_at(simulation *z, const char *method, const state *start, real until, long steps, state *end)
{
    use_method(z, method);
    X(state_copy)(start, &z->x);
    do_steps(z, steps, until / (real)steps);
    X(state_copy)(&z->x, end);
}

/* Largest difference of q and of p, the worse of them. */
static double gap(const state *x, const state *y)
{
    return (double)larger(distance(x->q, y->q, x->n), distance(x->p, y->p, x->n) / 10);
}

/* Against lobatto with nine stages, whose error of order 16 is below 1e-25 here. */
static void orders_of_a_constrained_hamiltonian(void **unused)
{
    (void)unused;
    static const struct {
        const char *method;
        int order, steps, in_double;
    } cases[] = {
        { "compose:rattle,order=2", 2, 40, 1 },
        { "compose:rattle,order=4", 4, 16, 1 },
        { "compose:rattle,order=4,scheme=jump", 4, 32, 1 },
        { "compose:rattle,order=6", 6, 12, 1 },
        { "compose:rattle,order=6,scheme=kahan-li", 6, 12, 0 },
        { "compose:rattle,order=6,scheme=yoshida", 6, 16, 0 },
        { "compose:rattle,order=8", 8, 10, 0 },
        { "compose:rattle,order=8,scheme=suzuki-umeno", 8, 10, 0 },
        { "compose:rattle,order=8,scheme=yoshida", 8, 20, 0 },
        { "compose:rattle,order=6,scheme=suzuki", 6, 16, 0 },
        { "compose:lobatto:s=3,order=6", 6, 12, 1 },
        { "compose:lobatto:s=3,order=6,scheme=jump", 6, 32, 0 },
        { "compose:lobatto,order=8,s=4", 8, 20, 0 },
        { "compose:galerkin:LGL,m=3,order=6", 6, 12, 0 },
        { "compose:del,order=4", 4, 24, 1 },
        { "compose:euler,order=4", 4, 16, 1 },
        { "compose:euler:conjugate,order=6", 6, 12, 0 },
        { "compose:euler,order=8", 8, 10, 0 },
    };
    simulation *z = open_model("double-spherical-pendulum");
    state start = save_state(z), exact = save_state(z), end = save_state(z);
    const real until = (real)0.5;
    state_at(z, "lobatto:s=9", &start, until, 100, &exact);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double error[2];
        if ((!QUAD || SANITIZED) && !cases[i].in_double) continue;
        for (int k = 0; k < 2; k++) {
            state_at(z, cases[i].method, &start, until, cases[i].steps << k, &end);
            error[k] = gap(&end, &exact);
        }
        printf("%-44s order %.3f   errors %.1e %.1e\n", cases[i].method, log2(error[0] / error[1]), error[0], error[1]);
        assert_between(log2(error[0] / error[1]), cases[i].order - 0.15, cases[i].order + 0.15);
    }
    X(state_clear)(z->s, &start);
    X(state_clear)(z->s, &exact);
    X(state_clear)(z->s, &end);
    close_model(z);
}

static void what_the_base_keeps_is_kept(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "compose:rattle,order=4", "compose:rattle,order=6",
                                           "compose:rattle,order=8", "compose:lobatto:s=3,order=6",
                                           "compose:euler,order=4",  "compose:del,order=4" };
    static const struct {
        const char *name;
        double h;
    } models[] = { { "double-spherical-pendulum", 0.02 }, { "heavy-top", 0.002 }, { "driven-pendulum", 0.002 } };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            simulation *z = open_with(models[i].name, methods[k]);
            real h = (real)models[i].h;
            engine_symplecticity form;
            engine_return back;
            do_steps(z, 5, h);
            assert_int_equal(X(simulation_symplecticity)(z, h, &form), TAUT_OK);
            assert_int_equal(X(simulation_return)(z, h, 10, &back), TAUT_OK);
            kept worst = follow(z, h, SANITIZED ? 10 : 40);
            printf("%-26s %-28s form %.1e (seen from %.1e)  back %.1f eps  g %.1f  dg/dt %.1f  momenta %.1f eps\n",
                   models[i].name, methods[k], (double)form.defect, (double)form.uncertainty,
                   (double)(back.error / REAL_EPSILON), (double)worst.position, (double)worst.velocity,
                   (double)worst.momentum);
            assert_at_most(form.defect, form.uncertainty);
            assert_at_most(form.uncertainty, QUAD ? 1e-22 : 1e-8);
            assert_at_most(back.error, 200 * REAL_EPSILON * back.growth); /* 10 steps of up to 17 substeps each way */
            assert_at_most(worst.position, 4);
            assert_at_most(worst.velocity, 8);
            assert_at_most(worst.momentum, 20);
            close_model(z);
        }
}

/* ---- the step ---- */

static void declared_from_the_base(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int order;
        unsigned keeps;
    } cases[] = {
        { "compose", 4, KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY },
        { "compose:euler,order=2", 2,
          KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY },
        { "compose:galerkin:LLG,m=3,order=6", 6, KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY },
        { "compose:lobatto:s=6", 10,
          KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY },
    };
    taut_context *context = taut_context_create(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        method_spec spec;
        assert_int_equal(X(method_parse)(context, cases[i].text, &spec), TAUT_OK);
        method_info info = X(method_declared)(&spec);
        assert_int_equal(info.order, cases[i].order);
        assert_int_equal(info.keeps, cases[i].keeps);
    }
    taut_context_destroy(context);
}

/* Every comma belongs to someone: what compose does not know goes to the base, in any order. */
static void options_find_their_owner(void **unused)
{
    (void)unused;
    static const char *const same[] = { "compose:galerkin:LGL,m=4,order=8", "compose:galerkin,order=8,LGL,m=4",
                                        "compose:galerkin:m=4,LGL,order=8", "compose:order=8,galerkin:LGL,m=4" };
    state first = { 0 };
    simulation *z = open_model("double-spherical-pendulum");
    state start = save_state(z);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        use_method(z, same[i]);
        X(state_copy)(&start, &z->x);
        do_steps(z, 2, (real)0.01);
        if (i == 0) first = save_state(z);
        for (size_t k = 0; k < X(state_size)(&first); k++) assert_true(z->x.block[k] == first.block[k]);
    }
    X(state_clear)(z->s, &start);
    X(state_clear)(z->s, &first);
    close_model(z);
}

static void refusals_have_a_sentence(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *part;
    } cases[] = {
        { "compose:shake", "reversible" },
        { "compose:del:left", "reversible" },
        { "compose:rattle,order=5", "orders 2, 4, 6 and 8" },
        { "compose:lobatto:s=4,order=4", "order 6 as it is" },
        { "compose:rattle,scheme=kahan-li", "from order 2 to order 4" },
        { "compose:rattle,scheme=magic", "the schemes are" },
        { "compose:magic", "no method 'magic'" },
        { "compose:rattle,s=3", "no option 's'" },
        { "compose:compose:rattle", "made of" },
        { "compose:euler,alpha=0", "alpha" },
        { "compose:rattle,order=10", "from 2 to 8" },
    };
    simulation *z = open_model("double-spherical-pendulum");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        method_spec spec;
        method m = { 0 };
        int status = X(method_parse)(z->m->context, cases[i].text, &spec);
        if (!status) status = X(method_create)(z->s, &spec, 0, &m);
        assert_int_equal(status, TAUT_BAD_USAGE);
        if (!strstr(taut_error_text(z->m->context), cases[i].part))
            fail_msg("%s: %s", cases[i].text, taut_error_text(z->m->context));
        X(method_destroy)(&m);
    }
    close_model(z);
}

/* A substep that fails takes the whole step back; work is counted; time is that of whole steps. */
static void a_step_is_whole(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "compose:rattle,order=8", "compose:euler,order=4" };
    for (int i = 0; i < 2; i++) {
        simulation *z = open_with("double-spherical-pendulum", methods[i]);
        state before = save_state(z);
        /* large enough for some substep to fail, small enough for the first ones not to: found by trying */
        assert_true(X(simulation_step)(z, 2) > 0);
        assert_true(z->x.t == before.t);
        for (size_t k = 0; k < X(state_size)(&before); k++) assert_true(z->x.block[k] == before.block[k]);
        do_steps(z, 100, 1 / (real)100);
        assert_at_most(REAL(fabs)(z->x.t - 1), 100 * REAL_EPSILON); /* a hundredth is not a binary number */
        long calls = X(method_counts)(&z->method)->calls;
        assert_true(calls >= 100 * (i ? 10 : 2 * 17));
        X(state_clear)(z->s, &before);
        close_model(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_conditions_hold),
        cmocka_unit_test(unknown_schemes_are_refused),
        cmocka_unit_test(adjoint_after_true),
        cmocka_unit_test(orders_on_4_1),
        cmocka_unit_test(high_orders_on_4_1),
        cmocka_unit_test(orders_of_a_constrained_hamiltonian),
        cmocka_unit_test(what_the_base_keeps_is_kept),
        cmocka_unit_test(declared_from_the_base),
        cmocka_unit_test(options_find_their_owner),
        cmocka_unit_test(refusals_have_a_sentence),
        cmocka_unit_test(a_step_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
