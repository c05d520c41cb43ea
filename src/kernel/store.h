/* Inside of the store, for the files of this folder. */
#ifndef TAUT_KERNEL_STORE_H
#define TAUT_KERNEL_STORE_H

#include "kernel/kernel.h"

struct store {
    taut_context *context;
    graph *g;             /* the model's */
    graph *shapes;        /* kernels live here */
    kernel **kernels;
    size_t kernel_count, kernel_capacity;
    uint32_t *table;      /* kernel index + 1 by hash of the shape */
    size_t table_size;
    expr *constants;
    size_t constant_count, constant_capacity;
    uint32_t *constant_of; /* constant index + 1 by node of the model's graph, open addressing on the expr */
    size_t constant_table_size;
    struct writer *writer; /* scratch of terms.c */
};

void taut_term_writer_destroy(struct writer *w);

/* Index of the constant expression e in the store's table, or UINT32_MAX without memory. */
uint32_t taut_store_constant(store *s, expr e);
/* The kernel with this shape, made if new; UINT32_MAX without memory. key is copied. */
uint32_t taut_store_find(store *s, const uint32_t *key, size_t length, uint32_t slots, uint32_t constants,
                         const uint8_t *kinds);

/* Code of a shape: for every inner node in post-order its operation and operands (and the number where op_has_number).
   An operand is a number with its type in the two low bits. */
enum { REF_NODE, REF_VARIABLE, REF_CONSTANT };
#define REF(type, index) ((index) << 2 | (type))

#endif
