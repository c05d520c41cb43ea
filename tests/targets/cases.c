/* cases FOLDER: writes cases (cases.h): steps of all models and methods, straight ones too, and random tapes. Beside
 * each, FOLDER/N.case, is the same flow as a module of WebAssembly, N.wasm. */
#include <dirent.h>
#include <math.h>

#include "lower/expect.h"
#include "lower/symbols.h"
#include "lower/wasm.h"
#include "step/stepper.h"
#include "support.h"
#include "support_tape.h"
#include "targets/cases.h"

enum { STEPS = 12, LONG_STEPS = 200, TAPES = 8, TAPE_LENGTH = 600, INPUTS = 5000, STATE_AT = 10,
       STATE_SIZE = 20, LENGTH_MOST = 1200, MODELS_MOST = 200 };
static const real h = 0.001;

static const char *folder;
static int written;

static int is_long(void) { return getenv("TAUT_TEST_LONG") != NULL; }

/* ---- a case ---- */

typedef struct {
    const program *p;
    const step_flow *flow;
    real *registers;          /* of the interpreter */
    FILE *file;
    int steps;
} writer;

static void put_doubles(const writer *w, const real *x, uint32_t count)
{
    assert_int_equal(fwrite(x, sizeof *x, count, w->file), count);
}

static void put_code(const writer *w, const program_instruction *code, uint32_t count)
{
    assert_int_equal(fwrite(code, sizeof *code, count, w->file), count);
}

static void put_module(const program *p, const step_flow *flow)
{
    char path[600];
    builder bytes = { .context = p->context };
    snprintf(path, sizeof path, "%s/%d.wasm", folder, written);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(X(program_wasm)(p, flow, &bytes), TAUT_OK);
    assert_int_equal(fwrite(bytes.text, 1, bytes.length, file), bytes.length);
    fclose(file);
    taut_builder_clear(&bytes);
}

static uint32_t value_count(const program *p) { return p->flow.register_count + PROGRAM_WORK; }

/* Numbers that are computed are another one before: nothing may depend on it. */
static void spoil(real *registers, const program *p, const program_instruction *code)
{
    for (const program_instruction *c = code; c->op != PROGRAM_END; c++)
        if (flow_has_target(c) && (c->target < p->state_first || c->target >= p->state_first + p->state_count))
            registers[c->target] = 0x1.8p900;
}

/* registers: of the program, with constants and literals. */
static void begin_case(writer *w, const program *p, const step_flow *flow, const real *registers, const char *name)
{
    char path[600], title[CASE_NAME] = "";
    const program_instruction end = { .op = PROGRAM_END };
    const uint32_t head[CASE_WORDS] = {
        [CASE_MAGIC] = CASE_IS_ONE, [CASE_VALUES] = value_count(p), [CASE_REGISTERS] = p->flow.register_count,
        [CASE_STATE_FIRST] = p->state_first, [CASE_STATE] = p->state_count, [CASE_REPORT_FIRST] = p->flow.report_first,
        [CASE_REPORTS] = p->flow.report_count, [CASE_COUNT_FIRST] = p->flow.count_first,
        [CASE_LITERAL_FIRST] = p->flow.literal_first, [CASE_SETUP] = p->setup.count + 1,
        [CASE_FLOW] = flow->count, [CASE_STEPS] = (uint32_t)w->steps
    };
    snprintf(path, sizeof path, "%s/%d.case", folder, written);
    snprintf(title, sizeof title, "%s", name);
    w->p = p, w->flow = flow;
    w->file = fopen(path, "wb");
    w->registers = calloc(value_count(p), sizeof *w->registers);
    assert_true(w->file && w->registers);
    memcpy(w->registers, registers, value_count(p) * sizeof *registers);
    spoil(w->registers, p, p->setup.code), spoil(w->registers, p, flow->code);
    assert_int_equal(fwrite(head, 1, sizeof head, w->file), sizeof head);
    assert_int_equal(fwrite(title, 1, sizeof title, w->file), sizeof title);
    put_code(w, p->setup.code, p->setup.count), put_code(w, &end, 1);
    put_code(w, flow->code, flow->count);
    if ((head[CASE_SETUP] + head[CASE_FLOW]) % 2) put_code(w, &end, 1); /* 20 bytes each */
    put_doubles(w, w->registers, value_count(p));
    X(program_run)(p->setup.code, w->registers);
}

