/* What varies in an ensemble: --vary strings, one a line; after a zero byte a table (CSV). What is accepted has finite
   numbers for every member, and the same ones when it is asked twice. */
#include <math.h>

#include "ensemble/sample.h"
#include "text.h"

static const char *const words[] = { "uniform", "loguniform", "normal", "grid", "values", "log", "table", "a", "g", "x",
                                     "latin", NULL };
static const char *const templates[] = { "$s=uniform($n,$n)", "$s=loguniform($n,$n)", "$s=normal($n,$n)", "$s=grid($n,$n,$n)",
                                         "$s=values($n,$n,$n)", "$s.x=uniform($n, $n)", "$w=$w($n,$n)", "$n,$n,$n",
                                         "$s,$s,$s", "$s,\"$s\",", "$s=$n", "$s=$n:$n:$n", NULL };
static const vocabulary language = { .words = words, .templates = templates, .separator = '\n' };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return text_mutate(data, size, most, seed, &language);
}

static int same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void look(const sample *s, uint64_t member)
{
    double x[64] = { 0 }, y[64] = { 0 };
    if (s->count > 64) return;
    taut_sample_values(s, member, x);
    taut_sample_values(s, member, y);
    for (size_t i = 0; i < s->count; i++) {
        FUZZ_CHECK(isfinite(x[i]), "%s is %g in member %llu", s->varies[i].text ? s->varies[i].text : "?", x[i],
                   (unsigned long long)member);
        FUZZ_CHECK(same(x[i], y[i]), "%s is %g, then %g", s->varies[i].name, x[i], y[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t members[] = { 0, 1, 10, 1000, UINT64_MAX, (uint64_t)1 << 53, (uint64_t)1 << 32, 7 };
    if (size < 2 || size > 3000) return 0;
    char *text = malloc(size + 1), *lines[32];
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = text[size] = 0;
    const char *table = strlen(text) < size - 1 ? text + strlen(text) + 1 : NULL;
    size_t count = 0;
    for (char *line = strtok(text, "\n"); line && count < 32; line = strtok(NULL, "\n")) lines[count++] = line;
    bounds b;
    sample *s = NULL;
    taut_context *context = bounded_begin(&b);
    const uint64_t asked = members[data[0] >> 2 & 7];
    int status = taut_sample_create(context, (const char *const *)lines, count, table, "table.csv", (data[0] & 3) % DESIGNS,
                                    data[0] >> 5, asked, &s);
    check_status(context, status);
    FUZZ_CHECK(!status == !!s, "status %d", status);
    if (s) {
        const uint64_t last = s->members ? s->members - 1 : UINT64_MAX >> 12;
        FUZZ_CHECK(!asked || s->members <= asked, "%llu members", (unsigned long long)s->members);
        look(s, 0), look(s, last / 2), look(s, last);
    }
    taut_sample_free(s);
    bounded_end(&b);
    free(text);
    return 0;
}
