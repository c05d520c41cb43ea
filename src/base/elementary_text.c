/* Picks sections of base/elementary.h by the marks that it describes:  == NAME: OTHERS ==  in a comment of one line. */
#include "base/elementary_text.h"

#include <string.h>

enum { MOST_SECTIONS = 64 };
static const char mark[] = "/* == ";

typedef struct {
    const char *begin, *end;     /* all of it, the mark included */
    const char *name, *name_end; /* in the mark; then `:` and the sections that it needs */
    int wanted;
} section;

/* The next mark from `at` on, or the end of the text. */
static const char *next_mark(const char *at)
{
    const char *found = strstr(at, mark);
    while (found && found[-1] != '\n') found = strstr(found + 1, mark);
    return found ? found : at + strlen(at);
}

static int is_named(const section *s, const char *name, size_t length)
{
    return (size_t)(s->name_end - s->name) == length && !memcmp(s->name, name, length);
}

static size_t split(const char *text, section *sections)
{
    size_t count = 0;
    for (const char *at = next_mark(text); *at && count < MOST_SECTIONS; count++) {
        section *s = &sections[count];
        s->begin = at;
        s->name = at + sizeof mark - 1;
        s->name_end = s->name + strcspn(s->name, ":\n");
        s->wanted = 0;
        s->end = at = next_mark(s->name);
    }
    return count;
}

static int want(section *sections, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (is_named(&sections[i], name, length)) return sections[i].wanted = 1;
    return 0;
}

/* The words between `:` and `==`. */
static int want_needed(section *sections, size_t at)
{
    const char *word = sections[at].name_end + 1;
    for (;;) {
        word += strspn(word, " ");
        size_t length = strcspn(word, " \n");
        if (!length || !strncmp(word, "==", 2)) return 1;
        if (!want(sections, at, word, length)) return 0;
        word += length;
    }
}

static size_t put(const char *begin, const char *end, char *buffer, size_t size, size_t length)
{
    size_t more = (size_t)(end - begin);
    if (length < size) memcpy(buffer + length, begin, more < size - length ? more : size - length);
    return length + more;
}

size_t taut_elementary_text(const char *const *names, size_t count, char *buffer, size_t size)
{
    const char *text = (const char *)taut_elementary_source;
    section sections[MOST_SECTIONS];
    size_t section_count = split(text, sections), length;
    for (size_t i = 0; i < count; i++)
        if (!want(sections, section_count, names[i], strlen(names[i]))) return TAUT_ELEMENTARY_UNKNOWN;
    if (!want(sections, section_count, "end", 3)) return TAUT_ELEMENTARY_UNKNOWN;
    for (size_t i = section_count; i-- > 0;) /* what a section needs is above it */
        if (sections[i].wanted && !want_needed(sections, i)) return TAUT_ELEMENTARY_UNKNOWN;
    length = put(text, next_mark(text), buffer, size, 0);
    for (size_t i = 0; i < section_count; i++)
        if (sections[i].wanted) length = put(sections[i].begin, sections[i].end, buffer, size, length);
    if (size) buffer[length < size ? length : size - 1] = 0;
    return length;
}
