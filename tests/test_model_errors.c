/* Every error of the model language names the file and the line and says what to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

#include <cmocka.h> /* last: it has a macro `fail` */

/* Loads a script that must fail, and checks what is said. */
static void expect_with(const char *text, size_t size, definition *definitions, size_t count, int status,
                        const char *part)
{
    taut_context *context = taut_context_create(NULL);
    model *m = (model *)1;
    int got = taut_model_read_text(context, "bad.lua", text, size, definitions, count, &m);
    const char *said = taut_error_text(context);
    if (got != status || !strstr(said, part))
        fail_msg("script:\n%s\nstatus %d, said: %s\nexpected: %s", text, got, got ? said : "(nothing)", part);
    if (strncmp(said, "bad.lua:", 8) != 0 || !strstr(said, "; ")) fail_msg("no place or no advice: %s", said);
    assert_null(m);
    taut_context_destroy(context);
}

static void expect(const char *text, const char *part)
{
    expect_with(text, strlen(text), NULL, 0, TAUT_BAD_MODEL, part);
}

typedef struct {
    const char *text, *part;
} bad;

static void expect_all(const bad *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) expect(cases[i].text, cases[i].part);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void lua_errors(void **state)
{
    (void)state;
    static const bad cases[] = {
        { "local x = = 3", "bad.lua:1: unexpected symbol near '='; fix the Lua syntax" },
        { "local x = 1\nif x then", "bad.lua:2: 'end' expected near <eof>; fix" },
        { "x = 'abc", "bad.lua:1: unfinished string near" },
        { "\n\nlocal y = foo + 1", "bad.lua:3: unknown name 'foo'; check the spelling" },
        { "\nprnt('x')", "bad.lua:2: unknown name 'prnt'; did you mean 'print'? check the spelling" },
        { "\nlagrangain(1)", "bad.lua:2: unknown name 'lagrangain'; did you mean 'lagrangian'? " },
        { "io.write('x')", "bad.lua:1: 'io' is not available in models; " },
        { "require 'x'", "bad.lua:1: 'require' is not available" },
        { "load('x')", "bad.lua:1: 'load' is not available" },
        { "dofile('x')", "'dofile' is not available" },
        { "loadfile('x')", "'loadfile' is not available" },
        { "os.exit(1)", "'os' is not available" },
        { "debug.getregistry()", "'debug' is not available" },
        { "coroutine.create(print)", "'coroutine' is not available" },
        { "collectgarbage()", "'collectgarbage' is not available" },
        { "string.dump(print)", "bad.lua:1: attempt to call a nil value (field 'dump'); " },
        { "local t\nt.x = 1", "bad.lua:2: attempt to index a nil value (local 't'); it was never set" },
        { "local t = {}\n\nlocal y = t.w + 1",
          "bad.lua:3: attempt to perform arithmetic on a nil value (field 'w'); " },
        { "local x = coordinate 'x'\nlocal y = math.sin(x)",
          "bad.lua:2: bad argument #1 to 'sin' (number expected, got symbol); use the" },
        { "error('my own; fix it')", "bad.lua:1: my own; fix it" },
        { "\nerror('no place; fix it', 0)", "bad.lua:2: no place; fix it" },
        { "\nerror({})", "bad.lua:2: the script raised an error that is not a text; " },
        { "local function f() return f() + 1 end\nf()", "stack overflow" },
        { "local function f() return pcall(f) end f() error('x; y')", "bad.lua:1: x; y" },
        { "setmetatable(_G, {})", "bad.lua:1: this metatable is protected; " },
        { "\nsetmetatable({}, { __gc = print })", "bad.lua:2: models have no finalizers; " },
        { "\nsetmetatable({}, { __mode = 'v' })", "bad.lua:2: models have no weak tables: " },
        { "local m = {}\nlocal t = setmetatable({}, m)\nm.__mode = 'k'", "bad.lua:2: models have no weak tables: " },
        { "local t\nlocal n = #t", "bad.lua:2: attempt to get length of a nil value; it was never set; " },
        { "local a, b = point('a'), point('b')\nlocal t = { [a + b] = 1, [a + b] = 2 } for k in pairs(t) do end",
          "bad.lua:2: keys that are tables or functions have no order; " },
        { "table.sort({1, 2, nil, 4})", "bad.lua:1: sort takes a list without holes, and item 3 is nil; " },
        { "table.insert({}, 3, 1)", "bad.lua:1: bad argument #2 to 'insert' (position out of bounds)" },
        { "table.insert({})", "bad.lua:1: wrong number of arguments to 'insert'" },
        { "table.remove({1}, 3)", "bad.lua:1: bad argument #2 to 'remove' (position out of bounds)" },
        { "math.randomseed()", "bad.lua:1: bad argument #1 to 'randomseed'" },
        { "table.concat(setmetatable({}, {}))", "bad.lua:1: functions of table take plain tables; " },
        { "local s = ('a'):rep(1000)\ns:find('a*a*a*a*b')",
          "bad.lua:2: this pattern may take too long on a string of 1000 characters; use fewer" },
        { "local s = ('a'):rep(1000000)\ns:find(('a'):rep(1000) .. 'b', 1, true)",
          "bad.lua:2: this pattern may take too long" },
        { "title 'red \\27[31m'", "bad.lua:1: the title has a character that cannot be seen; " },
        { "title 'two\\nlines'", "bad.lua:1: the title has a character that cannot be seen; " },
        { "param('a\\u{202e}b', 1)", "cannot be a name; " },   /* writes from right to left from here on */
        { "param('a\\xc2\\x9bb', 1)", "cannot be a name; " }, /* C1: the begin of a sequence for the terminal */
        { "param('a\\xff', 1)", "cannot be a name; " },
        { "local s = ('%5p'):format({})", "bad.lua:1: string.format has no %p in models; " },
        { "local t = { [{}] = 1, [{}] = 2 }\nfor k in pairs(t) do end",
          "bad.lua:2: keys that are tables or functions" },
        { "local t = { [{}] = 1, [print] = 2 }\nnext(t)", "bad.lua:2: keys that are tables or functions" },
        { "local s = 'a' .. {}", "attempt to concatenate a table value; use tostring" },
        { "local a = 1 < 'x'", "attempt to compare number with string; compare numbers" },
        { "\x1bLua", "bad.lua:1: this is compiled Lua, not text; " },
        { "local function deep() point(7) end\n\ndeep()", "bad.lua:1: point needs a name" },
        { "\n\npcall(point, 7)\ntable.sort({2, 1}, function(a, b)\n point(8) end)", "bad.lua:5: point needs a name" },
    };
    expect_all(cases, COUNT(cases));
}

