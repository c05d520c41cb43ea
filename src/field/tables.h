/* Index tables that need not be looked up. A batch of a chain has rows like (3i+3, 3i), function i: its instances come
 * in groups of equal length that move by the same distance from one group to the next. Such stretches are found when
 * the field is made; in them the index of an instance is arithmetic, and loops over lanes read and write memory with a
 * fixed stride. */
#ifndef TAUT_FIELD_TABLES_H
#define TAUT_FIELD_TABLES_H

#include <string.h>

#include "base/real.h"
#include "kernel/kernel.h"

/* Index of member c of group k of a stretch: base + outer k + inner c. Not steady: the table is looked up. */
typedef struct {
    uint32_t base;
    int32_t inner, outer;
    uint32_t steady;
} course;

typedef struct {
    uint32_t run;               /* instances in a group */
    uint32_t count;             /* stretches; 0: too few instances, or too irregular: everything is looked up */
    uint32_t columns;           /* slots + constants + 1 */
    uint32_t *first;            /* instance at which each begins, and the end */
    course *courses;            /* per stretch: variables, constants, row */
} stretches;

/* Instances below which tables are always looked up. */
#define STRETCH_LEAST 64

int X(stretches_find)(taut_context *context, const batch *b, const kernel *k, stretches *result);
void X(stretches_clear)(taut_context *context, stretches *s);
/* How one more table, `width` numbers an instance of which `column` is meant, runs in a stretch. */
course X(stretches_course)(const stretches *s, uint32_t stretch, const uint32_t *table, uint32_t width,
                           uint32_t column);

/* ---- lanes in memory: `groups` groups from group k of a stretch ---- */

static inline void lanes_take(const real *restrict source, const course *c, uint32_t run, uint32_t k, uint32_t groups,
                              real *restrict target)
{
    const ptrdiff_t outer = c->outer, inner = c->inner;
    source += (ptrdiff_t)c->base + outer * (ptrdiff_t)k;
    if (outer == (ptrdiff_t)run && (inner == 1 || run == 1)) {
        memcpy(target, source, (size_t)run * groups * sizeof *target);
    } else if (outer == 0 && inner == 0) {
        const real value = *source;
        for (uint32_t i = 0; i < run * groups; i++) target[i] = value;
    } else if (run == 1) {
        for (uint32_t i = 0; i < groups; i++) target[i] = source[outer * (ptrdiff_t)i];
    } else if (run == 3) {
        for (uint32_t i = 0; i < groups; i++, source += outer, target += 3)
            target[0] = source[0], target[1] = source[inner], target[2] = source[2 * inner];
    } else {
        for (uint32_t i = 0; i < groups; i++, source += outer, target += run)
            for (uint32_t m = 0; m < run; m++) target[m] = source[inner * (ptrdiff_t)m];
    }
}

/* target = value */
static inline void lanes_put(real *restrict target, const course *c, uint32_t run, uint32_t k, uint32_t groups,
                             const real *restrict value)
{
    const ptrdiff_t outer = c->outer, inner = c->inner;
    target += (ptrdiff_t)c->base + outer * (ptrdiff_t)k;
    if (outer == (ptrdiff_t)run && (inner == 1 || run == 1)) {
        memcpy(target, value, (size_t)run * groups * sizeof *target);
    } else if (outer == 1 && run == 3) {
        real *second = target + inner, *third = second + inner;
        for (uint32_t i = 0; i < groups; i++, value += 3)
            target[i] = value[0], second[i] = value[1], third[i] = value[2];
    } else {
        for (uint32_t i = 0; i < groups; i++, target += outer, value += run)
            for (uint32_t m = 0; m < run; m++) target[inner * (ptrdiff_t)m] = value[m];
    }
}

/* target += value, in the order of the instances */
static inline void lanes_add(real *restrict target, const course *c, uint32_t run, uint32_t k, uint32_t groups,
                             const real *restrict value)
{
    const ptrdiff_t outer = c->outer, inner = c->inner;
    target += (ptrdiff_t)c->base + outer * (ptrdiff_t)k;
    if (outer == (ptrdiff_t)run && (inner == 1 || run == 1)) {
        for (uint32_t i = 0; i < run * groups; i++) target[i] += value[i];
    } else if (run == 1) {
        for (uint32_t i = 0; i < groups; i++) target[outer * (ptrdiff_t)i] += value[i];
    } else if (run == 3 && inner == 0) {
        for (uint32_t i = 0; i < groups; i++, value += 3) {
            real *to = target + outer * (ptrdiff_t)i;
            *to = *to + value[0] + value[1] + value[2];
        }
    } else if (run == 3) {
        for (uint32_t i = 0; i < groups; i++, target += outer, value += 3)
            target[0] += value[0], target[inner] += value[1], target[2 * inner] += value[2];
    } else {
        for (uint32_t i = 0; i < groups; i++, target += outer, value += run)
            for (uint32_t m = 0; m < run; m++) target[inner * (ptrdiff_t)m] += value[m];
    }
}

#endif
