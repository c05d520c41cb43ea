#include "report/units.h"

#include <stdio.h>
#include <string.h>

static void append(char *text, size_t size, const char *more)
{
    const size_t at = strlen(text);
    snprintf(text + at, size - at, "%s", more);
}

/* A product of powers of length, time and mass; "" where one is not known. */
static void unit(const model *m, int length, int time, int mass, char *text, size_t size)
{
    const struct { const char *name; int power; } parts[] = {
        { m ? m->units[UNIT_MASS] : NULL, mass },
        { m ? m->units[UNIT_LENGTH] : NULL, length },
        { m ? m->units[UNIT_TIME] : NULL, time },
    };
    text[0] = 0;
    for (int i = 0; i < 3; i++)
        if (parts[i].power && !parts[i].name) return;
    for (int below = 0; below < 2; below++)
        for (int i = 0, first = 1; i < 3; i++) {
            const int power = below ? -parts[i].power : parts[i].power;
            if (power <= 0) continue;
            append(text, size, !first ? " " : below ? "/" : "");
            append(text, size, parts[i].name);
            if (power > 1) append(text, size, "\u00b2");
            first = 0;
        }
    if (strcmp(text, "kg m\u00b2/s\u00b2") == 0) snprintf(text, size, "J");
    if (strcmp(text, "kg m/s\u00b2") == 0) snprintf(text, size, "N");
}

int taut_unit_is_of_point(const record *r, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, "%s", strncmp(name, "p.", 2) == 0 ? name + 2 : name);
    size_t length = strlen(text);
    if (length > 4 && strcmp(text + length - 4, ".dot") == 0) text[length -= 4] = 0;
    if (length < 3 || text[length - 2] != '.' || !strchr("xyz", text[length - 1])) return 0;
    text[length - 1] = 'w'; /* those of a rotation are no lengths */
    return taut_record_column_find(r, text) < 0;
}

void taut_unit_of(const record *r, const model *m, size_t column, char text[UNIT_TEXT])
{
    const size_t size = UNIT_TEXT;
    const record_column *c = &taut_record_columns(r)[column];
    const int point = taut_unit_is_of_point(r, c->name), angular = strncmp(c->name, "angular", 7) == 0;
    text[0] = 0;
    if (strcmp(c->kind, "time") == 0) unit(m, 0, 1, 0, text, size);
    else if (strcmp(c->kind, "energy") == 0 || strcmp(c->kind, "work") == 0) unit(m, 2, -2, 1, text, size);
    else if (strcmp(c->kind, "conserved") == 0) unit(m, 1 + angular, -1, 1, text, size);
    else if (point && strcmp(c->kind, "coordinate") == 0) unit(m, 1, 0, 0, text, size);
    else if (point && strcmp(c->kind, "velocity") == 0) unit(m, 1, -1, 0, text, size);
    else if (point && strcmp(c->kind, "momentum") == 0) unit(m, 1, -1, 1, text, size);
}
