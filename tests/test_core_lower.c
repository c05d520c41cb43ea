/* Lowered steps: the same step as the general path's, to round-off, for every method that is a table. */
#include "lower/program.h"
#include "step/stepper.h"
#include "support_method.h"

static const struct {
    const char *model;
    double h;
} models[] = {
    { "double-spherical-pendulum", 0.01 }, { "triple-pendulum", 0.001 }, { "rigid-body", 0.01 }, { "heavy-top", 0.001 },
    { "slider-crank", 0.001 }, { "four-bar", 0.001 }, { "spring-pendulum", 0.001 }, { "henon-heiles", 0.01 },
    { "driven-pendulum", 0.001 }, { "damped-pendulum", 0.01 }, { "bead-on-hoop", 0.001 }, { "four-particles", 0.001 },
    { "water", 0.0002 }, { "chain-molecule", 0.001 }, { "papers/jay-simeon-4.1", 0.001 },
    { "papers/double-spherical-pendulum-chart", 0.01 }, { "argon-trimer", 0.001 },
    { "stewart-platform", 0.001 }, { "spatial-four-bar", 0.0005 }, { "hinged-plates", 0.001 },
    { "nonholonomic/sleigh", 0.05 }, { "nonholonomic/turntable", 0.005 }, { "nonholonomic/tilted-disk", 0.005 },
    { "nonholonomic/snakeboard", 0.05 },
};
enum { STEPS = 20 };
static const char *const methods[] = { "rattle", "shake", "lobatto:s=2", "lobatto:s=3", "lobatto:s=4",
                                       "galerkin:LGL,m=3",
                                       "galerkin:EGG,m=3", "del", "del:left", "em", "euler", "euler:adjoint" };

/* The largest difference of two states after a step of h, in units of its rounding errors. Both iterations end where
   what is left out would not move a position by an ulp: positions have that, velocities that divided by h, momenta the
   (largest) mass times as much. */
static real difference(const struct system *s, const state *a, const state *b, real h)
{
    real q = real_largest(a->q, a->n), w = real_largest(a->w, a->n), p = real_largest(a->p, a->n), worst = 0;
    real speed = w + q / h, mass = 0;
    for (uint32_t i = 0; s->form == FORM_LAGRANGIAN && i < a->n; i++)
        if (a->w[i] != 0) mass = real_most(mass, a->p[i] / a->w[i]);
    real push = s->form == FORM_LAGRANGIAN ? p + mass * speed : p * (1 + q / h), rate = mass > 0 ? speed : push;
    for (uint32_t i = 0; i < a->n; i++) {
        worst = real_most(worst, (a->q[i] - b->q[i]) / q);
        if (rate > 0) worst = real_most(worst, (a->w[i] - b->w[i]) / rate);
        if (push > 0) worst = real_most(worst, (a->p[i] - b->p[i]) / push);
    }
    return worst / REAL_EPSILON;
}

/* A lowered step and one of the general path, from the same states. */
static void compare(simulation *z, const char *model, const char *method, real h)
{
    state general;
    real worst = 0;
    program *p = X(stepper_program)(z->method.self);
    assert_int_equal(X(state_create)(z->s, &general), TAUT_OK);
    for (int i = 0; i < STEPS; i++) {
        X(state_copy)(&z->x, &general);
        X(stepper_use_lowered)(z->method.self, 0);
        assert_int_equal(X(method_step)(&z->method, &general, h), TAUT_OK);
        X(stepper_use_lowered)(z->method.self, 1);
        assert_int_equal(X(method_step)(&z->method, &z->x, h), TAUT_OK);
        worst = real_most(worst, difference(z->s, &z->x, &general, h));
    }
    printf("%-40s %-18s %6.1f rounding errors apart; %.1f iterations, %.1f matrices a step, %ld of %d left\n", model,
           method, (double)worst, (double)p->space.counts.iterations / STEPS,
           (double)p->space.counts.factorisations / STEPS, p->space.left, STEPS);
    assert_at_most(worst, 16);
    assert_at_most((double)p->space.left, STEPS / 2);
    X(state_clear)(z->s, &general);
}

