/* The header. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "compile/plan.h"

static const char *type_of(const plan *p) { return p->options->single ? "float" : "double"; }

/* Without folders, fit for a comment. */
static void model_name(const plan *p, char *buffer, size_t size)
{
    const char *file = p->z->m->file, *slash = strrchr(file, '/');
    snprintf(buffer, size, "%s", slash ? slash + 1 : file);
    X(emit_comment)(buffer);
}

/* The most iterations for what a phase solves. */
static int iterations_of(const plan *p)
{
    int most = 0;
    for (int i = 0; i < p->program_count; i++)
        for (int k = 0; k < p->programs[i]->phase_count; k++) {
            const int of_phase = iteration_most(&p->programs[i]->phases[k].iteration);
            if (of_phase > most) most = of_phase;
        }
    return most;
}

static void put_parameters(const plan *p, builder *out)
{
    const model *m = p->z->m;
    for (size_t i = 0; i < p->parameter_count; i++) {
        const parameter *of = &m->parameters[p->parameters[i].index];
        taut_builder_put(out, " * %s %s = %.17g\n", i ? "          " : "parameters", p->parameters[i].what,
                         (double)of->value);
    }
}

static void put_comment(const plan *p, builder *out)
{
    const char *prefix = p->options->prefix;
    char file[200], title[200], method[200];
    model_name(p, file, sizeof file);
    snprintf(title, sizeof title, "%s", p->z->m->title);
    X(emit_comment)(title);
    snprintf(method, sizeof method, "%s", p->options->method);
    X(emit_comment)(method);
    taut_builder_put(out, "/* A mechanical model and a method that steps it, written by Taut %s.\n *\n", TAUT_VERSION);
    taut_builder_put(out, " * model      %s (%s)\n * method     %s, in %s\n", title, file, method, type_of(p));
    put_parameters(p, out);
    taut_builder_put(out,
                     " *\n * Use:\n *\n"
                     " *     #include <stdio.h>\n"
                     " *     #include \"%s\"\n *\n"
                     " *     int main(void)\n"
                     " *     {\n"
                     " *         static %s_state z;\n"
                     " *         %s_init(&z);\n"
                     " *         for (int i = 0; i < 1000; i++)\n"
                     " *             if (%s_step(&z, %s_STEP)) return 1;\n"
                     " *         printf(\"%%g %%g\\n\", %s_get(&z, %s_TIME), %s_get(&z, %s_%s));\n"
                     " *         return 0;\n"
                     " *     }\n *\n",
                     p->options->header, prefix, prefix, prefix, p->upper, prefix, p->upper, prefix, p->upper,
                     p->names[0].name);
    taut_builder_put(out,
                     " * The struct is the whole state, plain numbers: a copy of it is a checkpoint. Nothing is\n"
                     " * allocated, nothing static changes, nothing recurses; a step has at most %d iterations for\n"
                     " * each thing that it solves. A step that fails leaves the motion as it was and returns why:\n"
                     " * try a shorter one.\n *\n",
                     iterations_of(p));
    taut_builder_put(out,
                     p->options->single
                         ? " * In float, with the elementary functions of the C library: numbers agree with those of\n"
                           " * Taut to the accuracy of float.\n *\n"
                         : " * Compiled without unsafe optimisations (fast-math) the numbers are those of Taut, bit\n"
                           " * for bit.\n *\n");
    taut_builder_put(out, " * These files are yours: Taut's license puts no condition on them. */\n");
}

static void put_numbers(const plan *p, builder *out)
{
    taut_builder_put(out, "\n/* What %s_get returns.", p->options->prefix);
    if (p->c && !p->has_reported)
        taut_builder_put(out, " Multipliers are the method's own, of the last step%s.",
                         p->z->declared.midpoint_multipliers ? ", at the time TIME_OF_LAMBDA" : "");
    taut_builder_put(out, " */\nenum {\n");
    for (size_t i = 0; i < p->name_count; i++) {
        const plan_name *of = &p->names[i];
        taut_builder_put(out, "    %s_%s = %u%s%s%s%s\n", p->upper, of->name, of->index,
                         i + 1 < p->name_count ? "," : "", *of->what ? " /* " : "", of->what, *of->what ? " */" : "");
    }
    taut_builder_put(out, "};\n");
    if (!p->parameter_count) return;
    taut_builder_put(out, "\n/* Parameters of the model, for %s_set. */\nenum {\n", p->options->prefix);
    for (size_t i = 0; i < p->parameter_count; i++)
        taut_builder_put(out, "    %s_%s = %zu%s /* %s */\n", p->upper, p->parameters[i].name, i,
                         i + 1 < p->parameter_count ? "," : "", p->parameters[i].what);
    taut_builder_put(out, "};\n");
}

