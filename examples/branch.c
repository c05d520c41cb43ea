/* A motion is saved, branches into clones, and one of them returns to where it was saved: the same bits again. */
#include "example.h"

static const char text[] = "local a, b = point('a', 2), point('b', 2)\n"
                           "lagrangian(norm2(a.dot)/2 + norm2(b.dot)/2 - 9.81*(a.y + b.y))\n"
                           "constraint('rod1', norm2(a) - 1)\n"
                           "constraint('rod2', norm2(b - a) - 1)\n"
                           "start { a = {1, 0}, b = {2, 0} }\n";

static void show(taut_context *context, const char *name, taut_simulation *z)
{
    printf("%-9s t = %.1f  b = (%.4f, %.4f)\n", name, taut_time(z), get(context, z, TAUT_POSITION, 2),
           get(context, z, TAUT_POSITION, 3));
}

int main(void)
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = load(context, "double pendulum", text);
    taut_simulation *z = NULL, *branch = NULL;
    const double impulse[4] = { 0, 0, 0.5, 0 };
    size_t size;
    CHECK(context, taut_simulation_create(context, model, NULL, &z));
    advance(context, z, 0.01, 0.5);

    CHECK(context, taut_save(z, NULL, 0, &size));
    void *bytes = malloc(size);
    CHECK(context, taut_save(z, bytes, size, NULL));

    CHECK(context, taut_simulation_clone(z, context, &branch));
    CHECK(context, taut_kick(branch, impulse));
    advance(context, z, 0.01, 1);
    advance(context, branch, 0.01, 1);
    show(context, "as it was", z);
    show(context, "kicked", branch);

    CHECK(context, taut_restore(branch, bytes, size));
    advance(context, branch, 0.01, 1);
    show(context, "restored", branch);
    const int same = get(context, z, TAUT_POSITION, 2) == get(context, branch, TAUT_POSITION, 2);
    printf("%s\n", same ? "The same bits." : "Not the same.");

    free(bytes);
    taut_simulation_release(z);
    taut_simulation_release(branch);
    taut_model_release(model);
    taut_context_destroy(context);
    return !same;
}
