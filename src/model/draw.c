/* What to draw: draw{ bar(p, q), spring(p, q), ball(p, radius), box(p, sizes, r), disc(p, sizes, r), path(f, range),
   surface(f, ...), a } and more; a shape's :colour(name) and :label(text). */
#include <string.h>

#include "model/script.h"

/* Intervals of a path or surface in one direction. */
#define INTERVALS_MOST 1000

/* The vector at i as three expressions. */
static drawn_place get_vector(lua_State *L, int i, const char *who)
{
    script *s = taut_script_of(L);
    drawn_place place;
    vector v;
    taut_vectors_get(L, i, who, &v);
    if (v.dimension > 3)
        taut_script_error(L, "%s needs a place, got %s; give a point", who, taut_symbols_describe(L, i));
    for (uint32_t k = 0; k < 3; k++)
        place.at[k] = k < v.dimension ? v.at[k] : taut_script_built(L, taut_expr_integer(s->graph, 0));
    taut_script_charge(L, 20);
    return place;
}

/* The place at i: of coordinates and time. */
static drawn_place get_place(lua_State *L, int i, const char *who)
{
    drawn_place place = get_vector(L, i, who);
    for (uint32_t k = 0; k < 3; k++)
        if (taut_symbols_kinds(L, place.at[k]) & (1u << KIND_W | 1u << KIND_LAMBDA))
            taut_script_error(
                L, "%s needs a place made of coordinates and time; this one has velocities, momenta or multipliers",
                who);
    return place;
}

static void add_place(lua_State *L, drawn_place place)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    taut_script_check(L,
                      taut_mem_grow(s->context, &m->places, &m->place_capacity, m->place_count + 1, sizeof *m->places));
    m->places[m->place_count++] = place;
}

static shape begin_shape(lua_State *L, shape_type type, uint32_t rows, uint32_t columns)
{
    return (shape){ .type = type,
                    .line = taut_script_line(L),
                    .first = (uint32_t)taut_script_of(L)->model->place_count,
                    .rows = rows,
                    .columns = columns };
}

static int push_shape(lua_State *L, const shape *what)
{
    *(shape *)taut_symbols_new(L, SYMBOL_SHAPE, sizeof *what, 0) = *what;
    return 1;
}

static double size_at(lua_State *L, int i, const char *who)
{
    return (double)taut_symbols_value(L, taut_symbols_constant(L, i, who));
}

/* ---- bars, springs, balls ---- */

static int two_places(lua_State *L, shape_type type, const char *who)
{
    shape what = begin_shape(L, type, 1, 2);
    drawn_place from = get_place(L, 1, who), to = get_place(L, 2, who);
    add_place(L, from);
    add_place(L, to);
    return push_shape(L, &what);
}

static int draw_bar(lua_State *L) { return two_places(L, SHAPE_BAR, "bar"); }
static int draw_spring(lua_State *L) { return two_places(L, SHAPE_SPRING, "spring"); }

static void make_ball(lua_State *L, int i, shape *what)
{
    *what = begin_shape(L, SHAPE_BALL, 1, 1);
    add_place(L, get_place(L, i, "ball"));
}

static int round_between(lua_State *L, shape_type type, const char *who)
{
    shape what = begin_shape(L, type, 1, 2);
    drawn_place from = get_place(L, 1, who), to = get_place(L, 2, who);
    what.radius = size_at(L, 3, "the radius of a cylinder or capsule");
    if (!(what.radius > 0 && what.radius < 1e300))
        return taut_script_error(L, "the radius of %s must be positive and finite; give such a number", who);
    add_place(L, from);
    add_place(L, to);
    return push_shape(L, &what);
}

/* With one table it is the shape of a body. */
static int is_solid(lua_State *L) { return lua_gettop(L) == 1 && lua_type(L, 1) == LUA_TTABLE; }

static int draw_cylinder(lua_State *L)
{
    return is_solid(L) ? taut_mechanism_solid(L, "cylinder") : round_between(L, SHAPE_CYLINDER, "cylinder");
}

static int draw_capsule(lua_State *L)
{
    return is_solid(L) ? taut_mechanism_solid(L, "capsule") : round_between(L, SHAPE_CAPSULE, "capsule");
}