static void put_step(const writer *w, const real *block, const real *times)
{
    const program *p = w->p;
    real *r = w->registers;
    memcpy(r + p->state_first + p->state_count, times, STATE_LEAVES * sizeof *times);
    memcpy(r + p->state_first, block, p->state_count * sizeof *block);
    for (int i = 0; i < FLOW_COUNTS; i++) r[p->flow.count_first + (uint32_t)i] = 0;
    const real left = X(program_run)(w->flow->code, r);
    put_doubles(w, times, STATE_LEAVES);
    put_doubles(w, block, p->state_count);
    put_doubles(w, &left, 1);
    put_doubles(w, r + p->state_first, p->state_count);
    put_doubles(w, r + p->flow.report_first, p->flow.report_count);
    put_doubles(w, r + p->flow.count_first, FLOW_COUNTS);
}

static void end_case(writer *w)
{
    fclose(w->file);
    free(w->registers);
    put_module(w->p, w->flow);
    written++;
}

/* ---- steps ---- */

static simulation *open_with(const char *path, const char *method)
{
    model *m = NULL;
    simulation *z = NULL;
    taut_context *context = taut_context_create(NULL);
    const engine_options options = { .method = method, .step = (wide)h, .native = TAUT_NATIVE_OFF };
    assert_non_null(context);
    int status = taut_model_read_file(context, path, NULL, 0, &m);
    if (!status && !m->contact_count) status = X(simulation_create)(m, &options, &z);
    if (z && !status) return z;
    taut_model_free(m);
    taut_context_destroy(context);
    return NULL;
}

static program *program_of(const simulation *z)
{
    method_part parts[METHOD_PARTS];
    const char *why;
    return X(method_parts)(&z->method, parts, &why) > 0 ? parts[0].program : NULL;
}

/* A flow of the program, from the state on. The first step is made before: it fills the registers. */
static void put_steps(simulation *z, program *p, const step_flow *flow, const char *name)
{
    writer w = { .steps = is_long() ? LONG_STEPS : STEPS };
    begin_case(&w, p, flow, p->space.registers, name);
    for (int i = 0; i < w.steps; i++) {
        real t1, t1_low;
        X(state_next_time)(&z->x, h, &t1, &t1_low);
        const real times[STATE_LEAVES] = { [STATE_T0] = z->x.t, [STATE_T0_LOW] = z->x.t_low, [STATE_T1] = t1,
                                           [STATE_SPAN] = t1 - z->x.t };
        put_step(&w, z->x.block, times);
        X(program_step)(p, &z->x, h, NULL); /* where it is left, again */
    }
    end_case(&w);
}

static void put_straight(simulation *z, program *p, const char *name)
{
    for (int k = 0; k < X(expect_count)(p); k++) {
        step_flow straight = { 0 };
        long counts[FLOW_COUNTS] = { 0 };
        char title[CASE_NAME];
        snprintf(title, sizeof title, "%.50s, straight %d", name, k);
        assert_int_equal(X(expect_flow)(p, k, &straight, counts), TAUT_OK);
        if (straight.count) {
            const program_instruction end = { .op = PROGRAM_END };
            assert_int_equal(X(step_flow_add)(p->context, &straight, end), TAUT_OK);
            put_steps(z, p, &straight, title);
        }
        X(step_flow_clear)(p->context, &straight);
    }
}

