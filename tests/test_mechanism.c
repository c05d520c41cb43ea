/* Bodies and joints of the model language: what is refused, shapes, forces, starts, kernels. The motion of every joint
   is in test_joints.c. */
#include <math.h>

#include "kernel/kernel.h"
#include "run/engine.h"
#include "support_core.h"
#include "support_columns.h"

/* ---- messages ---- */

typedef struct {
    const char *text, *part;
} bad;

#define BALL "local b = body('b', { mass = 1, inertia = {1, 1, 1}, at = {1, 0, 0} })\n"
#define FLAT "local f = body2('f', { mass = 1, inertia = 1, at = {1, 0} })\n"

static void messages(void **unused)
{
    (void)unused;
    static const bad cases[] = {
        { "body('b', { mass = 1 })", "1: body 'b' has no inertia; give inertia = {x, y, z}, or a shape" },
        { "body('b', { inertia = {1, 1, 1} })", "1: body 'b' has no mass; give mass = m" },
        { "body('b', { mass = 0, inertia = {1, 1, 1} })", "the mass of body 'b' must be positive; " },
        { "body('b', { mass = 1, inertia = {1, 1, 3} })", "the inertia of body 'b' is that of no body" },
        { "body('b', { mass = 1, inertia = {1, 1, 1, 2, 0, 0} })", "has a negative principal moment; " },
        { "body('b', { mass = 1, inertia = {1, 0, 0, 0, 1, 0, 0.5, 0, 1} })", "is not symmetric; " },
        { "body('b', { mass = 1, inertia = 3 })", "is three principal moments, six entries" },
        { "body('b', { mass = 1, shape = box{1, 1, 1}, color = 'blue' })",
          "body 'b' has no option 'color'; it has at" },
        { "body('b', { density = 1, inertia = {1, 1, 1} })", "has a density, but no shape; " },
        { "body('b', { mass = 1, shape = {1, 1, 1} })", "the shape of body 'b' is a table of 3 values; give box{...}" },
        { "body('b', { mass = 1, shape = box{1, 1} })", "a box in space has three sides; " },
        { "body('b', { mass = 1, shape = cylinder{radius = 1} })", "a cylinder in space needs a length; " },
        { "body('b', { mass = 1, shape = sphere{radius = -1} })", "the radius of sphere must be positive; " },
        { "body('b', { mass = 1, shape = sphere{diameter = 1} })", "sphere has no option 'diameter'; it has radius" },
        { "body(3, { mass = 1 })", "body needs a name" },
        { "local x = point 'b'\n" BALL, "bad.lua:2: the name 'b' is taken by the coordinate of line 1; " },
        { BALL "b.mass = 3", "2: fields of bodies cannot be set; " },
        { BALL "observe('x', b.center.x)", "2: a body has no field 'center'; it has centre, rotation" },
        { BALL "observe('x', b:point{1, 2}.x)", "2: point of 'b' needs a vector of 3, got a table of 2 values; " },
        { "\nlocal r = rotation 'r'\nforce(r, {1, 2, 3})",
          "3: force on a rotation acts on its four coordinates; for a torque" },
        { "local r = rotation 'r'\ntorque(r, {1, 2})", "2: torque needs a vector of 3, got a table of 2 values; " },
        { "local x = coordinate 'x'\nforce(x.dot, 1)", "2: force on an expression with velocities, momenta" },
        { "local x = coordinate 'x'\nforce(abs(2), 1)",
          "2: force on an expression without coordinates does nothing; " },
        { BALL "torque(b, {1, 0, 0}, 'own')", "2: the axes of torque are a text; give \"space\"" },
        { BALL "torque(b, 1, 0, 0)", "2: torque has too many arguments; " },
        { BALL "force_at(b, {0, 0, 1}, 3)", "2: force_at needs a vector of 3, got a number; " },
        { BALL "revolute('j', b, { at = {0, 0, 0} })", "2: revolute 'j' needs two bodies, got a table of 0 values; " },
        { BALL "revolute('j', b, b, { at = {0, 0, 0} })", "2: revolute 'j' joins 'b' to itself; " },
        { BALL FLAT "revolute('j', b, f, { at = {0, 0} })",
          "3: revolute 'j' joins a body in the plane to one in space; " },
        { FLAT "screw('j', world, f, { at = {0, 0} })", "2: screw 'j' joins bodies in space; in the plane" },
        { BALL "revolute('j', world, b, { axis = {0, 0, 1} })", "2: revolute 'j' has no place; " },
        { BALL "revolute('j', world, b, { at = {0, 0, 0}, axis = {0, 0, 0} })", "the axis of revolute 'j' is zero; " },
        { BALL "revolute('j', world, b, { at = {0, 0, 0}, slide = 1 })",
          "revolute 'j' has no option 'slide'; it has angle" },
        { BALL "revolute('j', world, b, { at = {0, 0, 0}, angle = { force = 1 } })",
          "angle of revolute 'j' has no option 'force'; it has damping" },
        { BALL "revolute('j', world, b, { at = {0, 0, 0}, angle = { start = 1, motion = time() } })",
          "angle of revolute 'j' follows its motion; " },
        { BALL "local j = revolute('j', world, b, { at = {0, 0, 0} })\nobserve('x', j.slide)",
          "3: joint 'j' has no field 'slide'; it has angle, force, torque" },
        { BALL "universal('j', world, b, { at = {0, 0, 0}, axis = {1, 0, 0}, axis2 = {1, 1, 0} })",
          "2: universal 'j': its two axes are not at right angles; " },
        { "local b = body('b', { mass = 1, inertia = {1, 1, 1} })\nrevolute('j', world, b, { at = {0, 0, 0} })",
          "2: revolute 'j' is given by its place in space, but 'b' has none; " },
        { BALL "gear('g', b, b, { ratio = 2 })", "2: gear 'g' couples two joints that turn or slide, got a table" },
        { BALL "distance('d', world, b, { from = {0, 0, 0} })", "2: distance 'd' has two ends; " },
        { BALL "rolling('r', world, b, { at = {0, 0, 0}, along = {1, 0, 0} })", "lies on the line; " },
        { BALL "rolling('r', world, b, { at = {0, 0, 0} })", "has no line or plane; " },
        { BALL "rolling('r', world, b, { at = {0, 0, 0}, along = {1, 0, 0}, normal = {0, 0, 1} })",
          "has no line or plane; " },
        { BALL "rolling('r', world, b, { at = {0, 0, 1}, along = {1, 0, 0}, axis = {0, 1, 0} })", "leave axis out" },
        { BALL "rolling('r', world, b, { at = {0, 0, 0}, normal = {0, 0, 1} })", "is not above the plane; " },
        { BALL "rolling('r', world, b, { at = {0, 0, -1}, normal = {0, 0, 1}, axis = {0, 0, 2} })",
          "the wheel lies on the plane; " },
        { BALL "rolling('r', world, b, { at = {0, 0, -1}, normal = {0, 0, 1}, slide = 1 })", "nothing slides; " },
        { FLAT "rolling('r', world, f, { at = {0, 0}, normal = {0, 1} })", "rolls along a line; " },
        { BALL "series('s', world, b, { at = {0, 0, 0} })", "2: series 's' has no turn or slide; " },
        { BALL "series('s', world, b, { {'u', axis = {0, 0, 1}, angle = 0} })", "2: 'u' of series 's' has no place; " },
        { BALL "series('s', world, b, { at = {0, 0, 0}, {'u', angle = 0} })", "2: 'u' of series 's' has no axis; " },
        { BALL "series('s', world, b, { at = {0, 0, 0}, {'u', axis = {0, 0, 1}} })",
          "2: 'u' of series 's' turns or slides; " },
        { BALL "series('s', world, b, { at = {0, 0, 0}, {'force', axis = {0, 0, 1}, angle = 0} })",
          "2: 'force' of series 's' has a name that is taken; " },
        { BALL "series('s', world, b, { at = {0, 0, 0}, {'u', axis = {0, 0, 1}, angle = 0, along = 1} })",
          "2: turn or slide 1 of series 's' has no option 'along'; " },
        { BALL "series('s', world, b, { at = {0, 0, 0}, 'u' })", "2: series 's': turn or slide 1 is a text; " },
        { FLAT "series('s', world, f, { at = {0, 0}, {'u', angle = 0} })", "2: series 's' joins bodies in space; " },
        { BALL "gravity{0, -9.81}", "2: gravity is a vector of 2, but body 'b' (line 1) has 3 dimensions; " },
        { "local x = coordinate 'x'\ngravity{0, 0, -9.81}", "2: gravity acts on bodies, and there is none; " },
        { BALL "\nconstraint('j_x', b.centre.x) revolute('j', world, b, { at = {0, 0, 0} })",
          "3: there is a constraint 'j_x' already (line 3); " },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model *m = NULL;
        int status = taut_model_read_text(context, "bad.lua", cases[i].text, strlen(cases[i].text), NULL, 0, &m);
        const char *said = status ? taut_error_text(context) : "(nothing)";
        if (status != TAUT_BAD_MODEL || !strstr(said, cases[i].part) || strncmp(said, "bad.lua:", 8) != 0 ||
            !strstr(said, "; "))
            fail_msg("%s\nsaid: %s\nexpected: %s", cases[i].text, said, cases[i].part);
    }
}

