/* taut plot */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "plot/figure.h"

static int plot_main(int argc, char **argv);

static const option_definition definitions_of_plot[] = {
    { "y", 'y', "COLUMN", "what to plot; several with commas, or with -y again (energy)", 1 },
    { "x", 'x', "COLUMN", "against what (t)", 0 },
    { "list", 0, NULL, "the names of the columns, and nothing else", 0 },
    { "output", 'o', "FILE", "a picture, .svg, .png or .pdf (on the terminal)", 0 },
    { "from", 0, "T", "the part of the run from this time (its start)", 0 },
    { "to", 0, "T", "to this time (its end)", 0 },
    { "every", 0, "K", "every K-th frame of it (1)", 0 },
    { "change", 0, NULL, "the change of y since the first frame", 0 },
    { "log", 0, "x|y|xy", "logarithmic axes; of negative numbers the size is shown", 0 },
    { "points", 0, NULL, "points instead of lines", 0 },
    { "title", 0, "TEXT", "above the plot (that of the model)", 0 },
    { "size", 0, "WxH", "of the picture, in points; PNG has two pixels a point (720x440, or 500x540)", 0 },
    { "theme", 0, "light|dark|print", "colours of the picture (light)", 0 },
};

const command command_plot = {
    "plot", "RUN.taut... [-y COLUMN]... [-x COLUMN] [--list] [-o FILE] [--from T] [--to T] [--every K] "
            "[--change] [--log x|y|xy] [--points] [--title TEXT] [--size WxH] [--theme light|dark|print]",
    "columns of runs against each other, as a picture or in the terminal",
    definitions_of_plot, sizeof definitions_of_plot / sizeof *definitions_of_plot, plot_main,
    "Without -o the plot is text, as wide as the terminal. COLUMN is a name of 'taut run --csv': t, energy, a.x,\n"
    "lambda.rod ... Of several runs each has its curve. Where x and y have the same unit a circle is a circle. Of an\n"
    "ensemble the median is drawn, and bands from 25 to 75 and from 5 to 95 per cent.\n\n"
    "All frames are drawn: of many in one column of the picture the lowest and the highest are kept.\n\n"
    "Exit status: 0 done, 1 the picture could not be written, 2 bad usage or not a run.\n"
};

#define CURVES_MOST 64
typedef struct {
    taut_context *context;
    const options *o;
    series curves[CURVES_MOST];
    series_part part;
    figure figure;
    char title[300], subtitle[300];
    figure_canvas make;
    const char *path;
} plot;

/* ---- options ---- */

static int read_size(const char *text, figure *f)
{
    char rest;
    if (sscanf(text, "%lfx%lf%c", &f->width, &f->height, &rest) == 2 && f->width >= 200 && f->height >= 150 &&
        f->width <= 10000 && f->height <= 10000)
        return EXIT_DONE;
    return complain(EXIT_USAGE, "option --size is WIDTHxHEIGHT, from 200x150 to 10000x10000, not '%s'", text);
}

static int read_kind(plot *z)
{
    static const struct { const char *ending; figure_canvas make; } kinds[] = {
        { ".svg", taut_canvas_svg }, { ".png", taut_canvas_png }, { ".pdf", taut_canvas_pdf }
    };
    z->path = options_value(z->o, "output", NULL);
    for (size_t i = 0; z->path && i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(z->path);
        if (length > 4 && strcmp(z->path + length - 4, kinds[i].ending) == 0) z->make = kinds[i].make;
    }
    if (z->path && !z->make)
        return complain(EXIT_USAGE, "'%s': the name of a picture ends in .svg, .png or .pdf", z->path);
    return EXIT_DONE;
}

static int read_options(plot *z)
{
    static const char *const themes[THEMES] = { "light", "dark", "print" };
    const options *o = z->o;
    const char *log = options_value(o, "log", ""), *theme = options_value(o, "theme", "light");
    if (part_option(o, &z->part.from, &z->part.to, &z->part.every)) return EXIT_USAGE;
    z->part.change = options_value(o, "change", NULL) != NULL;
    if (options_value(o, "log", NULL) && strcmp(log, "x") != 0 && strcmp(log, "y") != 0 && strcmp(log, "xy") != 0)
        return complain(EXIT_USAGE, "option --log is x, y or xy, not '%s'", log);
    figure *f = &z->figure;
    f->log_x = strchr(log, 'x') != NULL;
    f->log_y = strchr(log, 'y') != NULL;
    f->change = z->part.change;
    f->dots = options_value(o, "points", NULL) != NULL;
    while (f->theme < THEMES && strcmp(theme, themes[f->theme]) != 0) f->theme++;
    if (f->theme == THEMES) return complain(EXIT_USAGE, "option --theme is light, dark or print, not '%s'", theme);
    if (read_size(options_value(o, "size", "720x440"), f)) return EXIT_USAGE;
    return read_kind(z);
}

/* ---- curves ---- */

/* In the legend: the column, the run, or both, as far as they differ. */
static void name_curve(const plot *z, series *s, const char *path, int several_columns)
{
    char file[256];
    const char *slash = strrchr(path, '/');
    snprintf(file, sizeof file, "%.250s", slash ? slash + 1 : path);
    char *dot = strrchr(file, '.');
    if (dot && strcmp(dot, ".taut") == 0) *dot = 0;
    if (z->o->positional_count == 1) return;
    char column[256];
    memcpy(column, s->column, sizeof column);
    if (several_columns) snprintf(s->name, sizeof s->name, "%.140s, %.140s", file, column);
    else snprintf(s->name, sizeof s->name, "%s", file);
}