/* 1: compared; 0: the method does not run the model, or its steps are not lowered. */
static int try(const char *model, const char *method, real h)
{
    simulation *z = open_model(model);
    method_spec spec;
    X(method_destroy)(&z->method);
    int served = !X(method_parse)(z->m->context, method, &spec) && !X(method_create)(z->s, &spec, 0, &z->method)
                 && !z->method.code && X(stepper_is_lowered)(z->method.self);
    if (served) compare(z, model, method, h);
    close_model(z);
    return served;
}

static void lowered_steps_are_the_steps(void **unused)
{
    (void)unused;
    int served = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
            served += try(models[i].model, methods[k], (real)models[i].h);
    printf("%d pairs\n", served);
    assert_true(served >= 150);
}

/* The derivative of sign(x), the force of |x|, is zero; but equations with it are not linear, and give no unknown. */
static void kinks_are_not_linear(void **unused)
{
    (void)unused;
    simulation *z = open_text("local x = coordinate 'x'\nlagrangian(x.dot^2/2 - 3*abs(x))\n"
                              "start { x = 0.0466, ['x.dot'] = -1 }");
    use_method(z, "lobatto:s=3");
    assert_true(X(stepper_is_lowered)(z->method.self));
    compare(z, "|x|", "lobatto:s=3", (real)0.01);
    assert_true(z->x.q[0] < 0);
    close_model(z);
}

/* What is too large, or has a mass matrix without an inverse, is left to the general path. */
static void others_are_not_lowered(void **unused)
{
    (void)unused;
    assert_int_equal(try("rigid-body", "del", (real)0.01), 0);
    assert_int_equal(try("hanging-chain", "lobatto:s=3", (real)0.001), 0); /* 100 links */
}

/* A step that cannot be made leaves the state as it was, and the general path says why. */
static void failures_are_explained(void **unused)
{
    (void)unused;
    simulation *z = open_with("triple-pendulum", "rattle");
    state before;
    assert_true(X(stepper_is_lowered)(z->method.self));
    assert_int_equal(X(state_create)(z->s, &before), TAUT_OK);
    X(state_copy)(&z->x, &before);
    assert_true(X(method_step)(&z->method, &z->x, 5) > 0);
    assert_non_null(strstr(taut_error_text(z->m->context), "no convergence"));
    assert_memory_equal(z->x.block, before.block, X(state_size)(&before) * sizeof(real));
    assert_int_equal(X(stepper_program)(z->method.self)->space.left, 1);
    X(state_clear)(z->s, &before);
    close_model(z);
}

typedef struct {
    uint32_t sums, products, fused, quotients, doublings, others;
} operations;

static void count_tape(const program *p, const segment *t, operations *found)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const program_instruction *c = &t->code[i];
        const int is_fused = c->op == PROGRAM_MULTIPLY_ADD || c->op == PROGRAM_MULTIPLY_SUBTRACT ||
                             c->op == PROGRAM_SUBTRACT_PRODUCT;
        const int is_product = is_fused || c->op == OP_MUL || c->op == OP_POWI;
        found->products += is_product && !is_fused;
        found->fused += is_fused;
        found->sums += c->op == OP_ADD || c->op == OP_SUB;
        found->quotients += c->op == OP_DIV;
        found->others += c->op == OP_NEG || c->op == PROGRAM_MOVE;
        if (is_product && c->a >= p->literal_first && c->a < p->literal_first + p->literal_count) found->doublings++;
    }
}

static operations count_operations(const program *p)
{
    operations found = { 0 };
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        count_tape(p, &f->begin, &found), count_tape(p, &f->residual, &found);
        count_tape(p, &f->factor, &found), count_tape(p, &f->solve, &found);
    }
    count_tape(p, &p->results, &found);
    return found;
}

/* A step of RATTLE on the double spherical pendulum with one round of each phase: two matrices, each of which is
   divided by once, no numbers as factors (2 and 1/2 are all that there could be) and no signs to change. The numbers of
   products and sums are those of a step each operation of which was looked at: 138 and 136 before 68 sums take products
   in. Twelve of the sums are those of the new momenta, which the new state needs in any case, four those of the
   multipliers' trend. */