static drawn_place sum(lua_State *L, const drawn_place *a, const drawn_place *b)
{
    drawn_place place;
    for (int k = 0; k < 3; k++)
        place.at[k] = taut_script_built(L, taut_expr_add(taut_script_of(L)->graph, a->at[k], b->at[k]));
    return place;
}

/* ---- planes and arrows ---- */

/* plane(p, normal) */
static int draw_plane(lua_State *L)
{
    shape what = begin_shape(L, SHAPE_PLANE, 1, 2);
    drawn_place at = get_place(L, 1, "plane"), normal = get_place(L, 2, "plane");
    add_place(L, at);
    add_place(L, sum(L, &at, &normal));
    return push_shape(L, &what);
}

/* ground(height): upwards is y in the plane and z in space, which only the whole picture tells. */
static int draw_ground(lua_State *L)
{
    shape what = begin_shape(L, SHAPE_GROUND, 1, 1);
    if (!lua_isnoneornil(L, 1)) what.radius = size_at(L, 1, "the height of ground");
    expr zero = taut_script_built(L, taut_expr_integer(taut_script_of(L)->graph, 0));
    add_place(L, (drawn_place){ { zero, zero, zero } });
    return push_shape(L, &what);
}

/* arrow(p, v, scale): v may have velocities and multipliers, as forces have. */
static int draw_arrow(lua_State *L)
{
    shape what = begin_shape(L, SHAPE_ARROW, 1, 2);
    drawn_place foot = get_place(L, 1, "arrow"), along = get_vector(L, 2, "arrow");
    if (!lua_isnoneornil(L, 3)) what.scale = size_at(L, 3, "the scale of arrow");
    if (!(what.scale >= 0 && what.scale < 1e300))
        return taut_script_error(L, "the scale of an arrow must be positive and finite; give such a number");
    add_place(L, foot);
    add_place(L, sum(L, &foot, &along));
    return push_shape(L, &what);
}

/* Radius 0, or none: a default size. */
static int draw_ball(lua_State *L)
{
    shape what;
    make_ball(L, 1, &what);
    if (!lua_isnoneornil(L, 2)) what.radius = size_at(L, 2, "the radius of ball");
    if (!(what.radius >= 0 && what.radius < 1e300))
        return taut_script_error(L, "the radius of a ball must be positive and finite; give such a number");
    return push_shape(L, &what);
}

/* ---- rigid bodies ---- */

/* The directions of a body's axes in space, as columns: turned by the rotation at i, by the angle at i in the plane, or
   not at all. */
static void get_axes(lua_State *L, int i, const char *who, expr axes[3][3])
{
    graph *g = taut_script_of(L)->graph;
    const vector *r = taut_vectors_at(L, i);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) axes[row][column] = taut_expr_number(g, row == column);
    if (r && r->dimension == 4) {
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++) axes[row][column] = taut_rotation_entry(g, r->at, row, column);
    } else if (lua_type(L, i) == LUA_TNUMBER || taut_symbols_at(L, i)) {
        expr angle = taut_symbols_scalar(L, i, who);
        axes[0][0] = axes[1][1] = taut_expr_unary(g, OP_COS, angle);
        axes[1][0] = taut_expr_unary(g, OP_SIN, angle);
        axes[0][1] = taut_expr_neg(g, axes[1][0]);
    } else if (!lua_isnoneornil(L, i)) {
        taut_script_error(L, "%s is turned by %s; give a rotation, or an angle in the plane", who,
                          taut_symbols_describe(L, i));
    }
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            taut_script_built(L, axes[row][column]);
            if (taut_symbols_kinds(L, axes[row][column]) & (1u << KIND_W | 1u << KIND_LAMBDA))
                taut_script_error(
                    L, "%s is turned by something with velocities, momenta or multipliers; use coordinates and time",
                    who);
        }
}

/* The centre at 1, half axes as given, the rotation at 3. */
static int push_body(lua_State *L, shape_type type, const char *who, const double half[3])
{
    graph *g = taut_script_of(L)->graph;
    drawn_place centre = get_place(L, 1, who), end;
    expr axes[3][3];
    get_axes(L, 3, who, axes);
    shape what = begin_shape(L, type, 1, 4);
    add_place(L, centre);
    for (int column = 0; column < 3; column++) {
        const expr size = taut_expr_number(g, taut_wide_from_double(half[column]));
        for (int row = 0; row < 3; row++) {
            const expr along = taut_expr_mul(g, size, axes[row][column]);
            end.at[row] = taut_script_built(L, taut_expr_add(g, centre.at[row], along));
        }
        add_place(L, end);
    }
    return push_shape(L, &what);
}