/* The texts of the language see its functions as they were, whatever the script calls by their names. */
static void names_of_the_script_do_not_matter(void **unused)
{
    (void)unused;
    model *m = load("constraint, vector, point, norm, refuse, symbol = 1, 2, 3, 4, 5, 6\n" BALL
                    "local gear = revolute('j', world, b, { at = {0, 0, 0}, angle = 1 })\n"
                    "assert(refuse == 5 and symbol == 6)");
    assert_int_equal(m->constraint_count, 7);
    taut_model_free(m);
    m = load("body = 7 local sphere = 8\n"
             "local x = coordinate 'x' lagrangian(x.dot^2/2) start { x = 0 } assert(body == 7)");
    taut_model_free(m);
}

/* ---- motion of pairs of models that are the same ---- */

static taut_simulation *open_text(const char *text)
{
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    if (taut_model_load_text(context, "test.lua", text, strlen(text), NULL, 0, &model))
        fail_msg("%s\n%s", taut_error_text(context), text);
    if (taut_simulation_create(context, model, NULL, &z)) fail_msg("%s\n%s", taut_error_text(context), text);
    taut_model_release(model);
    return z;
}

/* A rod that may turn about itself: the message says which, and what to do. One that a hinge holds is as good as any
   body, and a model that lacks the mass of another coordinate does not blame it. */
