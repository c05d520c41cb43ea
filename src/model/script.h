/* Inside of the front end: the state of one load, and what its files share. Nothing outside src/model includes this.
 *
 * Every function here that takes a lua_State may raise a Lua error (a longjmp): a caller must not hold memory that only
 * a local variable knows. The whole load runs inside one protected call (script.c). */
#ifndef TAUT_MODEL_SCRIPT_H
#define TAUT_MODEL_SCRIPT_H

#include <lauxlib.h>
#include <lua.h>

#include "base/text.h"
#include "model/heap.h"
#include "model/model.h"
#include "model/name_table.h"

/* Limits for models from untrusted sources. A chain of 10^6 links takes some 10^8 instructions, 300 MiB of Lua heap and
   3*10^7 nodes. */
#define SCRIPT_MEMORY_MIB 768
#define SCRIPT_MEMORY ((size_t)SCRIPT_MEMORY_MIB << 20)
#define SCRIPT_INSTRUCTIONS 1000000000LL
#define SCRIPT_NODES 400000000u
#define SCRIPT_NAME_SIZE 100
#define SCRIPT_LABEL_SIZE (SCRIPT_NAME_SIZE + 24) /* with component and .dot */

typedef enum {
    STOP_NONE,
    STOP_OUT_OF_MEMORY,
    STOP_MEMORY_LIMIT,
    STOP_INSTRUCTIONS,
    STOP_SECONDS,
    STOP_NODES,
    STOP_ASKED /* by the stop callback of the context */
} stop_reason;

/* solve_for(x): this start value is a guess. */
typedef struct {
    kind k;
    uint32_t index;
    int line;
} free_mark;

/* Start value of a body angular velocity, turned into a quaternion's velocity at the end of the script. */
typedef struct {
    uint32_t group;
    expr value[3];
    int line;
} omega_start;

typedef struct {
    char *name;
    int line;
} option_name;

/* What a userdata is. A scalar is a light one, whose address is its expression (symbols.c): scalars come and go by the
   million, and need no memory. All others that a script can reach are made by symbols_new and begin with their type. */
typedef enum { SYMBOL_COMPARISON, SYMBOL_VECTOR, SYMBOL_FREE, SYMBOL_SHAPE, SYMBOL_TYPES } symbol_type;

typedef struct script {
    taut_context *context;
    model *model;
    graph *graph;
    lua_State *L;
    definition *definitions;
    size_t definition_count;

    heap heap;
    size_t heap_size;       /* bytes that Lua holds */
    int heap_is_large;
    stop_reason refusal;    /* why the allocator refused the last time */
    int refusal_line;
    stop_reason stop;       /* set once, never cleared: the script cannot catch it */
    int stop_line;
    long long instructions;
    size_t longest;         /* of the strings so far, in bytes */
    long period;            /* instructions from one call of the hook to the next; 0: there is no hook */
    long long clock_due;    /* the count at which to look at the clock again */
    text_locale locale;     /* the C locale while Lua runs, and the host's */

    char short_name[LUA_IDSIZE]; /* the file as Lua's messages call it */
    int last_line;
    int line;                    /* after the end of the script: where what is done belongs to */

    int language;           /* in the registry: the names as they were before the script */
    int mechanism;          /* in the registry: names of mechanism.c's texts; 0 while no script has used them */
    int has_texts;          /* functions of the texts may be running */

    int metatables[SYMBOL_TYPES]; /* in the registry */
    int given_metatables;         /* in the registry: those that the script has set */

    /* -> index */
    name_table group_names, parameter_names, constraint_names, observable_names, embedding_names, contact_names;
    option_name *options;      size_t option_count, option_capacity;
    const char *fraction;      double fraction_value; /* an option whose default is whole and its value not; or NULL */

    expr *chart_rates;         size_t chart_rate_capacity; /* time derivatives of model.chart, 0 where not needed yet */
    expr *scratch;             size_t scratch_capacity; /* of embed.c */
    int start_line;                   /* of the first start */
    int velocity_line, momentum_line; /* first use of a velocity, of a momentum */
    int *rate_lines[2];               /* per coordinate, by KIND_Q and KIND_W */
    size_t rate_capacity[2];
    free_mark *free_marks;     size_t free_mark_count, free_mark_capacity;
    omega_start *omegas;       size_t omega_count, omega_capacity;
} script;

/* A vector symbol. dimension 0 is `origin`, zero of any dimension; 4 is a rotation. */
typedef struct {
    uint32_t dimension;
    uint32_t omega_of; /* 1 + group, when this is the angular velocity of a rotation; 0 otherwise */
    expr at[4];
    uint32_t has_form; /* a vector_form follows it in its userdata */
} vector;

/* How a vector came about from others, whose components are taken as they are: the sum of factor a, or factor (a x b)
   where is_cross (vector_form.c). */
