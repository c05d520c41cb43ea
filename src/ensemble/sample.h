/* The members of an ensemble: which numbers of the model vary, and what they are in member k. */
#ifndef TAUT_ENSEMBLE_SAMPLE_H
#define TAUT_ENSEMBLE_SAMPLE_H

#include <stdint.h>

#include "base/context.h"

typedef enum { LAW_UNIFORM, LAW_LOG_UNIFORM, LAW_NORMAL, LAW_GRID, LAW_VALUES, LAW_TABLE } sample_law;
/* How the numbers of uniform and normal laws are spread over the members. */
typedef enum { DESIGN_RANDOM, DESIGN_LATIN, DESIGN_SOBOL, DESIGNS } sample_design;

typedef struct {
    char *name;              /* of what varies */
    char *text;              /* as given: "a.x=uniform(2.7,2.9)" */
    sample_law law;
    double a, b;             /* bounds, or mean and standard deviation */
    uint64_t count;          /* of a grid or of values */
    double *values;          /* LAW_VALUES */
    size_t place;            /* column of the table, or dimension of the design */
} sample_vary;

typedef struct {
    taut_context *context;
    sample_vary *varies;     size_t count, capacity;
    sample_design design;
    uint64_t seed;
    uint64_t members;        /* of the whole ensemble; 0: not known (then there is no end) */
    uint64_t grid;           /* product of the counts of grids and values; 0: there are none */
    double *table;           /* of members, row by row */
    size_t rows, columns;
    size_t dimensions;       /* of the design */
} sample;

/* Numbers of members that are given as they are: a row per member. */
typedef struct {
    const char *const *names;
    size_t columns, rows;
    const double *values;    /* copied */
} sample_numbers;

const char *taut_sample_design_name(sample_design design); /* NULL beyond the last */

/* texts: NAME=LAW(...) each. table: CSV with a header of names, or NULL; its messages call it table_name. members: 0
   where the grid or the table says how many; otherwise at most those of the table. */
int taut_sample_create(taut_context *context, const char *const *texts, size_t count, const char *table,
                       const char *table_name, sample_design design, uint64_t seed, uint64_t members, sample **result);
/* The same with numbers instead of a table as text. */
int taut_sample_create_with(taut_context *context, const char *const *texts, size_t count,
                            const sample_numbers *numbers, sample_design design, uint64_t seed, uint64_t members,
                            sample **result);
/* The design of this name; DESIGNS where there is none. */
sample_design taut_sample_design_find(const char *name);
/* NULL is allowed. */
void taut_sample_free(sample *s);
/* The numbers of a member, s->count of them. They depend on seed and member alone (a Latin hypercube: on the number of
   members, too). */
void taut_sample_values(const sample *s, uint64_t member, double *values);

#endif
