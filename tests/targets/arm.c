/* arm FILE...: the steps of cases (cases.h) by machine code of this processor, and by its interpreter: the bits of the
 * processor that wrote the files. Made of the library's sources by a cross compiler (run.sh). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower/machine.h"
#include "native/native.h"
#include "system/system.h"
#include "targets/cases.h"

static const char *file_name, *executor;
static char name[CASE_NAME];

static void fail(const char *what, uint32_t i, double found, double expected)
{
    printf("%s (%s), %s: %s %u is %a, not %a\n", file_name, name, executor, what, i, found, expected);
    exit(1);
}

static void compare(const char *what, const double *found, const double *expected, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (found[i] == found[i] || expected[i] == expected[i])
            if (memcmp(&found[i], &expected[i], sizeof *found) != 0) fail(what, i, found[i], expected[i]);
}

static char *read_file(void)
{
    FILE *file = fopen(file_name, "rb");
    if (!file || fseek(file, 0, SEEK_END)) exit(2);
    const long size = ftell(file);
    char *text = malloc((size_t)size);
    rewind(file);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) exit(2);
    fclose(file);
    return text;
}

/* A function must leave the lower halves of v8 to v15 as they were. */
static int call(program_code *code, double *registers, double *block)
{
    register double first __asm__("d8") = 1.5, last __asm__("d15") = 2.5;
    __asm__ volatile("" : "+w"(first), "+w"(last));
    const int left = code(registers, block);
    __asm__ volatile("" : "+w"(first), "+w"(last));
    if (first != 1.5 || last != 2.5) fail("register", first != 1.5 ? 8 : 15, first != 1.5 ? first : last, 0);
    return left;
}

static int run(const program *p, int is_setup, double *registers, double *block)
{
    program_code *const code = is_setup ? p->set_up : p->step;
    if (code) return call(code, registers, block);
    memcpy(registers + p->state_first, block, p->state_count * sizeof *block);
    const int left = X(program_run)(is_setup ? p->setup.code : p->flow.code, registers);
    memcpy(block, registers + p->state_first, p->state_count * sizeof *block);
    return left;
}

static void run_steps(const program *p, const uint32_t *head, const double *at)
{
    const uint32_t state = head[CASE_STATE];
    double *registers = malloc(head[CASE_VALUES] * sizeof *registers), *block = malloc((state + 1) * sizeof *block);
    if (!registers || !block) exit(2);
    memcpy(registers, at, head[CASE_VALUES] * sizeof *registers), at += head[CASE_VALUES];
    memcpy(block, registers + p->state_first, state * sizeof *block);
    run(p, 1, registers, block);
    for (uint32_t i = 0; i < head[CASE_STEPS]; i++) {
        memcpy(registers + p->state_first + state, at, 4 * sizeof *at), at += 4;
        memcpy(block, at, state * sizeof *at), at += state;
        memset(registers + p->flow.count_first, 0, FLOW_COUNTS * sizeof *registers);
        const double left = run(p, 0, registers, block);
        compare("result of step", &left, at, 1), at++;
        compare("number of the state", block, at, state), at += state;
        compare("report", registers + p->flow.report_first, at, p->flow.report_count), at += p->flow.report_count;
        compare("count", registers + p->flow.count_first, at, FLOW_COUNTS), at += FLOW_COUNTS;
    }
    free(registers), free(block);
}

static void run_case(taut_context *context)
{
    char *const text = read_file(), *at = text + CASE_WORDS * sizeof(uint32_t);
    const uint32_t *head = (const uint32_t *)text;
    if (head[CASE_MAGIC] != CASE_IS_ONE) exit(2);
    memcpy(name, at, sizeof name), at += sizeof name;
    program_instruction *code = (program_instruction *)at;
    const uint32_t length = head[CASE_SETUP] + head[CASE_FLOW];
    native_use use = { 0 };
    struct system s = { .context = context, .native = &use };
    /* A case has no phases, of which straight flows are made: outputs say that this is no whole step. */
    program p = { .s = &s, .context = context, .outputs = &(uint32_t){ 0 },
                  .state_first = head[CASE_STATE_FIRST], .state_count = head[CASE_STATE],
                  .setup = { .code = code, .count = head[CASE_SETUP] - 1 },
                  .flow = { .code = code + head[CASE_SETUP], .count = head[CASE_FLOW] } };
    p.flow.register_count = head[CASE_REGISTERS], p.flow.literal_first = head[CASE_LITERAL_FIRST];
    p.flow.report_first = head[CASE_REPORT_FIRST], p.flow.report_count = head[CASE_REPORTS];
    p.flow.count_first = head[CASE_COUNT_FIRST];
    const double *numbers = (const double *)(code + length + length % 2);
    executor = "interpreter";
    run_steps(&p, head, numbers);
    executor = "machine code";
    if (X(machine_create)(&p, 0, &(int){ 0 }) || !p.set_up || !p.step) fail("machine code", 0, 0, 1);
    run_steps(&p, head, numbers);
    taut_native_pages_end(p.pages, p.pages_size);
    free(text);
}

int main(int count, char **files)
{
    taut_context *context = taut_context_create(NULL);
    for (int i = 1; i < count; i++) file_name = files[i], run_case(context);
    taut_context_destroy(context);
    printf("%d cases\n", count - 1);
    return count < 2;
}
