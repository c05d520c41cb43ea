/* The numbers of a plot: columns of runs, or statistics of ensembles. */
#ifndef TAUT_PLOT_SERIES_H
#define TAUT_PLOT_SERIES_H

#include "taut/taut.h"

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

enum { SERIES_REASON = 2048 };

/* Which frames, and what of them. */
typedef struct {
    double from, to;         /* times */
    long every;
    int change;              /* y since the first frame of the run */
} series_part;

/* Reads one curve of a file, which messages call by its path; of an ensemble x must be t. Returns a status, and where
   it is not 0 the reason. */
int taut_series_read(taut_context *context, taut_file *file, const char *path, const char *x, const char *y,
                     const series_part *part, series *s, char reason[SERIES_REASON]);
void taut_series_clear(series *s);

/* What to plot where nothing is said: the energy, or the first column after the time. */
const char *taut_series_default(taut_file *file);

#endif