static void rods_that_turn_about_themselves(void **unused)
{
    (void)unused;
#define ROD "\nlocal r = body('stick', { shape = rod{length = 1}, mass = 1, at = {0, 0, 0.5} })\n"
#define TURNS "test.lua:2: body 'stick' has no inertia about its axis, and no joint keeps it from turning about itself"
    static const bad cases[] = {
        { ROD, TURNS },
        { ROD "spherical('s', world, r, { at = {0, 0, 0} })", TURNS },
        { ROD "distance('s', world, r, { from = {1, 0, 0}, to = {0, 0, 0} })", TURNS },
        { ROD "revolute('s', world, r, { at = {0, 0, 0}, angle = { torque = 1 } })", TURNS },
        { ROD "revolute('s', world, r, { at = {0, 0, 0}, axis = {1, 0, 0} })", NULL },
        { ROD "universal('s', world, r, { at = {0, 0, 0}, axis = {1, 0, 0}, axis2 = {0, 1, 0} })", NULL },
        { ROD "revolute('s', world, r, { at = {0, 0, 0}, axis = {1, 0, 0} })\n"
          "local x, y = coordinate 'x', coordinate 'y' lagrangian(y.dot^2*x^2 - y^2*x) start { x = 1, y = 1 }",
          "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        taut_model *model = NULL;
        taut_simulation *z = NULL;
        if (taut_model_load_text(context, "test.lua", cases[i].text, strlen(cases[i].text), NULL, 0, &model))
            fail_msg("%s\n%s", taut_error_text(context), cases[i].text);
        int status = taut_simulation_create(context, model, NULL, &z);
        const char *said = status ? taut_error_text(context) : "(nothing)";
        if (!cases[i].part ? status != TAUT_OK
                           : status != TAUT_SINGULAR || strncmp(said, cases[i].part, strlen(cases[i].part)) != 0 ||
                                 (!*cases[i].part && strstr(said, "body 'stick'")))
            fail_msg("%s\nsaid: %s", cases[i].text, said);
        taut_simulation_release(z);
        taut_model_release(model);
    }
}

#define TUMBLER "local b = body('b', { mass = 2, inertia = {0.3, 0.4, 0.6, 0.02, -0.05, 0.01}, at = {1, 2, 3},\n" \
                "  turned = {axis = {1, 2, 0}, angle = 0.7}, velocity = {0.1, 0, 0.3}, omega = {1, -2, 0.5} })\n"

/* A force does the work that a potential would; body axes are those of space, turned; a force off the centre is a force
   and a torque. */
static void forces_and_torques(void **unused)
{
    (void)unused;
    static const char *const pairs[][2] = {
        { TUMBLER "force_at(b, {0.1, 0.2, -0.3}, {1, 2, 3})",
          TUMBLER "lagrangian(dot(b:point{0.1, 0.2, -0.3}, {1, 2, 3}))" },
        { TUMBLER "force_at(b, b:point{0.1, 0.2, -0.3}, {1, 2, 3})",
          TUMBLER "lagrangian(dot(b:point{0.1, 0.2, -0.3}, {1, 2, 3}))" },
        { TUMBLER "force_at(b, {0.1, 0.2, -0.3}, {1, 2, 3}, 'body')",
          TUMBLER "force(b.centre, b:direction{1, 2, 3}) torque(b, cross(vector{0.1, 0.2, -0.3}, {1, 2, 3}), 'body')" },
        { TUMBLER "torque(b, {1, 2, 3}, 'body')", TUMBLER "torque(b, b:direction{1, 2, 3}, 'space')" },
        { TUMBLER "torque(b, {1, 2, 3})", TUMBLER "torque(b.rotation, {1, 2, 3})" },
        { TUMBLER "force(norm(b.centre), -2*norm(b.centre))", TUMBLER "lagrangian(-norm2(b.centre))" },
        { TUMBLER "force(b:point{1, 0, 0}, -0.3*b:point{1, 0, 0})",
          TUMBLER "lagrangian(-0.15*norm2(b:point{1, 0, 0}))" },
        { TUMBLER "gravity{1, 2, -9}", TUMBLER "lagrangian(2*dot(b.centre, {1, 2, -9}))" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        taut_simulation *z = open_text(pairs[i][0]), *other = open_text(pairs[i][1]);
        assert_int_equal(taut_flow(z, 0.5, 1e-13), TAUT_OK);
        assert_int_equal(taut_flow(other, 0.5, 1e-13), TAUT_OK);
        double x[7], y[7];
        assert_int_equal(taut_get(z, TAUT_POSITION, 0, 7, x, NULL), TAUT_OK);
        assert_int_equal(taut_get(other, TAUT_POSITION, 0, 7, y, NULL), TAUT_OK);
        for (int k = 0; k < 7; k++)
            if (fabs(x[k] - y[k]) > 1e-10)
                fail_msg("%s\n%s\n[%d]: %.15g, %.15g", pairs[i][0], pairs[i][1], k, x[k], y[k]);
        taut_simulation_release(z), taut_simulation_release(other);
    }
}

/* The rate of angular momentum is the torque: with all its components, and in both kinds of axes. */
static void torque_is_the_rate_of_angular_momentum(void **unused)
{
    (void)unused;
    taut_simulation *z = open_text(TUMBLER
        "torque(b, {0.3, -0.2, 0.5})\nlocal w = b.omega\n"
        "local J = b:direction{0.3*w.x + 0.02*w.y - 0.05*w.z, 0.02*w.x + 0.4*w.y + 0.01*w.z,\n"
        "                      -0.05*w.x + 0.01*w.y + 0.6*w.z}\n"
        "observe('Jx', J.x) observe('Jy', J.y) observe('Jz', J.z) observe('T', b.kinetic)\n"
        "observe('d', norm(b.omega_space - b:direction(b.omega)) + norm(b:velocity{1, 2, 3} - b.centre.dot -\n"
        "  cross(b.omega_space, b:direction{1, 2, 3})))");
    const char *const names[] = { "Jx", "Jy", "Jz" };
    const double torque[] = { 0.3, -0.2, 0.5 };
    double before[3];
    for (int k = 0; k < 3; k++) before[k] = value_of(z, names[k]);
    assert_int_equal(taut_flow(z, 2, 1e-13), TAUT_OK);
    for (int k = 0; k < 3; k++) assert_true(fabs(value_of(z, names[k]) - before[k] - 2 * torque[k]) < 1e-9);
    assert_true(fabs(value_of(z, "T") - value_of(z, "energy")) < 1e-12);
    assert_true(value_of(z, "d") < 1e-9); /* in space and body axes; velocities of points */
    taut_simulation_release(z);
}

/* ---- shapes ---- */

/* Mass and moments of a solid of revolution about z, radius(z), by the midpoint rule. */
static void revolve(double (*radius)(double), double half, double out[3])
{
    enum { N = 20000 };
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < N; i++) {
        const double z = half * (2 * (i + 0.5) / N - 1), r = radius(z), mass = acos(-1.0) * r * r * 2 * half / N;
        out[0] += mass, out[1] += mass * (r * r / 4 + z * z), out[2] += mass * r * r / 2;
    }
}

static double capsule_radius(double z)
{
    const double beyond = fabs(z) - 0.4;
    return beyond < 0 ? 0.3 : sqrt(0.09 - beyond * beyond);
}
static double sphere_radius(double z) { return sqrt(0.25 - z * z); }
static double cylinder_radius(double z) { return (void)z, 0.2; }

static void shapes(void **unused)
{
    (void)unused;
    static const struct { const char *shape; double (*radius)(double); double half; } solids[] = {
        { "capsule{radius = 0.3, length = 0.8}", capsule_radius, 0.7 },
        { "sphere{radius = 0.5}", sphere_radius, 0.5 },
        { "cylinder{radius = 0.2, length = 1.2}", cylinder_radius, 0.6 },
        { "cylinder{radius = 0.2, length = 1.2, along = 'z'}", cylinder_radius, 0.6 },
    };
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
        char text[500];
        double exact[3];
        revolve(solids[i].radius, solids[i].half, exact);
        snprintf(text, sizeof text, "local b = body('b', { shape = %s, density = 2, at = {0, 0, 0} })\n"
                 "observe('m', b.mass) for k, n in ipairs{'x', 'y', 'z'} do observe(n, b.inertia[k]) end",
                 solids[i].shape);
        taut_simulation *z = open_text(text);
        const double found[] = { value_of(z, "m"), value_of(z, "x"), value_of(z, "z") };
        for (int k = 0; k < 3; k++) /* the midpoint rule leaves 1e-6 where a radius begins as a root */
            if (fabs(found[k] / (2 * exact[k]) - 1) > 1e-5) fail_msg("%s: %g, not %g", text, found[k], 2 * exact[k]);
        assert_true(value_of(z, "x") == value_of(z, "y"));
        taut_simulation_release(z);
    }
    model *m = load("body('a', { shape = box{1, 2, 3}, mass = 1, at = {0, 0, 0} })\n"
                    "body('b', { shape = rod{length = 2}, mass = 1, at = {0, 0, 0} })\n"
                    "body('c', { mass = 1, inertia = {1, 2, 2}, at = {0, 0, 0} })\n"
                    "body('d', { shape = sphere{radius = 2}, mass = 1, at = {0, 0, 0}, colour = 'blue' })\n"
                    "body('e', { shape = sphere{radius = 2}, mass = 1, at = {0, 0, 0}, draw = false })\n");
    const shape_type types[] = { SHAPE_BOX, SHAPE_BAR, SHAPE_BOX, SHAPE_BALL };
    assert_int_equal(m->shape_count, 4);
    for (int k = 0; k < 4; k++) assert_int_equal(m->shapes[k].type, types[k]);
    assert_string_equal(m->texts[m->shapes[3].colour - 1], "blue");
    taut_model_free(m);
}

