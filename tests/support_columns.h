/* Columns of a simulation by name. Include <cmocka.h> first. */
#ifndef SUPPORT_COLUMNS_H
#define SUPPORT_COLUMNS_H

#include <math.h>
#include <stdio.h>

#include "support_library.h"

static inline double value_of(taut_simulation *z, const char *column)
{
    double value;
    long at = column_of(z, column);
    if (at < 0) fail_msg("there is no column '%s'", column);
    assert_int_equal(taut_get(z, TAUT_ALL, (size_t)at, 1, &value, NULL), TAUT_OK);
    return value;
}

static inline void assert_column(taut_simulation *z, const char *column, double exact, double tolerance)
{
    double found = value_of(z, column);
    printf("%-16s %.15g, exact %.15g\n", column, found, exact);
    if (!(fabs(found - exact) <= tolerance)) fail_msg("%s is %.15g, not %.15g", column, found, exact);
}

#endif