static void declaration_errors(void **state)
{
    (void)state;
    static const bad cases[] = {
        { "title(3)", "bad.lua:1: title needs a string, got a number; " },
        { "title 'a'\ntitle 'b'", "bad.lua:2: the model has a title already; " },
        { "point()", "bad.lua:1: point needs a name, a string in quotes, got nothing; write point(\"name\")" },
        { "point 'a b'", "bad.lua:1: point: 'a b' cannot be a name; use letters" },
        { "point 'a.x'", "point: 'a.x' cannot be a name" },
        { "point ''", "point: '' cannot be a name" },
        { "point '1a'", "'1a' cannot be a name" },
        { "point(('a'):rep(101))", "longer than 100 bytes; " },
        { "point('a', 4)", "bad.lua:1: a point has 2 or 3 coordinates; " },
        { "point('a', 'x')", "a point has 2 or 3 coordinates; " },
        { "point 'a'\npoint 'a'", "bad.lua:2: the name 'a' is taken by the coordinate of line 1; choose another" },
        { "param('a', 1)\ncoordinate 'a'", "bad.lua:2: the name 'a' is taken by the parameter of line 1; " },
        { "option('a', 1)\nrotation 'a'", "bad.lua:2: the name 'a' is taken by the option of line 1; " },
        { "coordinate 'energy'", "bad.lua:1: 'energy' is a column of every result" },
        { "coordinate 't'", "'t' is a column of every result" },
        { "point 'momentum'", "'momentum' is a column" },
        { "param('g')", "bad.lua:1: param 'g' needs a value, a number, got nothing; write param(\"g\", 1.0)" },
        { "param('g', 'x')", "param 'g' needs a value, a number, got a text; " },
        { "\nparam('g', 0/0)", "bad.lua:2: param 'g' is " },
        { "param('g', math.huge)", "param 'g' is inf; its value must be finite" },
        { "local x = coordinate 'x'\nparam('g', x)", "bad.lua:2: param needs a constant: a number" },
        { "local z = param('z', 0)\nparam('g', 1/z)", "bad.lua:2: param 'g' is not finite; " },
        { "option('N')", "bad.lua:1: option 'N' needs a default" },
        { "option(3, 3)", "bad.lua:1: option needs a name" },
        { "for i = 1, 101 do option('o' .. i, 1) end", "more than 100 options; " },
        { "contact(1)", "bad.lua:1: contact needs a name, a string in quotes, got a number" },
        { "contact('c', 1)", "bad.lua:1: the gap of contact 'c' contains no coordinate; " },
        { "local a = point 'a'\ncontact('c', a)",
          "bad.lua:2: contact 'c' is a vector of 3; write one contact per component" },
        { "local x = coordinate 'x'\ncontact('c', x.dot)",
          "bad.lua:2: the gap of contact 'c' contains velocities, momenta or multipliers; " },
        { "local x = coordinate 'x'\ncontact('c', x); contact('c', x)", "there is a contact 'c' already (line 2); " },
        { "local x = coordinate 'x'\ncontact('c', x); constraint('c', x)",
          "there is a contact 'c' already (line 2); contacts and constraints" },
        { "local x = coordinate 'x'\nconstraint('c', x); contact('c', x)",
          "there is a constraint 'c' already (line 2); contacts and constraints" },
        { "local x = coordinate 'x'\ncontact('c', x, {restitution = 1.5})",
          "bad.lua:2: the restitution of contact 'c' is 1.5; it lies between 0" },
        { "local x = coordinate 'x'\ncontact('c', x, {bounce = 1})",
          "contact 'c' has no option 'bounce'; it has restitution, friction, " },
        { "local x = coordinate 'x'\ncontact('c', x, 1)",
          "contact 'c' takes a table of options third, got a number; " },
        { "local x = coordinate 'x'\ncontact('c', x, {friction = 0.1})",
          "contact 'c' has friction, but its gap is not of one point or two" },
        { "local a = point 'a'\ncontact('c', a.z, {friction = -1})",
          "the friction coefficient of contact 'c' is -1.0; it cannot be negative" },
        { "local a = point 'a'\ncontact('c', a.z, {regularised = 0.1})",
          "contact 'c' is regularised but has no friction; " },
        { "local a = point 'a'\ncontact('c', a.z, {friction = 0.1, roll = 3})",
          "roll of contact 'c' is a number; give roll = {rho, w}" },
        { "local a = point 'a'\ncontact('c', a.z, {friction = 0.1, roll = {0.1, 0}})",
          "the second number of roll of contact 'c' is not a constant above zero" },
        { "local a = point 'a'\ncontact('c', a.z, {friction = 0.1, roll = {-0.1, 1}})",
          "roll of contact 'c' begins with -0.1; it cannot be negative" },
        { "local a = point 'a'\ncontact('c', a.z, {friction = 0.1, roll = {a.dot.x, 1}})",
          "roll of contact 'c' contains velocities, momenta or multipliers; give a length" },
        { "local a = point 'a'\ncontact('c', a.z, {friction = 0.1, roll = {0.1, 1}})",
          "contact 'c' has roll, but no body = {c, r, at = place}" },
        { "local a = point 'a'\ncontact('c', a.z, {roll = {0.1, 1}})", "contact 'c' has roll, but no friction" },
        { "local a = point 'a'\ncontact('c', a.z, {friction = 0.1, body = 3})",
          "the body of contact 'c' is a number; give body = {c, r, at = place}" },
        { "local a, r = point 'a', rotation 'r'\ncontact('c', a.z, {friction = 0.1, body = {a, r}})",
          "the body of contact 'c' has no point, or no place at which it touches; give body = {c, r, at = place}" },
        { "local a, r = point 'a', rotation 'r'\ncontact('c', a.z, {friction = 0.1, body = {r, a, at = a}})",
          "the body of contact 'c' begins with" },
        { "local a, r = point 'a', rotation 'r'\ncontact('c', a.z, {friction = 0.1, body = {a, r, at = a.dot}})",
          "the place at which the body of contact 'c' touches contains velocities" },
        { "local a, b = point 'a', point 'b'\ncontact('c', a.z, {friction = 0.1, body = {a, b, at = a}})",
          "the body of contact 'c' turns by" },
        { "local a, r = point('a', 2), rotation 'r'\ncontact('c', a.y, {friction = 0.1, body = {a, r, at = a}})",
          "the body of contact 'c' turns by" },
        { "local a = point 'a'\ncontact('c', a.z, {friction = 0.1, slide = a.x.dot})",
          "slide of contact 'c' contains velocities, momenta" },
        { "local a = point 'a'\nlocal l = contact('c', a.z)\ncontact('d', a.z, {friction = l})",
          "bad.lua:3: the friction coefficient of contact 'd' contains a multiplier; " },
        { "impact_law 'both'", "bad.lua:1: impact_law is \"simultaneous\" or \"sequential\", not both; " },
        { "local x = coordinate 'x'; lagrangian(x.dot^2); start { x = 0 }\nimpact_law 'sequential'",
          "bad.lua:2: impact_law in a model without contacts; " },
        { "momentum(3)", "bad.lua:1: momentum belongs to a coordinate, a point or a rotation; this is a number" },
        { "local a = point 'a'\nmomentum(2*a)",
          "bad.lua:2: momentum belongs to a coordinate, a point or a rotation; this is an expression of them" },
        { "local x = coordinate 'x'\nmomentum(2*x)", "bad.lua:2: momentum belongs" },
        { "lagrangian(0)", "bad.lua:1: the model has no coordinates; declare some" },
        { "", "bad.lua:1: the model has no coordinates; declare some" },
        { "coordinate 'x'\nstart { x = 0 }\n", "bad.lua:2: the model has no equations of motion; " },
    };
    expect_all(cases, COUNT(cases));
}

