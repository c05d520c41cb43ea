/* N steps through taut.h, as a program of somebody else takes them.
 * usage: library MODE N MODEL [NAME=VALUE]   MODE is what happens in a step of 0.001:
 *   step      taut_step
 *   advance   one taut_advance over all of them
 *   positions taut_step, and taut_get of the positions
 *   frame     taut_step, and taut_get of all columns
 *   input     taut_set of an input, and taut_step; with_input: the same model, without taut_set
 *   rows      one taut_advance into an array of all columns
 *   columns   the same of t and the positions
 * The text of the model is read here; for input, a force u on its first point is added. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taut/taut.h>

static char *model_text(const char *path, const char *more)
{
    char *text = NULL;
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    if (!fseek(f, 0, SEEK_END)) {
        const long size = ftell(f);
        rewind(f);
        text = calloc((size_t)size + strlen(more) + 1, 1);
        if (text && fread(text, 1, (size_t)size, f) == (size_t)size) strcat(text, more);
    }
    fclose(f);
    return text;
}

/* All steps in one call. */
static int advance(taut_simulation *z, const char *mode, long steps)
{
    const int is_table = strcmp(mode, "advance") != 0;
    taut_run run = { .size = sizeof run, .h = 0.001, .until = 0.001 * (double)steps };
    const size_t positions = taut_count(z, TAUT_POSITION), all = taut_count(z, TAUT_ALL);
    size_t *columns = NULL, width = all;
    int status = TAUT_OK;
    if (!strcmp(mode, "columns")) {
        columns = malloc((1 + positions) * sizeof *columns);
        for (size_t i = 0; columns && i <= positions; i++) columns[i] = i; /* t, positions: the first ones */
        run.columns = columns;
        width = run.column_count = 1 + positions;
    }
    if (is_table) {
        run.row_capacity = taut_run_rows(z, &run);
        run.rows = malloc(run.row_capacity * width * sizeof *run.rows);
        if (!run.rows) status = TAUT_OUT_OF_MEMORY;
    }
    if (!status) status = taut_advance(z, &run);
    free(run.rows);
    free(columns);
    return status;
}

static int step_by_step(taut_simulation *z, const char *mode, long steps)
{
    const int kind = !strcmp(mode, "positions") ? TAUT_POSITION : TAUT_ALL;
    const int reads = !strcmp(mode, "positions") || !strcmp(mode, "frame"), sets = !strcmp(mode, "input");
    const size_t count = taut_count(z, kind);
    double *values = malloc(count * sizeof *values), u = 0;
    int status = values ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (long i = 0; !status && i < steps; i++) {
        u = (double)(i % 7) * 1e-3;
        if (sets) status = taut_set(z, TAUT_INPUT, 0, 1, &u);
        if (!status) status = taut_step(z, 0.001);
        if (!status && reads) status = taut_get(z, kind, 0, count, values, NULL);
    }
    free(values);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    const char *mode = argv[1];
    const long steps = atol(argv[2]);
    taut_setting setting = { 0 };
    if (argc > 4) {
        char *equals = strchr(argv[4], '=');
        if (!equals) return 2;
        *equals = 0;
        setting = (taut_setting){ argv[4], equals + 1, 0 };
    }
    const int has_input = !strcmp(mode, "input") || !strcmp(mode, "with_input");
    char *text = model_text(argv[3], has_input ? "\nlocal u = input('u', 0)\nforce(a.x, u)\n" : "");
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_context *context = taut_context_create(NULL);
    int status = text && context ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) status = taut_model_load_text(context, argv[3], text, strlen(text), &setting, argc > 4, &model);
    if (!status) status = taut_simulation_create(context, model, NULL, &z);
    if (!status && (!strcmp(mode, "advance") || !strcmp(mode, "rows") || !strcmp(mode, "columns")))
        status = advance(z, mode, steps);
    else if (!status)
        status = step_by_step(z, mode, steps);
    if (status && context) fprintf(stderr, "%s\n", taut_error_text(context));
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
    free(text);
    return status != 0;
}
