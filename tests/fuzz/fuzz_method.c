/* Method strings and settings: NAME:options, then after a zero byte numbers for step, tolerance, time, and flags. All are
   parsed; where that succeeds a small model makes three steps. A step that fails must leave the state as it was. */
#include "run/engine.h"
#include "taut/taut.h"
#include "text.h"

static const char *const words[] = { "rattle", "shake", "lobatto", "del", "left", "galerkin", "ELL", "EGL", "ELG", "EGG",
                                     "LLL", "LGL", "LLG", "LGG", "em", "project", "naive", "extended", "dirac", "rk4",
                                     "rkf45", "midpoint", "gauss", "none", "position", "momentum", "both", "eps", "tol",
                                     "euler", "natural", "conjugate", "adjoint", "alpha", "compose", "order", "s", "m",
                                     "suzuki", "triple", "yoshida", "embed", NULL };
static const char *const templates[] = { "s=$n", "m=$n", "order=$n", "tol=$n", "eps=$n", "project=$w", "alpha=$n", "$w=$n",
                                         "$w:$w", "$w", "compose:$w", "dirac:$w", NULL };
static const vocabulary language = { .words = words, .templates = templates, .separator = ',' };
enum { TAIL = 5 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    const uint8_t *end = memchr(data, 0, size);
    const size_t text = end ? (size_t)(end - data) : size;
    uint8_t tail[1 + TAIL] = { 0 };
    uint64_t state = seed;
    if (end) memcpy(tail + 1, end + 1, size - text - 1 < TAIL ? size - text - 1 : TAIL);
    if (most < TAIL + 2 || text > most - TAIL - 1) return LLVMFuzzerMutate(data, size, most);
    if (fuzz_random(&state, 4) == 0) tail[1 + fuzz_random(&state, TAIL)] = (uint8_t)fuzz_random(&state, 256);
    size = text_mutate(data, text, most - TAIL - 1, seed, &language);
    memcpy(data + size, tail, sizeof tail);
    return size + sizeof tail;
}

static const char *const texts[] = {
    "local a = point 'a'\nlagrangian(norm2(a.dot)/2 - 9.81*a.z)\nconstraint('rod', norm2(a) - 1)\n"
    "start { a = {0.6, 0, -0.8}, ['a.dot'] = {0, 1, 0} }",
    "local x, y = coordinate 'x', coordinate 'y'\nhamiltonian((momentum(x)^2 + momentum(y)^2)/2 + x^2*y - y^3/3)\n"
    "start { x = 0.1, y = 0.2, ['p.x'] = 0.3 }",
    "local z = coordinate 'z'\nlagrangian(z.dot^2/2 - z)\ncontact('floor', z, { restitution = 0.5 })\nstart { z = 0.01 }",
    "local x = coordinate 'x'\nlagrangian(x.dot^2/2 - x^4)\nforce(x, -0.1*x.dot)\nstart { x = 1 }",
};
enum { MODELS_COUNT = sizeof texts / sizeof *texts, NUMBERS_MOST = 64 };

static void read_state(taut_simulation *z, double *x)
{
    memset(x, 0, NUMBERS_MOST * sizeof *x);
    x[0] = taut_time(z);
    taut_get(z, TAUT_POSITION, 0, taut_count(z, TAUT_POSITION), x + 1, NULL);
    taut_get(z, TAUT_MOMENTUM, 0, taut_count(z, TAUT_MOMENTUM), x + 20, NULL);
}

static void try(taut_context *context, const char *method, const uint8_t *tail)
{
    static const double steps[] = { 0.01, 0, -0.01, 1, 1e300, 1e-300, 5, 0.1, -1, 1e-17, 1e9 },
                        tolerances[] = { 0, 1e-8, 1e-300, 0.1, -1, 1e300, 1, 2e-16 }, times[] = { 0, 1, -1e300, 1e17 };
    taut_model *m = NULL;
    taut_simulation *z = NULL;
    const char *text = texts[tail[0] % MODELS_COUNT];
    const double h = steps[tail[1] % (sizeof steps / sizeof *steps)];
    double before[NUMBERS_MOST], after[NUMBERS_MOST];
    int status = taut_model_load_text(context, "fuzz.lua", text, strlen(text), NULL, 0, &m);
    FUZZ_CHECK(!status, "%s", taut_error_text(context));
    const taut_options o = { .size = sizeof o, .method = method, .step = h,
                             .tolerance = tolerances[tail[2] % (sizeof tolerances / sizeof *tolerances)],
                             .time = times[tail[3] % (sizeof times / sizeof *times)], .start = tail[4] % 4,
                             .active_set = tail[4] >> 2 & 1, .native = tail[4] & 8 ? TAUT_NATIVE_OFF : TAUT_NATIVE_AUTO };
    status = taut_simulation_create(context, m, &o, &z);
    check_status(context, status);
    FUZZ_CHECK(!status == !!z, "status %d", status);
    for (int i = 0; z && i < 3 && status >= 0; i++) {
        read_state(z, before);
        status = taut_step(z, h);
        check_status(context, status);
        if (status > 0) {
            read_state(z, after);
            FUZZ_CHECK(memcmp(before, after, sizeof before) == 0, "%s: a step that failed moved the state", method);
            break;
        }
    }
    taut_simulation_release(z);
    taut_model_release(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char method[200];
    uint8_t tail[TAIL] = { 0 };
    const uint8_t *end = memchr(data, 0, size);
    const size_t text = end ? (size_t)(end - data) : size;
    if (text >= sizeof method) return 0;
    memcpy(method, data, text), method[text] = 0;
    if (end) memcpy(tail, end + 1, size - text - 1 < TAIL ? size - text - 1 : TAIL);
    bounds b;
    taut_context *context = bounded_begin(&b);
    /* most are none: no model is made for them */
    const int status = taut_engine_find("double")->method_parse(context, method);
    check_status(context, status);
    if (!status) try(context, method, tail);
    bounded_end(&b);
    return 0;
}
