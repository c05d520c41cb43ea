#include "field/lanes.h"

void tape_numbers(const tape *t, real *registers)
{
    for (uint32_t n = 0; n < t->number_count; n++) {
        real *row = registers + (size_t)(t->first_number + n) * LANES;
        for (int i = 0; i < LANES; i++) row[i] = (real)t->numbers[n];
    }
}

#define EVEN_TYPE real
#define EVEN_MATH REAL
#define EVEN_NAME even_value
#include "base/even.h"

static void even(real *target, const real *a, even_function f, int order, int lanes)
{
    for (int i = 0; i < lanes; i++) target[i] = even_value(f, a[i], order);
}

static void power(real *target, const real *a, int32_t exponent, int lanes)
{
    if (exponent == 2) {
        for (int i = 0; i < lanes; i++) target[i] = a[i] * a[i];
        return;
    }
    if (exponent == 3) {
        for (int i = 0; i < lanes; i++) target[i] = a[i] * a[i] * a[i];
        return;
    }
    for (int i = 0; i < lanes; i++) {
        int64_t n = exponent < 0 ? -(int64_t)exponent : exponent;
        real base = a[i], result = 1;
        for (; n; n >>= 1, base *= base)
            if (n & 1) result *= base;
        target[i] = exponent < 0 ? 1 / result : result;
    }
}

#define EACH(expression)                                  \
    for (int i = 0; i < lanes; i++) target[i] = (expression); \
    break

void tape_run(const tape *t, real *registers, int lanes)
{
    const instruction *line = t->code, *end = line + t->length;
    for (; line < end; line++) {
        real *target = registers + (size_t)line->target * LANES;
        const real *a = registers + (size_t)line->a * LANES;
        if (line->op == OP_POWI) {
            power(target, a, (int32_t)line->b, lanes);
            continue;
        }
        if (op_has_number(line->op)) {
            even(target, a, (even_function)(line->op - OP_SINC), (int)line->b, lanes);
            continue;
        }
        const real *b = registers + (size_t)line->b * LANES;
        switch ((op)line->op) {
        case OP_NEG: EACH(-a[i]);
        case OP_ADD: EACH(a[i] + b[i]);
        case OP_SUB: EACH(a[i] - b[i]);
        case OP_MUL: EACH(a[i] * b[i]);
        case OP_DIV: EACH(a[i] / b[i]);
        case OP_POW: EACH(REAL(pow)(a[i], b[i]));
        case OP_SQRT: EACH(REAL(sqrt)(a[i]));
        case OP_EXP: EACH(REAL(exp)(a[i]));
        case OP_LOG: EACH(REAL(log)(a[i]));
        case OP_SIN: EACH(REAL(sin)(a[i]));
        case OP_COS: EACH(REAL(cos)(a[i]));
        case OP_TAN: EACH(REAL(tan)(a[i]));
        case OP_ASIN: EACH(REAL(asin)(a[i]));
        case OP_ACOS: EACH(REAL(acos)(a[i]));
        case OP_ATAN: EACH(REAL(atan)(a[i]));
        case OP_ATAN2: EACH(REAL(atan2)(a[i], b[i]));
        case OP_SINH: EACH(REAL(sinh)(a[i]));
        case OP_COSH: EACH(REAL(cosh)(a[i]));
        case OP_TANH: EACH(REAL(tanh)(a[i]));
        case OP_ABS: EACH(REAL(fabs)(a[i]));
        case OP_SIGN: EACH((a[i] > 0) - (a[i] < 0));
        case OP_MIN: EACH(a[i] < b[i] ? a[i] : b[i]);
        case OP_MAX: EACH(a[i] > b[i] ? a[i] : b[i]);
        default: break;
        }
    }
}
