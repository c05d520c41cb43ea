#include "report/compare_page.h"

#include <math.h>
#include <string.h>

#include "report/template.h"
#include "report/document.h"
#include "report/page.h"

typedef struct {
    const model *m;
    const engine_api *api;
    const compare_options *options;
    const compare_result *result;
    const compare_trace *trace;
} contents;

enum { CELL = 64, TABLE_COLUMNS = 14 };

static void number_cell(char *cell, wide value, int shown, const char *mark)
{
    if (shown && value == value) snprintf(cell, CELL, "%.2e%s", (double)value, mark);
    else snprintf(cell, CELL, "-");
}

static const char *near_limit(const compare_row *row, int kind) { return row->limited[kind] ? " ~" : ""; }

static void write_row(document *d, const contents *z, const compare_row *row)
{
    char text[TABLE_COLUMNS][CELL];
    const char *cells[TABLE_COLUMNS];
    const compare_result *r = z->result;
    int constrained = r->kinds == 3, done = !row->failure[0];
    snprintf(text[0], CELL, "%s", row->method);
    snprintf(text[1], CELL, "%.6g", (double)row->step);
    snprintf(text[2], CELL, done ? "%ld" : row->refused ? "refused" : "failed", row->counts.steps);
    number_cell(text[3], row->energy, done && r->has_energy, "");
    number_cell(text[4], row->slope, done && r->has_energy, "");
    number_cell(text[5], row->momentum, done && r->has_momenta, "");
    number_cell(text[6], row->position, done && constrained, "");
    number_cell(text[7], row->velocity, done && constrained, "");
    number_cell(text[8], row->error[CONVERGE_Q], done, near_limit(row, CONVERGE_Q));
    number_cell(text[9], row->error[CONVERGE_P], done, near_limit(row, CONVERGE_P));
    snprintf(text[10], CELL, done ? "%.1f" : "-",
             (double)row->counts.work.iterations / (double)(row->counts.steps ? row->counts.steps : 1));
    snprintf(text[11], CELL, done && row->counts.work.evaluations ? "%ld" : "-", row->counts.work.evaluations);
    snprintf(text[12], CELL, done ? "%.3g s" : "-", row->seconds);
    snprintf(text[13], CELL, "%s", done ? step_code_name(row->code) : "-");
    for (int k = 0; k < TABLE_COLUMNS; k++) cells[k] = text[k];
    taut_document_row(d, cells);
}

static void write_table(document *d, const contents *z)
{
    static const document_column columns[] = {
        { "method", 0 }, { "step", 1 }, { "steps", 1 }, { "energy", 1 }, { "slope", 1 }, { "momenta", 1 }, { "|g|", 1 },
        { "|dg/dt|", 1 }, { "error q", 1 }, { "error p", 1 }, { "Newton its", 1 }, { "evaluations", 1 }, { "time", 1 },
        { "code", 0 },
    };
    taut_document_table(d,
                   "Largest change of energy and conserved momenta, trend of the energy per unit of time, largest "
                   "residuals, error at the end, cost; "
                   "~ near round-off or the reference's own error; code: what made the steps: native code, the "
                   "interpreter, partly (code for the equations alone), or the general path",
                   columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < z->result->count; i++) write_row(d, z, &z->result->rows[i]);
    taut_document_end_table(d);
}

typedef double (*reading)(const compare_row *row);
static double seconds(const compare_row *row) { return row->seconds; }
static double step(const compare_row *row) { return (double)row->step; }
static double error(const compare_row *row) { return (double)row->error[CONVERGE_Q]; }
static double energy(const compare_row *row) { return (double)row->energy; }

/* Are steps made in more than one way? Then times compare implementations as well. */
static int is_mixed(const compare_result *r)
{
    unsigned seen = 0;
    for (int i = 0; i < r->count; i++)
        if (!r->rows[i].failure[0]) seen |= 1U << r->rows[i].code;
    return (seen & (seen - 1)) != 0;
}

typedef struct {
    const char *title, *x_label;
    reading x;
    const char *y_label;
    reading y;
    int by_code;              /* a series of its own for each way that steps are made, with its name */
} plot;

static int in_one_series(const plot *p, const compare_row *a, const compare_row *b)
{
    return a->method == b->method && (!p->by_code || a->failure[0] || b->failure[0] || a->code == b->code);
}

/* A series per method; rows of a method follow each other. What is 0 has no place on a logarithmic axis and is left out
   by the page. */
static void write_plot(document *d, const contents *z, const plot *p)
{
    taut_document_plot(d, p->title, p->x_label, 1, p->y_label, 1);
    const compare_row *rows = z->result->rows;
    for (int first = 0; first < z->result->count;) {
        double at[COMPARE_STEPS_MOST], value[COMPARE_STEPS_MOST];
        char label[320];
        size_t count = 0;
        int i = first, done = first;
        for (; i < z->result->count && in_one_series(p, &rows[done], &rows[i]); i++) {
            if (rows[i].failure[0] || count == COMPARE_STEPS_MOST) continue;
            at[count] = p->x(&rows[i]);
            value[count++] = p->y(&rows[i]);
            done = i;
        }
        snprintf(label, sizeof label, p->by_code ? "%s (%s)" : "%s", rows[done].method,
                 step_code_name(rows[done].code));
        if (count) taut_document_series(d, label, SERIES_BOTH, at, value, count);
        first = i;
    }
    taut_document_end_plot(d);
}

