/* Comparisons by == and ~=, and lengths. Lua asks no metamethod when a symbol is compared with a number: `if c == 0` would be false
 * and `if c ~= 0` true whatever the value of c is. The source of the model is therefore changed before it is compiled,
 * token by token, and every line stays where it is:
 *
 *     a == b    a |"\1"< b     __bor of strings, when it meets this string of one byte, puts a into a box;
 *     a ~= b    a |"\1"<= b    __lt and __le of the box compare what is in it with b
 *     a == 1    a |"\2"== 1    next to a numeral __bor need only look at a
 *
 * Only comparisons, `and` and `or` bind less tightly than |, so the operands stay the same; < and <= bind as == does.
 * In chains (a < b == c) the left operand is put in brackets. Symbols may be compared with nil, strings and booleans:
 * these comparisons ask what kind of thing a name is, not for a value.
 *
 * The limit of a loop is checked as well, when a definition that is not a whole number may have reached it:
 *
 *     for i = 1, n do    for i = 1, (n )|"\3"do
 *
 * The length that Lua finds of a list with holes differs from process to process, and tables have no metamethod for it
 * (tables.c). ^ alone binds more tightly than #, from the right, so the operand stays the same:
 *
 *     #a    "\4"^a    __pow of strings, when the first is this one */
#include "model/script.h"

#include <ctype.h>
#include <string.h>

#define MARK_BOX '\1'
#define MARK_PLAIN '\2'
#define MARK_LIMIT '\3'
#define MARK_LENGTH '\4'
#define GROWTH 8 /* most bytes that one replaced operator or loop adds */
#define NESTING 1000 /* more than Lua allows */

/* ---- when the script runs ---- */

static int is_symbol(lua_State *L, int i)
{
    return taut_symbols_at(L, i) || taut_vectors_at(L, i);
}

int taut_compare_refuse(lua_State *L)
{
    return taut_script_error(L, "symbols cannot be compared: they have no value while the script runs; compare plain "
                           "numbers (option), or use min, max, abs in the expression");
}

/* Compares what is in the box at 1 with the value at 2. */
static int equal(lua_State *L)
{
    lua_settop(L, 2);
    lua_getiuservalue(L, 1, 1);
    int first = is_symbol(L, 3), second = is_symbol(L, 2), type = lua_type(L, first ? 2 : 3);
    if ((first || second) && (type == LUA_TNUMBER || type == LUA_TTABLE || (first && second))) taut_compare_refuse(L);
    return lua_compare(L, 3, 2, LUA_OPEQ);
}

static int box_equal(lua_State *L)
{
    lua_pushboolean(L, equal(L));
    return 1;
}

static int box_differ(lua_State *L)
{
    lua_pushboolean(L, !equal(L));
    return 1;
}

static int push_box(lua_State *L)
{
    taut_symbols_new(L, SYMBOL_COMPARISON, 0, 1);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    return 1;
}

/* The limit of a loop that counts in whole numbers: Lua would round it down. */
static int check_limit(lua_State *L)
{
    const script *s = taut_script_of(L);
    int whole = 1;
    if (s->fraction && lua_type(L, 1) == LUA_TNUMBER) lua_tointegerx(L, 1, &whole);
    if (!whole)
        return taut_script_error(
            L,
            "this loop ends at %f, and option '%s' is %f where its default is a whole number; give "
            "it a whole number, or round the limit with math.floor",
            lua_tonumber(L, 1), s->fraction, s->fraction_value);
    lua_settop(L, 1);
    return 1;
}

/* __bor of strings. */
static int mark(lua_State *L)
{
    size_t size;
    const char *text = lua_type(L, 2) == LUA_TSTRING ? lua_tolstring(L, 2, &size) : NULL;
    if (text && size == 1 && text[0] == MARK_BOX) return push_box(L);
    if (text && size == 1 && text[0] == MARK_LIMIT) return check_limit(L);
    if (text && size == 1 && text[0] == MARK_PLAIN) {
        if (is_symbol(L, 1)) return taut_compare_refuse(L);
        lua_settop(L, 1);
        return 1;
    }
    return taut_script_error(L, "attempt to perform bitwise operation on %s; use whole numbers here",
                        taut_symbols_describe(L, lua_type(L, 1) == LUA_TNUMBER ? 2 : 1));
}

