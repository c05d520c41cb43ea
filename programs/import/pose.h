/* Places and rotations of robot descriptions. */
#ifndef TAUT_IMPORT_POSE_H
#define TAUT_IMPORT_POSE_H

/* A place and a rotation, as a quaternion w x y z. */
typedef struct {
    double at[3], q[4];
} pose;

extern const pose pose_none;

/* a b: the pose b, given in the axes a, in those in which a is given. */
pose pose_compose(const pose *a, const pose *b);
/* The axes in which p is given, in those of p. */
pose pose_inverse(const pose *p);
void pose_turn(const double q[4], const double v[3], double out[3]);
/* A place that is given in the axes p. */
void pose_apply(const pose *p, const double v[3], double out[3]);
/* Where a place lies in the axes p. */
void pose_within(const pose *p, const double v[3], double out[3]);

void quaternion_multiply(const double a[4], const double b[4], double out[4]);
/* About axis 0, 1 or 2. */
void quaternion_about(int axis, double angle, double out[4]);
/* These give non-zero where a direction is zero. */
int quaternion_about_vector(const double axis[3], double angle, double out[4]);
/* The shortest turn from z to a direction. */
int quaternion_of_z(const double z[3], double out[4]);
/* The axes with this x, and y as near to the given one as can be. */
int quaternion_of_xy(const double x[3], const double y[3], double out[4]);
int quaternion_normalise(double q[4]);

#endif
