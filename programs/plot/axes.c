/* What pictures and text plots have in common. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "plot/figure.h"
#include "plot/thin.h"

void taut_figure_axes(const figure *f, axis *x, axis *y)
{
    taut_axis_begin(x, f->log_x);
    taut_axis_begin(y, f->log_y);
    for (size_t k = 0; k < f->curve_count; k++) {
        const series *s = &f->curves[k];
        for (size_t i = 0; i < s->count; i++) {
            if (!isfinite(s->x[i]) || !isfinite(s->y[i])) continue;
            taut_axis_include(x, s->x[i]);
            taut_axis_include(y, s->y[i]);
            for (int b = 0; b < BANDS; b++)
                if (s->bands[b]) taut_axis_include(y, s->bands[b][i]);
        }
    }
    /* a log axis that ends in zeros of the arithmetic shows nothing else */
    if (f->log_y && y->high - y->low > 40) y->low = y->high - 40;
}

static int has_negative(const figure *f, int is_y)
{
    for (size_t k = 0; k < f->curve_count; k++)
        for (size_t i = 0; i < f->curves[k].count; i++)
            if ((is_y ? f->curves[k].y : f->curves[k].x)[i] < 0) return 1;
    return 0;
}

void taut_figure_label(const figure *f, const axis *a, int is_y, char *text, size_t size)
{
    const series *first = &f->curves[0];
    const char *unit = is_y ? first->unit : first->x_unit, *name = is_y ? first->column : first->x_column;
    char factor[64] = "", offset[64] = "", number[32];
    int same_name = 1, same_unit = 1;
    for (size_t k = 1; k < f->curve_count; k++) {
        same_name &= strcmp(name, is_y ? f->curves[k].column : f->curves[k].x_column) == 0;
        same_unit &= strcmp(unit, is_y ? f->curves[k].unit : f->curves[k].x_unit) == 0;
    }
    if (!same_unit) unit = "";
    const int size_only = a->log && has_negative(f, is_y);
    if (a->exponent)
        taut_text_format(factor, sizeof factor, "10\001%s%d\002%s", a->exponent < 0 ? "\u2212" : "",
                         a->exponent < 0 ? -a->exponent : a->exponent, *unit ? " " : "");
    if (a->offset != 0) {
        taut_text_format(number, sizeof number, "%.15g", fabs(a->offset));
        taut_text_format(offset, sizeof offset, " %s %s", a->offset < 0 ? "+" : "\u2212", number);
    }
    const char *change = is_y && f->change ? "change of " : "";
    if (!same_name) name = "";
    if (!same_name && is_y && f->change) change = "change";
    const char *bar = size_only ? "|" : "", *before = "";
    if (*name || *change) before = *unit ? ", " : *factor ? " / " : "";
    else if (*factor && !*unit) before = "× ";
    taut_text_format(text, size, "%s%s%.200s%s%s%s%s%s", bar, change, name, bar, offset, before,
                     factor, unit);
}

int taut_figure_curve(const series *s, const double *values, const axis *x, const axis *y, spot corner, spot size,
                      double cell, int dots, void (*piece)(void *user, const spot *points, size_t count), void *user)
{
    const int grows = strcmp(s->x_column, "t") == 0;
    thinner t = { .cell = grows || dots ? cell : cell / 2, .dots = dots, .grows = grows, .piece = piece, .user = user };
    for (size_t i = 0; i < s->count; i++)
        taut_thin_point(&t, (spot){ corner.x + size.x * taut_axis_place(x, s->x[i]),
                                    corner.y + size.y * (1 - taut_axis_place(y, values[i])) });
    return taut_thin_end(&t);
}
