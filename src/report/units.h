/* Units of the columns of a run, from those that its model names. viewer/src/units.ts has the same for the page. */
#ifndef TAUT_REPORT_UNITS_H
#define TAUT_REPORT_UNITS_H

#include "model/model.h"
#include "record/record.h"

enum { UNIT_TEXT = 64 };

/* The unit of a column; "" where it is not known. m may be NULL. */
void taut_unit_of(const record *r, const model *m, size_t column, char text[UNIT_TEXT]);
/* A coordinate is a length when it belongs to a point; others may be angles. Also its velocity and momentum. */
int taut_unit_is_of_point(const record *r, const char *name);

#endif
