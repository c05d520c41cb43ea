/* One thread at a time in libraries that are not made for several: MUMPS keeps Fortran module variables between and
   during its calls, and an OpenBLAS built for one thread hands the same work area to two that call it at once. The one
   variable that contexts share (docs/architecture.md). */
#ifndef TAUT_LINALG_EXCLUSIVE_H
#define TAUT_LINALG_EXCLUSIVE_H

/* Not to be nested. */
void taut_exclusive_begin(void);
void taut_exclusive_end(void);

/* The value of a call that is made alone. */
#define TAUT_EXCLUSIVE(result, call) (taut_exclusive_begin(), (result) = (call), taut_exclusive_end())

#endif
