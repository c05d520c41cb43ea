#include "ensemble/sample.h"

#include <string.h>

#include "base/text.h"
#include "ensemble/counter.h"
#include "ensemble/normal.h"
#include "ensemble/sobol.h"

#define GRID_MOST ((uint64_t)1 << 50) /* points of all grids together */

const char *taut_sample_design_name(sample_design design)
{
    static const char *const names[DESIGNS] = { "random", "latin", "sobol" };
    return design < DESIGNS ? names[design] : NULL;
}

sample_design taut_sample_design_find(const char *name)
{
    sample_design design = DESIGN_RANDOM;
    while (design < DESIGNS && strcmp(name, taut_sample_design_name(design)) != 0) design++;
    return design;
}

void taut_sample_free(sample *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->count; i++) {
        taut_mem_free(s->context, s->varies[i].name);
        taut_mem_free(s->context, s->varies[i].text);
        taut_mem_free(s->context, s->varies[i].values);
    }
    taut_mem_free(s->context, s->varies);
    taut_mem_free(s->context, s->table);
    taut_mem_free(s->context, s);
}

/* ---- what is given ---- */

static int is_finite(double x) { return x - x == 0; }

static char *copy_part(taut_context *context, const char *text, size_t length)
{
    char *copy = taut_mem_new(context, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

static int add_vary(sample *s, const char *name, size_t length, const char *text, sample_vary **result)
{
    int status = taut_mem_grow(s->context, &s->varies, &s->capacity, s->count + 1, sizeof *s->varies);
    if (status) return status;
    sample_vary *v = *result = &s->varies[s->count];
    *v = (sample_vary){ .name = copy_part(s->context, name, length), .text = taut_mem_text(s->context, text) };
    s->count++;
    if (!v->name || !v->text) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i + 1 < s->count; i++)
        if (strcmp(s->varies[i].name, v->name) == 0)
            return taut_fail(s->context, TAUT_BAD_USAGE, "'%s' varies twice; leave one of them out", v->name);
    return TAUT_OK;
}

/* Numbers with commas between them, up to the closing parenthesis at the end. */
static int read_numbers(sample *s, const char *text, const char *at, double **numbers, size_t *count)
{
    size_t capacity = 0;
    *count = 0;
    for (;;) {
        char *end;
        int status = taut_mem_grow(s->context, numbers, &capacity, *count + 1, sizeof **numbers);
        if (status) return status;
        (*numbers)[*count] = taut_text_number(at, &end);
        while (*end == ' ') end++;
        if (end == at || !is_finite((*numbers)[*count]) || (*end != ',' && *end != ')'))
            return taut_fail(s->context, TAUT_BAD_USAGE,
                             "'%s': within the parentheses there are numbers with commas between them", text);
        ++*count;
        at = end + 1;
        if (*end == ')') break;
    }
    return *at ? taut_fail(s->context, TAUT_BAD_USAGE, "'%s': nothing may follow the closing parenthesis", text)
               : TAUT_OK;
}

static int take_law(sample *s, sample_vary *v, const char *law, size_t length, double *x, size_t count)
{
    static const struct { const char *name; sample_law law; size_t least, most; const char *form; } laws[] = {
        { "uniform", LAW_UNIFORM, 2, 2, "uniform(LOW,HIGH)" },
        { "loguniform", LAW_LOG_UNIFORM, 2, 2, "loguniform(LOW,HIGH)" },
        { "normal", LAW_NORMAL, 2, 2, "normal(MEAN,DEVIATION)" },
        { "grid", LAW_GRID, 3, 3, "grid(FIRST,LAST,COUNT)" },
        { "values", LAW_VALUES, 1, 1u << 20, "values(A,B,C)" },
    };
    size_t k = 0;
    while (k < sizeof laws / sizeof *laws && (strlen(laws[k].name) != length || memcmp(laws[k].name, law, length) != 0))
        k++;
    if (k == sizeof laws / sizeof *laws)
        return taut_fail(s->context, TAUT_BAD_USAGE,
                         "'%s': there is no '%.*s'; there are uniform, loguniform, normal, grid and values", v->text,
                         (int)(length < 40 ? length : 40), law);
    if (count < laws[k].least || count > laws[k].most)
        return taut_fail(s->context, TAUT_BAD_USAGE, "'%s': write %s=%s", v->text, v->name, laws[k].form);
    v->law = laws[k].law;
    v->a = x[0];
    v->b = count > 1 ? x[1] : x[0];
    v->count = count;
    if ((v->law == LAW_UNIFORM || v->law == LAW_LOG_UNIFORM) && !(v->a <= v->b))
        return taut_fail(s->context, TAUT_BAD_USAGE, "'%s': the lower bound comes first", v->text);
    if (v->law == LAW_LOG_UNIFORM && !(v->a > 0))
        return taut_fail(s->context, TAUT_BAD_USAGE, "'%s': the bounds of loguniform are positive", v->text);
    if (v->law == LAW_NORMAL && !(v->b >= 0))
        return taut_fail(s->context, TAUT_BAD_USAGE, "'%s': a standard deviation is not negative", v->text);
    /* no normal number is 10 standard deviations from the mean (normal.h) */
    if (v->law != LAW_VALUES && !is_finite(v->law == LAW_NORMAL ? (v->a < 0 ? -v->a : v->a) + 10 * v->b : v->b - v->a))
        return taut_fail(s->context, TAUT_BAD_USAGE, "'%s': its numbers would be too large", v->text);
    if (v->law == LAW_GRID) {
        if (!(x[2] >= 1 && x[2] <= 1e9) || x[2] != (double)(uint64_t)x[2])
            return taut_fail(s->context, TAUT_BAD_USAGE, "'%s': the count of a grid is a whole number of at least 1",
                             v->text);
        v->count = (uint64_t)x[2];
    }
    return TAUT_OK;
}

static int read_vary(sample *s, const char *text)
{
    const char *equals = strchr(text, '='), *open = equals ? strchr(equals, '(') : NULL;
    if (!equals || equals == text || !open || open == equals + 1)
        return taut_fail(s->context, TAUT_BAD_USAGE,
                         "'%s': write a name and a law, as in a.x=uniform(2.7,2.9) or m2=grid(1,5,200)", text);
    sample_vary *v;
    double *numbers = NULL;
    size_t count = 0;
    int status = add_vary(s, text, (size_t)(equals - text), text, &v);
    if (!status) status = read_numbers(s, text, open + 1, &numbers, &count);
    if (!status) status = take_law(s, v, equals + 1, (size_t)(open - equals) - 1, numbers, count);
    if (!status && v->law == LAW_VALUES)
        v->values = numbers;
    else
        taut_mem_free(s->context, numbers);
    return status;
}

/* ---- the table ---- */

static size_t line_length(const char *line) { return strcspn(line, "\n"); }
static size_t field_length(const char *field, const char *end)
{
    size_t length = 0;
    while (field + length < end && field[length] != ',' && field[length] != '\r') length++;
    return length;
}

static int read_header(sample *s, const char *line, const char *name)
{
    const char *end = line + line_length(line);
    int status = TAUT_OK;
    for (const char *at = line;; at++) {
        size_t length = field_length(at, end), skipped = 0;
        sample_vary *v;
        while (skipped < length && (at[skipped] == ' ' || at[skipped] == '"')) skipped++;
        size_t kept = length;
        while (kept > skipped && (at[kept - 1] == ' ' || at[kept - 1] == '"')) kept--;
        if (kept == skipped)
            return taut_fail(s->context, TAUT_BAD_USAGE,
                             "%s:1: the first line names the numbers that vary, with commas between them", name);
        status = add_vary(s, at + skipped, kept - skipped, name, &v);
        if (status) return status;
        v->law = LAW_TABLE;
        v->place = s->columns++;
        at += length;
        if (at >= end || *at != ',') return TAUT_OK;
    }
}

static int read_row(sample *s, const char *line, const char *name, size_t number, size_t *capacity)
{
    const char *end = line + line_length(line), *at = line;
    int status = taut_mem_grow(s->context, &s->table, capacity, mem_product(s->rows + 1, s->columns), sizeof *s->table);
    if (status) return status;
    for (size_t k = 0; k < s->columns; k++) {
        char *stop, field[64];
        size_t length = field_length(at, end);
        if (length >= sizeof field) length = sizeof field - 1;
        memcpy(field, at, length);
        field[length] = 0;
        double x = taut_text_number(field, &stop);
        while (*stop == ' ') stop++;
        if (stop == field || *stop || !is_finite(x))
            return taut_fail(s->context, TAUT_BAD_USAGE, "%s:%zu: '%s' is not a number", name, number, field);
        s->table[s->rows * s->columns + k] = x;
        at += length;
        const int more = at < end && *at == ',';
        if (more != (k + 1 < s->columns))
            return taut_fail(s->context, TAUT_BAD_USAGE, "%s:%zu: a line has %zu numbers, as the first line has names",
                             name, number, s->columns);
        at += more;
    }
    s->rows++;
    return TAUT_OK;
}

static int read_table(sample *s, const char *text, const char *name)
{
    size_t capacity = 0, number = 1;
    int status = read_header(s, text, name);
    for (const char *line = text; !status && *line;) {
        line += line_length(line);
        if (*line) line++;
        number++;
        if (*line && *line != '\n' && *line != '\r') status = read_row(s, line, name, number, &capacity);
    }
    if (!status && !s->rows) status = taut_fail(s->context, TAUT_BAD_USAGE, "%s has no members", name);
    return status;
}

static int take_numbers(sample *s, const sample_numbers *numbers)
{
    const size_t count = mem_product(numbers->rows, numbers->columns);
    int status = TAUT_OK;
    if (count > PTRDIFF_MAX / sizeof *numbers->values)
        return taut_fail(s->context, TAUT_BAD_USAGE, "values of %zu members with %zu numbers each cannot be in memory",
                         numbers->rows, numbers->columns);
    for (size_t k = 0; !status && k < numbers->columns; k++) {
        sample_vary *v;
        status = add_vary(s, numbers->names[k], strlen(numbers->names[k]), "values", &v);
        if (status) return status;
        v->law = LAW_TABLE;
        v->place = s->columns++;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_finite(numbers->values[i]))
            return taut_fail(s->context, TAUT_BAD_USAGE, "the value of '%s' of member %zu is not a finite number",
                             numbers->names[i % s->columns], i / s->columns);
    if (!numbers->rows) return taut_fail(s->context, TAUT_BAD_USAGE, "there are names, but values of no member");
    s->table = taut_mem_new(s->context, count, sizeof *s->table);
    if (!s->table) return TAUT_OUT_OF_MEMORY;
    memcpy(s->table, numbers->values, count * sizeof *s->table);
    s->rows = numbers->rows;
    return TAUT_OK;
}

/* ---- together ---- */

static int count_members(sample *s)
{
    for (size_t i = 0; i < s->count; i++) {
        sample_vary *v = &s->varies[i];
        if (v->law == LAW_GRID || v->law == LAW_VALUES) {
            if (v->count > GRID_MOST / (s->grid ? s->grid : 1))
                return taut_fail(s->context, TAUT_BAD_USAGE, "the grid has too many points; make it coarser");
            s->grid = (s->grid ? s->grid : 1) * v->count;
        } else if (v->law != LAW_TABLE) {
            v->place = s->dimensions++;
        }
    }
    if (s->grid && s->rows)
        return taut_fail(s->context, TAUT_BAD_USAGE, "a table of members and a grid do not go together; write the "
                                                     "grid's numbers into the table");
    if (s->rows && s->members > s->rows)
        return taut_fail(s->context, TAUT_BAD_USAGE, "the table has %zu members, not %llu", s->rows,
                         (unsigned long long)s->members);
    if (!s->members) s->members = s->rows ? s->rows : s->grid;
    if (s->design == DESIGN_LATIN && s->dimensions && !s->members)
        return taut_fail(s->context, TAUT_BAD_USAGE, "a Latin hypercube depends on the number of all members: give it, "
                                                     "as in 0..249/1000");
    if (s->design == DESIGN_SOBOL && s->dimensions > SOBOL_DIMENSIONS)
        return taut_fail(s->context, TAUT_BAD_USAGE, "Sobol's sequence is there for %d numbers that vary, not %zu",
                         SOBOL_DIMENSIONS, s->dimensions);
    if (s->design == DESIGN_SOBOL && s->members > (uint64_t)1 << 32)
        return taut_fail(s->context, TAUT_BAD_USAGE, "Sobol's sequence has 2^32 points, fewer than there are members");
    return TAUT_OK;
}

/* With a table, or numbers, or neither. */
static int create(taut_context *context, const char *const *texts, size_t count, const char *table,
                  const char *table_name, const sample_numbers *numbers, const sample *with, sample **result)
{
    *result = NULL;
    sample *s = taut_mem_new(context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    *s = *with;
    s->context = context;
    int status = table ? read_table(s, table, table_name) : TAUT_OK;
    if (!status && numbers && numbers->columns) status = take_numbers(s, numbers);
    for (size_t i = 0; !status && i < count; i++) status = read_vary(s, texts[i]);
    if (!status) status = count_members(s);
    if (status)
        taut_sample_free(s);
    else
        *result = s;
    return status;
}

int taut_sample_create(taut_context *context, const char *const *texts, size_t count, const char *table,
                       const char *table_name, sample_design design, uint64_t seed, uint64_t members, sample **result)
{
    const sample with = { .design = design, .seed = seed, .members = members };
    return create(context, texts, count, table, table_name, NULL, &with, result);
}

int taut_sample_create_with(taut_context *context, const char *const *texts, size_t count,
                            const sample_numbers *numbers, sample_design design, uint64_t seed, uint64_t members,
                            sample **result)
{
    const sample with = { .design = design, .seed = seed, .members = members };
    return create(context, texts, count, NULL, NULL, numbers, &with, result);
}

/* ---- the numbers ---- */

/* In (0,1). */
static double spread(const sample *s, uint64_t member, uint32_t dimension)
{
    if (s->design == DESIGN_SOBOL) return taut_sobol_scrambled(s->seed, (uint32_t)member, (int)dimension);
    const double u = counter_uniform(counter_bits(s->seed, member, dimension, 0));
    if (s->design == DESIGN_RANDOM || member >= s->members) return u;
    const double x = ((double)counter_permute(s->seed, dimension, s->members, member) + u) / (double)s->members;
    return x < 1 ? x : 1 - 0x1p-53;
}

static double on_grid(const sample_vary *v, uint64_t i)
{
    if (v->law == LAW_VALUES) return v->values[i];
    return i == 0 ? v->a : i + 1 == v->count ? v->b : v->a + (v->b - v->a) * ((double)i / (double)(v->count - 1));
}

void taut_sample_values(const sample *s, uint64_t member, double *values)
{
    uint64_t cell = s->grid ? member % s->grid : 0, size = s->grid;
    for (size_t i = 0; i < s->count; i++) {
        const sample_vary *v = &s->varies[i];
        switch (v->law) {
        case LAW_GRID: /* the last one changes first */
        case LAW_VALUES:
            size /= v->count;
            values[i] = on_grid(v, cell / size);
            cell %= size;
            break;
        case LAW_TABLE: values[i] = s->table[(member % s->rows) * s->columns + v->place]; break;
        case LAW_UNIFORM: values[i] = v->a + (v->b - v->a) * spread(s, member, (uint32_t)v->place); break;
        case LAW_LOG_UNIFORM: {
            const double low = taut_math_log(v->a), high = taut_math_log(v->b);
            values[i] = taut_math_exp(low + (high - low) * spread(s, member, (uint32_t)v->place));
            break;
        }
        case LAW_NORMAL: values[i] = v->a + v->b * normal_quantile(spread(s, member, (uint32_t)v->place)); break;
        }
    }
}
