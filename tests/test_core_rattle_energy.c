/* The energy of RATTLE oscillates and does not drift, over a million steps. */
#include "support.h"

#define BLOCKS 20

typedef struct {
    double amplitude;      /* half of highest - lowest */
    double mean;           /* against the value at the start */
    double slope;          /* least squares over all samples, per unit of time */
    double drift;          /* slope times the length of the run */
    double standard_error; /* of the drift, from the scatter of the means of 20 blocks about the line */
} energy_record;

/* The energy; for a hoop that turns, the Jacobi integral, which the model observes second. */
static real conserved_energy(simulation *z)
{
    if (!z->s->structure.time_dependent) return X(simulation_energy)(z);
    place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, z->lambda);
    X(system_observables)(z->s, &at, z->observables);
    return z->observables[1];
}

static double standard_error_of_drift(const double *mean)
{
    double centre = 0, along = 0, spread = 0, scatter = 0;
    for (int b = 0; b < BLOCKS; b++) centre += mean[b] / BLOCKS;
    for (int b = 0; b < BLOCKS; b++) {
        double t = (b + 0.5) / BLOCKS - 0.5;
        along += t * (mean[b] - centre), spread += t * t;
    }
    for (int b = 0; b < BLOCKS; b++) {
        double t = (b + 0.5) / BLOCKS - 0.5, rest = mean[b] - centre - along / spread * t;
        scatter += rest * rest;
    }
    return sqrt(scatter / (BLOCKS - 2) / spread);
}

/* Looks every third step: several times in each oscillation, and at another phase each time. */
static energy_record watch_energy(simulation *z, real h, long steps)
{
    real first = conserved_energy(z);
    double lowest = 0, highest = 0, sum_e = 0, sum_te = 0, sum_tt = 0, mean[BLOCKS] = { 0 };
    long samples = steps / 3 / BLOCKS * BLOCKS, per_block = samples / BLOCKS;
    for (long n = 0; n < samples; n++) {
        do_steps(z, 3, h);
        /* time from -1/2 to 1/2, symmetric, so that the sums of the fit separate */
        double e = (double)(conserved_energy(z) - first), t = ((double)n + 0.5) / (double)samples - 0.5;
        lowest = fmin(lowest, e), highest = fmax(highest, e);
        sum_e += e, sum_te += t * e, sum_tt += t * t;
        mean[n / per_block] += e / (double)per_block;
    }
    double drift = sum_te / sum_tt;
    return (energy_record){ (highest - lowest) / 2, sum_e / (double)samples, drift / (double)(3 * h * samples), drift,
                            standard_error_of_drift(mean) };
}

typedef struct {
    const char *name;
    double h;
    long steps;
    int short_too; /* also in quad, and in sanitized builds */
    int chaotic;
} long_run;

/* Steps of 1/30 to 1/100 of the fastest period. */
static const long_run runs[] = {
    { "pendulum", 0.05, 1000000, 1, 0 },
    { "double-spherical-pendulum", 0.01, 1000000, 0, 1 },
    { "triple-pendulum", 0.05, 1000000, 1, 0 },
    { "rigid-body", 0.02, 1000000, 0, 0 },
    { "slider-crank", 0.001, 1000000, 0, 0 },
    { "four-bar", 0.005, 1000000, 1, 0 },
    { "henon-heiles", 0.05, 300000, 1, 0 },
    { "bead-on-hoop", 0.01, 300000, 0, 0 },
    { "heavy-top", 0.0005, 50000, 0, 0 },
};

/* TAUT_TEST_LONG=1: full length in every build. Otherwise a second compiler does a tenth, slow builds do 5000 steps. */
static long length_of(const long_run *r)
{
    if (getenv("TAUT_TEST_LONG")) return r->steps;
    if (QUAD || SANITIZED) return r->short_too ? 5000 : 0;
#ifdef __clang__
    return r->steps / 10;
#else
    return r->steps;
#endif
}

/* No trend: the drift over the whole run is small against the oscillation. It need not be zero even without a trend:
   - the slope through K periods of an oscillation is up to 6/(pi K) amplitudes a run, and K > steps/100: 200/steps;
   - beats of a quasi-periodic motion are slow oscillations of smaller amplitude: 1 %, or six times what the scatter of
   the means of 20
     blocks tells, at most a quarter;
   - a chaotic motion wanders between regions with different mean errors, over times as long as the run: half an
   amplitude. (Seen with
     the double spherical pendulum: from -0.26 to +0.1 after 10^6 steps, depending on the last bits; -0.03 after 10^7,
   so no trend.) A method that is not symplectic fails by orders of magnitude: its energy error grows by an oscillation
   every few periods. */
static double allowed_drift(const long_run *r, long steps, const energy_record *e)
{
    if (r->chaotic) return e->amplitude / 2;
    return fmin((0.01 + 200.0 / (double)steps) * e->amplitude + 6 * e->standard_error, e->amplitude / 4);
}

static void energy_does_not_drift(void **unused)
{
    (void)unused;
    int trends = 0, done = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        long steps = length_of(&runs[i]);
        if (!steps) continue;
        simulation *z = open_model(runs[i].name);
        energy_record e = watch_energy(z, taut_wide_from_double(runs[i].h), steps);
        double allowed = allowed_drift(&runs[i], steps, &e);
        printf("%-26s %7ld steps: energy error %+.1e +- %.1e, slope %+.1e per unit of time: %+.5f amplitudes over the "
               "run, "
               "%.5f allowed\n",
               runs[i].name, steps, e.mean, e.amplitude, e.slope, e.drift / e.amplitude, allowed / e.amplitude);
        fflush(stdout);
        assert_true(e.amplitude > 0);
        done++;
        trends += !(fabs(e.drift) <= allowed);
        close_model(z);
    }
    assert_int_equal(trends, 0);
    assert_true(done > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_does_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