typedef struct {
    expr factor, a[3], b[3];
    int is_cross;
} vector_part;
enum { VECTOR_PARTS = 4 };
typedef struct {
    uint32_t count, dimension;
    vector_part parts[VECTOR_PARTS];
} vector_form;

/* ---- script.c: limits and errors ---- */
static inline script *taut_script_of(lua_State *L) { return *(script **)lua_getextraspace(L); }
/* The current line of the model: that of the innermost Lua function. 0 when there is none. */
int taut_script_line(lua_State *L);
/* Raises "FILE:LINE: message" (formats of lua_pushfstring). They never return; the int lets a caller write `return`. */
int taut_script_error(lua_State *L, const char *format, ...);
int taut_script_error_at(lua_State *L, int line, const char *format, ...);
/* Raises an error that no pcall catches. */
int taut_script_stop(lua_State *L, stop_reason reason);
/* Counts work done in C as instructions. */
void taut_script_charge(lua_State *L, double work);
/* Raises out of memory unless the status is 0, or the expression is there. */
void taut_script_check(lua_State *L, int status);
int taut_script_unbuilt(lua_State *L, expr e);
static inline expr taut_script_built(lua_State *L, expr e)
{
    if (e - 1 >= SCRIPT_NODES) taut_script_unbuilt(L, e); /* none, or one too many */
    return e;
}

/* ---- arguments.c ---- */
#define FUNCTION_ANY (-1)
/* A function of the model language. A call with more than `most` arguments is refused: Lua itself would drop them. */
typedef struct {
    const char *name;
    lua_CFunction call;
    int most;          /* FUNCTION_ANY: as many as there are */
    int optional;      /* how many of them may be left out: for the message */
    const char *meant; /* what a call with more was probably meant to be; NULL: a general remark */
    int method;        /* 1: its first argument is the object before the colon, which is not counted */
    int which;         /* for functions that share their code */
} script_function;

/* The list must outlive the state. */
void taut_functions_register(lua_State *L, const script_function *list, size_t count);
void taut_functions_push(lua_State *L, const script_function *f);
/* `which` of the function that runs. */
int taut_functions_which(lua_State *L);
/* Raises unless the table at i is a list: keys from 1 to its length and no others. */
void taut_functions_check_list(lua_State *L, int i, const char *who);

/* ---- sandbox.c, patterns.c ---- */
void taut_sandbox_open(lua_State *L);
void taut_patterns_open(lua_State *L);
/* Pushes the value at i as a text, as Lua's tostring, but without addresses. */
void taut_sandbox_text(lua_State *L, int i);

/* ---- tables.c ---- */
void taut_tables_open(lua_State *L); /* after sandbox_open */
/* Refuses metatables that have become those of weak tables; at the end. */
void taut_tables_finish(lua_State *L);
/* The length of the table at i, that of lua_rawlen where the list has no holes. Where it has, it is one of its borders,
   which depends on what the table holds alone. */
lua_Integer taut_tables_length(lua_State *L, int i);
/* Pushes an array of the keys of the table at i in an order that is the same in every process. */
void taut_tables_keys(lua_State *L, int i);
/* The operator #, of the second of two values. */
int taut_tables_operator(lua_State *L);

/* ---- equality.c ---- */
void taut_compare_open(lua_State *L); /* after patterns_open */
/* The source with every == and ~= changed so that symbols are refused, and every #; lines stay where they are. The result lives on
   the stack (two values are pushed). NULL, and nothing pushed: nothing is to be changed. Lua must accept the source. */
const char *taut_compare_rewrite(lua_State *L, const char *text, size_t *size);
int taut_compare_refuse(lua_State *L);

/* ---- symbols.c ---- */
void taut_symbols_open(lua_State *L);
int taut_symbols_push(lua_State *L, expr e);       /* returns 1, raises when e is 0 or not finite */
expr taut_symbols_at(lua_State *L, int i);         /* 0 when it is no scalar symbol */
/* The number or scalar at i; `who` asks for it. */
expr taut_symbols_scalar(lua_State *L, int i, const char *who);
/* The same, and it must be a constant expression. */
expr taut_symbols_constant(lua_State *L, int i, const char *who);
/* of a constant expression, with the parameters as they are; may be not finite */
wide taut_symbols_value(lua_State *L, expr e);
const char *taut_symbols_describe(lua_State *L, int i); /* "a vector of 3"; pushes a string */
/* Mask (1u << kind) of the kinds of variables in e. */
unsigned taut_symbols_kinds(lua_State *L, expr e);
/* True when e is the variable of that kind. */
int taut_symbols_is_variable(const script *s, expr e, kind k, uint32_t *index);
/* Makes the metatable of a type of userdata. */
void taut_symbols_metatable(lua_State *L, const char *name, const luaL_Reg *methods, symbol_type type);
/* Pushes a userdata of that type, with room for `size` bytes and `values` values of Lua. */
void *taut_symbols_new(lua_State *L, symbol_type type, size_t size, int values);
/* The room of the userdata at i; NULL when it is none of that type. */
void *taut_symbols_userdata(lua_State *L, int i, symbol_type type);
int taut_symbols_concat(lua_State *L);             /* operator of scalars and vectors: refuses */

