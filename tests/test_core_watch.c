/* What a run watches (run/simulation_watch.c): first, last and extreme values, and sums over time. */
#include <string.h>

#include "support.h"
#include "support_method.h"

/* A number that is none is passed over: it would stay in the sums and spoil what was watched before and after. */
static void passes_over_what_is_no_number(void **unused)
{
    (void)unused;
    engine_watched before, after;
    simulation *z = open_model("double-spherical-pendulum");
    use_method(z, "rattle");
    X(simulation_watch)(z);
    do_steps(z, 3, (real)0.01);
    X(simulation_watch)(z);
    const size_t count = X(simulation_watch_count)(z);
    const real place = z->x.q[0];
    for (size_t i = 0; i < count; i++) {
        X(simulation_watched)(z, i, &before);
        z->x.q[0] = (real)NAN;
        simulation_moved(z);
        X(simulation_watch)(z);
        z->x.q[0] = place;
        simulation_moved(z);
        X(simulation_watch)(z);
        X(simulation_watched)(z, i, &after);
        assert_true(after.first == before.first && after.last == before.last);
        assert_true(after.lowest == before.lowest && after.highest == before.highest);
        assert_true(after.sum - after.sum == 0 && after.sum_t - after.sum_t == 0);
    }
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(passes_over_what_is_no_number) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