/* Two or three lengths, or one where `least` is 1, from the table or number at 2; what is not given is 0. */
static void get_sizes(lua_State *L, const char *who, int least, int most, double sizes[3])
{
    int count = lua_type(L, 2) == LUA_TTABLE ? (int)taut_tables_length(L, 2) : lua_isnoneornil(L, 2) ? 0 : 1;
    if (count < least || count > most)
        taut_script_error(L,
                     least == 1 ? "%s needs a radius, got %s; give one, or {radius, thickness}"
                                : "%s needs its sizes, got %s; give {a, b} or {a, b, c}",
                     who, taut_symbols_describe(L, 2));
    if (lua_type(L, 2) == LUA_TTABLE) taut_functions_check_list(L, 2, who);
    sizes[0] = sizes[1] = sizes[2] = 0;
    for (int k = 0; k < count; k++) {
        if (lua_type(L, 2) == LUA_TTABLE) lua_rawgeti(L, 2, k + 1);
        else lua_pushvalue(L, 2);
        sizes[k] = size_at(L, -1, "the size of a body");
        lua_pop(L, 1);
        if (!(sizes[k] >= 0 && sizes[k] < 1e300))
            taut_script_error(L, "the sizes of %s must be positive and finite; give such numbers", who);
    }
}

static int draw_box(lua_State *L)
{
    double sizes[3];
    if (is_solid(L)) return taut_mechanism_solid(L, "box");
    get_sizes(L, "box", 2, 3, sizes);
    const double half[3] = { sizes[0] / 2, sizes[1] / 2, sizes[2] / 2 };
    return push_body(L, SHAPE_BOX, "box", half);
}

static int draw_disc(lua_State *L)
{
    double sizes[3];
    get_sizes(L, "disc", 1, 2, sizes);
    const double half[3] = { sizes[0], sizes[0], sizes[1] / 2 };
    return push_body(L, SHAPE_DISC, "disc", half);
}

static uint32_t add_text(lua_State *L, const char *text)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    taut_script_check(L, taut_mem_grow(s->context, &m->texts, &m->text_capacity, m->text_count + 1, sizeof *m->texts));
    m->texts[m->text_count] = taut_script_text(L, text);
    return (uint32_t)++m->text_count;
}

/* mesh(p, "file.stl", r, scale): the file is read when a page is made. */
static int draw_mesh(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING)
        return taut_script_error(L, "mesh needs the name of a file, got %s; write mesh(p, \"part.stl\", r)",
                                 taut_symbols_describe(L, 2));
    double scale = lua_isnoneornil(L, 4) ? 1 : size_at(L, 4, "the scale of mesh");
    if (!(scale > 0 && scale < 1e300))
        return taut_script_error(L, "the scale of a mesh must be positive and finite; give such a number");
    const double half[3] = { scale, scale, scale };
    push_body(L, SHAPE_MESH, "mesh", half);
    ((shape *)taut_symbols_userdata(L, -1, SYMBOL_SHAPE))->file = add_text(L, lua_tostring(L, 2));
    return 1;
}

/* ---- colours and labels: shape:colour "blue", shape:label "rod" ---- */

static const char *const colour_names[] = { "blue", "orange", "green", "purple", "yellow", "sky", "black", "brown",
                                            "grey" };

static int is_colour(const char *text)
{
    for (size_t i = 0; i < sizeof colour_names / sizeof *colour_names; i++)
        if (strcmp(text, colour_names[i]) == 0) return 1;
    return text[0] == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6;
}

/* A shape with one of its texts replaced; the one before the colon stays as it was. */
static int with_text(lua_State *L)
{
    int is_label = taut_functions_which(L);
    const char *who = is_label ? "label" : "colour";
    const shape *given = taut_symbols_userdata(L, 1, SYMBOL_SHAPE);
    if (!given) return taut_script_error(L, "%s belongs to shapes; write ball(a):%s \"...\", with a colon", who, who);
    if (lua_type(L, 2) != LUA_TSTRING)
        return taut_script_error(L, "%s needs a string, got %s; write ball(a):%s \"...\"", who,
                                 taut_symbols_describe(L, 2), who);
    const char *text = lua_tostring(L, 2);
    if (!is_label && !is_colour(text))
        return taut_script_error(L, "'%s' is no colour; give blue, orange, green, purple, yellow, sky, black, brown, "
                                    "grey or \"#rrggbb\"", text);
    shape what = *given;
    *(is_label ? &what.label : &what.colour) = add_text(L, text);
    return push_shape(L, &what);
}

