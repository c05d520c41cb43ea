/* A double pendulum built in C, without a script: the masses hang on rods, given by expressions. */
#include "example.h"

/* x^2 + y^2 */
static taut_expr square(taut_builder *b, const taut_expr *a)
{
    taut_expr squares[2];
    taut_apply(b, "*", 2, a, a, squares);
    return taut_sum(b, 2, squares);
}

static taut_expr binary(taut_builder *b, const char *op, taut_expr x, taut_expr y)
{
    taut_expr out;
    taut_apply(b, op, 1, &x, &y, &out);
    return out;
}

int main(void)
{
    taut_context *context = taut_context_create(NULL);
    taut_builder *b = NULL;
    taut_model *model = NULL;
    CHECK(context, taut_model_begin(context, "Double pendulum, built in C", &b));
    const taut_expr g = taut_param(b, "g", 9.81), half = taut_number(b, 0.5), one = taut_number(b, 1);
    taut_expr before[2] = { taut_number(b, 0), taut_number(b, 0) };
    for (int i = 0; i < 2; i++) {
        const char *const points[] = { "a", "b" }, *const rods[] = { "rod1", "rod2" };
        taut_expr q[2], v[2], along[2];
        taut_group(b, TAUT_POINT, points[i], 2, q);
        for (int k = 0; k < 2; k++) v[k] = taut_rate(b, q[k]);
        const taut_expr kinetic = binary(b, "*", half, square(b, v)), potential = binary(b, "*", g, q[1]);
        taut_add(b, TAUT_ADD_LAGRANGIAN, NULL, 0, binary(b, "-", kinetic, potential));
        taut_apply(b, "-", 2, q, before, along);
        taut_add(b, TAUT_ADD_CONSTRAINT, rods[i], 0, binary(b, "-", square(b, along), one));
        taut_start(b, q[0], taut_number(b, i + 1), 0);
        taut_start(b, q[1], taut_number(b, 0), 0);
        memcpy(before, q, sizeof q);
    }
    CHECK(context, taut_model_finish(b, &model));

    taut_simulation *z = NULL;
    CHECK(context, taut_simulation_create(context, model, NULL, &z));
    advance(context, z, 0.01, 1);
    printf("%s: t = %.1f  b = (%.4f, %.4f)\n", taut_model_title(model), taut_time(z), get(context, z, TAUT_POSITION, 2),
           get(context, z, TAUT_POSITION, 3));
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
    return 0;
}
