/* The energy of RATTLE oscillates and does not drift, over a million steps. */
#include "support.h"

typedef struct {
    double amplitude; /* half of highest - lowest */
    double mean;      /* against the energy at the start */
    double slope;     /* least squares, per unit of time */
    double drift;     /* slope times the length of the run */
    double ends;      /* mean of the last tenth - mean of the first tenth */
} energy_record;

/* Samples the energy every few steps: often enough to see each oscillation. */
static energy_record watch_energy(simulation *z, real h, long steps, int every)
{
    real first = simulation_energy(z);
    double lowest = 0, highest = 0, begin = 0, end = 0, sum_e = 0, sum_te = 0, sum_tt = 0;
    long samples = steps / every, tenth = samples / 10;
    for (long n = 1; n <= samples; n++) {
        do_steps(z, every, h);
        /* Time from -1/2 to 1/2, so that the sums of the fit separate. */
        double e = (double)(simulation_energy(z) - first), t = (double)n / (double)samples - 0.5;
        lowest = fmin(lowest, e), highest = fmax(highest, e);
        sum_e += e, sum_te += t * e, sum_tt += t * t;
        if (n <= tenth) begin += e / (double)tenth;
        if (n > samples - tenth) end += e / (double)tenth;
    }
    double drift = (sum_te - sum_e / 2 / (double)samples) / sum_tt; /* mean of t is 1/(2 samples) */
    return (energy_record){ (highest - lowest) / 2, sum_e / (double)samples, drift / (double)(h * steps), drift, end - begin };
}

typedef struct {
    const char *name;
    double h;
    long steps; /* of the plain build, in double */
} long_run;

/* Steps of 1/30 to 1/60 of the fastest period. A million, but for those whose implicit steps cost most: a tenth of it, unless
   TAUT_TEST_LONG=1 asks for all. */
static const long_run runs[] = {
    { "pendulum", 0.05, 1000000 },     { "double-spherical-pendulum", 0.02, 1000000 }, { "four-bar", 0.005, 1000000 },
    { "henon-heiles", 0.05, 1000000 }, { "triple-pendulum", 0.05, 1000000 },           { "rigid-body", 0.02, 100000 },
    { "slider-crank", 0.001, 100000 }, { "heavy-top", 0.0005, 100000 },
};

static long length_of(const long_run *r)
{
    if (getenv("TAUT_TEST_LONG")) return 1000000;
    return QUAD ? r->steps / 200 : SANITIZED ? r->steps / 50 : r->steps;
}

/* No trend: the drift over the whole run is small against the oscillation. How small can be told: the oscillation takes N_c
   independent values in the run (some 20 steps each), and the least-squares drift of noise of deviation s is s sqrt(12/N_c). With s of
   half the amplitude that is 4 % of it for 10^5 steps, 1 % for 10^6; four of these deviations are allowed. */
static void energy_does_not_drift(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        simulation *z = open_model(runs[i].name);
        long steps = length_of(&runs[i]);
        energy_record e = watch_energy(z, wide_from_double(runs[i].h), steps, 3);
        double allowed = 4 * 0.5 * sqrt(12 / ((double)steps / 20));
        printf("%-26s %7ld steps: energy error %+.1e +- %.1e, slope %+.1e per unit of time, drift/amplitude %+.4f (%.4f allowed), "
               "ends %+.4f\n",
               runs[i].name, steps, e.mean, e.amplitude, e.slope, e.drift / e.amplitude, allowed, e.ends / e.amplitude);
        close_model(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_does_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