static void no_operation_is_left_that_need_not_be(void **unused)
{
    (void)unused;
    simulation *z = open_with("double-spherical-pendulum", "rattle");
    assert_true(X(stepper_is_lowered)(z->method.self));
    const operations found = count_operations(X(stepper_program)(z->method.self));
    printf("%u products, %u sums, %u sums of products, %u quotients, %u numbers as factors\n", found.products, found.sums,
           found.fused, found.quotients, found.doublings);
    assert_int_equal(found.quotients, 2);
    assert_int_equal(found.doublings, 0);
    assert_int_equal(found.others, 0);
    assert_true(found.products <= 70 && found.sums <= 68 && found.sums + found.fused == 136);
    close_model(z);
}

/* The velocity constraint of a single bar has the matrix |a|^2/m, which is known when |a|^2 = l^2 has been solved: only
   the positions need a division. */
static void what_is_solved_is_known(void **unused)
{
    (void)unused;
    simulation *z = open_with("pendulum", "rattle");
    const program *p = X(stepper_program)(z->method.self);
    assert_int_equal(count_operations(p).quotients, 1);
    assert_int_equal(p->phase_count, 2);
    assert_int_equal(p->phases[1].check_count, 0);
    close_model(z);
}

/* Not that of the beginning: a step from a state that misses the constraints leads back to them. */
static void a_step_leads_back_to_the_constraints(void **unused)
{
    (void)unused;
    simulation *z = open_with("double-spherical-pendulum", "rattle");
    do_steps(z, 3, (real)0.01);
    z->x.q[0] += (real)1e-3;
    do_steps(z, 1, (real)0.01);
    const real *q = z->x.q;
    const real g = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 16;
    assert_true(REAL(fabs)(g) <= 256 * REAL_EPSILON); /* a few ulps of 16 */
    assert_int_equal(X(stepper_program)(z->method.self)->space.left, 0);
    close_model(z);
}

/* The velocities of a constant mass are those of the momenta that a step ends with, to the last bit. */
static void velocities_are_those_of_the_momenta(void **unused)
{
    (void)unused;
    simulation *z = open_with("double-spherical-pendulum", "rattle");
    do_steps(z, 50, (real)0.01);
    for (int i = 0; i < 3; i++) assert_true(2 * z->x.w[i] == z->x.p[i]); /* m1 = 2 */
    close_model(z);
}

static const program *program_of(simulation *z)
{
    static method_part parts[METHOD_PARTS];
    const char *why;
    assert_int_equal(X(method_parts)(&z->method, parts, &why), 1);
    return parts[0].program;
}

/* With constraints of degree 2 the equations of em are linear in the velocities: these follow from the multipliers, two
   neighbours at a time by a determinant, and only multipliers are iterated on. */
static void multipliers_give_velocities(void **unused)
{
    (void)unused;
    simulation *z = open_with("double-spherical-pendulum", "em");
    const program_phase *f = &program_of(z)->phases[0];
    operations round = { 0 };
    count_tape(program_of(z), &f->residual, &round), count_tape(program_of(z), &f->solve, &round);
    printf("%u products, %u sums, %u sums of products, %u quotients\n", round.products, round.sums, round.fused,
           round.quotients);
    assert_int_equal(f->size, z->s->c);
    assert_int_equal(round.quotients, 1);
    assert_true(round.products + round.sums + round.fused <= 71);
    close_model(z);
    z = open_with("four-particles", "em"); /* springs, and bars with roots in them: nothing is linear */
    assert_int_equal(program_of(z)->phases[0].size, z->s->n + z->s->c);
    close_model(z);
}

/* Stages of lobatto meet in the curvature of the constraints, which its matrix leaves out in double. */
static void matrices_without_curvature(void **unused)
{
    (void)unused;
    simulation *z = open_with("double-spherical-pendulum", "lobatto:s=4");
    const program_phase *f = &X(stepper_program)(z->method.self)->phases[0];
    assert_int_equal(f->iteration.rough, !QUAD);
    assert_int_equal(f->size, 2 * z->s->n + 3 * z->s->c); /* what changes in the first stage is explicit */
    if (!QUAD) assert_true(f->residual.count + f->solve.count < f->factor.count);
    do_steps(z, 100, (real)0.1);
    assert_int_equal(X(stepper_program)(z->method.self)->space.left, 0);
    close_model(z);
    z = open_with("spring-pendulum", "lobatto:s=5"); /* a spring is not left out */
    assert_int_equal(X(stepper_program)(z->method.self)->phases[0].iteration.rough, 0);
    close_model(z);
}

