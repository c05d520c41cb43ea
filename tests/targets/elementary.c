/* The functions that modules of WebAssembly import (lower/wasm.h), themselves a module. */
#include "base/elementary.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define UNARY(name) EXPORT(name) double export_##name(double x) { return taut_math_##name(x); }
#define BINARY(name) EXPORT(name) double export_##name(double x, double y) { return taut_math_##name(x, y); }
#define NUMBERED(name) EXPORT(name) double export_##name(double x, int n) { return taut_math_##name(x, n); }

UNARY(cbrt) UNARY(exp) UNARY(log) UNARY(sin) UNARY(cos) UNARY(tan) UNARY(asin) UNARY(acos) UNARY(atan) UNARY(sinh)
UNARY(cosh) UNARY(tanh)
BINARY(pow) BINARY(atan2)
NUMBERED(powi) NUMBERED(sinc) NUMBERED(sinhc) NUMBERED(atanc) NUMBERED(atanhc)
EXPORT(fma) double export_fma(double a, double b, double c) { return taut_math_fma_whole(a, b, c); }