static void put_struct(const plan *p, builder *out)
{
    const char *type = type_of(p);
    taut_builder_put(out, "\ntypedef struct {\n    %s t, t_low; /* time, and what rounding left over of it */\n", type);
    taut_builder_put(out,
                     "    %s x[%u]; /* positions, momenta, %s, low parts of positions and momenta (%u each),\n"
                     "        multipliers (%u), their time, work, its low part */\n",
                     type, p->numbers, p->z->s->form == FORM_LAGRANGIAN ? "velocities" : "momenta again", p->n, p->c);
    if (p->has_reported)
        taut_builder_put(out, "    %s reported[%u]; /* multipliers that belong to the time t */\n", type, p->c);
    if (p->parameter_count) taut_builder_put(out, "    %s parameter[%zu];\n", type, p->parameter_count);
    if (p->constant_count)
        taut_builder_put(out, "    %s constant[%u]; /* of the equations: follow from the parameters */\n", type,
                         p->constant_count);
    for (int k = 0; k < p->program_count; k++) {
        if (p->setup_counts[k])
            taut_builder_put(out, "    %s setup%d[%u]; /* what follows from constants and the step */\n", type, k + 1,
                             p->setup_counts[k]);
        taut_builder_put(out, "    %s h%d; /* the step that it belongs to; 0: none */\n", type, k + 1);
    }
    taut_builder_put(out, "    int status; /* of the last step */\n} %s_state;\n", p->options->prefix);
}

static void put_functions(const plan *p, builder *out)
{
    const char *prefix = p->options->prefix, *type = type_of(p);
    taut_builder_put(out, "\n/* The start, with the parameters above. Call it first. */\nvoid %s_init(%s_state *z);\n",
                     prefix, prefix);
    taut_builder_put(out, "/* The start again; parameters keep their values. */\nvoid %s_reset(%s_state *z);\n", prefix,
                     prefix);
    taut_builder_put(out,
                     "/* A step of length h, which may be negative. Returns %s_OK or why there was none; then the\n"
                     "   motion is as it was. A step of the same length as the last one is faster. */\n"
                     "int %s_step(%s_state *z, %s h);\n",
                     p->upper, prefix, prefix, type);
    taut_builder_put(out, "/* What the last step returned. */\nint %s_status(const %s_state *z);\n", prefix, prefix);
    taut_builder_put(out,
                     "/* A number by its index, one of the first enumeration; 0 for any other. */\n"
                     "%s %s_get(const %s_state *z, int what);\n",
                     type, prefix, prefix);
    if (p->parameter_count)
        taut_builder_put(out,
                         "/* Sets a parameter: positions and momenta stay, the equations change from the next step\n"
                         "   on. The start values were computed with the parameters above and stay those. Returns 1\n"
                         "   where there is no such parameter. */\n"
                         "int %s_set(%s_state *z, int parameter, %s value);\n",
                         prefix, prefix, type);
}

void taut_compile_header(const plan *p, builder *out)
{
    put_comment(p, out);
    taut_builder_put(out, "#ifndef %s_TAUT_H\n#define %s_TAUT_H\n\n", p->upper, p->upper);
    taut_builder_put(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    char step[40];
    taut_text_format(step, sizeof step, p->options->single ? "%.9g" : "%.17g", (double)p->options->step);
    taut_builder_put(out, "#define %s_STEP %s%s%s /* the default step */\n", p->upper, step,
                     strpbrk(step, ".e") ? "" : ".0", p->options->single ? "f" : "");
    taut_builder_put(out,
                     "\nenum {\n    %s_OK,\n"
                     "    %s_NO_CONVERGENCE, /* an iteration did not end: the step is too long */\n"
                     "    %s_SINGULAR, /* a matrix has lost too many digits: a singular place is near */\n"
                     "    %s_NOT_FINITE /* overflow, a function outside its domain, or a step of length 0 */\n};\n",
                     p->upper, p->upper, p->upper, p->upper);
    put_numbers(p, out);
    put_struct(p, out);
    put_functions(p, out);
    taut_builder_put(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
