/* Robot descriptions of MuJoCo (MJCF), as far as they are bodies, joints, equalities, tendons and actuators. All places
   and directions are those in space in the position of the description, where the joints are at their references. */
#ifndef TAUT_IMPORT_MJCF_H
#define TAUT_IMPORT_MJCF_H

#include <stdio.h>

#include "base/context.h"
#include "import/lua_text.h"
#include "import/pose.h"
#include "import/xml.h"

typedef enum {
    MJCF_SPHERE, MJCF_CAPSULE, MJCF_CYLINDER, MJCF_BOX, MJCF_ELLIPSOID, MJCF_PLANE, MJCF_NO_SHAPE
} mjcf_shape;

typedef struct {
    const xml_node *node;
    mjcf_shape shape;
    long body;
    double size[3]; /* radius; radius and half length; half sides or axes */
    pose pose;
    double mass;
    int is_by_density, has_mass; /* has_mass: one of its own, which is not zero */
    double density;
} mjcf_geom;

typedef enum { MJCF_HINGE, MJCF_SLIDE, MJCF_BALL, MJCF_FREE } mjcf_kind;

typedef struct {
    mjcf_kind kind;
    const xml_node *node;
    char lua[LUA_NAME];
    long body;
    double at[3], axis[3], range[2], stiffness, rest, reference, damping, armature, friction;
    int has_limits;
} mjcf_joint;

/* A body; the first is the world. */
typedef struct {
    const xml_node *node;
    char lua[LUA_NAME], joint[LUA_NAME]; /* joint: its name where it has not just one of its own */
    long parent, carrier;    /* carrier: the body that it is part of, itself or what it is welded to; 0: the ground */
    pose world;              /* its axes */
    size_t joints, joint_count, geoms, geom_count;   /* where they begin in the lists of the model */
    int has_inertial;
    double mass, inertia[6]; /* xx yy zz xy xz yz, about the centre of mass, in the axes of `centre` */
    pose centre;
} mjcf_body;

typedef struct {
    const xml_node *node;
    long body;
    pose pose;
} mjcf_site;

/* force = (gain[0] + gain[1] length + gain[2] velocity) ctrl + bias[0] + bias[1] length + bias[2] velocity */
typedef struct {
    const xml_node *node;
    char lua[LUA_NAME];
    long joint, tendon, site; /* which of them it acts on; -1 */
    double gear[6], gain[3], bias[3];
    double input_range[2], force_range[2]; /* of the input; of the force before it is multiplied by the gear */
    int has_input_range, has_force_range;
    int is_filtered;          /* has it a time constant? */
    int is_affine, is_biased; /* do the last two numbers of the gain count, does the bias? */
    const char *trouble;      /* why it has no counterpart, or NULL */
} mjcf_actuator;

typedef struct {
    const xml_node *node;
    char lua[LUA_NAME];
    double length;            /* in the position of the description */
    double rest;              /* with all joints where their springs are at rest: that of its own, if none is given */
    int has_rest;             /* is it known? */
    const char *trouble;
} mjcf_tendon;

/* Attributes that elements of a class have when they do not say otherwise. */
typedef struct {
    const char *name;
    long parent;              /* the class around it; -1 */
    const xml_node **parts;   /* what is in its <default> elements, of which there may be several */
    size_t part_count;
} mjcf_class;

#define MJCF_ELEMENTS_MOST 20000u
#define MJCF_CLASSES_MOST 500u
#define MJCF_INHERITED_MOST 1000000u /* attributes that elements have from their classes */
#define MJCF_FILES_MOST 64

typedef struct {
    taut_context *context;
    const char *path;
    xml_node *root;
    int code;                 /* not 0 after a failure */
    size_t elements;
    /* <compiler> and <option> */
    double turn;              /* the unit of angles, in radians */
    char order[4];            /* of Euler's angles */
    int is_global, has_limits_by_range, from_geoms, groups[2];
    double least_mass, least_inertia, total_mass, gravity[3];
    int balances;
    mjcf_class *classes;
    size_t class_count;
    mjcf_body *bodies;
    size_t body_count;
    mjcf_joint *joints;
    size_t joint_count;
    mjcf_geom *geoms;
    size_t geom_count;
    mjcf_site *sites;
    size_t site_count;
    mjcf_actuator *actuators;
    size_t actuator_count;
    mjcf_tendon *tendons;
    size_t tendon_count;
    lua_names body_names, joint_names, input_names, tendon_names, equality_names;
    int left_out;             /* how many things the written model has a comment for instead */
} mjcf_model;