/* ---- start ---- */

/* Bodies without a place, along a chain of joints of several kinds, at angles and rates that are given: the velocities
   agree with differences of positions, and the constraints hold without any search. */
static void start_along_a_tree(void **unused)
{
    (void)unused;
    static const char tree[] =
        "local s = param('s', 0)\n"
        "local function part(n) return body(n, { mass = 1, inertia = {1, 1.2, 1.5} }) end\n"
        "local a, b, c, d, e = part 'a', part 'b', part 'c', part 'd', part 'e'\n"
        "local function f(x, y, z, u, v, w) return { at = {x, y, z}, axis = {u, v, w} } end\n"
        "local p = revolute('p', world, a, { first = f(1, 2, 3, 1, 1, 0), second = f(0, 0.3, 0, 0, 1, 1),\n"
        "  angle = { start = 0.4 + 0.5*s, rate = 0.5 } })\n"
        "cylindrical('q', b, a, { first = f(0.1, 0, 0, 0, 0, -1), second = f(0, 0, 0.5, 1, 0, -2),\n"
        "  angle = { start = 1 - s, rate = -1 }, slide = { start = 0.2 + 2*s, rate = 2 } })\n"
        "planar('r', b, c, { first = f(0, 0.4, 0, 1, 2, 3), second = f(0.1, 0.1, 0.1, 0, 1, 0),\n"
        "  x = { start = 0.3 + s, rate = 1 }, y = { start = -0.2, rate = 0 },\n"
        "  angle = { start = 2 + 3*s, rate = 3 } })\n"
        "universal('u', c, d, { first = { at = {0, 0, 1}, x_axis = {0, 1, 0} }, second = { at = {0, 1, 0} },\n"
        "  angle1 = { start = 0.7 + 0.3*s, rate = 0.3 }, angle2 = { start = -0.5 - 0.2*s, rate = -0.2 } })\n"
        "screw('w', d, e, { first = f(1, 0, 0, 1, 1, 1), second = f(0, 0, 1, 0, 2, 1), pitch = 0.5,\n"
        "  angle = { start = 5 + 4*s, rate = 4 } })\n"
        "local g = body('g', { mass = 1, inertia = {1, 1.2, 1.5}, at = {1, 2, 1}, turned = {1, 2, 3, 4} })\n"
        "series('v', g, world, { {'one', at = {1, 0, 0}, axis = {1, 2, 2}, angle = { start = 1 + s, rate = 1 }},\n"
        "  {'two', at = {0, 1, 0}, axis = {0, 2, 1}, slide = { start = 0.3 + 2*s, rate = 2 }},\n"
        "  {'three', at = {0, 0, 1}, axis = {1, 0, 3}, angle = { start = -s, rate = -1 }} })\n";
    taut_model *model = NULL;
    taut_simulation *z[3];
    static const char *const values[] = { "0", "0.0001", "-0.0001" };
    for (int i = 0; i < 3; i++) {
        const taut_setting setting = { .name = "s", .text = values[i] };
        if (taut_model_load_text(context, "tree.lua", tree, strlen(tree), &setting, 1, &model))
            fail_msg("%s", taut_error_text(context));
        if (taut_simulation_create(context, model, NULL, &z[i])) fail_msg("%s", taut_error_text(context));
        taut_model_release(model);
    }
    size_t n = taut_count(z[0], TAUT_POSITION);
    assert_int_equal(n, 6 * 7 + 6 + 3);
    for (size_t k = 0; k < n; k++) {
        double later, before, rate;
        assert_int_equal(taut_get(z[1], TAUT_POSITION, k, 1, &later, NULL), TAUT_OK);
        assert_int_equal(taut_get(z[2], TAUT_POSITION, k, 1, &before, NULL), TAUT_OK);
        assert_int_equal(taut_get(z[0], TAUT_VELOCITY, k, 1, &rate, NULL), TAUT_OK);
        /* third derivatives are some 4^3, times 1e-8/6 */
        if (fabs((later - before) / 2e-4 - rate) > 1e-6)
            fail_msg("%s: %g, not %g", taut_name(z[0], TAUT_POSITION, k), rate, (later - before) / 2e-4);
    }
    for (int i = 0; i < 3; i++) taut_simulation_release(z[i]);
}

#define FOUR_BAR                                                                                       \
    "local crank = body2('crank', { shape = rod{length = 1}, mass = 1, at = {0.5, 0} })\n"             \
    "local link = body2('link', { shape = rod{length = L}, mass = 1 })\n"                              \
    "local rocker = body2('rocker', { shape = rod{length = 2}, mass = 1, at = {3, 1}, turned = pi/2 })\n" \
    "revolute('o', world, crank, { at = {0, 0}, angle = { start = A, rate = 2 } })\n"                  \
    "revolute('c', crank, link, { first = { at = {0.5, 0} }, second = { at = {-L/2, 0} }, angle = free(0.5) })\n" \
    "revolute('p', world, rocker, { at = {3, 0} })\n"                                                  \
    "revolute('e', link, rocker, { first = { at = {L/2, 0} }, second = { at = {1, 0} } })\n"