static int add_curve(plot *z, taut_file *file, const char *path, const char *y, int several)
{
    if (z->figure.curve_count == CURVES_MOST)
        return complain(EXIT_USAGE, "a plot has at most %d curves", CURVES_MOST);
    series *s = &z->curves[z->figure.curve_count];
    char reason[SERIES_REASON];
    int status = taut_series_read(z->context, file, path, options_value(z->o, "x", "t"), y, &z->part, s, reason);
    if (status) return complain(exit_status_of(status), "%s", reason);
    z->figure.curve_count++;
    name_curve(z, s, path, several);
    return EXIT_DONE;
}

static int add_listed(plot *z, taut_file *file, const char *path)
{
    int several = -1, code = EXIT_DONE;
    for (int i = 0; i < z->o->given_count; i++)
        if (strcmp(z->o->given[i].definition->name, "y") == 0)
            for (const char *c = (several++, z->o->given[i].value); *c; c++) several += *c == ',';
    if (several < 0) return add_curve(z, file, path, taut_series_default(file), 0);
    for (int i = 0; !code && i < z->o->given_count; i++) {
        if (strcmp(z->o->given[i].definition->name, "y") != 0) continue;
        for (const char *text = z->o->given[i].value; !code && text;) {
            char name[256];
            const size_t length = strcspn(text, ",");
            snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), text);
            code = add_curve(z, file, path, name, several > 0);
            text = text[length] ? text + length + 1 : NULL;
        }
    }
    return code;
}

static void list_columns(const taut_file *file)
{
    screen_keep_output();
    for (size_t i = 0; i < taut_file_columns(file); i++) {
        put_text(stdout, taut_file_column(file, i));
        putchar('\n');
    }
}

static int add_run(plot *z, const char *path)
{
    taut_file *file = NULL;
    int status = taut_file_open(z->context, path, &file);
    if (status) return complain(exit_status_of(status), "%s", taut_error_text(z->context));
    if (options_value(z->o, "list", NULL)) {
        list_columns(file);
        taut_file_close(file);
        return EXIT_DONE;
    }
    const char *title = taut_file_property(file, "title"), *method = taut_file_property(file, "method"),
               *step = taut_file_property(file, "step");
    int code = add_listed(z, file, path);
    if (!z->title[0] && title) snprintf(z->title, sizeof z->title, "%s", title);
    if (method && step && z->o->positional_count == 1)
        snprintf(z->subtitle, sizeof z->subtitle, "%.100s, step %.40s%s", method, step,
                 taut_file_is_ensemble(file) ? "; median, 25 to 75 and 5 to 95 per cent of the members" : "");
    taut_file_close(file);
    return code;
}

/* ---- output ---- */

static int write_picture(void *user, FILE *file)
{
    plot *z = user;
    return taut_figure_write(z->context, &z->figure, z->make, file) ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

/* Braille is of UTF-8: not where the environment asks for another encoding. */
static int has_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8");
    }
    return 1;
}

static int show(plot *z)
{
    struct winsize size = { 0 };
    figure_screen screen = { 80, 18, screen_tone(stdout, TONE_HEADING)[0] != 0, has_utf8(), put_text };
    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20) {
        screen.columns = size.ws_col;
        screen.lines = size.ws_row > 40 ? 30 : size.ws_row > 14 ? size.ws_row - 8 : 8; /* with title, axis and prompt */
    }
    screen_keep_output();
    return taut_figure_text(&z->figure, &screen, stdout) ? complain(EXIT_FAILED, "out of memory") : EXIT_DONE;
}

static int draw(plot *z)
{
    int code = read_options(z);
    for (int i = 0; !code && i < z->o->positional_count; i++) code = add_run(z, z->o->positional[i]);
    if (code || options_value(z->o, "list", NULL)) return code;
    figure *f = &z->figure;
    f->curves = z->curves;
    f->title = options_value(z->o, "title", z->title);
    f->subtitle = z->subtitle;
    f->equal = !f->log_x && !f->log_y;
    for (size_t i = 0; i < f->curve_count; i++) f->equal &= z->curves[i].alike;
    if (f->equal && !options_value(z->o, "size", NULL)) f->width = 500, f->height = 540;
    code = z->path ? write_whole_file(z->context, z->path, write_picture, z) : show(z);
    if (!code && z->path) put_output_name(z->path);
    return code;
}

static int plot_main(int argc, char **argv)
{
    options o;
    int parsed = options_parse(&command_plot, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (!o.positional_count)
        return complain(EXIT_USAGE, "'taut plot' needs a run file, as in: taut plot run.taut -y energy -o energy.svg");
    plot *z = calloc(1, sizeof *z);
    if (!z) return complain(EXIT_FAILED, "out of memory");
    z->o = &o;
    int code = (z->context = make_context()) ? draw(z) : EXIT_FAILED;
    for (size_t i = 0; i < z->figure.curve_count; i++) taut_series_clear(&z->curves[i]);
    taut_context_destroy(z->context);
    free(z);
    return code;
}
