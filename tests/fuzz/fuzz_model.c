/* Models of strangers: a text is loaded; where that succeeds and the model is small, a method makes two steps of it and a
   frame is read. The allocator refuses more than FUZZ_BYTES, so failing allocations are met on the way. */
#define FUZZ_SECONDS_MOST 0.05 /* of one input in fifty, which has a loop without end */
#include "run/engine.h"
#include "text.h"

static const char *const words[] = {
    "param", "option", "input", "coordinate", "point", "rotation", "momentum", "lagrangian", "hamiltonian", "constraint",
    "gauge", "force", "rate", "contact", "observe", "embed", "start", "start_points", "free", "solve_for", "draw", "bar",
    "spring", "ball", "box", "disc", "path", "surface", "cylinder", "capsule", "plane", "ground", "arrow", "mesh", "time",
    "title", "units", "origin", "world", "body", "revolute", "prismatic", "spherical", "universal", "cylindrical",
    "planar", "fixed", "screw", "distance", "gear", "belt", "rolling", "gravity", "spring", "damper", "norm2", "norm",
    "dot", "cross", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt",
    "cbrt", "abs", "min", "max", "pi", "sum", "local", "for", "do", "end", "if", "then", "else", "while", "repeat",
    "until", "function", "return", "nil", "true", "false", "not", "and", "or", "in", "pairs", "ipairs", "next", "select",
    "pcall", "error", "assert", "type", "tostring", "tonumber", "string", "table", "math", "rep", "format", "gsub", "find",
    "byte", "char", "concat", "insert", "remove", "sort", "unpack", "setmetatable", "getmetatable", "rawget", "rawset",
    "rawequal", "rawlen", "collectgarbage", "print", "friction", "restitution", "mass", "inertia", "at", "turned",
    "axis", "angle", "slide", "limits", "damping", "x", "y", "z", "w", "q", "p", "dot", "omega", "apply", NULL };
static const char *const templates[] = {
    "local $s = coordinate '$s'", "local $s = point '$s'", "local $s = point('$s', 2)", "local $s = rotation '$s'",
    "local $s = param('$s', $n)", "local $s = option('$s', $n)", "local $s = input('$s', $n)", "lagrangian($e)",
    "hamiltonian($e)", "constraint('$s', $e)", "force($w, $e)", "rate($w, $e)", "contact('$s', $e)",
    "contact('$s', $e, { restitution = $n, friction = $n })", "observe('$s', $e)", "embed('$s', { $e, $e, $e })",
    "start { $w = $n }", "start { $w = { $n, $n, free($n) } }", "start { ['$w.dot'] = $n }", "draw { bar($w, $w) }",
    "draw { ball($w, $n) }", "gauge('$s', $e)", "for i = 1, $n do $w($e) end", "while $e do end",
    "local $s = body('$s', { mass = $n, inertia = {$n, $n, $n}, at = {$n, $n, $n} })",
    "revolute('$s', world, $w, { at = {$n, $n, $n}, axis = {$n, $n, $n} })",
    "spherical('$s', $w, $w, { at = {$n, $n, $n} })", "fixed('$s', world, $w, { at = {$n, $n, $n} })",
    "prismatic('$s', world, $w, { at = {0,0,0}, axis = {$n, $n, $n}, slide = { start = $n } })", "gravity{0, 0, $n}",
    "title '$w'", "local function $s(...) return $e end", "pcall(function() $w($e) end)", "$w = $e",
    "local $s = setmetatable({}, { __index = $w })", "print($e)", "error($e)", "local $s = string.rep('$w', $n)",
    "goto $s", "units { length = '$w' }", "solve_for($w)", "start_points { $w = $n }", NULL };
static const char *const atoms[] = {
    "$w", "$n", "($e + $e)", "($e - $e)", "$e * $e", "$e / $e", "$e^$n", "$e^2", "-$e", "sin($e)", "cos($e)", "exp($e)",
    "log($e)", "sqrt($e)", "abs($e)", "atan2($e, $e)", "norm2($w)", "norm2($w - $w)", "$w.dot^2", "$w.x", "$w.y.dot",
    "dot($w, $w)", "cross($w, $w)", "{ $e, $e }", "{ $w = $e }", "'$w'", "$w($e)", "min($e, $e)", "time()", "momentum($w)",
    "function() return $e end", "$w == $e", "#$w", "$w .. $w", "not $e", "$w.omega", "$w:apply{$n, $n, $n}", NULL };
static const char *const alike[] = { "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log",
                                     "sqrt", "cbrt", "abs", "min", "max", "norm2", "dot", "x", "y", "z", "q", "p", "r",
                                     "theta", "phi", "m", "g", "l", "k", "a", "b", NULL };
static const vocabulary language = { .words = words, .templates = templates, .atoms = atoms, .alike = alike,
                                     .separator = '\n' };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return text_mutate(data, size, most, seed, &language);
}

static void step(taut_context *context, model *m, uint32_t hash)
{
    static const char *const methods[] = { "rattle", "em", "lobatto:s=3", "galerkin", "del", "dirac:rk4", "euler", "shake",
                                           "naive:rk4", "extended:midpoint", "compose:rattle,order=4", "dirac:gauss:2" };
    const engine_api *api = taut_engine_find("double");
    const wide h = taut_wide_from_double(0.01);
    const engine_options options = { .method = methods[hash % (sizeof methods / sizeof *methods)], .step = h,
                                     .native = TAUT_NATIVE_OFF, .steps = 2, .active_set = hash >> 8 & 1,
                                     .start = hash >> 9 & 1 ? START_PROJECT : START_STRICT };
    void *engine = NULL;
    int status = api->create(m, &options, &engine);
    check_status(context, status);
    if (status) return;
    double *frame = calloc(api->column_count(engine) + 1, sizeof *frame);
    for (int i = 0; frame && !status && i < 2; i++) {
        status = api->step(engine, h);
        check_status(context, status);
        if (!status) status = api->frame(engine, frame);
    }
    free(frame);
    api->destroy(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bounds b;
    model *m = NULL;
    taut_context *context = bounded_begin(&b);
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 16777619u;
    int status = taut_model_read_text(context, "fuzz.lua", (const char *)data, size, NULL, 0, &m);
    check_status(context, status);
    FUZZ_CHECK(!status == !!m, "status %d", status);
    if (m && m->coordinate_count <= 8 && m->constraint_count + m->contact_count <= 10
        && taut_graph_count(m->graph) <= 1000)
        step(context, m, hash);
    taut_model_free(m);
    bounded_end(&b);
    return 0;
}