static int shape_index(lua_State *L)
{
    static const script_function methods[] = { { "colour", with_text, 1, 0, "a shape has one colour", 1, 0 },
                                               { "label", with_text, 1, 0, "join the texts with ..", 1, 1 } };
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(name, methods[i].name) == 0) {
            taut_functions_push(L, &methods[i]);
            return 1;
        }
    return taut_script_error(L, "a shape has no field '%s'; it has colour and label", name);
}

/* ---- paths and surfaces: a function of numbers gives places ---- */

static void get_range(lua_State *L, int i, const char *who, double range[2])
{
    if (lua_type(L, i) != LUA_TTABLE || taut_tables_length(L, i) != 2)
        taut_script_error(L, "%s needs a range here, got %s; give {from, to}", who, taut_symbols_describe(L, i));
    taut_functions_check_list(L, i, who);
    for (int k = 0; k < 2; k++) {
        lua_rawgeti(L, i, k + 1);
        range[k] = size_at(L, -1, "the range of a path or surface");
        lua_pop(L, 1);
    }
}

static uint32_t get_intervals(lua_State *L, int i, const char *who, uint32_t otherwise)
{
    int whole = 1;
    lua_Integer count = lua_isnoneornil(L, i) ? (lua_Integer)otherwise : lua_tointegerx(L, i, &whole);
    if (!whole || count < 1 || count > INTERVALS_MOST)
        taut_script_error(L, "%s needs a number of intervals, got %s; give a whole number from 1 to %d", who,
                     taut_symbols_describe(L, i), INTERVALS_MOST);
    return (uint32_t)count;
}

static double between(const double range[2], uint32_t k, uint32_t intervals)
{
    return k == intervals ? range[1] : range[0] + (range[1] - range[0]) * k / intervals;
}

/* Calls the function at 1 with one or two numbers. */
static drawn_place call_function(lua_State *L, const char *who, int arguments, double u, double v)
{
    lua_pushvalue(L, 1);
    lua_pushnumber(L, u);
    if (arguments == 2) lua_pushnumber(L, v);
    lua_call(L, arguments, 1);
    drawn_place place = get_place(L, -1, who);
    lua_pop(L, 1);
    return place;
}

/* The function may make shapes itself, whose places must not come between: those of this one are kept by Lua until all
   are there. */
static int push_grid(lua_State *L, shape_type type, const char *who, const double u[2], const double v[2],
                     uint32_t rows, uint32_t columns)
{
    size_t count = (size_t)rows * columns;
    drawn_place *places = lua_newuserdatauv(L, count * sizeof *places, 0);
    for (size_t i = 0; i < count; i++) {
        double along = between(u, (uint32_t)(i % columns), columns - 1);
        places[i] = call_function(L, who, v ? 2 : 1, along, v ? between(v, (uint32_t)(i / columns), rows - 1) : 0);
    }
    shape what = begin_shape(L, type, rows, columns);
    for (size_t i = 0; i < count; i++) add_place(L, places[i]);
    return push_shape(L, &what);
}

/* path(f, {from, to}, intervals), or path{p, q, ...} */
static int draw_path(lua_State *L)
{
    double range[2];
    if (lua_type(L, 1) == LUA_TFUNCTION) {
        get_range(L, 2, "path", range);
        return push_grid(L, SHAPE_PATH, "path", range, NULL, 1, get_intervals(L, 3, "path", 96) + 1);
    }
    lua_Integer count = lua_type(L, 1) == LUA_TTABLE ? taut_tables_length(L, 1) : 0;
    if (count < 2)
        return taut_script_error(L, "path got %s; give a function of a number and its range, or a table of places",
                            taut_symbols_describe(L, 1));
    if (!lua_isnone(L, 2))
        return taut_script_error(L, "path of a table of places takes nothing else, got %s; remove it",
                            taut_symbols_describe(L, 2));
    taut_functions_check_list(L, 1, "path");
    shape what = begin_shape(L, SHAPE_PATH, 1, (uint32_t)count);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, 1, i);
        add_place(L, get_place(L, -1, "path"));
        lua_pop(L, 1);
    }
    return push_shape(L, &what);
}

