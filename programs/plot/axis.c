#include "plot/axis.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

/* NaN where the axis has no place. Where differences would overflow it has none either. */
static double inner(const axis *a, double value)
{
    const double v = a->log ? log10(fabs(value)) : value;
    return fabs(v) <= DBL_MAX / 4 ? v : NAN;
}

void taut_axis_begin(axis *a, int log)
{
    memset(a, 0, sizeof *a);
    a->log = log;
    a->low = INFINITY;
    a->high = -INFINITY;
}

void taut_axis_include(axis *a, double value)
{
    const double v = inner(a, value);
    if (!isfinite(v)) return;
    if (v < a->low) a->low = v;
    if (v > a->high) a->high = v;
}

double taut_axis_place(const axis *a, double value)
{
    const double v = inner(a, value);
    return isfinite(v) ? (v - a->low) / (a->high - a->low) : NAN;
}

/* ---- ticks ---- */

static void add_tick(axis *a, double value, const char *text)
{
    if (a->tick_count == TICKS_MOST) return;
    tick *t = &a->ticks[a->tick_count++];
    t->value = value;
    taut_text_format(t->text, sizeof t->text, "%s", text);
}

/* A minus that is as long as a plus. */
static void put_minus(char *text, size_t size)
{
    char copy[TICK_TEXT];
    if (text[0] != '-') return;
    taut_text_format(copy, sizeof copy, "%s", text + 1);
    taut_text_format(text, size, "\u2212%s", copy);
}

static double round_step(double range, int wanted)
{
    const double rough = range / wanted, power = pow(10, floor(log10(rough))), digit = rough / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

/* Numbers that are long because they differ late are shown less a round number; very large and small ones by a power of
   ten. */
static void linear_ticks(axis *a, int wanted)
{
    double range = a->high - a->low, step = round_step(range, wanted);
    const double most = fmax(fabs(a->low), fabs(a->high));
    if (most > 0 && step < 1e-5 * most) {
        const double unit = pow(10, ceil(log10(range)));
        a->offset = round((a->low + a->high) / 2 / unit) * unit;
    }
    const double shown = fmax(fabs(a->low - a->offset), fabs(a->high - a->offset));
    const int size = (int)floor(log10(shown));
    a->exponent = size >= 5 || size <= -4 ? size : 0;
    const double scale = pow(10, a->exponent);
    int decimals = (int)-floor(log10(step / scale) + 1e-9);
    if (decimals < 0) decimals = 0;
    if (decimals > 12) decimals = 12;
    for (double k = ceil((a->low - a->offset) / step - 1e-9); k * step <= a->high - a->offset + 1e-9 * step; k++) {
        char text[TICK_TEXT];
        const double value = k * step / scale;
        taut_text_format(text, sizeof text, "%.*f", decimals, value == 0 ? 0.0 : value);
        put_minus(text, sizeof text);
        add_tick(a, k * step + a->offset, text);
    }
}

static void log_ticks(axis *a, int wanted)
{
    const double decades = a->high - a->low;
    const int stride = decades > wanted ? (int)ceil(decades / wanted) : 1;
    for (int k = (int)floor(a->low); k <= (int)ceil(a->high); k++)
        for (int digit = 1; digit < 10; digit++) {
            const double place = k + log10(digit);
            char text[TICK_TEXT] = "";
            if (place < a->low - 1e-9 || place > a->high + 1e-9 || (digit > 1 && stride > 1)) continue;
            const int whole = digit == 1 && ((k % stride) + stride) % stride == 0;
            const int between = decades < 1.5 && (decades < 0.7 || digit == 2 || digit == 5) && digit > 1;
            if ((whole || between) && k >= -3 && k <= 4 && a->low > -3.5 && a->high < 4.5)
                taut_text_format(text, sizeof text, "%.*f", k < 0 ? -k : 0, digit * pow(10, k));
            else if (whole || between)
                taut_text_format(text, sizeof text, "%s10\001%s%d\002", !between ? "" : digit == 2 ? "2·" : "5·",
                                 k < 0 ? "\u2212" : "", k < 0 ? -k : k);
            if (digit > 1 && digit != 2 && digit != 5 && strchr(text, AXIS_RAISE)) text[0] = 0; /* no room for all */
            if (digit == 1 && !whole) continue;
            add_tick(a, pow(10, place), text);
        }
}

void taut_axis_ticks(axis *a, int wanted)
{
    a->tick_count = a->exponent = 0;
    a->offset = 0;
    if (a->log) log_ticks(a, wanted);
    else linear_ticks(a, wanted);
}

void taut_axis_settle(axis *a, int wanted, int tight)
{
    if (!(a->low <= a->high)) a->low = 0, a->high = 1; /* there was nothing */
    const double size = fmax(fabs(a->low), fabs(a->high)), least = a->log ? 0.01 : 2e-15 * size; /* some ulps */
    if (a->high - a->low <= least) { /* one number */
        const double by = a->log ? 0.5 : size > 0 ? fmax(0.05 * size, least) : 1;
        a->low -= by, a->high += by;
    } else if (!tight) {
        const double by = 0.05 * (a->high - a->low);
        a->low -= by, a->high += by;
    }
    taut_axis_ticks(a, wanted);
}
