/* Tables of names: open addressing over the names that the model holds. They live outside the Lua heap so that the
   garbage collector does not walk through millions of them. */
#include "model/name_table.h"

#include <string.h>

/* Names that differ in the last two digits of a number at their end (a120, a121) are neighbours, in a window of a
   hundred: a loop that makes a million of them touches memory in order. */
enum { WINDOW = 100, PLACE_BITS = 7, PLACES = 1 << PLACE_BITS, ATTEMPTS = 16 };

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* The window, and below it the place in the window. */
static uint32_t hash_name(const char *name)
{
    uint64_t h = 0xcbf29ce484222325ULL, word = 0;
    size_t length = strlen(name);
    uint32_t place = 0, known = 1; /* how many places it has been chosen from */
    for (; known < WINDOW && length > 1 && is_digit(name[length - 1]); known *= 10)
        place += known * (uint32_t)(name[--length] - '0');
    for (; length >= sizeof word; name += sizeof word, length -= sizeof word) {
        memcpy(&word, name, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
        h ^= h >> 32;
    }
    word = length;
    for (size_t i = 0; i < length; i++) word = word << 8 | (unsigned char)name[i];
    h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15ULL;
    if (known < WINDOW) place += (uint32_t)(h & 0xffff) % (WINDOW / known) * known;
    return (uint32_t)(h >> (32 + PLACE_BITS) << PLACE_BITS) + place;
}

static const char *name_of(const name_table *t, size_t index)
{
    const char *array, *name;
    memcpy(&array, t->of, sizeof array);
    memcpy(&name, array + index * t->stride, sizeof name);
    return name;
}

/* The entry of that name, or the empty one where it belongs. A name of NULL is one that is not there yet. */
static name_entry *locate(const name_table *t, const char *name, uint32_t hash)
{
    const size_t mask = t->size / WINDOW - 1, first = hash >> PLACE_BITS, place = hash & (PLACES - 1);
    for (size_t attempt = 0;; attempt++) {
        size_t i = ((first + attempt) & mask) * WINDOW + place;
        if (attempt >= ATTEMPTS) /* many names end with these digits */
            i = ((first & mask) * WINDOW + place + attempt - ATTEMPTS) % t->size;
        name_entry *entry = &t->entries[i];
        if (entry->index == UINT32_MAX) return entry;
        if (name && entry->hash == hash && strcmp(name_of(t, entry->index), name) == 0) return entry;
    }
}

int taut_names_find(const name_table *t, const char *name, uint32_t *index)
{
    if (!t->size) return 0;
    const name_entry *entry = locate(t, name, hash_name(name));
    if (entry->index == UINT32_MAX) return 0;
    *index = entry->index;
    return 1;
}

static int grow(taut_context *context, name_table *t)
{
    name_table wider = *t;
    wider.size = t->size ? 2 * t->size : WINDOW;
    wider.entries = taut_mem_resize(context, NULL, wider.size, sizeof *wider.entries);
    if (!wider.entries) return TAUT_OUT_OF_MEMORY;
    memset(wider.entries, 0xff, wider.size * sizeof *wider.entries);
    for (size_t i = 0; i < t->size; i++)
        if (t->entries[i].index != UINT32_MAX) *locate(&wider, NULL, t->entries[i].hash) = t->entries[i];
    taut_mem_free(context, t->entries);
    *t = wider;
    return TAUT_OK;
}

int taut_names_add(taut_context *context, name_table *t, size_t index)
{
    if (2 * (t->count + 1) > t->size && grow(context, t)) return TAUT_OUT_OF_MEMORY;
    const uint32_t hash = hash_name(name_of(t, index));
    *locate(t, NULL, hash) = (name_entry){ hash, (uint32_t)index };
    t->count++;
    return TAUT_OK;
}

void taut_names_free(taut_context *context, name_table *t)
{
    taut_mem_free(context, t->entries);
    t->entries = NULL;
    t->size = t->count = 0;
}