/* A linkage with its crank at an angle: the pin lies where two circles meet. */
static void start_of_a_loop(void **unused)
{
    (void)unused;
    taut_simulation *z = open_text("local L, A = 3, 1.1\n" FOUR_BAR
                                   "local pin = rocker:point{1, 0} observe('px', pin.x) observe('py', pin.y)\n"
                                   "observe('o_rate', crank.omega)");
    const double x = cos(1.1), y = sin(1.1), px = value_of(z, "px"), py = value_of(z, "py");
    assert_true(fabs(hypot(px - x, py - y) - 3) < 1e-12);
    assert_true(fabs(hypot(px - 3, py) - 2) < 1e-12);
    assert_true(fabs(value_of(z, "o_angle") - 1.1) < 1e-14);
    assert_true(fabs(value_of(z, "o_rate") - 2) < 1e-12);
    taut_simulation_release(z);
    /* a rod that is too short to reach */
    taut_model *model = NULL;
    static const char open[] = "local L, A = 0.5, 1.1\n" FOUR_BAR;
    assert_int_equal(taut_model_load_text(context, "open.lua", open, strlen(open), NULL, 0, &model), TAUT_OK);
    assert_int_not_equal(taut_simulation_create(context, model, NULL, &z), TAUT_OK);
    printf("%s\n", taut_error_text(context));
    assert_non_null(strstr(taut_error_text(context), "'e_"));
    taut_model_release(model);
}

/* start { j_angle = ... } moves the bodies as the joint's own option does. */
static void start_by_coordinates(void **unused)
{
    (void)unused;
    static const char bodies[] = "local a = body('a', { mass = 1, inertia = {1, 1, 1}, at = {1, 0, 0} })\n"
                                 "local b = body('b', { mass = 1, inertia = {1, 1, 1}, at = {2, 0, 0} })\n";
    char texts[2][800];
    snprintf(texts[0], sizeof texts[0], "%s%s", bodies,
             "revolute('j', world, a, { at = {0, 0, 0}, axis = {0, 1, 1}, angle = { start = 0.5, rate = 2 } })\n"
             "revolute('k', a, b, { at = {1, 0, 0}, angle = -1 })");
    snprintf(texts[1], sizeof texts[1], "%s%s", bodies,
             "local j = revolute('j', world, a, { at = {0, 0, 0}, axis = {0, 1, 1} })\n"
             "local k = revolute('k', a, b, { at = {1, 0, 0} })\n"
             "start { [j.angle] = 0.5, ['j_angle.dot'] = 2, [k.angle] = -1 }");
    taut_simulation *z[2] = { open_text(texts[0]), open_text(texts[1]) };
    static const char *const columns[] = { "a.x",   "a.z",     "b.x",       "b.y",    "b.z",
                                           "b_r.w", "b.y.dot", "a_r.z.dot", "k_angle" };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        assert_true(fabs(value_of(z[0], columns[i]) - value_of(z[1], columns[i])) < 1e-14);
    assert_true(fabs(value_of(z[0], "b.y.dot")) > 0.1);
    taut_simulation_release(z[0]), taut_simulation_release(z[1]);
}

/* ---- motors, limits ---- */

#define ARM "local b = body('b', { mass = 2, inertia = {0.02, 0.05, 0.04}, at = {0, 0, -0.5} })\n"

static void motors_and_limits(void **unused)
{
    (void)unused;
    /* a prescribed motion, through three turns, and the torque that it takes: J phi'' + m g l sin(phi) */
    taut_simulation *z = open_text("gravity{0, 0, -9.81}\n" ARM "local t = time()\n"
                                   "local j = revolute('j', world, b, { at = {0, 0, 0}, axis = {0, 1, 0},\n"
                                   "  angle = { motion = 1 + 3*t + 4*t^2 } }) observe('torque', j:effort())");
    assert_int_equal(run_to(z, 0.0078125, 2), TAUT_OK);
    const double phi = 1 + 3 * 2 + 4 * 4, J = 0.05 + 2 * 0.25;
    assert_true(fabs(value_of(z, "j_angle") - phi) < 1e-12);
    assert_true(fabs(value_of(z, "torque") - (J * 8 + 2 * 9.81 * 0.5 * sin(phi))) < 1e-6);
    taut_simulation_release(z);
    /* an input as torque: without weight the angle is torque t^2/(2 J) */
    z = open_text(ARM "revolute('j', world, b, { at = {0, 0, 0}, axis = {0, 1, 0},\n"
                      "  angle = { torque = input('u', 0) } })");
    const double u = 30;
    assert_int_equal(taut_set(z, TAUT_INPUT, 0, 1, &u), TAUT_OK);
    assert_int_equal(taut_flow(z, 1, 1e-12), TAUT_OK);
    assert_true(fabs(value_of(z, "j_angle") - u / 2 / J) < 1e-8);
    taut_simulation_release(z);
    /* limits: between two stops without weight, each of which returns half of the speed */
    z = open_text(ARM "revolute('j', world, b, { at = {0, 0, 0}, axis = {0, 1, 0},\n"
                      "  angle = { rate = 2, limits = {-0.25, 0.5}, restitution = 0.5 } })");
    assert_int_equal(run_to(z, 0.0078125, 1.25), TAUT_OK);
    /* 0.5 at t = 0.25, then with rate -1 to -0.25 at t = 1, then with 0.5 */
    assert_true(fabs(value_of(z, "j_angle") + 0.125) < 1e-5);
    assert_true(fabs(value_of(z, "j_angle.dot") - 0.5) < 1e-5);
    taut_simulation_release(z);
}

/* A door on two hinges has five constraints too many. What the hinges carry together is determined: the weight, and
   what keeps the centre on its circle. */
