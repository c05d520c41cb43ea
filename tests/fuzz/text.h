/* A mutator that knows the grammar of a text: words, numbers, brackets, pieces between separators. A target gives its
   words and its templates. */
#ifndef TAUT_TESTS_FUZZ_TEXT_H
#define TAUT_TESTS_FUZZ_TEXT_H

#include <ctype.h>

#include "fuzz.h"

typedef struct {
    const char *const *words;     /* NULL ends each list */
    const char *const *templates; /* pieces; $n a number, $w a word of the text, $e an expression, $s a name */
    const char *const *atoms;     /* of expressions: templates, too */
    const char *const *alike;     /* words that may stand for one another nearly everywhere */
    char separator;               /* of pieces */
} vocabulary;

enum { PIECE_MOST = 600 };

typedef struct {
    char *text;
    size_t size, most;
    uint64_t state;
    const vocabulary *v;
} mutation;

static inline uint32_t mutation_random(mutation *m, uint32_t below) { return fuzz_random(&m->state, below); }

static inline const char *pick(mutation *m, const char *const *list)
{
    uint32_t count = 0;
    while (list[count]) count++;
    return count ? list[mutation_random(m, count)] : "";
}

static inline const char *pick_number(mutation *m, char *buffer, size_t size)
{
    static const char *const special[] = { "0", "1", "-1", "2", "3", "10", "0.5", "1e-9", "1e300", "-1e300", "1e308",
                                           "1e-308", "5e-324", "0/0", "1/0", "-1/0", "9007199254740993", "2147483648",
                                           "4294967296", "9223372036854775807", "-9223372036854775808", "1e5", "0x1p-3",
                                           "1e-30", "3.141592653589793", "inf", "nan", "1e", "00", "1.2.3", NULL };
    if (mutation_random(m, 3) == 0) return pick(m, special);
    snprintf(buffer, size, "%g", ((double)mutation_random(m, 4001) - 2000) / 1000);
    return buffer;
}

static inline int is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Puts n bytes in the place of those from `from` to `to`. */
static inline void replace(mutation *m, size_t from, size_t to, const char *with, size_t n)
{
    char copy[4 * PIECE_MOST];
    if (n > sizeof copy) n = sizeof copy;
    if (m->size - (to - from) + n > m->most) return;
    memcpy(copy, with, n); /* it may be part of the text */
    memmove(m->text + from + n, m->text + to, m->size - to);
    memcpy(m->text + from, copy, n);
    m->size += n - (to - from);
}

/* A word or number of the text: the one at or after a random place. 0: none. */
static inline int find_word(mutation *m, int number, size_t *from, size_t *to)
{
    size_t i = mutation_random(m, (uint32_t)m->size + 1);
    while (i > 0 && is_word(m->text[i - 1])) i--;
    for (; i < m->size; i++) {
        const int digit = isdigit((unsigned char)m->text[i]);
        if (!is_word(m->text[i])) continue;
        size_t end = i;
        while (end < m->size && (is_word(m->text[end]) || (digit && m->text[end] == '.'))) end++;
        if (!digit == !number) return *from = i, *to = end, 1;
        i = end;
    }
    return 0;
}

/* The text between a bracket and its partner. 0: none. */
static inline int find_group(mutation *m, size_t *from, size_t *to)
{
    for (size_t i = mutation_random(m, (uint32_t)m->size + 1); i < m->size; i++) {
        if (!strchr("([{", m->text[i]) || !m->text[i]) continue;
        int depth = 0;
        for (size_t k = i; k < m->size; k++) {
            depth += m->text[k] && strchr("([{", m->text[k]) ? 1 : 0;
            depth -= m->text[k] && strchr(")]}", m->text[k]) ? 1 : 0;
            if (depth == 0) return *from = i + 1, *to = k, 1;
        }
    }
    return 0;
}

static inline void find_piece(mutation *m, size_t *from, size_t *to)
{
    size_t i = mutation_random(m, (uint32_t)m->size + 1), end;
    while (i > 0 && m->text[i - 1] != m->v->separator) i--;
    for (end = i; end < m->size && m->text[end] != m->v->separator;) end++;
    *from = i, *to = end + (end < m->size);
}