/* ---- vectors.c ---- */
void taut_vectors_open(lua_State *L);
int taut_vectors_push(lua_State *L, const vector *v);
vector *taut_vectors_at(lua_State *L, int i);
int taut_vectors_is_like(lua_State *L, int i);     /* a vector or a table */
void taut_vectors_get(lua_State *L, int i, const char *who, vector *v);
int taut_vectors_arithmetic(lua_State *L, op o, const char *sign);
int taut_vectors_negate(lua_State *L);

/* ---- vector_form.c ---- */
/* The form of the vector at i, which v was read from: of one part, v itself, where nothing else is known. */
void taut_vector_form_get(lua_State *L, int i, const vector *v, vector_form *f);
/* Pushes v, whose form is f, if f says more than v. */
int taut_vector_form_push(lua_State *L, const vector *v, const vector_form *f);
/* f := factor f; f + sign g; a x b. A form of too many parts has count 0: nothing is known. */
void taut_vector_form_scale(graph *g, expr factor, vector_form *f);
void taut_vector_form_add(graph *g, vector_form *f, const vector_form *other, int sign);
void taut_vector_form_cross(graph *g, const vector_form *a, const vector_form *b, vector_form *f);
/* value, the product of vectors of these forms, with the second form that they give. */
expr taut_vector_form_dot(graph *g, const vector_form *a, const vector_form *b, expr value);

/* ---- rotation.c ---- */
/* Is it a rotation as a whole? NULL is none. */
int taut_rotation_is(lua_State *L, const vector *r);
int taut_rotation_omega(lua_State *L, const vector *r);
int taut_rotation_apply(lua_State *L);
/* Writes the velocity of the quaternion r that turns with omega: r' = r (0, omega) / 2. */
void taut_rotation_velocity(graph *g, const expr *r, const expr *omega, expr *velocity);

/* ---- time_derivative.c ---- */
/* The total time derivative of an expression of coordinates and time. */
expr taut_derivative_of_time(lua_State *L, expr e);
/* Note that the script uses velocities, or momenta; raises when it uses the others too. */
void taut_derivative_use_velocity(lua_State *L);
void taut_derivative_use_momentum(lua_State *L);

/* ---- declare.c ---- */
void taut_declare_open(lua_State *L);
/* Refuses inputs where they do not belong; at the end. */
void taut_declare_finish(lua_State *L);
/* A name at i: an identifier. `what` is the function. */
const char *taut_declare_name(lua_State *L, int i, const char *what);
/* The group of that name, or NULL. */
const group *taut_declare_find_group(lua_State *L, const char *name);
/* Raises unless the name is free, and no column of every result. */
void taut_declare_check_unused(lua_State *L, const char *name);
void taut_declare_check_column(lua_State *L, const char *name);
void taut_declare_constraint(lua_State *L, const char *name, expr value, int line);

/* ---- embed.c ---- */
void taut_embed_open(lua_State *L);
/* Puts the charts into all expressions of the model; before equations_finish. */
void taut_embed_finish(lua_State *L);
/* The embedded point of that name, or NULL. */
const embedding *taut_embed_find(lua_State *L, const char *name);

/* ---- contact.c ---- */
void taut_contact_open(lua_State *L);
void taut_contact_finish(lua_State *L);

/* ---- calls.c ---- */
void taut_calls_open(lua_State *L);
/* Refuses functions of the program that lack derivatives where they stand; at the end. */
void taut_calls_finish(lua_State *L);

/* ---- mechanism.c ---- */
#define MECHANISM_CHUNK "=mechanism" /* how Lua knows the texts */
void taut_mechanism_open(lua_State *L); /* after all others */
/* Pushes what a name of bodies and joints stands for, and returns 1; returns 0 when it is none of them. */
int taut_mechanism_find(lua_State *L, const char *name);
/* box{...}, cylinder{...}, capsule{...} with the table at 1 alone: the shape of a body, pushed. */
int taut_mechanism_solid(lua_State *L, const char *name);
/* Start values of bodies, their weight, what is drawn of them. */
void taut_mechanism_finish(lua_State *L);

/* ---- equations.c, start_values.c, draw.c ---- */
void taut_equations_open(lua_State *L);
/* A force on one coordinate. */
void taut_equations_act(lua_State *L, uint32_t coordinate, expr value);
void taut_equations_finish(lua_State *L);
void taut_start_open(lua_State *L);
void taut_start_finish(lua_State *L);
void taut_draw_open(lua_State *L);

/* A copy of a string in the model; raises when there is no memory. */
char *taut_script_text(lua_State *L, const char *text);

#endif
