/* Robot descriptions (URDF): links with masses and shapes, joints between them. */
#ifndef TAUT_CLI_URDF_H
#define TAUT_CLI_URDF_H

#include <stddef.h>

/* A place and a rotation, as a quaternion w x y z. */
typedef struct {
    double at[3], q[4];
} urdf_pose;

typedef enum { URDF_BOX, URDF_CYLINDER, URDF_SPHERE, URDF_NO_SHAPE } urdf_shape;

/* What is drawn of a link, in its own axes. */
typedef struct {
    urdf_shape shape;
    double size[3]; /* sides; radius and length; radius */
    urdf_pose pose;
} urdf_visual;

typedef struct {
    char *name;
    int line;
    double mass, inertia[6]; /* xx yy zz xy xz yz, about the centre of mass, in the axes of `centre` */
    urdf_pose centre;        /* in the axes of the link */
    urdf_visual *visuals;
    size_t visual_count;
    /* of import.c */
    urdf_pose world;         /* its axes in space, all joints at zero */
    long joint;              /* the one whose child it is; -1: the root */
} urdf_link;

typedef struct {
    char *name, *type, *parent, *child, *mimic; /* "" where there is none */
    int line;
    urdf_pose origin;
    double axis[3], lower, upper, damping, multiplier, offset;
    int has_limits;
} urdf_joint;

typedef struct {
    char *name;
    urdf_link *links;
    size_t link_count;
    urdf_joint *joints;
    size_t joint_count;
} urdf_robot;

/* Reads a file. Returns an exit status, after a complaint if it is not 0; the robot is to be cleared in any case. */
int urdf_read(const char *path, urdf_robot *robot);
void urdf_clear(urdf_robot *robot);

/* a b: the pose b, given in the axes a, in those in which a is given. */
urdf_pose urdf_compose(const urdf_pose *a, const urdf_pose *b);
void urdf_turn(const double q[4], const double v[3], double out[3]);

#endif