static void put_model(const char *path, const char *method)
{
    simulation *z = open_with(path, method);
    program *p = z ? program_of(z) : NULL;
    if (p && !p->input_count && (is_long() || X(program_length)(p) <= LENGTH_MOST)) {
        char name[CASE_NAME];
        snprintf(name, sizeof name, "%.40s %s", strrchr(path, '/') + 1, method);
        X(program_step)(p, &z->x, h, NULL);
        put_steps(z, p, &p->flow, name);
        put_straight(z, p, name);
    }
    if (z) close_model(z);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static void put_models(void)
{
    static const char *const methods[] = { "rattle", "em", "lobatto:s=3", "galerkin", "del", "euler", "euler:adjoint" };
    static char paths[MODELS_MOST][600];
    size_t count = 0;
    DIR *d = opendir(MODELS);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) && count < MODELS_MOST;)
        if (strstr(e->d_name, ".lua")) snprintf(paths[count++], sizeof *paths, "%s/%s", MODELS, e->d_name);
    closedir(d);
    qsort(paths, count, sizeof *paths, by_name);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) put_model(paths[i], methods[k]);
}

/* ---- random tapes ---- */

/* Sums of products that end halfway between two numbers but for little, or cancel, or are near the ends of the range:
   three registers each. */
static void draw_sums(uint64_t *seed, program_instruction *code, uint32_t first, real *registers)
{
    for (uint32_t i = 0; i < TAPE_LENGTH; i++) {
        const uint32_t at = STATE_AT + STATE_SIZE + 3 * i, near = draw(seed, 8);
        const int power = near == 0 ? 960 : near == 1 ? -1000 : 0;
        const int of_a = power + (int)draw(seed, 30), of_b = (int)draw(seed, 30);
        const double e = ldexp(1 + draw(seed, 3), -(int)draw(seed, 54)), sign = draw(seed, 2) ? 1 : -1;
        registers[at] = sign * ldexp(1 + e, of_a);
        registers[at + 1] = ldexp(draw(seed, 2) ? 1 - e : 1 + e, of_b);
        registers[at + 2] = draw(seed, 4) ? ldexp(0x1p53 + draw(seed, 8), of_a + of_b + (int)draw(seed, 3) - 1)
                                          : registers[at] * registers[at + 1];
        code[i] = (program_instruction){ PROGRAM_MULTIPLY_ADD + i % 3, first + i, at, at + 1, at + 2 };
    }
}

/* So many inputs that the values behind them are far from the first one. */
static void put_tape(simulation *z, uint64_t *seed, int of_sums)
{
    static program_instruction code[2][TAPE_LENGTH + 1];
    enum { VALUES = INPUTS + 4 * TAPE_LENGTH + PROGRAM_WORK };
    static real registers[VALUES];
    static uint32_t outputs[TAPE_LENGTH];
    writer w = { .steps = 1 };
    program p = { .s = z->s, .context = z->s->context, .register_count = INPUTS + 2 * TAPE_LENGTH,
                  .state_first = STATE_AT, .state_count = STATE_SIZE, .outputs = outputs, .output_count = TAPE_LENGTH };
    for (uint32_t i = 0; i < TAPE_LENGTH; i++) outputs[i] = INPUTS + TAPE_LENGTH + i;
    draw_tape(seed, &p.setup, code[0], INPUTS, TAPE_LENGTH);
    draw_tape(seed, &p.results, code[1], INPUTS + TAPE_LENGTH, TAPE_LENGTH);
    for (int i = 0; i < INPUTS; i++) registers[i] = draw_input(seed, i);
    if (of_sums) draw_sums(seed, code[1], INPUTS + TAPE_LENGTH, registers);
    assert_int_equal(X(step_flow_create)(&p, 0, &p.flow), TAUT_OK);
    assert_true(value_count(&p) <= VALUES);
    memcpy(registers + p.flow.literal_first, p.flow.literals, p.flow.literal_count * sizeof *registers);
    begin_case(&w, &p, &p.flow, registers, of_sums ? "sums of products" : "random tape");
    put_step(&w, registers + p.state_first, registers + p.state_first + p.state_count);
    end_case(&w);
    X(step_flow_clear)(p.context, &p.flow);
}

static void cases(void **unused)
{
    (void)unused;
    uint64_t seed = 1;
    simulation *z = open_model("pendulum");
    for (int i = 0; i < TAPES; i++) put_tape(z, &seed, 0), put_tape(z, &seed, 1);
    close_model(z);
    put_models();
    print_message("%d cases\n", written);
    assert_true(written > 150);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(cases) };
    if (count != 2) return 2;
    folder = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