static void symbol_errors(void **state)
{
    (void)state;
#define P "local a, b, c, x, r = point 'a', point 'b', point('c', 2), coordinate 'x', rotation 'r'\n"
    static const bad cases[] = {
        { P "local y = x + 'q'", "bad.lua:2: '+' needs a number or a scalar symbol here, got a text; " },
        { P "local y = x + nil", "bad.lua:2: '+' needs a number or a scalar symbol here, got nil; " },
        { P "local y = x*math.huge", "the number inf; numbers must be finite" },
        { P "local y = x/0", "bad.lua:2: division by zero; " },
        { P "local y = a/0", "bad.lua:2: division by zero; " },
        { P "local y = a + c", "bad.lua:2: '+' of a vector of 3 and a vector of 2; both need the same dimension" },
        { P "local y = a + 1", "bad.lua:2: '+' of a vector of 3 and a number; both must be vectors" },
        { P "local y = x - a", "bad.lua:2: '-' of a symbol and a vector of 3; " },
        { P "local y = a*b", "bad.lua:2: '*' of two vectors; write dot(a, b)" },
        { P "local y = a*{1, 2, 3}", "'*' of two vectors; " },
        { P "local y = 1/a", "bad.lua:2: division by a vector; " },
        { P "local y = a^2", "bad.lua:2: a vector has no powers; write norm2(v)" },
        { P "local y = a - {1, 2}", "'-' of a vector of 3 and a vector of 2; " },
        { P "local y = a - {}", "'-' needs a vector here, got a table of 0 values; " },
        { P "local y = a - {1, 2, 'z'}", "'-' needs a number or a scalar symbol here, got a text; " },
        { P "local y = dot(a, c)", "bad.lua:2: dot of a vector of 3 and a vector of 2; " },
        { P "local y = dot(a, 1)", "dot needs a vector here, got a number; give a point" },
        { P "local y = cross({1}, {2})", "cross of vectors of 1; " },
        { P "local y = norm2(x)", "norm2 needs a vector here, got a symbol; " },
        { P "local y = norm()", "norm needs a vector here, got nothing; " },
        { P "local y = sin(a)",
          "bad.lua:2: sin needs a number or a scalar symbol here, got a vector of 3; take a component" },
        { P "local y = sqrt(-1)", "bad.lua:2: sqrt of this number is not finite; " },
        { P "local y = log(0)", "log of this number is not finite; " },
        { P "local y = min()", "min needs a number or a scalar symbol here, got nothing; " },
        { P "if x < 1 then end", "bad.lua:2: symbols cannot be compared: they have no value while the script runs; " },
        { P "if x <= x then end", "symbols cannot be compared" },
        { P "if 2*x == x then end", "symbols cannot be compared" },
        { P "if a < b then end", "symbols cannot be compared" },
        { P "local y = a.q", "bad.lua:2: a vector of 3 has no field 'q'; it has x, y, z and dot" },
        { P "local y = c.z", "a vector of 2 has no field 'z'; it has x, y and dot" },
        { P "local y = a[4]", "a vector of 3 has no component 4; " },
        { P "local y = x.y", "bad.lua:2: a scalar symbol has no field 'y'; it has dot" },
        { P "x.y = 3", "bad.lua:2: symbols have no fields to set; " },
        { P "a.x = 3", "the components of a vector cannot be set; start values" },
        { P "local y = x.dot.dot", "bad.lua:2: .dot of an expression with velocities or multipliers; " },
        { P "local y = a.omega", "only a rotation has omega; this is a vector of 3" },
        { P "local y = a:apply{1, 2, 3}", "apply belongs to rotations; " },
        { P "local y = r:apply{1, 2}", "apply needs a vector of 3, got a table of 2 values; " },
        { P "local y = r.apply{1, 2, 3}", "apply belongs to rotations; write r:apply{x, y, z}, with a colon" },
        { P "local y = x // 2", "attempt to perform arithmetic on a symbol value (local 'x'); use numbers" },
        { P "local y = free(1) + 1", "attempt to perform arithmetic on a free value value" },
        { P "x()", "attempt to call a symbol value (local 'x'); " },
        { P "point('q' .. x)",
          "bad.lua:2: '..' of a symbol: it has no value while the script runs; take option for a number" },
        { P "title(a .. ' and b')", "bad.lua:2: '..' of a symbol" },
        { P "local y = #x", "bad.lua:2: a scalar symbol has no length; " },
        { P "local y = x | 'a'", "bad.lua:2: attempt to perform bitwise operation on a symbol; use whole numbers" },
        { P "local y = x | 1", "bad.lua:2: attempt to perform bitwise operation on a symbol value" },
        { P "local y = 1 | 'a'", "bad.lua:2: attempt to perform bitwise operation on a text; use whole numbers" },
        { P "local y = nil | 1", "bad.lua:2: attempt to perform bitwise operation on a nil value; " },
        { P "setmetatable({}, { __bor = print })", "bad.lua:2: tables of models have no operator '|'; " },
        { "local x = coordinate 'x'\nlocal y = pi^100000", "bad.lua:2: '^' of these numbers is not finite; " },
    };
    expect_all(cases, COUNT(cases));
}

