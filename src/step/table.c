#include "step/table.h"

#include <assert.h>

void X(step_table_begin)(step_table *t)
{
    *t = (step_table){ .from = -1, .lambda = -1, .reported = -1, .lambda_time = -1, .w = -1 };
}

int X(step_add_phase)(step_table *t, const char *what)
{
    assert(t->phase_count < STEP_PHASES);
    t->phases[t->phase_count] = (step_phase){ .what = what };
    return t->phase_count++;
}

static void add_part(step_sum *sum, int vector, real coefficient, int power)
{
    if (coefficient == 0) return;
    assert(sum->count < STEP_PARTS);
    sum->parts[sum->count++] = (step_part){ vector, power, coefficient };
}

int X(step_add_group)(step_table *t, int phase, step_size size)
{
    assert(t->group_count < STEP_GROUPS);
    t->groups[t->group_count] = (step_group){ .phase = phase, .size = size };
    return t->group_count++;
}

void X(step_guess)(step_table *t, int group, int vector, real coefficient, int power)
{
    add_part(&t->groups[group].guess, vector, coefficient, power);
}

void X(step_guess_multipliers)(step_table *t, int group, int trend)
{
    X(step_guess)(t, group, STEP_LAMBDA0, 1, 0);
    X(step_guess)(t, group, STEP_TREND0, trend != TREND_NONE, 0);
    t->trend = trend;
}

void X(step_measured)(step_table *t, int group, step_measure measure, real coefficient, int power)
{
    t->groups[group].measure = measure;
    t->groups[group].scale = (step_part){ 0, power, coefficient };
}

int X(step_add_place)(step_table *t, real time)
{
    assert(t->place_count < STEP_PLACES);
    t->places[t->place_count] = (step_place){ .time = time };
    return t->place_count++;
}

void X(step_put)(step_table *t, int place, step_slot slot, int vector, real coefficient, int power)
{
    add_part(&t->places[place].slots[slot], vector, coefficient, power);
}

int X(step_add_equation)(step_table *t, int phase, step_size size, const char *name)
{
    assert(t->equation_count < STEP_EQUATIONS);
    t->equations[t->equation_count] = (step_equation){ .phase = phase, .size = size, .name = name };
    return t->equation_count++;
}

void X(step_add)(step_table *t, int equation, step_function function, int place, real coefficient, int power)
{
    if (coefficient == 0) return;
    assert(t->term_count < STEP_TERMS);
    t->terms[t->term_count++] = (step_term){ equation, function, place, power, coefficient };
}
