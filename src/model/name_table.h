/* A table from the names of an array of structures to their indices. A structure begins with its name; the array may
   move, but must outlive the table. */
#ifndef TAUT_MODEL_NAME_TABLE_H
#define TAUT_MODEL_NAME_TABLE_H

#include "base/context.h"

typedef struct {
    uint32_t hash, index; /* index UINT32_MAX: empty */
} name_entry;

typedef struct {
    const void *of;      /* where the address of the array is kept */
    size_t stride;
    name_entry *entries;
    size_t size, count;
} name_table;

/* An empty table over a pointer to structures. */
#define NAMES_OF(array) { .of = &(array), .stride = sizeof *(array) }

/* 1 and the index if the name is there, 0 otherwise. */
int taut_names_find(const name_table *t, const char *name, uint32_t *index);
/* Adds the name of the structure with that index; it is not there yet. Returns a status. */
int taut_names_add(taut_context *context, name_table *t, size_t index);
void taut_names_free(taut_context *context, name_table *t);

#endif
