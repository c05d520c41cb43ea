/* Every method of the catalogue, with each of its bare options, on nonlinear constrained models: every property that it
 * declares is measured, and holds. A new method or option is in this test as soon as it is in the catalogue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/method.h" /* before cmocka.h, which defines a macro fail */
#include "run/verify.h"

#include <cmocka.h>

/* Options with values, and schemes that bare words do not lead to. */
static const char *const more[] = { "lobatto:s=2",
                                    "lobatto:s=4",
                                    "galerkin:LGG,m=2",
                                    "dirac:gauss,s=2",
                                    "compose:euler,order=4",
                                    "compose:lobatto:s=3,order=6",
                                    "euler:natural,conjugate" };

/* Constant mass, mass that depends on q, a rotation; more of them with TAUT_TEST_LONG=1. */
static const char *const models[] = { "double-spherical-pendulum",
                                      "slider-crank",
                                      "rigid-body",
                                      "four-bar",
                                      "driven-pendulum",
                                      "heavy-top",
                                      "henon-heiles",
                                      "bead-on-hoop",
                                      "six-balls",
                                      "nonholonomic/sleigh",
                                      "nonholonomic/turntable" };
enum { SHORT = 3, MODELS_MOST = sizeof models / sizeof *models };

enum { VARIANTS = 100, PROPERTIES = 12 };
typedef struct {
    char name[64];
    char measured[PROPERTIES][24]; /* properties that were declared, and found to hold on some model */
    int count;
} variant;

static variant variants[VARIANTS];
static int variant_count;

static void add_variant(const char *name, const char *word)
{
    assert_true(variant_count < VARIANTS);
    snprintf(variants[variant_count++].name, sizeof variants->name, "%s%s%s", name, word ? ":" : "", word ? word : "");
}

static void list_variants(void)
{
    for (int i = 0; i < taut_engine_double.method_count(); i++) {
        const method_info *info = taut_engine_double.method_info(i);
        add_variant(info->name, NULL);
        for (int k = 0; k < info->option_count; k++)
            if (!info->options[k].values[0] && strcmp(info->options[k].name, "functional"))
                add_variant(info->name, info->options[k].name);
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) add_variant(more[i], NULL);
}

static void note_row(variant *v, const verify_row *row)
{
    if (row->verdict == VERDICT_HOLDS && v->count < PROPERTIES) strcpy(v->measured[v->count++], row->property);
}

/* Formulations that do not keep the constraints leave them on some models, and end there (Seiler 1997): that is no
   property. */
static int may_fail(const char *name)
{
    method_spec spec;
    return X(method_parse)(NULL, name, &spec) == TAUT_OK && !(X(method_declared)(&spec).keeps & KEEPS_POSITION);
}

static void verify(taut_context *context, model *m, variant *v)
{
    const engine_api *wide_api = taut_engine_find("quad") ? taut_engine_find("quad") : &taut_engine_double;
    engine_options options = { .method = v->name };
    verify_options what = { .api = wide_api, .long_api = &taut_engine_double };
    verify_result result;
    int status = wide_api->create(m, &options, &what.engine);
    if (status == TAUT_UNSUPPORTED) return;
    if (!status) status = taut_engine_double.create(m, &options, &what.long_engine);
    if (!status) status = taut_verify_run(context, &what, &result);
    if (status && !may_fail(v->name)) fail_msg("%s on %s: %s", v->name, m->file, taut_error_text(context));
    for (int i = 0; !status && i < result.count; i++) {
        const verify_row *row = &result.rows[i];
        if (row->verdict == VERDICT_FAILS || row->verdict == VERDICT_UNDECIDED)
            fail_msg("%s on %s: %s is declared '%s' and measured as %s: %s (%s)", v->name, m->file, row->property,
                     row->declared, row->measured, taut_verdict_text(row->verdict), row->note);
        note_row(v, row);
    }
    wide_api->destroy(what.engine);
    taut_engine_double.destroy(what.long_engine);
}

static int was_measured(const variant *v, const char *property)
{
    for (int i = 0; i < v->count; i++)
        if (strncmp(v->measured[i], property, strlen(property)) == 0) return 1;
    return 0;
}