/* surface(f, {u from, to}, {v from, to}, u intervals, v intervals) */
static int draw_surface(lua_State *L)
{
    double u[2], v[2];
    if (lua_type(L, 1) != LUA_TFUNCTION)
        return taut_script_error(L, "surface got %s; give a function of two numbers, and their ranges",
                            taut_symbols_describe(L, 1));
    get_range(L, 2, "surface", u);
    get_range(L, 3, "surface", v);
    uint32_t columns = get_intervals(L, 4, "surface", 32) + 1, rows = get_intervals(L, 5, "surface", 32) + 1;
    return push_grid(L, SHAPE_SURFACE, "surface", u, v, rows, columns);
}

static int draw_draw(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    if (lua_type(L, 1) != LUA_TTABLE)
        return taut_script_error(L, "draw needs a table, got %s; write draw { bar(origin, a) }",
                                 taut_symbols_describe(L, 1));
    taut_functions_check_list(L, 1, "draw");
    const lua_Integer count = taut_tables_length(L, 1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, 1, i);
        const shape *given = taut_symbols_userdata(L, -1, SYMBOL_SHAPE);
        shape what;
        if (given) what = *given;
        else if (taut_vectors_is_like(L, -1)) make_ball(L, -1, &what);
        else
            return taut_script_error(L,
                                "draw: item %I is %s; give bar(p, q), spring(p, q), ball(p, radius), box(p, sizes, r), "
                                "disc(p, radius, r), cylinder(p, q, radius), capsule(p, q, radius), arrow(p, v), "
                                "plane(p, normal), ground(), a mesh, a path, a surface or a point",
                                i, taut_symbols_describe(L, -1));
        taut_script_check(
            L, taut_mem_grow(s->context, &m->shapes, &m->shape_capacity, m->shape_count + 1, sizeof *m->shapes));
        m->shapes[m->shape_count++] = what;
        lua_pop(L, 1);
    }
    return 0;
}

void taut_draw_open(lua_State *L)
{
    static const luaL_Reg operators[] = { { "__index", shape_index }, { NULL, NULL } };
    static const script_function functions[] = {
        { "bar", draw_bar, 2, 0, "it has two ends; write path { p, q, ... } for a line through several places", 0, 0 },
        { "spring", draw_spring, 2, 0, "it has two ends; give each spring its own call", 0, 0 },
        { "ball", draw_ball, 2, 1, "give a place and a radius: ball({x, y, z}, 0.1)", 0, 0 },
        { "box", draw_box, 3, 1, "put the sizes in one table: box(p, {a, b, c}, r)", 0, 0 },
        { "disc", draw_disc, 3, 1, "put the sizes in one table: disc(p, {radius, thickness}, r)", 0, 0 },
        { "cylinder", draw_cylinder, 3, 0, "give its two ends and a radius: cylinder(p, q, 0.1)", 0, 0 },
        { "capsule", draw_capsule, 3, 0, "give its two ends and a radius: capsule(p, q, 0.1)", 0, 0 },
        { "plane", draw_plane, 2, 0, "give a place on it and its normal: plane(p, {0, 0, 1})", 0, 0 },
        { "ground", draw_ground, 1, 1, "give its height: ground(-1)", 0, 0 },
        { "arrow", draw_arrow, 3, 1, "give its foot, a vector and a scale: arrow(a, {0, 0, -m*g}, 0.1)", 0, 0 },
        { "mesh", draw_mesh, 4, 2, "write mesh(p, \"part.stl\", r, scale)", 0, 0 },
        { "path", draw_path, 3, 2,
          "write path(f, {from, to}, n), or put places in one table: path { p, q, ... }", 0, 0 },
        { "surface", draw_surface, 5, 2, "write surface(f, {from, to}, {from, to}, n, m)", 0, 0 },
        { "draw", draw_draw, 1, 0, "put the items in one table: draw { bar(origin, a), ball(a) }", 0, 0 },
    };
    taut_symbols_metatable(L, "shape", operators, SYMBOL_SHAPE);
    taut_functions_register(L, functions, sizeof functions / sizeof *functions);
}