/* Fills in a template; returns the length. */
static inline size_t fill(mutation *m, const char *template, char *out, size_t most, int depth)
{
    size_t n = 0;
    for (const char *c = template; *c && n + 80 < most; c++) {
        char buffer[40];
        size_t from, to;
        const char *text = buffer;
        if (c[0] != '$' || !c[1]) {
            out[n++] = *c;
            continue;
        }
        switch (*++c) {
        case 'n': text = pick_number(m, buffer, sizeof buffer); break;
        case 's': snprintf(buffer, sizeof buffer, "%c%u", "abxyz"[mutation_random(m, 5)], mutation_random(m, 3)); break;
        case 'w':
            if (mutation_random(m, 4) == 0 || !find_word(m, 0, &from, &to)) {
                text = pick(m, m->v->words);
            } else {
                if (to - from > sizeof buffer - 1) to = from + sizeof buffer - 1;
                memcpy(buffer, m->text + from, to - from);
                buffer[to - from] = 0;
            }
            break;
        default: /* $e */
            n += fill(m, depth > 3 || !m->v->atoms ? "$w" : pick(m, m->v->atoms), out + n, most - n, depth + 1);
            continue;
        }
        const size_t length = strlen(text);
        if (n + length >= most) break;
        memcpy(out + n, text, length), n += length;
    }
    return n;
}

static inline void change(mutation *m)
{
    char piece[PIECE_MOST], number[40];
    size_t from, to, from2, to2;
    switch (mutation_random(m, 10)) {
    case 0: /* a number becomes another one */
        if (!find_word(m, 1, &from, &to)) break;
        replace(m, from, to, piece, (size_t)snprintf(piece, sizeof piece, "%s", pick_number(m, number, sizeof number)));
        break;
    case 1: /* a word becomes another one */
        if (!find_word(m, 0, &from, &to)) break;
        replace(m, from, to, piece, fill(m, "$w", piece, sizeof piece, 0));
        break;
    case 2: /* what is in brackets becomes an expression */
        if (!find_group(m, &from, &to)) break;
        replace(m, from, to, piece, fill(m, "$e", piece, sizeof piece, 0));
        break;
    case 3: /* or what is in other brackets */
        if (!find_group(m, &from, &to) || !find_group(m, &from2, &to2)) break;
        replace(m, from, to, m->text + from2, to2 - from2);
        break;
    case 4: /* a piece is left out */
        find_piece(m, &from, &to);
        replace(m, from, to, "", 0);
        break;
    case 5: /* or is there twice */
        find_piece(m, &from, &to);
        find_piece(m, &from2, &to2);
        replace(m, from2, from2, m->text + from, to - from);
        break;
    case 6:
    case 7: { /* a new piece */
        const size_t n = fill(m, pick(m, m->v->templates), piece, sizeof piece - 1, 0);
        piece[n] = m->v->separator;
        find_piece(m, &from, &to);
        replace(m, from, from, piece, n + 1);
        break;
    }
    case 8: /* a word becomes an expression */
        if (!find_word(m, (int)mutation_random(m, 2), &from, &to)) break;
        replace(m, from, to, piece, fill(m, "$e", piece, sizeof piece, 0));
        break;
    default: m->size = LLVMFuzzerMutate((uint8_t *)m->text, m->size, m->most);
    }
}

static inline int is_listed(const char *const *list, const char *word, size_t size)
{
    for (; list && *list; list++)
        if (strlen(*list) == size && memcmp(*list, word, size) == 0) return 1;
    return 0;
}

/* A change after which the text means something as a rule: most others end in a message of the parser. */
static inline void change_little(mutation *m)
{
    static const char operators[] = "+-*/^";
    char piece[PIECE_MOST], number[40];
    size_t from, to, at;
    switch (mutation_random(m, 6)) {
    case 0: /* one of the words that are alike for another */
        for (int tries = 0; tries < 8 && find_word(m, 0, &from, &to); tries++) {
            if (!is_listed(m->v->alike, m->text + from, to - from)) continue;
            const char *word = pick(m, m->v->alike);
            replace(m, from, to, word, strlen(word));
            return;
        }
        break;
    case 1: /* an operator for another */
        for (at = mutation_random(m, (uint32_t)m->size + 1); at < m->size; at++)
            if (m->text[at] && strchr(operators, m->text[at])) {
                m->text[at] = operators[mutation_random(m, sizeof operators - 1)];
                return;
            }
        break;
    case 2: /* a piece in another place */
        find_piece(m, &from, &to);
        at = to - from < sizeof piece ? to - from : 0;
        memcpy(piece, m->text + from, at);
        if (!at) break;
        replace(m, from, to, "", 0);
        find_piece(m, &from, &to);
        replace(m, from, from, piece, at);
        return;
    default: break;
    }
    if (!find_word(m, 1, &from, &to)) return;
    replace(m, from, to, piece, (size_t)snprintf(piece, sizeof piece, "%s", pick_number(m, number, sizeof number)));
}

static inline size_t text_mutate(uint8_t *data, size_t size, size_t most, unsigned seed, const vocabulary *v)
{
    mutation m = { (char *)data, size, most, seed, v };
    const uint32_t changes = 1 + mutation_random(&m, 3);
    const int little = mutation_random(&m, 4) > 0;
    for (uint32_t i = 0; i < changes; i++) little ? change_little(&m) : change(&m);
    return m.size;
}

#endif