static void two_hinges(void **unused)
{
    (void)unused;
    taut_simulation *z = open_text(
        "gravity{0, 0, -9.81}\n"
        "local door = body('door', { shape = box{0.8, 0.04, 2}, mass = 20, at = {0.4, 0, 1} })\n"
        "local a = revolute('a', world, door, { at = {0, 0, 1.8}, angle = { rate = 1 } })\n"
        "local b = revolute('b', world, door, { at = {0, 0, 0.2} })\n"
        "for k, n in ipairs{'x', 'y', 'z'} do\n"
        "  observe('f' .. n, a.force_space[k] + b.force_space[k])\n"
        "  observe('t' .. n, (a.torque_space + b.torque_space + cross(a.place - door.centre, a.force_space) +\n"
        "                     cross(b.place - door.centre, b.force_space))[k])\n"
        "end");
    assert_int_equal(run_to(z, 0.01, 0.5), TAUT_OK);
    const double phi = value_of(z, "a_angle"), rate = value_of(z, "a_angle.dot"), pull = 20 * 0.4 * rate * rate;
    assert_true(fabs(rate - 1) < 1e-12);
    assert_true(fabs(value_of(z, "fx") + pull * cos(phi)) < 1e-10);
    assert_true(fabs(value_of(z, "fy") + pull * sin(phi)) < 1e-10);
    assert_true(fabs(value_of(z, "fz") - 20 * 9.81) < 1e-10);
    const char *const torques[] = { "tx", "ty", "tz" }; /* about the centre: a steady turning about z needs none */
    for (int k = 0; k < 3; k++) assert_true(fabs(value_of(z, torques[k])) < 1e-9);
    taut_simulation_release(z);
}

/* The same door with a motor on one hinge: dependent constraints, and one that moves at t = 0 and has no part in them. A
   steady turn needs no torque. A motor on each hinge is one too many where they differ, however little against the
   speed of a third. */
static void two_hinges_and_a_motor(void **unused)
{
    (void)unused;
    static const char *const door =
        "gravity{0, 0, -9.81}\n"
        "local door = body('door', { shape = box{1, 0.05, 2}, mass = 20, at = {0.5, 0, 1} })\n"
        "local fan = body('fan', { shape = box{1, 0.05, 0.1}, mass = 2, at = {3, 0, 0} })\n"
        "revolute('shaft', world, fan, { at = {3, 0, 0}, angle = { motion = 1000*time() } })\n"
        "local low = revolute('low', world, door, { at = {0, 0, 0.2}, angle = { motion = 2*time() } })\n"
        "revolute('high', world, door, { at = {0, 0, 1.8}%s })\n"
        "observe('effort', low:effort())";
    static const struct { const char *more; int contradicts; } cases[] = {
        { "", 0 }, { ", angle = { motion = 2*time() }", 0 }, { ", angle = { motion = 2.001*time() }", 1 },
    };
    for (int i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text, door, cases[i].more);
        if (cases[i].contradicts) {
            taut_model *model = NULL;
            taut_simulation *z = NULL;
            assert_int_equal(taut_model_load_text(context, "test.lua", text, strlen(text), NULL, 0, &model), TAUT_OK);
            assert_int_equal(taut_simulation_create(context, model, NULL, &z), TAUT_BAD_MODEL);
            assert_non_null(strstr(taut_error_text(context), "they agree at the start and part as time goes on"));
            taut_model_release(model);
            continue;
        }
        taut_simulation *z = open_text(text);
        assert_int_equal(run_to(z, 0.001, 0.25), TAUT_OK);
        assert_true(fabs(value_of(z, "door.x") - 0.5 * cos(0.5)) < 1e-13);
        assert_true(fabs(value_of(z, "door.y") - 0.5 * sin(0.5)) < 1e-13);
        assert_true(fabs(value_of(z, "effort")) < 1e-8); /* a force of 40 at the hinges is known to 1e-13 and less */
        taut_simulation_release(z);
    }
}

/* A shaft with two universal joints between parallel axes, held by a bearing at either end: one constraint too many.
   Its end turns as its beginning does. Each joint, its first pin across the plane of the axes at phi = 0, makes
   tan(phi2) = cos(beta) tan(phi1): the pins (0, cos(phi1), sin(phi1)) and (-sin(beta) cos(phi2), -sin(phi2),
   cos(beta) cos(phi2)) are at right angles. With the second joint mounted so that its fluctuation adds to that of the
   first, tan(phi3) = cos(beta)^2 tan(phi1); beta is 30 degrees. */
static void a_shaft_with_two_joints(void **unused)
{
    (void)unused;
    for (int wrong = 0; wrong < 2; wrong++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "local c, s = cos(pi/6), sin(pi/6)\n"
                 "local B, n = {0.3 + 0.5*c, 0, 0.5*s}, {-s, 0, c}\n"
                 "local J = {0.002, 0.003, 0.003}\n"
                 "local one = body('one', { mass = 1, inertia = J, at = {0.15, 0, 0} })\n"
                 "local two = body('two', { mass = 2, inertia = {0.004, 0.05, 0.05}, at = {0.3 + 0.25*c, 0, 0.25*s},\n"
                 "                          turned = {axis = {0, -1, 0}, angle = pi/6} })\n"
                 "local three = body('three', { mass = 1, inertia = J, at = {B[1] + 0.15, 0, B[3]} })\n"
                 "revolute('inp', world, one, { at = {0, 0, 0}, axis = {1, 0, 0}, angle = { motion = 20*time() } })\n"
                 "universal('u1', one, two, { at = {0.3, 0, 0}, axis = {0, 1, 0}, axis2 = n })\n"
                 "universal('u2', two, three, { at = B, axis = %s, axis2 = %s })\n"
                 "local out = revolute('out', world, three, { at = {B[1] + 0.3, 0, B[3]}, axis = {1, 0, 0},\n"
                 "                                            angle = { damping = 0.3 } })\n"
                 "observe('rate', out.rate) observe('angle', out.angle)",
                 wrong ? "{0, 1, 0}" : "n", wrong ? "{0, 0, 1}" : "{0, 1, 0}");
        taut_simulation *z = open_text(text);
        for (int i = 1; i < 8; i++) {
            assert_int_equal(run_to(z, 0.001, 0.01 * i), TAUT_OK); /* phi1 is below pi/2 */
            const double expected = atan2(sin(0.2 * i) * (wrong ? 0.75 : 1), cos(0.2 * i));
            /* positions follow from the constraints alone, and so do rates */
            assert_true(fabs(value_of(z, "angle") - expected) < 1e-12);
            if (!wrong) assert_true(fabs(value_of(z, "rate") - 20) < 1e-10);
        }
        taut_simulation_release(z);
    }
}

