/* Which columns a row consists of, and where a text that reads them for many members finds them. */
#include "ensemble/inside.h"
#include "lower/lower.h"

enum { WATCHED, MULTIPLIERS, PROGRAMS };

void taut_rows_clear(executor *e)
{
    if (e->lanes) taut_lanes_forget_rows(e);
    if (e->gpu) taut_gpu_forget_rows(e);
    for (int i = 0; e->workers && i < e->worker_count; i++) {
        taut_mem_free(e->workers[i].context, e->workers[i].row_batch);
        e->workers[i].row_batch = NULL;
    }
    taut_text_plan_clear(&e->row.plan);
    taut_mem_free(e->context, e->row_columns);
    e->row_columns = NULL;
    e->row = (row_text){ 0 };
    e->row_state = ROWS_UNKNOWN;
    e->rows_read = 0;
}

/* Where a column is; program: WATCHED or MULTIPLIERS, as in lower/reading.h. Returns 0 where there is no such place. */
static int find_column(const executor *e, engine_column type, size_t index, row_column *to)
{
    const uint32_t n = e->plan.n, c = e->plan.c, i = (uint32_t)index;
    switch (type) {
    case COLUMN_TIME: *to = (row_column){ ROW_TIME, -1, 0, 1 }; return 1;
    case COLUMN_Q: *to = (row_column){ ROW_STATE, -1, i, 1 }; return 1;
    case COLUMN_P: *to = (row_column){ ROW_STATE, -1, n + i, 1 }; return 1;
    case COLUMN_V: *to = (row_column){ ROW_OUTPUT, WATCHED, i, 1 }; return 1;
    case COLUMN_LAMBDA: *to = (row_column){ ROW_OUTPUT, MULTIPLIERS, i, 1 }; return 1;
    case COLUMN_ENERGY: *to = (row_column){ ROW_OUTPUT, WATCHED, n + 2 * c, 1 }; return 1;
    case COLUMN_WORK: *to = (row_column){ ROW_SUM, -1, 5 * n + c + 1, 2 }; return 1;
    case COLUMN_CONSTRAINT: *to = (row_column){ ROW_LARGEST, WATCHED, n, c }; return 1;
    case COLUMN_RATE: *to = (row_column){ ROW_LARGEST, WATCHED, n + c, c }; return 1;
    case COLUMN_SYMMETRY: *to = (row_column){ ROW_OUTPUT, WATCHED, n + 2 * c + 1 + i, 1 }; return 1;
    case COLUMN_OBSERVABLE: *to = (row_column){ ROW_OUTPUT, MULTIPLIERS, c + i, 1 }; return 1;
    case COLUMN_MIDDLE_TIME: *to = (row_column){ ROW_STATE, -1, 5 * n + c, 1 }; return 1;
    case COLUMN_MIDDLE_LAMBDA: *to = (row_column){ ROW_STATE, -1, 5 * n + i, 1 }; return 1;
    case COLUMN_CONTACT: case COLUMN_GAP: case COLUMN_TYPES: break;
    }
    return 0;
}

static int list_columns(executor *e, int *needs)
{
    row_column *columns = e->row_columns = taut_mem_new(e->context, e->row_size, sizeof *columns);
    if (!columns) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; k < e->chosen_count; k++)
        for (size_t i = 0; i < e->chosen[k].count; i++) {
            row_column *c = &columns[e->chosen[k].at + i];
            if (!find_column(e, e->chosen[k].type, e->chosen[k].first + i, c)) return TAUT_UNSUPPORTED;
            if (c->program >= 0) needs[c->program] = 1;
        }
    return TAUT_OK;
}

/* The programs that are needed, one after the other; the columns name them so. */
static int list_programs(executor *e, const int *needs, program **list, int *count)
{
    reading *r = e->z->reading;
    int place[PROGRAMS] = { -1, -1 };
    size_t checks = 0;
    if (!r) return TAUT_UNSUPPORTED;
    int status = needs[MULTIPLIERS] ? X(reading_prepare)(r) : TAUT_OK;
    for (int i = 0; !status && i < PROGRAMS; i++) {
        if (!needs[i]) continue;
        program *p = i == WATCHED ? X(reading_watched_program)(r) : X(reading_multiplier_program)(r, &checks);
        if (!p || p->is_picky || p->other_count || p->input_count || X(program_length)(p) > TEXT_LONGEST)
            return TAUT_UNSUPPORTED;
        e->row.checks[*count] = i == MULTIPLIERS ? checks : 0;
        place[i] = *count;
        list[(*count)++] = p;
    }
    for (size_t i = 0; i < e->row_size; i++)
        if (e->row_columns[i].program >= 0) e->row_columns[i].program = place[e->row_columns[i].program];
    return status;
}

static int make_plan(executor *e)
{
    int needs[PROGRAMS] = { 0 }, count = 0;
    program *list[PROGRAMS];
    int status = list_columns(e, needs);
    if (status) return status;
    if (!needs[WATCHED] && !needs[MULTIPLIERS]) return TAUT_UNSUPPORTED; /* numbers of the state, which are copied */
    status = list_programs(e, needs, list, &count);
    if (!status) status = taut_text_plan_readings(e->context, e->z->s, list, count, e->varies, &e->row.plan);
    e->row.columns = e->row_columns;
    e->row.column_count = e->row_size;
    return status;
}

int taut_rows_look(executor *e, size_t more)
{
    const size_t least = e->options.rows_least ? e->options.rows_least : ROWS_LEAST;
    e->rows_read = e->rows_read + more < e->rows_read ? SIZE_MAX : e->rows_read + more;
    if (e->on == EXECUTOR_INTERPRETER || e->row_state == ROWS_NONE || e->rows_read < least) return TAUT_OK;
    int status = TAUT_OK;
    if (e->row_state == ROWS_UNKNOWN) {
        status = make_plan(e);
        if (!status) status = e->on == EXECUTOR_LANES ? taut_lanes_begin_rows(e) : taut_gpu_begin_rows(e);
        e->row_state = status ? ROWS_NONE : ROWS_ASKED;
        if (status == TAUT_UNSUPPORTED) status = TAUT_OK; /* members are read one by one */
    }
    if (!status && e->row_state == ROWS_ASKED && e->on == EXECUTOR_LANES) taut_lanes_find_rows(e);
    return status;
}
