/* Tables of names: open addressing over the names that the model holds. They live outside the Lua heap so that the
   garbage collector does not walk through millions of them. */
#include "model/name_table.h"

#include <string.h>

/* Names that differ in the last digit of a number at their end (a120, a121) are neighbours: a loop that makes a million
   of them touches memory in order. */
static uint32_t hash_name(const char *name)
{
    uint64_t h = 0xcbf29ce484222325ULL;
    size_t length = strlen(name);
    uint32_t digit = 0;
    if (length > 1 && name[length - 1] >= '0' && name[length - 1] <= '9') digit = (uint32_t)(name[--length] - '0') + 1;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)name[i]) * 0x100000001b3ULL;
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15ULL;
    return (uint32_t)(h >> 32 << 4) + digit;
}

/* The entry of that name, or the empty one where it belongs. */
static name_entry *locate(const name_table *t, const char *name, uint32_t hash)
{
    size_t i = hash & (t->size - 1);
    for (; t->entries[i].name; i = (i + 1) & (t->size - 1))
        if (t->entries[i].hash == hash && strcmp(t->entries[i].name, name) == 0) break;
    return &t->entries[i];
}

int taut_names_find(const name_table *t, const char *name, uint32_t *value)
{
    if (!t->size) return 0;
    const name_entry *entry = locate(t, name, hash_name(name));
    if (!entry->name) return 0;
    *value = entry->value;
    return 1;
}

static int grow(taut_context *context, name_table *t)
{
    name_table wider = { .size = t->size ? 2 * t->size : 64, .count = t->count };
    wider.entries = taut_mem_new(context, wider.size, sizeof *wider.entries);
    if (!wider.entries) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < t->size; i++)
        if (t->entries[i].name) *locate(&wider, t->entries[i].name, t->entries[i].hash) = t->entries[i];
    taut_mem_free(context, t->entries);
    *t = wider;
    return TAUT_OK;
}

int taut_names_add(taut_context *context, name_table *t, const char *name, uint32_t value)
{
    if (2 * (t->count + 1) > t->size && grow(context, t)) return TAUT_OUT_OF_MEMORY;
    uint32_t hash = hash_name(name);
    *locate(t, name, hash) = (name_entry){ name, hash, value };
    t->count++;
    return TAUT_OK;
}

void taut_names_free(taut_context *context, name_table *t)
{
    taut_mem_free(context, t->entries);
    *t = (name_table){ NULL, 0, 0 };
}