/* A milligram beside a thousand tonnes: two wheels on one axle, free of forces, which turn at 1 and 3 rad/s for ever. */
static void light_beside_heavy(void **unused)
{
    (void)unused;
    taut_simulation *z = open_text(
        "body('base', { mass = 1e6, inertia = {1e6, 1e6, 1e6} })\n"
        "local I = {1.1e-12, 1e-12, 1e-12}\n"
        "local one = body('one', { mass = 1e-6, inertia = I, at = {1, 0, 0}, omega = {0, 0, 1} })\n"
        "local two = body('two', { mass = 1e-6, inertia = I, at = {1, 0, 0.01}, omega = {0, 0, 3} })\n"
        "local axle = revolute('axle', one, two, { at = {1, 0, 0.005}, axis = {0, 0, 1}, angle = { rate = 2 } })\n"
        "observe('angle', axle.angle) observe('rate', axle.rate)");
    assert_int_equal(run_to(z, 0.005, 0.5), TAUT_OK);
    /* a step turns each by 2 asin(h w/2), (h w)^2/24 too much: 9e-6 of 1.5 rad */
    assert_true(fabs(value_of(z, "angle") - 1) < 3e-5);
    assert_true(fabs(value_of(z, "rate") - 2) < 1e-9);
    taut_simulation_release(z);
}

/* ---- in the plane ---- */

/* A disc rolls down 30 degrees, on the line or under it: 2/3 g sin(30) t^2/2, with a third of the weight along the
   slope as friction, whose torque turns it. */
/* A ball, or a wheel with its mass as a ball has it, rolls on a body that is free itself: what acts between them is a
   pair, so that momentum and angular momentum stay; nothing slips; energy stays. */
static void rolling_on_a_body(void **unused)
{
    (void)unused;
    static const char *const axes[] = { "", ", axis = {0.6, 0.8, 0.3}" };
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "local a = body('a', { mass = 2, inertia = {0.3, 0.3, 0.3}, at = {0.3, -0.1, 0.2},\n"
                 "                      velocity = {0.1, 0.2, -0.1}, omega = {0.3, -0.2, 0.5} })\n"
                 "local b = body('b', { mass = 1, inertia = {0.02, 0.02, 0.02}, at = {0.3, -0.1, 0.6} })\n"
                 "local r = rolling('r', a, b, { at = {0.4, 0, 0.35}, normal = {0.2, 0.1, 1}%s })\n"
                 /* at the start as one body with a, and turning about the normal besides, which rolls nowhere */
                 "local n, w = vector{0.2, 0.1, 1}/norm(vector{0.2, 0.1, 1}), vector{0.3, -0.2, 0.5}\n"
                 "local v = vector{0.1, 0.2, -0.1} + cross(w, vector{0, 0, 0.4})\n"
                 "local turn = w + %s*n\n"
                 "start { ['b.dot'] = v, ['b_r.dot'] = {0, turn.x/2, turn.y/2, turn.z/2} }\n"
                 "local L = 2*cross(a.centre, a.centre.dot) + 0.3*a.omega_space + cross(b.centre, b.centre.dot) +\n"
                 "          0.02*b.omega_space\n"
                 "observe('Lx', L.x) observe('Ly', L.y) observe('Lz', L.z)\n"
                 "local P = 2*a.centre.dot + b.centre.dot\n"
                 "observe('Px', P.x) observe('Py', P.y) observe('Pz', P.z)\n"
                 "observe('way', norm(r.gap))\n",
                 axes[i], i ? "0" : "3");
        taut_simulation *z = open_text(text);
        static const char *const names[] = { "Lx", "Ly", "Lz", "Px", "Py", "Pz", "energy" };
        double before[7];
        for (int k = 0; k < 7; k++) before[k] = value_of(z, names[k]);
        assert_int_equal(taut_flow(z, 2, 1e-13), TAUT_OK);
        assert_true(value_of(z, "way") > 0.01); /* it has rolled somewhere */
        for (int k = 0; k < 7; k++) assert_column(z, names[k], before[k], 1e-10);
        taut_simulation_release(z);
    }
}

static void rolling_in_the_plane(void **unused)
{
    (void)unused;
    for (int side = -1; side <= 1; side += 2) {
        char text[600];
        snprintf(text, sizeof text,
                 "gravity{0, -9.81}\nlocal n = %d\n"
                 "local wheel = body2('wheel', { shape = cylinder{radius = 0.2}, mass = 3,\n"
                 "  at = {n*0.1, n*0.1*sqrt(3)} })\n"
                 "local way = rolling('way', world, wheel, { at = {0, 0}, along = {sqrt(3), -1}, reactions = true,\n"
                 "  slide = { rate = 0.3 } })\nobserve('turned', way.angle)", side);
        taut_simulation *z = open_text(text);
        assert_int_equal(taut_flow(z, 0.5, 1e-13), TAUT_OK);
        const double way = 0.15 + 9.81 / 3 * 0.125;
        assert_true(fabs(value_of(z, "way_slide") - way) < 1e-10);
        assert_true(fabs(value_of(z, "turned") + side * way / 0.2) < 1e-9);
        assert_true(fabs(value_of(z, "way.force.x") + 3 * 9.81 / 6) < 1e-9);
        assert_true(fabs(value_of(z, "way.force.y") - 3 * 9.81 * sqrt(0.75)) < 1e-9);
        assert_true(fabs(value_of(z, "way.torque") + side * 0.2 * 3 * 9.81 / 6) < 1e-9);
        taut_simulation_release(z);
    }
}

/* A pendulum of two bodies that are fixed to each other, on a rod that keeps its distance; gears and a belt on the
   ground: the same as by hand. */