/* Operations of a tape of seven numbers, a to g, and the values behind them, which is all that is put out. */
static const uint32_t *fuse(program_instruction *code, uint32_t count, uint32_t *outputs, uint32_t output_count)
{
    static uint32_t left[10];
    simulation *z = open_with("pendulum", "rattle");
    program p = { .s = z->s, .context = z->s->context, .register_count = 7 + count,
                  .results = { .code = code, .count = count }, .outputs = outputs, .output_count = output_count };
    assert_int_equal(X(program_fuse)(&p), TAUT_OK);
    memset(left, 0xff, sizeof left);
    for (uint32_t i = 0; i < p.results.count; i++) left[i] = code[i].op;
    close_model(z);
    return left;
}

/* A sum takes a product in that nobody else reads; one that is read by several sums goes into all of them, or, where
   something else reads it or one of them has taken in another, into none. */
static void products_go_into_all_sums_or_none(void **unused)
{
    (void)unused;
    program_instruction once[] = { { OP_MUL, 7, 0, 1, 0 }, { OP_SUB, 8, 2, 7, 0 } };
    const uint32_t *left = fuse(once, 2, (uint32_t[]){ 8 }, 1);
    assert_int_equal(left[0], PROGRAM_SUBTRACT_PRODUCT);
    assert_true(once[0].target == 8 && once[0].a == 0 && once[0].b == 1 && once[0].c == 2);
    program_instruction square[] = { { OP_POWI, 7, 0, 2, 0 }, { OP_SUB, 8, 7, 2, 0 } };
    left = fuse(square, 2, (uint32_t[]){ 8 }, 1);
    assert_int_equal(left[0], PROGRAM_MULTIPLY_SUBTRACT);
    assert_true(square[0].a == 0 && square[0].b == 0 && square[0].c == 2);
    program_instruction twice[] = { { OP_MUL, 7, 0, 1, 0 }, { OP_ADD, 8, 7, 2, 0 }, { OP_SUB, 9, 3, 7, 0 } };
    left = fuse(twice, 3, (uint32_t[]){ 8, 9 }, 2);
    assert_int_equal(left[0], PROGRAM_MULTIPLY_ADD);
    assert_int_equal(left[1], PROGRAM_SUBTRACT_PRODUCT);
    program_instruction shown[] = { { OP_MUL, 7, 0, 1, 0 }, { OP_ADD, 8, 7, 2, 0 }, { OP_SUB, 9, 3, 7, 0 } };
    left = fuse(shown, 3, (uint32_t[]){ 7, 8, 9 }, 3);
    assert_true(left[0] == OP_MUL && left[1] == OP_ADD && left[2] == OP_SUB);
    /* a chain: forces of neighbouring bars on each mass */
    program_instruction chain[] = { { OP_MUL, 7, 0, 1, 0 }, { OP_MUL, 8, 2, 3, 0 }, { OP_ADD, 9, 7, 4, 0 },
                                    { OP_SUB, 10, 8, 7, 0 }, { OP_SUB, 11, 5, 8, 0 } };
    left = fuse(chain, 5, (uint32_t[]){ 9, 10, 11 }, 3);
    assert_true(left[0] == OP_MUL && left[1] == PROGRAM_MULTIPLY_ADD && left[2] == PROGRAM_SUBTRACT_PRODUCT);
    assert_int_equal(left[3], OP_SUB);
    program_instruction doubled[] = { { OP_MUL, 7, 0, 1, 0 }, { OP_ADD, 8, 7, 7, 0 } };
    left = fuse(doubled, 2, (uint32_t[]){ 8 }, 1);
    assert_true(left[0] == OP_MUL && left[1] == OP_ADD);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lowered_steps_are_the_steps),
                                        cmocka_unit_test(kinks_are_not_linear),
                                        cmocka_unit_test(others_are_not_lowered),
                                        cmocka_unit_test(failures_are_explained),
                                        cmocka_unit_test(no_operation_is_left_that_need_not_be),
                                        cmocka_unit_test(what_is_solved_is_known),
                                        cmocka_unit_test(a_step_leads_back_to_the_constraints),
                                        cmocka_unit_test(velocities_are_those_of_the_momenta),
                                        cmocka_unit_test(multipliers_give_velocities),
                                        cmocka_unit_test(matrices_without_curvature),
                                        cmocka_unit_test(products_go_into_all_sums_or_none) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
