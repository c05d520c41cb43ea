/* The functions F(x)/x for F = sin, sinh, atan, atanh, and their derivatives, without cancellation near x = 0. They are
 * even and entire (or analytic near 0): what difference quotients of the elementary functions are made of. A template:
 * whoever includes this defines EVEN_TYPE, EVEN_MATH(function) and EVEN_NAME before. */

typedef enum { EVEN_SIN, EVEN_SINH, EVEN_ATAN, EVEN_ATANH } even_function;

/* sum c_k x^(2k), differentiated n times; c_k = 1/(2k+1)! or 1/(2k+1), with alternating signs for sin and atan. */
static EVEN_TYPE even_series(even_function f, EVEN_TYPE x, int n)
{
    int alternating = f == EVEN_SIN || f == EVEN_ATAN, factorial = f == EVEN_SIN || f == EVEN_SINH;
    int k = (n + 1) / 2;
    EVEN_TYPE power = 2 * k > n ? x : 1, sum = 0, coefficient = 1, x2 = x * x;
    for (int i = 1; factorial && i <= k; i++) coefficient /= (EVEN_TYPE)(2 * i) * (2 * i + 1);
    if (alternating && k % 2) coefficient = -coefficient;
    for (; k < 400; k++) {
        EVEN_TYPE term = (factorial ? coefficient : coefficient / (2 * k + 1)) * power;
        for (int i = 0; i < n; i++) term *= 2 * k - i;
        EVEN_TYPE next = sum + term;
        if (next == sum && (k > n || x2 == 0)) break;
        sum = next;
        power *= x2;
        if (factorial) coefficient /= (EVEN_TYPE)(2 * k + 2) * (2 * k + 3);
        if (alternating) coefficient = -coefficient;
    }
    return sum;
}

/* F^(n)(x) */
static EVEN_TYPE even_numerator(even_function f, EVEN_TYPE x, int n)
{
    if (f == EVEN_SIN) {
        EVEN_TYPE value = n % 2 ? EVEN_MATH(cos)(x) : EVEN_MATH(sin)(x);
        return n / 2 % 2 ? -value : value;
    }
    if (f == EVEN_SINH) return n % 2 ? EVEN_MATH(cosh)(x) : EVEN_MATH(sinh)(x);
    if (n == 0) return f == EVEN_ATAN ? EVEN_MATH(atan)(x) : EVEN_MATH(atanh)(x);
    /* (1 + s x^2) F^(k+1) + 2 k s x F^(k) + k (k-1) s F^(k-1) = 0 for k > 0, s = 1 (atan) or -1 (atanh) */
    int sign = f == EVEN_ATAN ? 1 : -1;
    EVEN_TYPE factor = 1 / (sign > 0 ? 1 + x * x : (1 - x) * (1 + x)), before = 0, value = factor;
    for (int k = 1; k < n; k++) {
        EVEN_TYPE next = -sign * factor * (2 * k * x * value + k * (k - 1) * before);
        before = value, value = next;
    }
    return value;
}

/* The n-th derivative of F(x)/x, by x f^(n) + n f^(n-1) = F^(n). */
static EVEN_TYPE EVEN_NAME(even_function f, EVEN_TYPE x, int n)
{
    EVEN_TYPE size = x < 0 ? -x : x, value = 0;
    if (size < (f == EVEN_SIN || f == EVEN_SINH ? (EVEN_TYPE)1 : (EVEN_TYPE)0.5)) return even_series(f, x, n);
    for (int k = 0; k <= n; k++) value = (even_numerator(f, x, k) - k * value) / x;
    return value;
}
