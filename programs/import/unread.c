#include "import/unread.h"

#include <stdlib.h>
#include <string.h>

#include "import/lua_text.h"

enum { NOT_KNOWN = -1, WIDTH = 110 };

typedef struct {
    const char *element, *attribute; /* attribute NULL: the element */
    int line, reason;
} unread;

typedef struct {
    unread *items;
    size_t count, room;
    const unread_known *known;
    size_t known_count;
} list;

static int is_among(const char *names, const char *name)
{
    const size_t length = strlen(name);
    if (strcmp(names, "*") == 0) return 1;
    for (const char *at = names; (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return length > 0;
    return 0;
}

static int reason_of(const list *z, const xml_node *node, const char *attribute)
{
    for (size_t i = 0; i < z->known_count; i++) {
        const unread_known *k = &z->known[i];
        if (!is_among(k->element, node->name) || !k->attributes != !attribute) continue;
        if (k->parent && !(node->parent && xml_is_named(node->parent, k->parent))) continue;
        if (!attribute || is_among(k->attributes, attribute)) return k->reason;
    }
    return NOT_KNOWN;
}

static int add(list *z, const xml_node *node, const char *attribute)
{
    if (z->count == z->room) {
        const size_t room = z->room ? 2 * z->room : 64;
        unread *grown = realloc(z->items, room * sizeof *grown);
        if (!grown) return -1;
        z->items = grown, z->room = room;
    }
    z->items[z->count++] = (unread){ node->name, attribute, node->line, reason_of(z, node, attribute) };
    return 0;
}

/* Elements that nobody knew count as one thing, with all below them. */
static int collect(list *z, const xml_node *root)
{
    for (const xml_node *e = root; e;) {
        const int was_read = xml_was_read(e, e->count);
        if (!was_read && add(z, e, NULL)) return -1;
        for (size_t i = 0; was_read && i < e->count; i++)
            if (!xml_was_read(e, i) && add(z, e, e->attributes[2 * i])) return -1;
        if (was_read && e->first) e = e->first;
        else {
            while (e != root && !e->next) e = e->parent;
            e = e == root ? NULL : e->next;
        }
    }
    return 0;
}

static int compare_names(const unread *a, const unread *b)
{
    const int by_element = strcmp(a->element, b->element);
    if (a->reason != b->reason) return a->reason < b->reason ? -1 : 1;
    if (by_element || !a->attribute != !b->attribute) return by_element ? by_element : a->attribute ? 1 : -1;
    return a->attribute ? strcmp(a->attribute, b->attribute) : 0;
}

static int compare(const void *one, const void *two)
{
    const unread *a = one, *b = two;
    const int by_names = compare_names(a, b);
    return by_names ? by_names : (a->line > b->line) - (a->line < b->line);
}

static void put_left_out(FILE *f, const unread *first, size_t times)
{
    fprintf(f, "-- left out: <"), lua_put_words(f, first->element), fprintf(f, ">");
    if (first->attribute) fprintf(f, " "), lua_put_words(f, first->attribute);
    if (times > 1) fprintf(f, " (%zu times, first in line %d)", times, first->line);
    else fprintf(f, " (line %d)", first->line);
    fprintf(f, ": it is not read\n");
}

/* Names of one reason, with line breaks between them. */
static void put_known(FILE *f, const unread *item, const unread *before, const char *reason, size_t *column)
{
    const int is_first = !before || before->reason != item->reason,
              is_same = !is_first && strcmp(before->element, item->element) == 0 && before->attribute;
    const size_t length = strlen(item->element) + (item->attribute ? strlen(item->attribute) : 0) + 5;
    if (is_first) *column = (size_t)fprintf(f, "%s-- not read, %s:", before && before->reason >= 0 ? "\n" : "", reason);
    else if (*column + length > WIDTH) *column = (size_t)fprintf(f, is_same ? ",\n--  " : ";\n--  ");
    else *column += (size_t)fprintf(f, is_same ? "," : ";");
    if (!is_same) fprintf(f, " <"), lua_put_words(f, item->element), fprintf(f, ">");
    if (item->attribute) fprintf(f, " "), lua_put_words(f, item->attribute);
    *column += length;
}

int taut_unread_write(FILE *f, const xml_node *root, const unread_known *known, size_t count,
                      const char *const *reasons, int *left_out)
{
    list z = { .known = known, .known_count = count };
    const unread *before = NULL;
    size_t column = 0;
    const int failed = collect(&z, root);
    if (!failed && z.count) qsort(z.items, z.count, sizeof *z.items, compare);
    for (size_t i = 0, times; !failed && i < z.count; before = &z.items[i], i += times) {
        for (times = 1; i + times < z.count && compare_names(&z.items[i], &z.items[i + times]) == 0;) times++;
        if (z.items[i].reason >= 0) put_known(f, &z.items[i], before, reasons[z.items[i].reason], &column);
        else put_left_out(f, &z.items[i], times), ++*left_out;
    }
    if (before && before->reason >= 0) fprintf(f, "\n");
    free(z.items);
    return failed;
}
