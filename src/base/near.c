#include "base/near.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 40 };

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* Letters left out, added, changed or swapped with their neighbours (optimal string alignment); case does not count. */
static size_t distance(const char *a, const char *b)
{
    const size_t rows = strlen(a), columns = strlen(b);
    size_t table[3][LONGEST + 1];
    for (size_t j = 0; j <= columns; j++) table[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t *now = table[i % 3];
        const size_t *last = table[(i + 2) % 3], *before = table[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            now[j] = least_of(least_of(now[j - 1], last[j]) + 1, last[j - 1] + (lower(a[i - 1]) != lower(b[j - 1])));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = least_of(now[j], before[j - 2] + 1);
        }
    }
    return table[rows % 3][columns];
}

/* A third of the letters may be wrong, two at the most. Of words that are equally near, the first in the alphabet: in
   whatever order they are tried. */
near_word taut_near(const char *given)
{
    const size_t allowed = least_of((strlen(given) + 1) / 3, 2);
    return (near_word){ given, NULL, allowed + 1 };
}

void taut_near_try(near_word *n, const char *word)
{
    const size_t length = strlen(n->given);
    if (!length || length > LONGEST || strlen(word) > LONGEST) return;
    const int begins = length > 2 && strncmp(n->given, word, length) == 0;
    const size_t d = begins ? 1 : distance(n->given, word);
    if (d > n->least || (d == n->least && (!n->word || strcmp(word, n->word) >= 0))) return;
    n->least = d;
    n->word = word;
}

const char *taut_near_text(const near_word *n, const char *before, char *buffer)
{
    *buffer = 0;
    if (n->word) snprintf(buffer, NEAR_TEXT, "did you mean '%s%s'? ", before, n->word);
    return buffer;
}
