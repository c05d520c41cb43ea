/* An axis: from numbers to places, and ticks at round numbers. */
#ifndef TAUT_PLOT_AXIS_H
#define TAUT_PLOT_AXIS_H

#include <stddef.h>

enum { TICKS_MOST = 64, TICK_TEXT = 40 };
typedef struct {
    double value;
    char text[TICK_TEXT];    /* "" for a tick between those with numbers */
} tick;

typedef struct {
    int log;                 /* of the size of numbers */
    double low, high;        /* what it shows; of a log axis the logarithms to base 10 */
    tick ticks[TICKS_MOST];
    int tick_count;
    double offset;           /* is taken from the numbers of the ticks, and */
    int exponent;            /* they are divided by 10 to this: for the label of the axis */
} axis;

/* What to show: all of what was included so far. begin, include .., settle. */
void taut_axis_begin(axis *a, int log);
void taut_axis_include(axis *a, double value);
/* Makes some room at the ends, unless tight; chooses about `wanted` ticks. */
void taut_axis_settle(axis *a, int wanted, int tight);
/* Ticks for another range of the same axis. */
void taut_axis_ticks(axis *a, int wanted);
/* 0 .. 1 along the axis; NaN where a log axis has no place. */
double taut_axis_place(const axis *a, double value);

/* In texts of ticks and labels: what stands between these two is raised. */
#define AXIS_RAISE '\001'
#define AXIS_LOWER '\002'

#endif
