/* The model: what the user wrote, as data. The front end (Lua) fills it; systems are compiled from it. A model never
   sees a method. */
#ifndef TAUT_MODEL_MODEL_H
#define TAUT_MODEL_MODEL_H

#include "expr/expr.h"
#include "model/form.h"

typedef enum { GROUP_SCALAR, GROUP_POINT, GROUP_ROTATION } group_type;

/* A group of coordinates declared together: coordinate "x" (1), point "a" (2 or 3), rotation "r" (4: w x y z). */
typedef struct {
    char *name;
    group_type type;
    uint32_t first;   /* index of its first coordinate */
    uint32_t size;
    int line;
    int is_thin;      /* of a body that has no inertia about an axis, about which no joint keeps it from turning */
} group;

typedef struct {
    char *name;
    wide value;
    int line;
    int is_input;   /* input(): may change between steps */
    int is_set;     /* the settings gave the value */
    expr otherwise; /* the value where nothing sets it: of numbers and other parameters; 0: none */
} parameter;

/* One summand of the Lagrangian or Hamiltonian as the user gave it (it is split into terms later). */
typedef struct {
    expr value;
    int line;
} summand;

typedef struct {
    char *name;
    expr value;  /* is zero */
    int line;
    expr guess;  /* start value of its multiplier: the guess of the first solution; 0 when not given */
    int gauge;   /* gauge(): fixes a freedom that first-class constraints leave; no multiplier belongs to it */
    int velocity; /* of a Lagrangian model: contains velocities, and is linear in them */
} constraint;

/* What the tangential slip of a contact is measured by, and where its friction acts. */
typedef enum {
    SLIDE_NONE,    /* no friction */
    SLIDE_GIVEN,   /* the user's displacements slide[], orthonormal in the tangent plane */
    SLIDE_POINTS,  /* the gap is of one point, or of two: their relative motion along the surface */
    SLIDE_BODY     /* a body touches at a place: the motion of its material there, along the surface */
} slide_type;

typedef enum { FRICTION_SET_VALUED, FRICTION_REGULARISED } friction_law;

/* 0 <= gap, 0 <= multiplier, one of them zero. */
typedef struct {
    char *name;
    expr gap;            /* of coordinates and time */
    expr restitution;    /* a constant within [0, 1] */
    expr friction;       /* coefficient; 0: none */
    friction_law law;
    expr width;          /* of the regularised law: a slip velocity */
    slide_type slide_type;
    expr slide[2];       /* SLIDE_GIVEN: displacements along the surface, of coordinates and time */
    uint32_t slide_count;
    uint32_t point[2];   /* SLIDE_POINTS: groups; the slip is that of the first against the second. SLIDE_BODY: the
                            first is the point of the body */
    uint32_t point_count;
    uint32_t turn;       /* SLIDE_BODY: group of its rotation, or angle */
    expr arm[3];         /* SLIDE_BODY: from that point to where it touches */
    expr roll;           /* SLIDE_BODY: rolling resistance, a length; 0: none */
    expr roll_width;     /* an angular velocity: below it the resistance fades */
    int line;
    expr guess;          /* of its multiplier, as for a constraint */
} contact;

typedef enum { IMPACT_SIMULTANEOUS, IMPACT_SEQUENTIAL } impact_law;

/* A force on a coordinate, or, in rate models, the rate of a coordinate (KIND_Q) or of its partner (KIND_W). */
typedef struct {
    kind target_kind;
    uint32_t target;
    expr value;
    int line;
} action;

typedef struct {
    char *name;
    expr value;
    int line;
} observable;

/* A point given by a chart of the coordinates. Its components are first .. first + size - 1 of model.chart. */
typedef struct {
    char *name;
    uint32_t first, size;
    int line;
} embedding;

typedef enum { START_MISSING, START_GIVEN, START_FREE } start_type;

/* A start value: a constant expression of literals and parameters (the guess, when free). */
typedef struct {
    expr value;
    start_type type;
    int line;
} start_value;

typedef enum {
    SHAPE_BAR, SHAPE_SPRING, SHAPE_BALL, SHAPE_BOX, SHAPE_DISC, SHAPE_PATH, SHAPE_SURFACE, SHAPE_CYLINDER,
    SHAPE_CAPSULE, SHAPE_PLANE, SHAPE_GROUND, SHAPE_ARROW, SHAPE_MESH
} shape_type;

/* A place in a picture: expressions of coordinates and time (z = 0 in the plane). The head of an arrow may contain
   velocities or momenta and multipliers, too. */
typedef struct {
    expr at[3];
} drawn_place;

/* Something to draw, by places first .. first + rows * columns - 1 of model.places: a bar or spring by its ends, a ball
   by its centre; a box or disc by its centre and the ends of its three half axes (of a disc: two radii, and half the
   thickness), a mesh likewise with axes of length 1; a path by the places on it; a surface by rows x columns places,
   row after row; a cylinder or capsule by the ends of its axis; a plane by a place on it and the head of its normal,
   the ground by the origin; an arrow by its foot and its head. */
