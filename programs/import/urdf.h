/* Robot descriptions (URDF): links with masses and shapes, joints between them. */
#ifndef TAUT_IMPORT_URDF_H
#define TAUT_IMPORT_URDF_H

#include <stddef.h>

#include "base/context.h"
#include "import/lua_text.h"
#include "import/pose.h"
#include "import/xml.h"

typedef enum { URDF_BOX, URDF_CYLINDER, URDF_SPHERE, URDF_NO_SHAPE } urdf_shape;

/* What is drawn of a link, in its own axes. */
typedef struct {
    urdf_shape shape;
    double size[3]; /* sides; radius and length; radius */
    pose pose;
} urdf_visual;

typedef struct {
    char *name;
    int line;
    double mass, inertia[6]; /* xx yy zz xy xz yz, about the centre of mass, in the axes of `centre` */
    pose centre;             /* in the axes of the link */
    urdf_visual *visuals;
    size_t visual_count;
    /* of urdf_write.c */
    pose world;              /* its axes in space, all joints at zero */
    long joint;              /* the one whose child it is; -1: the root */
    long carrier;            /* the link with a mass that it is part of; see there */
    char lua[LUA_NAME];
} urdf_link;

typedef struct {
    char *name, *type, *parent, *child, *mimic; /* "" where there is none */
    int line;
    pose origin;
    double axis[3], lower, upper, damping, multiplier, offset;
    int has_limits;
    /* of urdf_write.c */
    long parent_link, child_link, mimicked;
    char lua[LUA_NAME];
} urdf_joint;

typedef struct {
    char *name;
    urdf_link *links;
    size_t link_count;
    urdf_joint *joints;
    size_t joint_count;
} urdf_robot;

/* Reads a description. Returns a status, of whose failure the context has the text; the robot is to be cleared in
   any case. */
int urdf_read(taut_context *context, const char *path, const xml_node *root, urdf_robot *robot);
void urdf_clear(urdf_robot *robot);

/* The model of a description (urdf_write.c): the order of the links, names, checks; then its text. */
typedef struct {
    taut_context *context;
    const char *path;
    const xml_node *root;
    int left_out;  /* how many things the written model has a comment for instead */
    urdf_robot robot;
    long *order;   /* links, from the root on */
    size_t done;
} urdf_job;
int urdf_prepare(urdf_job *w);
int urdf_write(void *job, FILE *f);

#endif
