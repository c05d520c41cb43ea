/* What the subcommands share. A subcommand that is a client of the library includes this and taut.h, and nothing from
   inside the library; cli/inside.h is for the others (docs/architecture.md, "The command"). */
#ifndef TAUT_CLI_CLI_H
#define TAUT_CLI_CLI_H

#include <signal.h>
#include <stdio.h>

#include "base/wide.h"
#include "taut/taut.h"

/* Exit statuses: done; the simulation failed; bad usage or bad model. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One option of a subcommand. */
typedef struct {
    const char *name;       /* long name without dashes */
    char letter;            /* short name, or 0 */
    const char *value;      /* name of its value in the help; NULL for a switch */
    const char *help;
    int repeated;           /* may be given several times */
} option_definition;

typedef struct {
    const char *name, *arguments, *summary;
    const option_definition *options;
    int option_count;
    int (*main)(int argc, char **argv);
    const char *more;       /* closing lines of the help */
} command;

#define OPTIONS_MOST 256
#define POSITIONAL_MOST 1024
typedef struct {
    struct {
        const option_definition *definition;
        const char *value;
    } given[OPTIONS_MOST];
    int given_count;
    const char *positional[POSITIONAL_MOST];
    int positional_count;
} options;

/* Reads the arguments after the subcommand. Prints help on -h and returns 1; returns -1 after an error message; 0
   otherwise. */
int options_parse(const command *c, int argc, char **argv, options *out);
/* The (last) value of an option, or the default. A switch has the value "". */
const char *options_value(const options *o, const char *name, const char *otherwise);
void options_help(const command *c);

/* Prints "taut: text" to stderr, or puts it into the document of --json; exit status 0: a warning. Returns the exit
   status. */
int complain(int exit_status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Texts of models, run files and messages on their way to a terminal: what cannot be seen, such as an escape sequence,
   is written as \xNN. Lines and tabs stay. */
void put_text(FILE *file, const char *text);
/* The exit status that belongs to a library status (1 failed, 2 bad usage or model). */
int exit_status_of(int status);
/* What the command can do about a failure of the library, to go after its message; "" when there is nothing. */
const char *advice_on(int status);
/* Reads a number; complains and returns non-zero if it is none. */
int number_option(const options *o, const char *name, const char *otherwise, wide *value);
/* --from, --to and --every: which frames. Complains and returns non-zero otherwise. */
int part_option(const options *o, double *from, double *to, long *every);
/* --steps, which is given: positive numbers separated by commas, each of which divides the end time. Complains and
   returns non-zero otherwise. */
#define STEPS_MOST 64
int steps_option(const options *o, wide until, wide *steps, int most, int *count);
/* --precision and --start; complain and return non-zero if the value is not allowed. *precision is as it was when
   the option is not given. */
int precision_option(const options *o, const char **precision);
/* TAUT_STRICT, TAUT_PROJECT or TAUT_AS_IS; as_is: that is one of them here. */
int start_option(const options *o, int as_is, int *start);
/* The widest precision of this build. */
const char *widest_precision(void);
int digits_of(const char *precision);
int threads_option(const options *o, int *threads);
/* --tol, --contacts, --every, which are given or have their default. */
int tolerance_option(const options *o, wide *value);
int contacts_option(const options *o, int *active_set);
int every_option(const options *o, long *every);
/* --native, or TAUT_NATIVE of the environment: one of TAUT_NATIVE_*. */
int native_option(const options *o, int *mode);
/* The options that commands with steps share. */
#define OPTION_NATIVE \
    { "native", 0, "auto|on|off", "steps as machine code: Taut's own, by the C compiler, or never (auto)", 0 }
#define OPTION_THREADS { "threads", 0, "N", "threads for the steps of large systems; the results are the same (1)", 0 }
#define OPTION_JSON { "json", 0, NULL, "the result as one JSON document (docs/json.md)", 0 }
#define OPTION_THREADS_APART \
    { "threads", 0, "N", "threads, each with runs of its own; the results are the same (1)", 0 }

/* What is being recorded ends cleanly when SIGINT or SIGTERM comes: told_to_stop is its number, 0 before. A second one
   ends the program at once. */
extern volatile sig_atomic_t told_to_stop;
void stop_listen(void);
/* Signals, for every command. */
void signals_begin(void);
/* The same for what reads a run file: reading ends with TAUT_STOPPED, and files that are not finished are removed. */
void stop_reading(taut_context *context);

/* The -D definitions of a command line. */
typedef struct {
    taut_setting items[OPTIONS_MOST];
    char text[OPTIONS_MOST][256];
    size_t count;
} definitions;
int definitions_read(const options *o, definitions *d);
/* Loads the model and complains if a definition was not used. Returns an exit status. */
int load_model(taut_context *context, const char *path, const definitions *d, taut_model **m);
/* A number of the library; its strings for numbers. */
static inline wide wide_of(taut_value value) { return (wide)value.high + value.low; }
/* Writes a temporary file next to the wanted one, and renames it when it is complete: what could not be finished does
   not take the place of what was good. What is no regular file, such as a pipe, is written to directly. `write` returns
   a status. Complains, and returns an exit status. */
int write_whole_file(taut_context *context, const char *path, int (*write)(void *user, FILE *file), void *user);
/* Files that belong together: none takes its name before all are complete. */
typedef struct {
    const char *path;
    int (*write)(void *user, FILE *file);
    void *user;
} whole_file;
int write_whole_files(taut_context *context, const whole_file *files, size_t count);
/* Says what was written: a line with its name. Not where that is a device or a pipe, maybe the output itself. */
void put_output_name(const char *path);
/* A context whose remarks go to stderr. */
taut_context *make_context(void);

extern const command command_run, command_resume, command_export, command_compare, command_check, command_converge,
    command_verify, command_reproduce, command_methods;
extern const command command_plot, command_render;
extern const command command_report, command_compile, command_ensemble, command_merge, command_replay, command_import;

#endif