typedef struct {
    shape_type type;
    uint32_t first, rows, columns;
    double radius;   /* of a ball, cylinder or capsule; 0: as large as looks well. The height of the ground */
    double scale;    /* of an arrow: its length in the picture for one unit; 0: as looks well */
    uint32_t colour, label, file; /* texts of the model, from 1; 0: none */
    int line;
} shape;

enum { UNIT_LENGTH, UNIT_TIME, UNIT_MASS, UNITS };

typedef struct model {
    taut_context *context;
    char *file;       /* as named by the user */
    char *source;     /* its text */
    size_t source_size;
    char *title;      /* never NULL; the file's name when there is none */
    graph *graph;
    form form;
    int form_line;    /* line of the first lagrangian, hamiltonian or rate */
    /* line of the first constraint that contains momenta, or gauge(): such models need the Dirac algorithm; 0: none */
    int phase_line;
    phase_info *phase;/* NULL in models as they are loaded */
    int has_momenta;  /* the script called momentum(): KIND_W are momenta, whatever the form is so far */

    group *groups;            size_t group_count, group_capacity;
    uint32_t coordinate_count;
    uint32_t *group_of;       size_t group_of_capacity; /* per coordinate */
    parameter *parameters;    size_t parameter_count, parameter_capacity;
    size_t input_count;       /* of them: inputs. These stand in forces, rates and observables alone */
    summand *summands;        size_t summand_count, summand_capacity; /* their sum is L or H */
    embedding *embeddings;    size_t embedding_count, embedding_capacity;
    /* components of embedded points, of coordinates and time */
    expr *chart;              size_t chart_count, chart_capacity;
    /* the summands of L with component k of the chart as the variable coordinate_count + k of KIND_Q, its rate likewise
       of KIND_W; as many as summands. NULL when L contains no embedded point */
    summand *ambient;
    constraint *constraints;  size_t constraint_count, constraint_capacity; /* multiplier k belongs to constraint k */
    /* contact k has the multiplier k of KIND_CONTACT */
    contact *contacts;        size_t contact_count, contact_capacity;
    impact_law impact_law;    int impact_law_line;
    action *forces;           size_t force_count, force_capacity;
    action *rates;            size_t rate_count, rate_capacity;
    observable *observables;  size_t observable_count, observable_capacity;
    start_value *start_q;     size_t start_q_capacity; /* per coordinate */
    /* per coordinate: velocity or momentum by form; START_MISSING means 0 */
    start_value *start_w;     size_t start_w_capacity;
    /* per coordinate: the second point of start_points, a step after the first */
    start_value *start_q1;    size_t start_q1_capacity;
    int start_points_line;    /* of the first start_points; 0: there is none, and start_q1 is NULL */
    shape *shapes;            size_t shape_count, shape_capacity;
    /* of shapes, also of those that were made and not shown */
    drawn_place *places;      size_t place_count, place_capacity;
    char **texts;             size_t text_count, text_capacity;  /* colours, labels and files of shapes */
    char *units[UNITS];       /* names for axes; NULL: not given */
    /* All texts but the source, one behind the other. */
    void *text_pieces;        /* each begins with a pointer to the one before */
    char *text_at;            size_t text_left; /* of the last piece: where its rest begins */
} model;

/* A value for a param or option of the model. `used` is set when one of that name was declared. */
typedef struct {
    const char *name;
    const char *value;
    int used;
} definition;

/* Loads a model. A bad model gives TAUT_BAD_MODEL (the message names file and line) and *result = NULL. */
int taut_model_read_file(taut_context *context, const char *path, definition *definitions, size_t definition_count,
                    model **result);
int taut_model_read_text(taut_context *context, const char *name, const char *text, size_t size,
                         definition *definitions, size_t definition_count, model **result);
void taut_model_free(model *m);
/* A copy of a text that lives as long as the model; NULL: no memory. */
char *taut_model_text(model *m, const char *text);
/* A model as it was loaded, once more, in another context: nothing is shared, and `from` is only read. */
int taut_model_copy(taut_context *context, const model *from, model **result);
/* Gives back the room for more parts. */
void taut_model_trim(model *m);

/* Name of a coordinate: "x", "a.x", "r.w". */
void taut_model_coordinate_name(const model *m, uint32_t coordinate, char *buffer, size_t size);
/* A body that may turn about itself without inertia, by its rotation; NULL: there is none. */
const group *taut_model_thin_body(const model *m);
/* *rest := e with all velocities (momenta) zero, simplified. Returns a status. */
int taut_model_at_rest(const model *m, expr e, expr *rest);
/* An expr_namer for the model (user is the model): a.x, a.x.dot or p.a.x, t, lambda.rod1, parameter names. */
void taut_model_namer(void *m, op o, kind k, uint32_t index, char *buffer, size_t size);
/* The values of all parameters that nothing sets, from those that they are formulas of. is_set, if not NULL, marks
   more of them as set. */
int taut_model_derive_parameters(model *m, const unsigned char *is_set);
/* Index of a coordinate or parameter or constraint by name, or -1. */
long taut_model_find_parameter(const model *m, const char *name);
/* Entry of the matrix that turns vectors as the quaternion r = (w, x, y, z) does. 0 when memory ran out. */
expr taut_rotation_entry(graph *g, const expr *r, int row, int column);

#endif