/* __pow of strings. Upvalue: Lua's own. */
static int length_or_power(lua_State *L)
{
    size_t size;
    const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &size) : NULL;
    if (text && size == 1 && text[0] == MARK_LENGTH) return taut_tables_operator(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

void taut_compare_open(lua_State *L)
{
    static const luaL_Reg operators[] = { { "__lt", box_equal }, { "__le", box_differ }, { NULL, NULL } };
    taut_symbols_metatable(L, "comparison", operators, SYMBOL_COMPARISON);
    lua_pushliteral(L, "");
    if (lua_getmetatable(L, -1)) {
        lua_pushcfunction(L, mark);
        lua_setfield(L, -2, "__bor");
        lua_getfield(L, -1, "__pow");
        lua_pushcclosure(L, length_or_power, 1);
        lua_setfield(L, -2, "__pow");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* ---- the text ---- */

/* What is known of the expression that is being read, by level of brackets and blocks. */
typedef struct {
    size_t start;   /* where it begins in the result */
    int compared;   /* it contains a comparison already */
    int limit;      /* of a loop: 1 behind `for`, 2 behind its =, 3 in the limit */
} level;

typedef struct {
    const char *at, *end;
    char *result;
    size_t size;
    int limits;     /* loops are checked too */
    int depth;
    level levels[NESTING];
} rewriter;

static void put(rewriter *r, const char *text, size_t size)
{
    memcpy(r->result + r->size, text, size);
    r->size += size;
}

static void insert(rewriter *r, size_t place, char c)
{
    memmove(r->result + place + 1, r->result + place, r->size - place);
    r->result[place] = c;
    r->size++;
}

static int next_is(const rewriter *r, size_t ahead, char c)
{
    return (size_t)(r->end - r->at) > ahead && r->at[ahead] == c;
}

/* The size of the long bracket [==[ ... ]==] that begins here, 0 if none does. */
static size_t long_bracket(const char *at, const char *end)
{
    const char *p = at + 1;
    if (at >= end || *at != '[') return 0;
    while (p < end && *p == '=') p++;
    if (p >= end || *p != '[') return 0;
    size_t equals = (size_t)(p - at) - 1;
    for (p++; p < end; p++) {
        if (*p != ']' || (size_t)(end - p) < equals + 2 || p[equals + 1] != ']') continue;
        size_t same = 0;
        while (same < equals && p[1 + same] == '=') same++;
        if (same == equals) return (size_t)(p - at) + equals + 2;
    }
    return (size_t)(end - at);
}

/* The size of the comment or string that begins here, 0 if none does. */
static size_t passed_over(const char *at, const char *end)
{
    const char *p = at;
    if (end - at >= 2 && at[0] == '-' && at[1] == '-') {
        size_t size = long_bracket(at + 2, end);
        if (size) return size + 2;
        while (p < end && *p != '\n' && *p != '\r') p++;
        return (size_t)(p - at);
    }
    if (*at != '"' && *at != '\'') return long_bracket(at, end);
    for (p++; p < end && *p != *at; p++)
        if (*p == '\\') p++;
    return p < end ? (size_t)(p - at) + 1 : (size_t)(end - at);
}

static int is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *skip_space(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p)) p++;
    return p;
}

static int word_is(const char *at, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(at, word, size) == 0;
}

static int is_one_of(const char *at, size_t size, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (word_is(at, size, words[i])) return 1;
    return 0;
}

/* The right operand at p: 'n' a numeral and nothing else, 'o' nil, a boolean or a string; 0 anything else. */
static int right_operand(const char *p, const char *end)
{
    static const char *const constants[] = { "nil", "true", "false" };
    const char *from = p = skip_space(p, end);
    if (p < end && (*p == '"' || *p == '\'')) return 'o';
    while (p < end && is_word(*p)) p++;
    if (is_one_of(from, (size_t)(p - from), constants, 3)) return 'o';
    p = from;
    if (p < end && *p == '-') p++;
    if (p >= end || !isdigit((unsigned char)*p)) return 0;
    for (; p < end && (is_word(*p) || *p == '.'); p++)
        if (strchr("eEpP", *p)) return 0; /* an exponent, perhaps with a sign, or a digit of a hexadecimal: seldom */
    p = skip_space(p, end);
    return p >= end || is_word(*p) || strchr(")],;}", *p) ? 'n' : 0;
}

/* == or ~=, here. */
static void put_equality(rewriter *r)
{
    level *l = &r->levels[r->depth];
    int differ = *r->at == '~', right = right_operand(r->at + 2, r->end);
    if (right == 'o') {
        put(r, r->at, 2);
    } else {
        const char marks[] = { '|', '"', right == 'n' ? MARK_PLAIN : MARK_BOX, '"' };
        if (l->compared) {
            insert(r, l->start, '(');
            put(r, ")", 1);
        }
        put(r, marks, sizeof marks);
        if (right == 'n') put(r, r->at, 2);
        else put(r, "<=", differ ? 2 : 1);
    }
    l->compared = 1;
    r->at += 2;
}

static void put_length(rewriter *r)
{
    const char length[] = { '"', MARK_LENGTH, '"', '^' };
    put(r, length, sizeof length);
    r->at++;
}

/* A new expression begins behind what was put last. */
static void begin_expression(rewriter *r)
{
    r->levels[r->depth].start = r->size;
    r->levels[r->depth].compared = 0;
}

static void open_level(rewriter *r)
{
    if (r->depth + 1 < NESTING) r->depth++;
    r->levels[r->depth].limit = 0;
    begin_expression(r);
}

static void close_level(rewriter *r)
{
    if (r->depth > 0) r->depth--;
}

static void put_word(rewriter *r)
{
    static const char *const begin[] = { "and", "or", "then", "else", "elseif", "in", "return", "local", "while",
                                         "for", "goto", "break" };
    static const char *const open[] = { "do", "function", "if", "repeat" };
    const char *word = r->at;
    while (r->at < r->end && is_word(*r->at)) r->at++;
    size_t size = (size_t)(r->at - word);
    level *l = &r->levels[r->depth];
    int is_do = word_is(word, size, "do");
    if (is_do && l->limit == 3) {
        const char check[] = { ')', '|', '"', MARK_LIMIT, '"' };
        insert(r, l->start, '(');
        put(r, check, sizeof check);
    }
    put(r, word, size);
    if (is_one_of(word, size, begin, sizeof begin / sizeof *begin)) begin_expression(r);
    if (is_do) l->limit = 0;
    if (r->limits && word_is(word, size, "for")) l->limit = 1;
    if (is_one_of(word, size, open, sizeof open / sizeof *open)) open_level(r);
    if (word_is(word, size, "end") || word_is(word, size, "until")) close_level(r);
    if (word_is(word, size, "until")) begin_expression(r);
}

/* The limit of a loop lies between its first comma and `do`; a loop with a step may run over any numbers. */
static void follow_loop(level *l, char c)
{
    if (c == '=' && l->limit == 1) l->limit = 2;
    else if (c == ',' && l->limit == 2) l->limit = 3;
    else if (c == ',') l->limit = 0;
}

static void put_sign(rewriter *r)
{
    static const char *const two[] = { "<<", ">>", "<=", ">=", "//", "::", ".." };
    char c = *r->at;
    size_t size = 1;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (c == two[i][0] && next_is(r, 1, two[i][1])) size = 2;
    put(r, r->at, size);
    int comparison = (c == '<' || c == '>') && (size == 1 || r->at[1] == '=');
    r->at += size;
    if (size == 2 && !comparison) return;
    if (comparison) r->levels[r->depth].compared = 1;
    if (c == '(' || c == '[' || c == '{') open_level(r);
    if (c == ')' || c == ']' || c == '}') close_level(r);
    if (c == ',' || c == ';' || c == '=') {
        follow_loop(&r->levels[r->depth], c);
        begin_expression(r);
    }
}

/* How many ==, ~= and # there may be, and loops if they are wanted. */
static size_t count_places(const char *text, size_t size, int limits)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) count += text[i] == '#';
    for (size_t i = 0; i + 2 < size; i++) {
        count += text[i + 1] == '=' && (text[i] == '=' || text[i] == '~');
        count += limits && memcmp(text + i, "for", 3) == 0;
    }
    return count;
}

const char *taut_compare_rewrite(lua_State *L, const char *text, size_t *size)
{
    const script *s = taut_script_of(L);
    int limits = 0;
    for (size_t i = 0; i < s->definition_count; i++) limits |= strpbrk(s->definitions[i].value, ".eE") != NULL;
    size_t places = count_places(text, *size, limits);
    if (!places) return NULL;
    rewriter *r = lua_newuserdatauv(L, sizeof *r, 0);
    *r = (rewriter){ .at = text, .end = text + *size, .limits = limits };
    r->result = lua_newuserdatauv(L, *size + GROWTH * places, 0);
    while (r->at < r->end) {
        size_t over = passed_over(r->at, r->end);
        if (over) {
            put(r, r->at, over);
            r->at += over;
        } else if ((*r->at == '=' || *r->at == '~') && next_is(r, 1, '=')) {
            put_equality(r);
        } else if (*r->at == '#') {
            put_length(r);
        } else if (is_word(*r->at)) {
            put_word(r);
        } else {
            put_sign(r);
        }
    }
    *size = r->size;
    return r->result;
}