static void declared_and_measured(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* a minute and a half without sanitizers */
#endif
    /* in double, errors of the higher orders are round-off before they show one */
    if (!taut_engine_find("quad")) skip();
    static const struct { unsigned bit; const char *property; } properties[] = {
        { KEEPS_SYMPLECTIC, "symplectic" }, { KEEPS_ENERGY, "energy" },           { KEEPS_MOMENTUM, "momenta" },
        { KEEPS_REVERSIBLE, "reversible" }, { KEEPS_POSITION, "position" },       { KEEPS_VELOCITY, "velocity" },
    };
    taut_context *context = taut_context_create(NULL);
    size_t count = getenv("TAUT_TEST_LONG") ? MODELS_MOST : SHORT;
    list_variants();
    for (size_t i = 0; i < count; i++) {
        char path[512];
        model *m = NULL;
        snprintf(path, sizeof path, "%s/%s.lua", MODELS, models[i]);
        assert_int_equal(taut_model_read_file(context, path, NULL, 0, &m), TAUT_OK);
        for (int k = 0; k < variant_count; k++) verify(context, m, &variants[k]);
        taut_model_free(m);
    }
    for (int k = 0; k < variant_count; k++) {
        method_spec spec;
        assert_int_equal(X(method_parse)(context, variants[k].name, &spec), TAUT_OK);
        method_info info = X(method_declared)(&spec);
        for (size_t p = 0; p < sizeof properties / sizeof *properties; p++)
            if ((info.keeps & properties[p].bit) && !was_measured(&variants[k], properties[p].property))
                fail_msg("%s declares '%s', and no model measured it", variants[k].name, properties[p].property);
        if (!info.variable && !was_measured(&variants[k], "order"))
            fail_msg("the order of %s was measured on no model", variants[k].name);
    }
    taut_context_destroy(context);
}

/* Without constraints some methods keep more, and declare it: then nothing is found to be kept, or of a higher order,
   that is not declared. */
static void without_constraints(void **state)
{
    (void)state;
    static const char text[] = "local x, y = coordinate 'x', coordinate 'y'\n"
                               "lagrangian(x.dot^2/2*(1 + y^2/2) + y.dot^2/2 - x^2/2 - y^2/2 - x^2*y + y^3/3)\n"
                               "start { x = 0.1, y = 0.2, ['x.dot'] = 0.4, ['y.dot'] = 0.3 }";
    static const struct {
        const char *method;
        unsigned keeps;
        int order, momentum_order;
    } cases[] = {
        { "shake", KEEPS_SYMPLECTIC | KEEPS_REVERSIBLE, 2, 2 },
        { "galerkin:LLG,m=2", KEEPS_SYMPLECTIC | KEEPS_REVERSIBLE, 2, 2 },
        { "galerkin:ELL,m=4", KEEPS_SYMPLECTIC | KEEPS_REVERSIBLE, 6, 6 },
        { "galerkin:EGG,m=4", KEEPS_SYMPLECTIC | KEEPS_REVERSIBLE, 6, 6 },
        { "compose:galerkin:LGG,m=2", KEEPS_SYMPLECTIC | KEEPS_REVERSIBLE, 4, 4 },
        { "naive:midpoint", KEEPS_SYMPLECTIC | KEEPS_REVERSIBLE, 2, 2 },
        { "dirac:gauss,project=both", KEEPS_SYMPLECTIC | KEEPS_REVERSIBLE, 4, 4 },
        { "extended:gauss", KEEPS_SYMPLECTIC | KEEPS_REVERSIBLE, 4, 4 },
        { "naive:rk4", 0, 4, 4 },
        { "em", KEEPS_REVERSIBLE, 2, 2 },
        { "compose:em", KEEPS_REVERSIBLE, 4, 4 },
        { "del:left", KEEPS_SYMPLECTIC, 1, 1 },
    };
    const engine_api *wide_api = taut_engine_find("quad");
    if (!wide_api) skip();
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    assert_int_equal(taut_model_read_text(context, "free.lua", text, strlen(text), NULL, 0, &m), TAUT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        engine_options options = { .method = cases[i].method };
        verify_options what = { .api = wide_api, .long_api = &taut_engine_double, .step = (wide)1 / 16, .until = 4 };
        verify_result result;
        int status = wide_api->create(m, &options, &what.engine);
        if (!status) status = taut_engine_double.create(m, &options, &what.long_engine);
        if (!status) status = taut_verify_run(context, &what, &result);
        if (status) fail_msg("%s: %s", cases[i].method, taut_error_text(context));
        const method_info *declared = wide_api->declared(what.engine);
        const unsigned looked_at = KEEPS_SYMPLECTIC | KEEPS_REVERSIBLE;
        assert_int_equal(declared->keeps & looked_at, cases[i].keeps);
        assert_int_equal(declared->order, cases[i].order);
        assert_int_equal(declared->momentum_order ? declared->momentum_order : declared->order,
                         cases[i].momentum_order);
        for (int k = 0; k < result.count; k++) {
            const verify_row *row = &result.rows[k];
            if (strcmp(row->property, "symplectic") && strcmp(row->property, "reversible") &&
                strncmp(row->property, "order", 5))
                continue;
            if ((row->verdict != VERDICT_HOLDS && row->verdict != VERDICT_NOT_KEPT) || strstr(row->note, "more than"))
                fail_msg("%s: %s is declared '%s' and measured as %s: %s (%s)", cases[i].method, row->property,
                         row->declared, row->measured, taut_verdict_text(row->verdict), row->note);
        }
        wide_api->destroy(what.engine);
        taut_engine_double.destroy(what.long_engine);
    }
    taut_model_free(m);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(without_constraints),
                                        cmocka_unit_test(declared_and_measured) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