/* The largest |change| in each of so many parts of the run: a line that goes through every zero of an oscillating error
   says nothing. */
#define ENERGY_POINTS 250

static size_t thin_out(const trace *r, double *t, double *most)
{
    long per = 1 + (r->count - 1) / ENERGY_POINTS;
    size_t count = 0;
    for (long i = 1; i < r->count; i++) {
        double change = fabs(r->energy[i]);
        if ((i - 1) % per == 0) {
            most[count] = change;
            t[count++] = r->t[i];
        } else if (!(change <= most[count - 1])) {
            most[count - 1] = change;
        }
    }
    return count;
}

/* The plot that tells methods apart: does the error of the energy grow? */
static void write_energies(document *d, const contents *z)
{
    int any = 0;
    for (int i = 0; i < z->trace->run_count; i++)
        any |= z->trace->runs[i].count > 1 && z->trace->runs[i].energy[1] == z->trace->runs[i].energy[1];
    if (!any || !(z->result->has_energy || z->result->has_balance)) return;
    taut_document_plot(d, "Energy error over time", "t", 0,
                       z->result->has_energy ? "largest |E - E(0)| nearby" : "largest |change of E - W| nearby", 1);
    for (int i = 0; i < z->trace->run_count; i++) {
        double t[ENERGY_POINTS + 2], most[ENERGY_POINTS + 2];
        size_t count = thin_out(&z->trace->runs[i], t, most);
        if (count) taut_document_series(d, z->result->rows[i].method, SERIES_LINE, t, most, count);
    }
    taut_document_end_plot(d);
}

static void write_motion(document *d, const contents *z)
{
    const compare_trace *all = z->trace;
    const picture *p = all->shown;
    int count = 0;
    for (int i = 0; i < all->run_count; i++) count += all->runs[i].count > 1;
    if (!count || !p->moving_count) return;
    taut_document_motion(d, "The motion, side by side", z->m->title);
    taut_page_picture(&d->j, p, 0, 0, 1, NULL);
    taut_json_floats(&d->j, "still", all->still, 3 * p->place_count);
    taut_json_open(&d->j, "runs", '[');
    for (int i = 0; i < all->run_count; i++) {
        const trace *r = &all->runs[i];
        if (r->count < 2) continue;
        taut_json_open(&d->j, NULL, '{');
        taut_json_text(&d->j, "label", z->result->rows[i].method);
        taut_json_text(&d->j, "failure", z->result->rows[i].failure[0] ? z->result->rows[i].failure : NULL);
        taut_json_open(&d->j, "t", '[');
        for (long k = 0; k < r->count; k++) taut_json_number(&d->j, NULL, r->t[k]);
        taut_json_close(&d->j, ']');
        taut_json_floats(&d->j, "motion", r->motion, 3 * (size_t)r->count * p->moving_count);
        taut_json_close(&d->j, '}');
    }
    taut_document_end_motion(d);
}

static void write_failures(document *d, const contents *z)
{
    char text[1024];
    for (int i = 0; i < z->result->count; i++) {
        const compare_row *row = &z->result->rows[i];
        if (!row->failure[0] || (i && row->method == row[-1].method && row->refused)) continue;
        snprintf(text, sizeof text, "%s, step %.6g: %s", row->method, (double)row->step, row->failure);
        taut_document_text(d, text);
    }
    if (z->result->reference_failure[0]) {
        snprintf(text, sizeof text, "The reference: %s", z->result->reference_failure);
        taut_document_text(d, text);
    }
}

int taut_compare_page(const model *m, const engine_api *api, const compare_options *options,
                      const compare_result *result, const compare_trace *trace, FILE *file)
{
    const contents all = { m, api, options, result, trace }, *z = &all;
    char title[512], summary[256];
    document d;
    snprintf(title, sizeof title, "%.400s: methods compared", z->m->title);
    snprintf(summary, sizeof summary, "t = 0 .. %.9g, %s", (double)z->options->until, z->api->name);
    int status = taut_document_begin(&d, z->m->context, file, (const char *)taut_template_document,
                                     taut_template_document_size,
                                     title, summary);
    if (status) return status;
    d.j.path = z->m->file;
    write_table(&d, z);
    write_failures(&d, z);
    if (z->options->step_count > 1 && z->trace->run_count) {
        snprintf(summary, sizeof summary, "Energy and motion are those with the first step, %.6g.",
                 (double)z->options->steps[0]);
        taut_document_text(&d, summary);
    }
    write_energies(&d, z);
    write_motion(&d, z);
    static const char of_q[] = "error of q at the end";
    write_plot(&d, z, &(plot){ "Work and precision", "time, s", seconds, of_q, error, is_mixed(z->result) });
    if (z->options->step_count > 1) {
        write_plot(&d, z, &(plot){ "Error over step", "step", step, of_q, error, 0 });
        if (z->result->has_energy)
            write_plot(&d, z, &(plot){ "Energy over step", "step", step, "largest change of the energy", energy, 0 });
    }
    taut_document_heading(&d, 2, "Model");
    taut_document_source(&d, z->m->source);
    return taut_document_end(&d);
}
