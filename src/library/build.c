/* Models from C calls. The calls write the model as a script, each expression a line; taut_model_finish loads it. So a
   model built here is what the model language makes of it, with its checks, and has a source: run files of it can be
   resumed and reported. */
#include <stdio.h>

#include "base/builder.h"
#include "library/library.h"

struct taut_builder {
    taut_context *context;
    builder text;
    taut_expr count;         /* expressions so far: e[1] .. e[count] */
    int status;              /* of the first failure, and its message */
    char message[TAUT_ERROR_TEXT];
    char *name;              /* of the model in messages */
};

static taut_expr refuse(taut_builder *b, const char *call, const char *why)
{
    if (b && !b->status) {
        b->status = TAUT_BAD_USAGE;
        snprintf(b->message, sizeof b->message, "%s: %s", call, why);
    }
    return 0;
}

/* A name that the script may contain between quotes. */
static int is_name(const char *name)
{
    if (!name || !*name) return 0;
    for (; *name; name++)
        if (*name == '\'' || *name == '\\' || (unsigned char)*name < ' ') return 0;
    return 1;
}

int taut_model_begin(taut_context *context, const char *title, taut_builder **result)
{
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    library_begin(context);
    taut_builder *b = taut_mem_new(context, 1, sizeof *b);
    if (!b) return library_done(context, TAUT_OUT_OF_MEMORY);
    b->context = context;
    b->text = (builder){ .context = context };
    b->name = taut_mem_text(context, title ? title : "model");
    taut_context_keep(context);
    if (title && is_name(title)) taut_builder_put(&b->text, "title '%s'\n", title);
    else if (title) refuse(b, "taut_model_begin", "a title has no quotes, backslashes and control characters");
    taut_builder_put(&b->text, "local e = {}\n");
    if (!b->name) b->status = TAUT_OUT_OF_MEMORY;
    *result = b;
    return library_done(context, TAUT_OK);
}

/* The digits of a number, whatever way the host rounds. */
static void put_shortest(taut_builder *b, double value, char text[WIDE_TEXT])
{
    library_again(b->context);
    taut_wide_shortest(text, WIDE_TEXT, taut_wide_from_double(value));
    library_leave(b->context);
}

static int is_made(const taut_builder *b, taut_expr e) { return b && e > 0 && e <= b->count; }

/* Of an array of operands that may be none. */
static int are_made(const taut_builder *b, size_t n, const taut_expr *list)
{
    for (size_t i = 0; i < n; i++)
        if (!list || !is_made(b, list[i])) return 0;
    return b != NULL;
}

/* Begins the line of a new expression; its text and an end of line follow. */
static taut_expr begin_line(taut_builder *b)
{
    taut_builder_put(&b->text, "e[%u] = ", (unsigned)++b->count);
    return b->count;
}

/* ---- numbers and symbols ---- */

taut_expr taut_number(taut_builder *b, double value)
{
    char text[WIDE_TEXT];
    if (!b || !(value - value == 0)) return refuse(b, "taut_number", "a number must be finite");
    put_shortest(b, value, text);
    taut_expr e = begin_line(b);
    taut_builder_put(&b->text, "%s\n", text);
    return e;
}

static taut_expr declare(taut_builder *b, const char *what, const char *call, const char *name, double value)
{
    char text[WIDE_TEXT];
    if (!b || !is_name(name)) return refuse(b, call, "it needs a name");
    if (!(value - value == 0)) return refuse(b, call, "its value must be finite");
    put_shortest(b, value, text);
    taut_expr e = begin_line(b);
    taut_builder_put(&b->text, "%s('%s', %s)\n", what, name, text);
    return e;
}

taut_expr taut_param(taut_builder *b, const char *name, double value)
{
    return declare(b, "param", "taut_param", name, value);
}

taut_expr taut_input(taut_builder *b, const char *name, double value)
{
    return declare(b, "input", "taut_input", name, value);
}

taut_expr taut_time_symbol(taut_builder *b)
{
    if (!b) return 0;
    taut_expr e = begin_line(b);
    taut_builder_put(&b->text, "time()\n");
    return e;
}

