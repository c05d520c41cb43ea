/* An ensemble: a thousand pendulums with uncertain gravity and length, the mean height and its spread over time, and
   which of them is highest in the end. No file is needed. */
#include "example.h"

static const char text[] = "local a, g, l = point('a', 2), param('g', 9.81), param('l', 1)\n"
                           "lagrangian(norm2(a.dot)/2 - g*a.y)\n"
                           "constraint('rod', norm2(a) - l^2)\n"
                           "start { a = {l, 0} }\n";
enum { MEMBERS = 1000 };

int main(void)
{
    static const char *const laws[] = { "g=uniform(9.7,9.9)", "l=normal(1,0.01)" };
    static double rows[MEMBERS][2]; /* t and a.y at the end */
    taut_context *context = taut_context_create(NULL);
    taut_model *model = load(context, "pendulum", text);
    taut_simulation *z = NULL;
    taut_members *members = NULL;
    CHECK(context, taut_simulation_create(context, model, NULL, &z));
    const taut_members_spec spec = { .size = sizeof spec, .h = 0.01, .until = 1, .vary = laws, .vary_count = 2,
                                     .count = MEMBERS, .sample = "sobol", .seed = 1, .keep = "a.y", .every = 50,
                                     .stats = TAUT_STATS_MEAN | TAUT_STATS_SD | TAUT_STATS_QUANTILES, .threads = 2 };
    CHECK(context, taut_members_create(z, &spec, &members));
    taut_members_run_options run = { .size = sizeof run, .rows = rows[0], .row_capacity = MEMBERS };
    CHECK(context, taut_members_run(members, &run));
    printf("%u members, %u failed\n", (unsigned)run.done, (unsigned)run.failed);
    taut_members_info info = { .size = sizeof info };
    taut_members_about(members, &info);
    for (size_t k = 0; k < info.moments; k++) {
        taut_statistic x = { .size = sizeof x };
        CHECK(context, taut_members_statistic(members, k, 1, &x));
        printf("t = %.1f  mean %.4f  sd %.4f  5 to 95 %%: %.3f to %.3f\n", x.time, x.mean, x.sd, x.quantiles[0],
               x.quantiles[4]);
    }
    size_t best = 0;
    double values[2];
    for (size_t i = 1; i < MEMBERS; i++)
        if (rows[i][1] > rows[best][1]) best = i;
    CHECK(context, taut_members_values(members, best, values));
    printf("highest: member %u, g = %.4f, l = %.4f, y = %.4f\n", (unsigned)best, values[0], values[1], rows[best][1]);
    taut_members_release(members);
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
    return 0;
}