static void joints_in_the_plane(void **unused)
{
    (void)unused;
    taut_simulation *z = open_text(
        "gravity{0, -9.81}\n"
        "local a = body2('a', { shape = box{0.2, 0.1}, mass = 2, at = {1, 0} })\n"
        "local b = body2('b', { shape = capsule{radius = 0.05, length = 0.3}, mass = 1,\n"
        "  at = {1.2, 0.1}, turned = 0.3 })\n"
        "fixed('weld', a, b, { at = {1.1, 0}, reactions = true })\n"
        "local rod = distance('rod', world, a, { from = {0, 0}, to = {1, 0} })\n"
        "observe('tension', rod.tension) observe('I', b.inertia)");
    /* capsule: a rectangle, and a disc in two halves, whose centres are 4 r/(3 pi) further out than the rectangle */
    const double area = 0.03, ends = acos(-1.0) * 0.0025, disc = 0.0025 / 2 + 0.0225 + 0.02 / acos(-1.0);
    const double I = (area * (0.01 + 0.09) / 12 + ends * disc) / (area + ends);
    assert_true(fabs(value_of(z, "I") - I) < 1e-15);
    taut_simulation *exact = open_text(
        "local c, r = point('c', 2), coordinate 'r'\n"
        "local d = vector{0.2, 0.1}/3\n"                         /* from a to the centre of both */
        "local function at(x, y) return c + vector{cos(r)*x - sin(r)*y, sin(r)*x + cos(r)*y} end\n"
        "local I = 2*0.05/12 + param('I', 0) + 2*norm2(d) + 4*norm2(d)\n"
        "lagrangian(3/2*norm2(c.dot) + I/2*r.dot^2 - 3*9.81*c.y)\n"
        "local end_ = at(-d.x, -d.y)\n"
        "local l = constraint('rod', norm(end_) - 1)\n"
        "start { c = {1 + 0.2/3, 0.1/3}, r = 0 }\n"
        "observe('tension', -l) observe('ax', end_.x) observe('ay', end_.y)");
    const long which = taut_find(exact, TAUT_PARAM, "I");
    assert_int_equal(taut_set(exact, TAUT_PARAM, (size_t)which, 1, &I), TAUT_OK);
    assert_int_equal(taut_flow(z, 0.4, 1e-13), TAUT_OK);
    assert_int_equal(taut_flow(exact, 0.4, 1e-13), TAUT_OK);
    assert_true(fabs(value_of(z, "a.x") - value_of(exact, "ax")) < 1e-10);
    assert_true(fabs(value_of(z, "a.y") - value_of(exact, "ay")) < 1e-10);
    assert_true(fabs(value_of(z, "tension") - value_of(exact, "tension")) < 1e-8);
    assert_true(fabs(value_of(z, "b_angle") - value_of(exact, "r") - 0.3) < 1e-10);
    taut_simulation_release(z), taut_simulation_release(exact);
    z = open_text("local function wheel(n, x, m)\n"
                  "  return body2(n, { shape = cylinder{radius = 0.2}, mass = m, at = {x, 0} })\nend\n"
                  "local a, b, c = wheel('a', 0, 1), wheel('b', 1, 2), wheel('c', 2, 4)\n"
                  "local j = revolute('j', world, a, { at = {0, 0}, angle = { torque = 1 } })\n"
                  "local k = revolute('k', world, b, { at = {1, 0} })\n"
                  "local rack = prismatic('rack', world, c, { at = {2, 0}, axis = {0, 1} })\n"
                  "belt('strap', j, k, { radii = {0.1, 0.2}, crossed = true })\n"
                  "gear('teeth', k, rack, { radius = 0.5 })");
    assert_int_equal(taut_flow(z, 0.5, 1e-13), TAUT_OK);
    const double angle = 0.125 / (0.02 + 0.04 / 4 + 4 * 0.0625); /* phi2 = -phi1/2, s = -phi1/4 */
    assert_true(fabs(value_of(z, "j_angle") - angle) < 1e-10);
    assert_true(fabs(value_of(z, "k_angle") + angle / 2) < 1e-10);
    assert_true(fabs(value_of(z, "rack_slide") + angle / 4) < 1e-10);
    taut_simulation_release(z);
}

/* ---- kernels ---- */

static void start_value_seen(void *user, const char *name, wide value, int is_free)
{
    (void)user, (void)name, (void)value, (void)is_free;
}
static void redundant_seen(void *user, uint32_t constraint, const char *on) { (void)user, (void)constraint, (void)on; }
static void conserved_seen(void *user, const char *name) { (void)user, (void)name; }
static void method_seen(void *user, const char *name, const char *refusal) { (void)user, (void)name, (void)refusal; }

/* The lengths of quaternions, each within one body, are all that the mass matrix needs to be regular: bodies that
   joints connect stay blocks of their own. */
static void bodies_of_a_chain_stay_blocks(void **unused)
{
    (void)unused;
    definition size = { "N", "30", 0 };
    model *m = load_file(MODELS "/hinged-chain.lua", &size, 1);
    engine_check found;
    assert_int_equal(taut_engine_double.check(m, START_STRICT, &found, start_value_seen, redundant_seen, conserved_seen,
                                              method_seen, NULL), TAUT_OK);
    assert_true(found.augmented);
    assert_int_equal(found.largest_block, 4);
    assert_int_equal(found.degrees_of_freedom, 30);
    taut_model_free(m);
}

static size_t kernels_of(const char *links)
{
    definition size = { "N", links, 0 };
    model *m = load_file(MODELS "/hinged-chain.lua", &size, 1);
    store *s = taut_store_create(context, m->graph);
    family energy = { 0 }, constraints = { 0 };
    for (size_t i = 0; i < m->summand_count; i++)
        assert_int_equal(taut_family_add(s, &energy, 0, m->summands[i].value), TAUT_OK);
    for (size_t i = 0; i < m->constraint_count; i++)
        assert_int_equal(taut_family_add(s, &constraints, (uint32_t)i, m->constraints[i].value), TAUT_OK);
    size_t count = taut_store_kernel_count(s);
    taut_family_clear(s, &energy);
    taut_family_clear(s, &constraints);
    taut_store_destroy(s);
    taut_model_free(m);
    return count;
}

static void a_chain_shares_its_kernels(void **unused)
{
    (void)unused;
    const size_t few = kernels_of("10"), many = kernels_of("1000");
    printf("hinged chain: %zu kernels with 10 links, %zu with 1000\n", few, many);
    assert_int_equal(few, many);
    assert_true(many <= 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_of_the_script_do_not_matter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forces_and_torques, set_up, tear_down),
        cmocka_unit_test_setup_teardown(torque_is_the_rate_of_angular_momentum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rods_that_turn_about_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(start_along_a_tree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(start_of_a_loop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(start_by_coordinates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(motors_and_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_hinges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_hinges_and_a_motor, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_shaft_with_two_joints, set_up, tear_down),
        cmocka_unit_test_setup_teardown(light_beside_heavy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rolling_in_the_plane, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rolling_on_a_body, set_up, tear_down),
        cmocka_unit_test_setup_teardown(joints_in_the_plane, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bodies_of_a_chain_stay_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_chain_shares_its_kernels, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
