/* The numbers of a plot: columns of runs, or statistics of ensembles. */
#ifndef TAUT_PLOT_SERIES_H
#define TAUT_PLOT_SERIES_H

#include "model/model.h"
#include "record/record.h"

/* A curve. With a fan (of an ensemble) y is the median, and the bands are quantiles. */
enum { BAND_LOW, BAND_LOW_INSIDE, BAND_HIGH_INSIDE, BAND_HIGH, BANDS };
typedef struct {
    char name[300];          /* for the legend */
    char column[256], x_column[256];
    char unit[64], x_unit[64];
    int alike;               /* x and y are of the same kind: their units are, even where they are not known */
    size_t count;
    double *x, *y;
    double *bands[BANDS];    /* 5, 25, 75, 95 per cent; NULL: no fan */
} series;

/* Which frames, and what of them. */
typedef struct {
    double from, to;         /* times */
    long every;
    int change;              /* y since the first frame of the run */
} series_part;

/* Reads one curve; the record is that of a run or of an ensemble (x must then be t). Failures are in the context. */
int taut_series_read(taut_context *context, record *r, const model *m, const char *x, const char *y,
                     const series_part *part, series *s);
void taut_series_clear(series *s);

/* What to plot where nothing is said: the energy, or the first column after the time. */
const char *taut_series_default(const record *r);

#endif