/* Lua asks no metamethod for these: the operators are changed in the text. */
static void equality_errors(void **state)
{
    (void)state;
#define C P "local c = param('k', 0)\n"
#define SAYS "bad.lua:3: symbols cannot be compared: they have no value while the script runs; "
    static const bad cases[] = {
        { C "if c ~= 0 then end", SAYS },
        { C "if c == 0 then end", SAYS },
        { C "if 0 == c then end", SAYS },
        { C "if c == -1 then end", SAYS },
        { C "if c == 2*1.5e-3 then end", SAYS },
        { C "local n = 1 while n ~= c do n = n + 1 end", SAYS },
        { C "local t = { f = function(u) return u == 0 end } t.f(c)", SAYS },
        { C "local y = 1 < 2 == c", NULL }, /* a boolean */
        { C "local y = not (c ~= 1)", SAYS },
        { C "local y = x == theta", "unknown name 'theta'; " },
        { C "local y = x == c", SAYS },
        { C "local y = x == x", SAYS },
        { C "local y = a ~= b", SAYS },
        { C "local y = a == {0, 0, 0}", SAYS },
        { C "local y = a.x == 1", SAYS },
        { C "local y = 1 == 1 and 2 == 2 and c^2 == 4", SAYS },
        { C "local y = {x = {[1] = c == 1}}", SAYS },
        { C "-- ==\nlocal s = '==' .. [[ ~=\n]] -- ~=\nif s == '==' or c == 1 then end",
          "bad.lua:6: symbols cannot be compared" },
        { C "local y = x\n   ==\n   1", "symbols cannot be compared" },
        { C "if x == = 1 then end", "bad.lua:3: unexpected symbol near '='; fix" }, /* errors are those of the source */
        { C "if x ~= then end", "bad.lua:3: unexpected symbol near 'then'; fix" },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect(cases[i].text, cases[i].part ? cases[i].part : "the model has no equations of motion; ");
}

/* Lua drops arguments that a function does not take. */
static void extra_arguments(void **state)
{
    (void)state;
    static const bad cases[] = {
        { P "lagrangian(x.dot^2/2, -50*x^2)",
          "bad.lua:2: lagrangian takes 1 argument, got 2; did you mean their sum, lagrangian(a + b)?" },
        { P "hamiltonian(x, x)", "bad.lua:2: hamiltonian takes 1 argument, got 2; did you mean their sum" },
        { P "constraint('c', x, 1)",
          "constraint takes 2 arguments, got 3; give a name and one expression that stays zero" },
        { P "gauge('c', x, 1)", "gauge takes 2 arguments, got 3; " },
        { P "observe('o', x, x)", "observe takes 2 arguments, got 3; " },
        { P "force(a, 1, 2, 3)",
          "force takes 2 arguments, got 4; put the components in one table: force(a, {fx, fy, fz})" },
        { P "rate(x, 1, 2)", "rate takes 2 arguments, got 3; " },
        { P "start({ x = 1 }, { a = {1, 2, 3} })", "start takes 1 argument, got 2; put all in one table" },
        { P "start_points({}, {})", "start_points takes 1 argument, got 2; " },
        { P "free(1, 2)", "free takes at most 1 argument, got 2; " },
        { P "solve_for()", "solve_for got nothing; " },
        { P "local y = sin(x, x)",
          "bad.lua:2: sin takes 1 argument, got 2; take the others out, or check the brackets" },
        { P "local y = cos(x, nil)", "cos takes 1 argument, got 2; " },
        { P "local y = tan(1, 2)", "tan takes 1 argument" },
        { P "local y = asin(x, 1)", "asin takes 1 argument" },
        { P "local y = acos(x, 1)", "acos takes 1 argument" },
        { P "local y = sinh(x, 1)", "sinh takes 1 argument" },
        { P "local y = cosh(x, 1)", "cosh takes 1 argument" },
        { P "local y = tanh(x, 1)", "tanh takes 1 argument" },
        { P "local y = exp(x, 1)", "exp takes 1 argument" },
        { P "local y = log(x, 10)",
          "log takes 1 argument, got 2; it is the natural logarithm; for another base divide" },
        { P "local y = sqrt(x, 3)", "sqrt takes 1 argument" },
        { P "local y = abs(x, x)", "abs takes 1 argument, got 2; " },
        { P "local y = atan(x, x, x)", "atan takes at most 2 arguments, got 3; " },
        { P "local y = atan2(x, x, x)", "atan2 takes 2 arguments, got 3; " },
        { P "local y = vector(x, x, x)",
          "vector takes 1 argument, got 3; put the components in one table: vector{x, y, z}" },
        { P "local y = norm2(a, b)", "norm2 takes 1 argument, got 2; " },
        { P "local y = norm(x, x, x)", "norm takes 1 argument, got 3; " },
        { P "local y = dot(a, b, c)", "dot takes 2 arguments, got 3; " },
        { P "local y = cross(a, b, c)", "cross takes 2 arguments, got 3; " },
        { P "local y = r:apply(1, 2, 3)",
          "apply takes 1 argument, got 3; put the components in one table: r:apply{x, y, z}" },
        { P "time(0)", "time takes no arguments, got 1; " },
        { P "title('a', 'b')", "title takes 1 argument, got 2; " },
        { P "param('m', 1, 2)", "param takes 2 arguments, got 3; " },
        { P "option('m', 1, 2)", "option takes 2 arguments, got 3; " },
        { P "point('q', 2, 3)", "point takes at most 2 arguments, got 3; " },
        { P "coordinate('u', 'v')", "coordinate takes 1 argument, got 2; declare one at a time" },
        { P "rotation('u', {1, 0, 0, 0})", "rotation takes 1 argument, got 2; " },
        { P "momentum(x, x)", "momentum takes 1 argument, got 2; " },
        { P "embed('e', x, x)", "embed takes 2 arguments, got 3; put the components in one table" },
        { P "contact('c', x, {}, 1)", "contact takes at most 3 arguments, got 4; " },
        { P "impact_law('sequential', 1)", "impact_law takes 1 argument, got 2; " },
        { P "draw(bar(a, b), ball(a))", "draw takes 1 argument, got 2; put the items in one table" },
        { P "bar(a, b, 1)", "bar takes 2 arguments, got 3; " },
        { P "spring(a, b, 1)", "spring takes 2 arguments, got 3; " },
        { P "ball(a, 1, 1)", "ball takes at most 2 arguments, got 3; " },
        { P "box(a, 1, 2, 3)", "box takes at most 3 arguments, got 4; put the sizes in one table" },
        { P "disc(a, 1, 2, x)", "disc takes at most 3 arguments, got 4; put the sizes in one table" },
        { P "path(print, {0, 1}, 3, 4)", "path takes at most 3 arguments, got 4; " },
        { P "path({a, b}, 3)", "path of a table of places takes nothing else, got a number; " },
        { P "surface(print, {0, 1}, {0, 1}, 3, 4, 5)", "surface takes at most 5 arguments, got 6; " },
        /* and what a table holds beyond its list */
        { P "draw { bar(a, b), tip = ball(a) }",
          "bad.lua:2: draw takes a list here, and 'tip = ...' has no place in it; " },
        { P "draw { bar(a, b), [5] = ball(a) }", "draw takes a list here, and something in it has no place" },
        { P "local y = norm2{1, 2, z = 3}", "norm2 takes a list here, and 'z = ...' has no place in it; " },
        { P "lagrangian(x)\nstart { a = {0, 0, 0, dot = {1, 0, 0}} }",
          "bad.lua:3: start takes a list here, and 'dot = ...' has no place" },
        { P "lagrangian(x)\nstart_points { x = {0, 1, step = 2} }",
          "start_points takes a list here, and 'step = ...'" },
        { P "box(a, {1, 2, height = 3})", "box takes a list here, and 'height = ...'" },
        { P "path(print, {0, 1, n = 3})", "path takes a list here, and 'n = ...'" },
        { P "path({a, b, width = 3})", "path takes a list here, and 'width = ...'" },
        { P "contact('c', x, {0.5})", "contact 'c' has an option without a name; write {restitution" },
    };
    expect_all(cases, COUNT(cases));
}

static void loop_errors(void **state)
{
    (void)state;
#define N "local n = param('n', 3)\n"
#define OPTION \
    "a symbol has no value while the script runs: for a number that the script itself needs take option(\"N\", 100), " \
    "not param"
    static const bad cases[] = {
        { N "for i = 1, n do end", "bad.lua:2: bad 'for' limit (number expected, got symbol); " OPTION },
        { N "for i = n, 4 do end", "bad.lua:2: bad 'for' initial value (number expected, got symbol); " OPTION },
        { N "for i = 1, 4, n do end", "bad.lua:2: bad 'for' step (number expected, got symbol); " OPTION },
        { N "for i = 1, 'x' do end", "bad.lua:2: bad 'for' limit (number expected, got string); a loop needs numbers" },
    };
    expect_all(cases, COUNT(cases));
    /* An option of whole default may be any number, but a loop does not round it off silently. */
    definition d[] = { { "N", "2.5", 0 } };
    static const bad rounded[] = {
        { "local N = option('N', 100)\nfor i = 1, N do end",
          "bad.lua:2: this loop ends at 2.5, and option 'N' is 2.5 where its default is a whole number; " },
        { "local N = option('N', 100)\nfor i = 0, N - 1 do local t = {} end",
          "bad.lua:2: this loop ends at 1.5, and option 'N' is 2.5" },
        { "local N = option('N', 100)\nfor j = 1, 2 do for i = j, (N) do end end", "bad.lua:2: this loop ends at 2.5" },
        { "local N = option('N', 100) local s = ('x'):rep(N)",
          "number has no integer representation); give a whole number" },
        { "local N = option('N', 100)\nfor i = 1, math.floor(N) do end\nfor i = 0, N, 0.5 do end\nfor k, v in pairs{1} "
          "do end",
          "the model has no coordinates; " },
        { "local N = option('N', 100.0)\nfor i = 1, N do end", "the model has no coordinates; " },
    };
    for (size_t i = 0; i < COUNT(rounded); i++)
        expect_with(rounded[i].text, strlen(rounded[i].text), d, 1, TAUT_BAD_MODEL, rounded[i].part);
}

static void equation_errors(void **state)
{
    (void)state;
    static const bad cases[] = {
        { P "lagrangian(a)", "bad.lua:2: the lagrangian must be a scalar, got a vector of 3; " },
        { P "lagrangian()", "lagrangian needs a number or a scalar symbol here, got nothing; " },
        { P "lagrangian(constraint('c', x))", "the lagrangian contains a multiplier; " },
        { P "hamiltonian({1})", "the hamiltonian must be a scalar, got a table of 1 values; " },
        { P "lagrangian(x)\nhamiltonian(x)",
          "bad.lua:3: hamiltonian in a model that has a lagrangian (line 2); a model has one form" },
        { P "hamiltonian(x)\nlagrangian(x)", "bad.lua:3: lagrangian in a model that has a hamiltonian (line 2); " },
        { P "hamiltonian(x)\nrate(x, 1)", "bad.lua:3: rate in a model that has a hamiltonian (line 2); " },
        { P "local v = x.dot\nlocal p = momentum(x)",
          "bad.lua:3: velocities (.dot, omega; line 2) and momenta (momentum, hamiltonian, rate; line 3)" },
        { P "local p = momentum(x)\nlocal v = x.dot",
          "bad.lua:3: velocities (.dot, omega; line 3) and momenta (momentum, hamiltonian, rate; line 2)" },
        { P "hamiltonian(x)\nlocal v = x.dot",
          "bad.lua:3: velocities (.dot, omega; line 3) and momenta (momentum, hamiltonian, rate; line 2)" },
        { P "hamiltonian(x)\nlocal v = r.omega", "bad.lua:3: velocities (.dot, omega; line 3)" },
        { P "local v = x.dot\nhamiltonian(x)",
          "bad.lua:3: hamiltonian in a model with velocities (.dot or omega, line 2); " },
        { P "local v = x.dot\nrate(x, x)", "bad.lua:3: rate in a model with velocities (.dot or omega, line 2); " },
        { P "local v = momentum(x)\nlagrangian(x)", "bad.lua:3: lagrangian in a model with momenta (line 2); " },
        { P "lagrangian(x)\nlocal v = momentum(x)", "bad.lua:3: momentum in a model with a Lagrangian (line 2); " },
        { P "constraint('x', a)", "bad.lua:2: constraint 'x' is a vector of 3; write one constraint per component" },
        { P "constraint(x)",
          "bad.lua:2: constraint needs a name, a string in quotes, got a symbol; write constraint(\"name\", ...)" },
        { P "constraint('c')", "constraint needs a number or a scalar symbol here, got nothing; " },
        { P "constraint('c', 1)", "constraint 'c' contains no coordinate; " },
        { P "constraint('c', time())", "constraint 'c' contains no coordinate; " },
        { P "constraint('c', x.dot^2 - x)", "bad.lua:2: constraint 'c' is not linear in the velocities; " },
        { P "constraint('c', sin(x.dot))", "constraint 'c' is not linear in the velocities; " },
        { P "constraint('c', x.dot*constraint('k', x))", "constraint 'c' contains a multiplier; " },
        { P "gauge('c', x.dot)", "gauge 'c' contains velocities; " },
        { P "constraint('c', x.dot)\nhamiltonian(x)", "bad.lua:3: hamiltonian in a model with velocities " },
        { P "contact('floor', x)\nconstraint('c', x.dot)\nlagrangian(x.dot^2)\nstart{x = 0, a = {0,0,0}}",
          "bad.lua:3: constraint 'c' is one on velocities, and the model has contacts (line 2); " },
        { P "constraint('c', x*constraint('k', x))", "constraint 'c' contains a multiplier; " },
        { P "constraint('k', x)\nconstraint('k', x)", "bad.lua:3: there is a constraint 'k' already (line 2); " },
        { P "constraint('r', x)", "bad.lua:2: there is a constraint 'r' already (line 1); " },
        { P "force(a, 1)", "bad.lua:2: force needs a vector here, got a number; " },
        { P "force(a, {1, 2})", "force on 3 coordinates, but the value is a table of 2 values; give 3 components" },
        { P "force(x, a)", "force on one coordinate, but the value is a vector of 3; " },
        { P "force(x.dot, 1)", "force on an expression with velocities, momenta or multipliers; " },
        { P "force(vector{3, 4}, {1, 1})", "force on an expression without coordinates does nothing; " },
        { P "force(3, 1)", "force needs a coordinate or a point first, got a number; " },
        { P "rate(2*x, 1)", "rate belongs to a coordinate or to momentum(coordinate)" },
        { P "rate(x, 1)\nrate(x, 2)", "bad.lua:3: the rate of 'x' is given already (line 2); " },
        { P "rate(x, constraint('k', x))", "the rate of a coordinate contains a multiplier; " },
        { "local x = coordinate 'x'\nrate(x, 1)", "bad.lua:1: no rate for 'p.x'; add rate(momentum(x), ...)" },
        { "local x, y = coordinate 'x', coordinate 'y'\nrate(x, 1) rate(momentum(x), 1)",
          "bad.lua:1: no rate for 'y'; add rate(y, ...)" },
        { P "observe('v', a)", "bad.lua:2: observable 'v' is a vector of 3; " },
        { P "observe(3, x)", "observe needs a name" },
        { P "observe('a b', x)", "observe: 'a b' cannot be a name" },
        { P "observe('energy', x)", "'energy' is a column of every result; " },
        { P "observe('lambda.k', x)", "'lambda.k' is a column of every result; " },
        { P "observe('u.dot', x)", "'u.dot' is a column" },
        { P "observe('v', x)\nobserve('v', x)", "bad.lua:3: there is an observable 'v' already (line 2); " },
        { "local x = coordinate 'x'\nlagrangian(x)\nobserve('x', x)",
          "bad.lua:3: observable 'x' has the name of a coordinate (line 1); " },
        { "local a = point 'a'\nlagrangian(a.x)\nobserve('a.y', a.x)",
          "bad.lua:3: observable 'a.y' has the name of a coordinate (line 1); " },
        { "local p, x = point 'p', coordinate 'x'\nlagrangian(x)",
          "'p.x' would be a coordinate of 'p' and the momentum of 'x' (line 1); " },
        { "local p, x = point 'lambda', coordinate 'u'\nlagrangian(x) constraint('y', x)",
          "'lambda.y' would be a coordinate and the mult" },
    };
    expect_all(cases, COUNT(cases));
}

static void start_errors(void **state)
{
    (void)state;
#define S P "lagrangian(x)\n"
    static const bad cases[] = {
        { S "start(3)", "bad.lua:3: start needs a table, got a number; " },
        { S "start { foo = 1 }", "bad.lua:3: start: unknown name 'foo'; " },
        { S "start { ['a.q'] = 1 }", "start: unknown name 'a.q'; " },
        { S "start { ['x.x'] = 1 }", "start: unknown name 'x.x'; " },
        { S "start { ['a.x.x'] = 1 }", "start: unknown name 'a.x.x'; " },
        { S "start { ['a.dot.dot'] = 1 }", "start: unknown name 'a.dot.dot'; " },
        { S "start { ['a.omega'] = 1 }", "start: unknown name 'a.omega'; " },
        { S "start { ['p.q'] = 1 }", "start: unknown name 'p.q'; " },
        { S "start { [('a'):rep(500)] = 1 }", "start: unknown name 'aaaa" },
        { S "start { {1, 2, 3} }", "start: value 1 has no name; " },
        { S "start { [true] = 1 }",
          "start: a key must be a coordinate, a point, a velocity or a momentum, or its name; this is a boolean" },
        { S "start { [2*x] = 1 }",
          "start: a key must be a coordinate, a point, a velocity or a momentum, or its name; this is an expression" },
        { S "start { [a + b] = 1 }", "start: a key must be a coordinate" },
        { S "start { a = {1, 2} }", "bad.lua:3: start of 'a' needs 3 values, got 2; " },
        { S "start { a = vector{1, 2} }", "start of 'a' needs 3 values, got 2; " },
        { S "start { a = 1 }", "start of 'a' needs 3 values, got a number; write {x, y, z}" },
        { S "start { c = 1 }", "start of 'c' needs 2 values, got a number; write {x, y}" },
        { S "start { x = {1} }", "start of 'x' needs 1 number, got a table of 1 values; " },
        { S "start { x = 'q' }", "start of 'x' needs numbers, got a text; " },
        { S "start { a = {1, 2, 'z'} }", "start of 'a' needs numbers, got a text; " },
        { S "start { x = a.x }", "start of 'x' contains coordinates or time; " },
        { S "start { x = 0/0 }", "finite" },
        { S "local z = param('z', 0)\nstart { x = 1/z }", "bad.lua:4: start of 'x' is not finite; " },
        { S "start { x = 1 }\nstart { x = 2 }", "bad.lua:4: the start value of 'x' is given already (line 3); " },
        { S "start { a = {1, 2, 3} }\nstart { ['a.y'] = 2 }",
          "bad.lua:4: the start value of 'a.y' is given already (line 3); " },
        { S "start { ['a.dot'] = {1, 2, 3} }\nstart { [a.dot.z] = 2 }",
          "bad.lua:4: the start value of 'a.z.dot' is given already (line 3)" },
        { S "local k = constraint('k', x - 1)\nstart { ['lambda.k'] = 1 }\nstart { [k] = 2 }",
          "bad.lua:5: the start value of 'lambda.k' is given already; " },
        { S "start { ['p.x'] = 2 }", "bad.lua:3: momentum in a model with a Lagrangian (line 2); " },
        { P "hamiltonian(x)\nstart { ['p.x.dot'] = 2 }", "bad.lua:3: start: unknown name 'p.x.dot'; " },
        { P "hamiltonian(x)\nstart { ['p.r.omega'] = {1, 2, 3} }", "bad.lua:3: start: unknown name 'p.r.omega'; " },
        { P "hamiltonian(x)\nstart { ['x.dot'] = 2 }", "bad.lua:3: velocities (.dot, omega; line 3)" },
        { P "hamiltonian(x)\nstart { ['r.omega'] = {1, 2, 3} }", "bad.lua:3: velocities (.dot, omega; line 3)" },
        { S "start { a = {1, 2, 3}, b = {1, 2, 3}, c = {1, 2}, r = {1, 0, 0, 0} }",
          "bad.lua:1: no start value for 'x'; add x = 0 to start" },
        { S "start { x = 1, ['a.x'] = 2, ['a.y'] = 3 }",
          "bad.lua:1: no start value for 'a.z'; add a = {...} to start" },
        { S "start { ['r.omega'] = {1, free(2), 3} }", "free in the start of 'r.omega' is not supported; " },
        { S "start { ['r.omega'] = {1, 2} }", "start of 'r.omega' needs 3 values, got 2; " },
        { S "start { ['r.omega'] = {1, 2, 3} }",
          "bad.lua:3: the start of 'r.omega' needs the start of 'r' as numbers; " },
        { S "start { r = {free(1), 0, 0, 0}, [r.omega] = {1, 2, 3} }",
          "the start of 'r.omega' needs the start of 'r' as numbers; " },
        { S "start { r = {1, 0, 0, 0}, [r.omega] = {1, 2, 3}, ['r.dot'] = {0, 0, 0, 0} }",
          "the start value of 'r.w.dot' is given already" },
        { S "start { r = {1, 0, 0, 0}, [r.omega] = {1, 2, 3} }\nstart { ['r.omega'] = {0, 0, 0} }",
          "bad.lua:4: the start value of 'r.w.dot' is" },
        { S "free(x)", "bad.lua:3: free needs a constant" },
        { S "free('x')", "free needs a number or a scalar symbol here, got a text; " },
        { S "solve_for(3)",
          "bad.lua:3: solve_for takes coordinates, points, velocities or momenta; argument 1 is a number" },
        { S "solve_for(x, 2*x)", "argument 2 is an expression of them" },
        { S "solve_for(r.omega)", "solve_for of an angular velocity is not supported; " },
        { S "solve_for('nothing')", "unknown name 'nothing'; " },
        { S "draw(3)", "bad.lua:3: draw needs a table, got a number; " },
        { S "draw { 3 }", "draw: item 1 is a number; give bar(p, q)" },
        { S "draw { bar(a) }", "bar needs a vector here, got nothing; " },
        { S "draw { bar(a, x) }", "bar needs a vector here, got a symbol; " },
        { S "draw { bar(a, a.dot) }", "bar needs a place made of coordinates and time; " },
        { S "draw { ball(r) }", "ball needs a place, got a vector of 4; " },
        { S "draw { ball(a, -1) }", "the radius of a ball must be positive and finite" },
        { S "draw { ball(a, x) }", "the radius of ball needs a constant" },
        { S "draw { box(a) }", "bad.lua:3: box needs its sizes, got nothing; " },
        { S "draw { box(a, {1, -1}) }", "the sizes of box must be positive and finite; " },
        { S "draw { box(a, {1, x}) }", "the size of a body needs a constant" },
        { S "draw { box(a, {1, 1}, a) }", "box is turned by a vector of 3; " },
        { S "draw { box(a, {1, 1}, x.dot) }", "box is turned by something with velocities" },
        { S "draw { disc(a, {1, 2, 3}) }", "disc needs a radius, got a table" },
        { S "draw { cylinder(a, a) }",
          "the radius of a cylinder or capsule needs a number or a scalar symbol here, got nothing; " },
        { S "draw { capsule(a, a, 0) }", "the radius of capsule must be positive and finite; " },
        { S "draw { plane(a, a.dot) }", "plane needs a place made of coordinates and time; " },
        { S "draw { arrow(a.dot, a) }", "arrow needs a place made of coordinates and time; " },
        { S "draw { arrow(a, a.dot, -1) }", "the scale of an arrow must be positive and finite; " },
        { S "draw { ground(x) }", "the height of ground needs a constant" },
        { S "draw { mesh(a, 3) }", "mesh needs the name of a file, got a number; " },
        { S "draw { mesh(a, 'a.stl', r, 0) }", "the scale of a mesh must be positive and finite; " },
        { S "draw { ball(a):colour(3) }", "colour needs a string, got a number; " },
        { S "draw { ball(a):colour '#12345' }", "'#12345' is no colour; give blue, " },
        { S "draw { ball(a).label '3' }", "label belongs to shapes; write ball(a):label" },
        { S "draw { ball(a):size(3) }", "a shape has no field 'size'; it has colour and label" },
        { S "units 'm'", "bad.lua:3: units needs a table, got a text; " },
        { S "units { length = 3 }", "the unit of length needs a short string, got a number; " },
        { S "units { charge = 'C' }", "units knows length, time and mass, not charge; " },
        { S "units { time = 's' } units { time = 's' }", "the model has a unit of time already; " },
        { S "draw { path(a) }", "path got a vector of 3; give a function" },
        { S "draw { path(function(u) return {u} end) }", "path needs a range here, got nothing; " },
        { S "draw { path(function(u) return {u} end, {0, 1}, 0.5) }",
          "path needs a number of intervals, got a number; " },
        { S "draw { path(function(u) return u end, {0, 1}) }", "path needs a vector here, got a number; " },
        { S "draw { surface(a, {0, 1}, {0, 1}) }", "surface got a vector of 3; give a function" },
        { S "draw { surface(function(u, v) return {x.dot, 0} end, {0, 1}, {0, 1}) }",
          "surface needs a place made of coordinates and time; " },
    };
    expect_all(cases, COUNT(cases));
}

static void start_points_errors(void **state)
{
    (void)state;
    static const bad cases[] = {
        { S "start_points(3)", "bad.lua:3: start_points needs a table, got a number; write start_points { a = " },
        { S "start_points { x = 1 }",
          "bad.lua:3: start_points of 'x' needs two values, at t = 0 and a step later, got a number; write {x0, x1}" },
        { S "start_points { a = {1, 2, 3} }",
          "start_points of 'a' needs two points, at t = 0 and a step later, got a table of 3 values; " },
        { S "start_points { a = {{1, 2, 3}} }", "start_points of 'a' needs two points" },
        { S "start_points { a = {{1, 2, 3}, {1, 2}} }", "start of 'a' needs 3 values, got 2; " },
        { S "start_points { a = {1, 2} }", "start of 'a' needs 3 values, got a number; " },
        { S "start_points { x = {1, 'q'} }", "start of 'x' needs numbers, got a text; " },
        { S "start_points { x = {1, a.x} }", "start of 'x' contains coordinates or time; " },
        { S "start_points { ['x.dot'] = {1, 2} }",
          "bad.lua:3: start_points gives positions, not 'x.dot'; the momenta follow" },
        { S "start_points { [r.omega] = {1, 2} }", "start_points gives positions, not 'r.omega'; " },
        { S "start_points { foo = {1, 2} }", "unknown name 'foo'; " },
        { S "start_points { {1, 2} }", "start_points: value 1 has no name; " },
        { S "start_points { [2*x] = {1, 2} }", "start_points: a key must be a coordinate" },
        { S "start_points { x = {1, 2} }\nstart_points { x = {1, 2} }",
          "bad.lua:4: the start value of 'x' is given already (line 3); " },
        { S "start_points { x = {1, 2} }\nstart { x = 1 }",
          "bad.lua:4: start in a model with start_points (line 3); give one of them" },
        { S "start { x = 1 }\nstart_points { x = {1, 2} }",
          "bad.lua:4: start_points in a model with start (line 3); give one of them" },
        { S "start_points { x = {1, 2} }",
          "bad.lua:1: no start value for 'a.x'; add a = {{...}, {...}} to start_points" },
        { "local x = coordinate 'x'\nhamiltonian(x)\nstart_points { x = {1, 2} }",
          "bad.lua:3: start_points needs a Lagrangian" },
    };
    expect_all(cases, COUNT(cases));
}

static void embed_errors(void **state)
{
    (void)state;
    static const bad cases[] = {
        { P "embed(3, {x, x})", "bad.lua:2: embed needs a name" },
        { P "embed('e')", "bad.lua:2: embed needs a vector here, got nothing; " },
        { P "embed('e', x)", "embed needs a vector here, got a symbol; " },
        { P "embed('e', {x})",
          "bad.lua:2: embed 'e' needs a point of 2 or 3 components, got a table of 1 values; write embed(\"e\"," },
        { P "embed('e', r)", "embed 'e' needs a point of 2 or 3 components, got a vector of 4; " },
        { P "embed('e', {x, x.dot})", "bad.lua:2: embed 'e' contains velocities, momenta or multipliers; " },
        { P "embed('e', {x, constraint('k', x)})", "embed 'e' contains velocities, momenta or multipliers; " },
        { P "embed('e', {1, time()})", "bad.lua:2: embed 'e' contains no coordinate; " },
        { P "embed('a', {x, x})", "bad.lua:2: the name 'a' is taken by the coordinate of line 1; " },
        { P "embed('e', {x, x})\nembed('e', {x, x})",
          "bad.lua:3: the name 'e' is taken by the embedded point of line 2; " },
        { P "embed('e', {x, x})\npoint 'e'", "bad.lua:3: the name 'e' is taken by the embedded point of line 2; " },
        { P "embed('p', {x, x})", "embed: 'p' is the family of columns of the momenta; " },
        { P "embed('lambda', {x, x})", "embed: 'lambda' is the family of columns of the multipliers; " },
        { P "embed('momentum', {x, x})", "'momentum' is a column" },
        { P "local e = embed('e', {x, x})\nlocal f = embed('f', {x, e.dot.x})",
          "bad.lua:3: embed 'f' contains velocities" },
        { P "local e = embed('e', {x, x})\nconstraint('k', e.dot.x*e.dot.y)",
          "bad.lua:3: constraint 'k' is not linear in the velocities; " },
        { P "local e = embed('e', {x, x})\nlocal v = e.dot.dot",
          "bad.lua:3: .dot of an expression with velocities or multipliers; " },
        { P "local e = embed('e', {x, x})\nmomentum(e)",
          "bad.lua:3: momentum belongs to a coordinate, a point or a rotation; " },
        { P "hamiltonian(x)\nlocal e = embed('e', {x, x}).dot", "bad.lua:3: velocities (.dot, omega; line 3)" },
        { P "local e = embed('e', {x, x})\nforce(2*e.dot, {1, 1})",
          "bad.lua:3: force on an expression with velocities" },
        { P "local e = embed('e', {x, x})\nstart { e = {1, 2} }",
          "bad.lua:3: start: 'e' is an embedded point (line 2), which follows from the coordinates; " },
        { P "local e = embed('e', {x, x})\nstart { ['e.dot'] = {1, 2} }", "start: 'e' is an embedded point (line 2)" },
        { P "local e = embed('e', {x, x})\nstart { [e] = {1, 2} }", "start: a key must be a coordinate" },
        { P "observe('e.y', x)\nembed('e', {x, x})\nlagrangian(x.dot^2)",
          "bad.lua:2: observable 'e.y' has the name of an embedded point's component (line 3); " },
    };
    expect_all(cases, COUNT(cases));
}

static void definition_errors(void **state)
{
    (void)state;
    definition d[] = {
        { "g", "abc", 0 }, { "h", "inf", 0 }, { "on", "maybe", 0 }, { "N", "ten", 0 }, { "M", "nan", 0 }
    };
    static const bad cases[] = {
        { "\nparam('g', 1)", "bad.lua:2: setting g=abc: 'abc' is not a number; " },
        { "param('h', 1)", "param 'h' is not finite; " },
        { "option('on', true)", "setting on=maybe: option 'on' is true or false; " },
        { "option('N', 1)", "setting N=ten: 'ten' is not a number; " },
        { "option('M', 1)", "setting M=nan: option 'M' must be finite; " },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_with(cases[i].text, strlen(cases[i].text), d, COUNT(d), TAUT_BAD_MODEL, cases[i].part);
}

/* Lua shortens long names of files in its messages; ours are whole. */
static void long_file_names(void **state)
{
    (void)state;
    static const char name[] = "/a/very/long/path/to/a/model/in/some/folder/somewhere/on/this/machine/model.lua";
    static const char *const scripts[] = { "\nlocal x = nil + 1", "\nlocal = 3", "\npoint(3)", "\nerror('x', 0)" };
    taut_context *context = taut_context_create(NULL);
    model *m;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        assert_int_equal(taut_model_read_text(context, name, scripts[i], strlen(scripts[i]), NULL, 0, &m),
                         TAUT_BAD_MODEL);
        assert_memory_equal(taut_error_text(context), name, strlen(name));
        assert_memory_equal(taut_error_text(context) + strlen(name), ":2: ", 4);
    }
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lua_errors),      cmocka_unit_test(declaration_errors), cmocka_unit_test(symbol_errors),
        cmocka_unit_test(equation_errors), cmocka_unit_test(start_errors),       cmocka_unit_test(definition_errors),
        cmocka_unit_test(start_points_errors), cmocka_unit_test(embed_errors), cmocka_unit_test(long_file_names),
        cmocka_unit_test(equality_errors), cmocka_unit_test(extra_arguments), cmocka_unit_test(loop_errors),
    };
    return cmocka_run_group_tests_name("model errors", tests, NULL, NULL);
}
