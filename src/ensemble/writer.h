/* What the two texts have in common, for the files of this folder. */
#ifndef TAUT_ENSEMBLE_WRITER_H
#define TAUT_ENSEMBLE_WRITER_H

#include "ensemble/text.h"
#include "lower/emit.h"

typedef struct {
    const text_plan *plan;
    const text_program *t;
    builder *out;
    int lanes;               /* numbers that vary are vectors; 0: all are numbers */
    unsigned char *varies;   /* of every register of t->p, as its value is in the text */
} text_writer;

/* How a register is written. */
typedef struct {
    char text[48];
} text_operand;

void taut_text_put(text_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The writer turns to a program. */
int taut_text_begin(text_writer *w, const text_program *t);
text_operand taut_text_name(const text_writer *w, uint32_t r);
/* The same where a vector is needed. */
text_operand taut_text_vector(const text_writer *w, uint32_t r);
const char *taut_text_type(const text_writer *w, uint32_t r);
/* The instructions of a tape, each a constant of its own. */
void taut_text_tape(text_writer *w, const segment *tape, const char *indent);
/* Numbers that the tapes of the program read from outside and of the state. */
void taut_text_loads(text_writer *w);
/* Functions of the elementary text that the plan's programs need, the judge of iterations, measures. */
int taut_text_prelude(const text_plan *p, int lanes, builder *out);

#endif
