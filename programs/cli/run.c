/* taut run */
#include <stdlib.h>

#include "cli/session.h"

static int run_main(int argc, char **argv);

static const option_definition definitions_of_run[] = {
    { "method", 'm', "METHOD", "a name from 'taut methods', with options after a colon (rattle)", 0 },
    { "step", 's', "STEP", "time step (0.01)", 0 },
    { "until", 'T', "END", "end time (10)", 0 },
    { "output", 'o', "RUN.taut", "record frames and checkpoints in a run file", 0 },
    { "force", 0, NULL, "replace the run file if there is one", 0 },
    { "csv", 0, NULL, "write frames to standard output", 0 },
    OPTION_JSON,
    { "every", 0, "K", "a frame every K steps, and one at the end (1)", 0 },
    { "define", 'D', "name=value", "set a param or option of the model", 1 },
    { "precision", 0, "double|quad", "of the whole computation (double)", 0 },
    { "tol", 0, "X", "relative tolerance of the Newton iterations (down to round-off)", 0 },
    { "contacts", 0, "event|active-set",
      "steps of a model with contacts: divided at events, or whole (order 1, needs -m euler) (event)", 0 },
    { "start", 0, "strict|project|as-is",
      "project: move an inconsistent start onto the constraints; as-is: leave it unchanged (strict)", 0 },
    OPTION_NATIVE,
    OPTION_THREADS,
};

const command command_run = {
    "run", "MODEL [-m METHOD] [-s STEP] [-T END] [-o RUN.taut] [--force] [--csv] [--json] [--every K] "
           "[-D name=value]... [--precision double|quad] [--tol X] [--contacts event|active-set] "
           "[--start strict|project|as-is] [--native auto|on|off] [--threads N]",
    "run a model and show what was kept",
    definitions_of_run, sizeof definitions_of_run / sizeof *definitions_of_run, run_main,
    "Columns of --csv: t; coordinates; velocities (a.x.dot); momenta (p.a.x); multipliers (lambda.NAME); energy;\n"
    "work (of forces, time and moving constraints, where the model has them: energy - work is constant);\n"
    "constraint (largest |g|); velocity_constraint (largest |dg/dt|); momentum.x .. angular_momentum.z where the\n"
    "model has the symmetry; observables by name; with em also t_mid and lambda_mid.NAME, the multipliers of the last\n"
    "step and their time.\n"
    "A model with contacts has lambda.NAME and gap.NAME of each, and three columns at the end: an event (impact,\n"
    "rest, release, stick, slip) is a row of its own at its time, with event, contact and impulse; in other rows\n"
    "these are empty.\n\n"
    "A run file (-o) is an SQLite database (docs/run-file.md). 'taut resume' continues a recorded run that was\n"
    "interrupted or killed.\n\n"
    "Exit status: 0 done, 1 the simulation failed, 2 bad usage or bad model, 130 or 143 stopped by a signal and\n"
    "recorded.\n"
};

/* ---- the command ---- */

static int read_options(const options *o, session *z)
{
    taut_session_spec *spec = &z->spec;
    wide tolerance;
    int code = session_options(z, o);
    if (code) return code;
    if (number_option(o, "step", "0.01", &z->step) || number_option(o, "until", "10", &z->until) ||
        tolerance_option(o, &tolerance) || precision_option(o, &spec->precision) || start_option(o, 1, &spec->start) ||
        contacts_option(o, &spec->active_set))
        return EXIT_USAGE;
    spec->method = options_value(o, "method", NULL);
    spec->step = options_value(o, "step", NULL);
    spec->until = options_value(o, "until", NULL);
    spec->tolerance = options_value(o, "tol", NULL);
    spec->takes_model = 1;
    if (!z->csv && !z->path && options_value(o, "every", NULL))
        return complain(EXIT_USAGE, "option --every needs --csv or -o: without them no frames are written");
    if (!z->path && spec->replace)
        return complain(EXIT_USAGE, "option --force needs -o: there is nothing to replace");
    return EXIT_DONE;
}

static int simulate(session *z, taut_model *model)
{
    int code = session_refuse_file(z, "'taut resume' continues its run, ");
    int status = code ? TAUT_OK : taut_session_create(z->context, model, &z->spec, &z->session);
    if (code || status) taut_model_release(model);
    /* A model that cannot start is a bad model, whatever the reason. */
    if (status)
        return complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s%s", taut_error_text(z->context),
                        advice_on(status));
    return code ? code : session_run(z);
}

static int run_main(int argc, char **argv)
{
    options o;
    session z = { 0 };
    taut_model *model = NULL;
    definitions *d = calloc(1, sizeof *d);
    int parsed = options_parse(&command_run, argc, argv, &o), code;
    if (parsed || !d) {
        free(d);
        return parsed > 0 ? EXIT_DONE : parsed ? EXIT_USAGE : complain(EXIT_FAILED, "out of memory");
    }
    code = read_options(&o, &z);
    if (!code) code = definitions_read(&o, d);
    if (!code && o.positional_count != 1)
        code = complain(EXIT_USAGE, "'taut run' needs one model file, as in: taut run models/pendulum.lua");
    if (!code && !(z.context = make_context())) code = EXIT_FAILED;
    if (!code) code = load_model(z.context, z.model = o.positional[0], d, &model);
    if (!code) code = simulate(&z, model);
    session_clear(&z);
    free(d);
    return code;
}