void taut_group(taut_builder *b, int type, const char *name, size_t dimension, taut_expr *q)
{
    static const char *const calls[] = { "coordinate", "point", "rotation" };
    static const char letters[] = "xyz", quaternion[] = "wxyz";
    const int is_known = type == TAUT_SCALAR ? dimension == 1 : type == TAUT_POINT ? dimension == 2 || dimension == 3
                         : type == TAUT_ROTATION && dimension == 4;
    if (!b || !q || !is_known || !is_name(name)) {
        refuse(b, "taut_group", "a group has a name, and is a scalar of 1, a point of 2 or 3 or a rotation of 4 "
                                "coordinates, which are put into q");
        for (size_t i = 0; q && i < dimension; i++) q[i] = 0;
        return;
    }
    taut_builder_put(&b->text, "do local g = %s('%s'%s)\n", calls[type], name,
                     type == TAUT_POINT ? dimension == 2 ? ", 2" : ", 3" : "");
    for (size_t i = 0; i < dimension; i++) {
        q[i] = begin_line(b);
        if (type == TAUT_SCALAR) taut_builder_put(&b->text, "g\n");
        else taut_builder_put(&b->text, "g.%c\n", (type == TAUT_POINT ? letters : quaternion)[i]);
    }
    taut_builder_put(&b->text, "end\n");
}

/* ---- operations ---- */

static const char OPERATORS[] = "+-*/^";

static int is_function(const char *op)
{
    for (size_t i = 0; op[i]; i++)
        if (!((op[i] >= 'a' && op[i] <= 'z') || (i && op[i] >= '0' && op[i] <= '9'))) return 0;
    return op[0] != 0;
}

void taut_apply(taut_builder *b, const char *op, size_t n, const taut_expr *a, const taut_expr *c, taut_expr *out)
{
    const int is_operator = op && op[0] && !op[1] && strchr(OPERATORS, op[0]);
    if (n && !out) refuse(b, "taut_apply", "there is no array for the results");
    for (size_t i = 0; out && i < n; i++) {
        if (!is_operator && (!op || !is_function(op))) {
            out[i] = refuse(b, "taut_apply", "an operation is + - * / ^ or a function of the model language");
        } else if (!a || !is_made(b, a[i]) || (c && !is_made(b, c[i]))) {
            out[i] = refuse(b, "taut_apply", "an operand is not an expression of this model");
        } else if (is_operator && !c && op[0] != '-') {
            out[i] = refuse(b, "taut_apply", "an operator needs two operands");
        } else {
            const unsigned x = a[i], y = c ? c[i] : 0;
            out[i] = begin_line(b);
            if (is_operator && c) taut_builder_put(&b->text, "e[%u] %s e[%u]\n", x, op, y);
            else if (is_operator) taut_builder_put(&b->text, "-e[%u]\n", x);
            else if (c) taut_builder_put(&b->text, "%s(e[%u], e[%u])\n", op, x, y);
            else taut_builder_put(&b->text, "%s(e[%u])\n", op, x);
        }
    }
}

taut_expr taut_sum(taut_builder *b, size_t n, const taut_expr *a)
{
    if (!are_made(b, n, a)) return refuse(b, "taut_sum", "a summand is not an expression of this model");
    taut_expr e = begin_line(b);
    if (!n) taut_builder_put(&b->text, "0");
    for (size_t i = 0; i < n; i++) taut_builder_put(&b->text, "%se[%u]", i ? " + " : "", (unsigned)a[i]);
    taut_builder_put(&b->text, "\n");
    return e;
}

taut_expr taut_call(taut_builder *b, const char *name, size_t n, const taut_expr *x)
{
    if (!is_name(name)) return refuse(b, "taut_call", "it needs the name of a function");
    if (!are_made(b, n, x)) return refuse(b, "taut_call", "an argument is not an expression of this model");
    taut_expr e = begin_line(b);
    taut_builder_put(&b->text, "call('%s'", name);
    for (size_t i = 0; i < n; i++) taut_builder_put(&b->text, ", e[%u]", (unsigned)x[i]);
    taut_builder_put(&b->text, ")\n");
    return e;
}

