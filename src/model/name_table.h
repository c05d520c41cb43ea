/* A table from names to numbers. The names belong to the caller and must outlive the table. */
#ifndef TAUT_MODEL_NAME_TABLE_H
#define TAUT_MODEL_NAME_TABLE_H

#include "base/context.h"

typedef struct {
    const char *name;
    uint32_t hash, value;
} name_entry;

/* All zero is an empty table. */
typedef struct {
    name_entry *entries;
    size_t size, count;
} name_table;

/* 1 and the value if the name is there, 0 otherwise. */
int taut_names_find(const name_table *t, const char *name, uint32_t *value);
/* Adds a name that is not there yet. Returns a status. */
int taut_names_add(taut_context *context, name_table *t, const char *name, uint32_t value);
void taut_names_free(taut_context *context, name_table *t);

#endif