/* Reads a description, with the files that it includes. Returns a status, of whose failure the context has the
   text; the model is to be cleared in any case. */
int mjcf_read(taut_context *context, const char *path, xml_node *root, mjcf_model *m);
void mjcf_clear(mjcf_model *m);
/* Writes the Lua model; returns a status of the library. */
int mjcf_write(void *model, FILE *f);

/* ---- for the files mjcf*.c ---- */

/* A failure because of a node; the first one counts. */
void mjcf_fail(mjcf_model *m, const xml_node *node, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Numbers of an attribute, at most `most`; returns how many there are. */
int mjcf_numbers(mjcf_model *m, const xml_node *node, const char *name, double *out, int most);
double mjcf_number(mjcf_model *m, const xml_node *node, const char *name, double otherwise);
/* A range that counts. */
int mjcf_limits(mjcf_model *m, const xml_node *node, const char *limited, const char *name, double range[2]);
int mjcf_has(const xml_node *node, const char *name, const char *value);
/* The class of an element; -1: there are none. */
long mjcf_class_of(const mjcf_model *m, const xml_node *node);
int mjcf_is_actuator(const char *name);
/* One more element at the end of an array, all zero. NULL after a failure. */
void *mjcf_more(mjcf_model *m, void *array, size_t *count, size_t size);
void mjcf_take_name(mjcf_model *m, lua_names *list, const char *name, const char *otherwise, size_t number,
                    char buffer[LUA_NAME]);
long mjcf_find_body(mjcf_model *m, const xml_node *node, const char *name);
long mjcf_find_joint(mjcf_model *m, const xml_node *node, const char *name);
long mjcf_find_site(mjcf_model *m, const xml_node *node, const char *name);
long mjcf_find_tendon(mjcf_model *m, const xml_node *node, const char *name);
/* Sections of a name: each <name> below the root. Begin with NULL. */
const xml_node *mjcf_section(const mjcf_model *m, const char *name, const xml_node *after);

void mjcf_include(mjcf_model *m);                        /* mjcf_settings.c */
void mjcf_read_settings(mjcf_model *m);
/* mjcf_classes.c: gives every element the attributes of its class, so that no reader has to know of classes. Those that
   set gain and bias of an actuator stay where they are (mjcf_drives.c). */
void mjcf_add_class(mjcf_model *m, const xml_node *node, long parent);
void mjcf_apply_classes(mjcf_model *m);
void mjcf_read_bodies(mjcf_model *m);                    /* mjcf_bodies.c */
void mjcf_add_masses(mjcf_model *m);                     /* mjcf_mass.c */
void mjcf_read_drives(mjcf_model *m);                    /* mjcf_drives.c: tendons and actuators */

/* "world" or link.NAME, of the body that this one is part of. */
#define MJCF_REFERENCE (LUA_NAME + 8)
const char *mjcf_reference(const mjcf_model *m, long body, char buffer[MJCF_REFERENCE]);
/* The symbol of a joint: joint.NAME.angle. */
#define MJCF_SYMBOL (2 * LUA_NAME + 16)
const char *mjcf_symbol(const mjcf_model *m, long joint, char buffer[MJCF_SYMBOL]);
/* A place in space as one fixed in a body: link.NAME:point{...}, or {...} of the ground. */
void mjcf_put_point(const mjcf_model *m, FILE *f, long body, const double at[3]);
/* The axes of the body that Taut has, in the position of the description. */
pose mjcf_axes(const mjcf_model *m, long body);
/* The geom whose shape says all about a body; -1: there is none. */
long mjcf_only_geom(const mjcf_model *m, const mjcf_body *b);
/* "-- left out: ..." as a line of its own; counts it. The second says so of the whole element. */
void mjcf_leave_out(mjcf_model *m, FILE *f, const xml_node *node, const char *why);
void mjcf_leave_out_all(mjcf_model *m, FILE *f, const xml_node *node, const char *why);
/* Writes what nobody has asked for (mjcf_unread.c). */
void mjcf_write_unread(mjcf_model *m, FILE *f);
void mjcf_write_bodies(mjcf_model *m, FILE *f);           /* mjcf_write.c */
void mjcf_write_drives(mjcf_model *m, FILE *f);           /* mjcf_write_drives.c */
/* The force of a motor. */
void mjcf_put_motor(FILE *f, const mjcf_actuator *a);
/* Is it a motor: a multiple of its input, on a joint that turns or slides? */
int mjcf_is_motor(const mjcf_model *m, const mjcf_actuator *a);

#endif