taut_expr taut_rate(taut_builder *b, taut_expr a)
{
    if (!is_made(b, a)) return refuse(b, "taut_rate", "it is not an expression of this model");
    taut_expr e = begin_line(b);
    taut_builder_put(&b->text, "e[%u].dot\n", (unsigned)a);
    return e;
}

taut_expr taut_momentum_of(taut_builder *b, taut_expr q)
{
    if (!is_made(b, q)) return refuse(b, "taut_momentum_of", "it is not a coordinate of this model");
    taut_expr e = begin_line(b);
    taut_builder_put(&b->text, "momentum(e[%u])\n", (unsigned)q);
    return e;
}

/* ---- what the model is made of ---- */

taut_expr taut_add(taut_builder *b, int role, const char *name, taut_expr on, taut_expr value)
{
    static const char *const calls[] = { "lagrangian", "hamiltonian", "force", "rate", "constraint", "observe" };
    if (role < TAUT_ADD_LAGRANGIAN || role > TAUT_ADD_OBSERVABLE) return refuse(b, "taut_add", "there is no such role");
    const int is_named = role == TAUT_ADD_CONSTRAINT || role == TAUT_ADD_OBSERVABLE;
    const int acts = role == TAUT_ADD_FORCE || role == TAUT_ADD_RATE;
    if (!is_made(b, value)) return refuse(b, "taut_add", "the value is not an expression of this model");
    if (is_named && !is_name(name)) return refuse(b, "taut_add", "constraints and observables have names");
    if (acts && !is_made(b, on)) return refuse(b, "taut_add", "a force or rate needs its coordinate");
    taut_expr e = value;
    if (role == TAUT_ADD_CONSTRAINT) e = begin_line(b); /* the multiplier */
    if (is_named) taut_builder_put(&b->text, "%s('%s', e[%u])\n", calls[role], name, (unsigned)value);
    else if (acts) taut_builder_put(&b->text, "%s(e[%u], e[%u])\n", calls[role], (unsigned)on, (unsigned)value);
    else taut_builder_put(&b->text, "%s(e[%u])\n", calls[role], (unsigned)value);
    return e;
}

taut_expr taut_script(taut_builder *b, const char *text, size_t n, const taut_expr *x)
{
    if (!text) return refuse(b, "taut_script", "it needs a text");
    if (!are_made(b, n, x)) return refuse(b, "taut_script", "an argument is not an expression of this model");
    taut_expr e = begin_line(b);
    taut_builder_put(&b->text, "(function(x)\n");
    taut_builder_add(&b->text, text, strlen(text));
    taut_builder_put(&b->text, "\nend)({");
    for (size_t i = 0; i < n; i++) taut_builder_put(&b->text, "%se[%u]", i ? ", " : "", (unsigned)x[i]);
    taut_builder_put(&b->text, "})\n");
    return e;
}

void taut_start(taut_builder *b, taut_expr variable, taut_expr value, int is_free)
{
    if (!is_made(b, variable) || !is_made(b, value)) {
        refuse(b, "taut_start", "variable or value is not an expression of this model");
        return;
    }
    taut_builder_put(&b->text, is_free ? "start { [e[%u]] = free(e[%u]) }\n" : "start { [e[%u]] = e[%u] }\n",
                     (unsigned)variable, (unsigned)value);
}

int taut_model_finish(taut_builder *b, taut_model **result)
{
    if (result) *result = NULL;
    LIBRARY_NEEDS(NULL, b, "builder");
    taut_context *context = b->context;
    int status = b->text.failed ? TAUT_OUT_OF_MEMORY : b->status;
    if (result && !status)
        status = taut_model_load_text(context, b->name, b->text.text, b->text.length, NULL, 0, result);
    else if (result && status == TAUT_OUT_OF_MEMORY)
        status = taut_fail(context, status, "out of memory while the model was built");
    else if (result)
        status = taut_fail(context, status, "%s", b->message);
    else
        status = TAUT_OK;
    taut_builder_clear(&b->text);
    taut_mem_free(context, b->name);
    taut_mem_free(context, b);
    status = library_done(context, status);
    taut_context_release(context);
    return status;
}
