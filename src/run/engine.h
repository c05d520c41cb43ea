/* The numerical core as the run loop and the command see it: one table of functions per precision. Numbers cross in
   `wide`, except where they cross at every step: a run in double precision never computes in a wider one. */
#ifndef TAUT_RUN_ENGINE_H
#define TAUT_RUN_ENGINE_H

#include "base/step_path.h"
#include "base/words.h"
#include "model/model.h"

struct method_info; /* method/method.h */
struct native_use;  /* native/native.h */

typedef struct {
    const char *method;     /* NAME:options */
    wide tolerance;         /* of the Newton iterations; 0: round-off */
    int active_set;         /* models with contacts: active-set steps, not event-driven ones */
    wide step;              /* of the run; only models with start_points need it here */
    start_mode start;
    int native;             /* one of TAUT_NATIVE_* */
    double steps;           /* about so many will be asked for; 0: not known. It says what is worth preparing */
    double looks, frames;   /* and so often quantities are read between them, and frames taken */
    int threads;            /* of the steps of large systems; 0: 1 */
    wide time;              /* of the start */
    int again;              /* one of several for the same purpose: notes of the one before are not repeated */
    int quiet;              /* what constraints are like is known: no notes about it */
} engine_options;
/* Tolerances of Newton's iterations are less. Not (wide)0.1, which is more than a tenth. */
#define TOLERANCE_BELOW ((wide)1 / 10)

/* Something that happened to a contact inside a step, at time t. */
typedef struct {
    wide t;
    const char *contact;    /* its name */
    event_kind kind;
    wide impulse;           /* of the multiplier, for impacts; 0 otherwise */
} engine_event;
/* Called while a step is under way: time and frame of the engine are those just after the event. A status other than 0
   ends the step. */
typedef int (*engine_on_event)(void *user, const engine_event *event);

/* Counts of the work done. */
typedef struct {
    long steps;
    newton_counts work;        /* of the method */
    long events[EVENT_KINDS];  /* of contacts */
} engine_counts;

/* The energy as a run looks at it, to see whether it still makes sense. */
typedef struct {
    double energy;
    double change;   /* of the energy, since the first sample */
    double held;     /* energy - work where `balance` says so, otherwise the energy */
    double error;    /* of held, since the first sample */
    double position, velocity; /* the largest |g| and |dg/dt| */
    double size;     /* of models of rates, which have no energy: the largest number of the state */
} engine_look;

/* A constraint or its derivative that is not zero, and the size of the terms that it is a sum of. */
typedef struct {
    double ratio, value, size; /* ratio: value / size; 0 where nothing is off by more than round-off */
    uint32_t constraint;
    int is_velocity;
} engine_off;

/* A watched quantity over the samples so far. The sums, of value - first and of t times it, are for the slope. */
typedef struct {
    wide first, last, lowest, highest, sum, sum_t;
} engine_watched;
typedef struct {
    wide count, sum_t, sum_tt; /* of samples; sums of t and of t^2 */
} engine_samples;

/* A named part of an engine's state: numbers in its own precision, in its own memory. */
typedef struct {
    const char *name;
    void *data;
    size_t count;
} engine_field;

/* The findings of `taut check`. Strings are short and for people. */
typedef struct {
    uint32_t coordinates, constraints, rank;
    int degrees_of_freedom;
    /* 0 when constraints are not met at the start; then degrees_of_freedom is the least that it can be */
    int rank_known;
    int start_status;           /* what the consistent start said; its text is in start_text */
    char start_text[TAUT_ERROR_TEXT];
    uint32_t free_q, free_w;
    wide moved_q, moved_w;
    size_t kernels, instances, constants;
    int time_dependent, has_forces, force_position, force_time, force_velocity, force_multiplier, constant_mass,
        uncoupled, diagonal_mass, largest_block, separable, augmented, explicit_force;
    int energy_conserved;
    uint32_t contacts, closed;  /* and how many of them are closed at the start */
    char closed_names[400];     /* those, as many as fit */
    int phase;                  /* a system on phase space, by the Dirac algorithm */
    uint32_t velocity_constraints;
    int position_freedom;       /* with velocity constraints: how many directions the positions can go in the long run;
                                   the degrees of freedom are those of the velocities */
    char integrable[400], nonholonomic[400]; /* their names, as many as fit */
    int integrable_known;       /* whether that could be found out */
    wide frequency;             /* the fastest at the start; 0: none was found */
} engine_check;

/* What holds the energy (energy - work, where `balance` says so) in place: nothing; the equations of motion; these,
   and contacts that take some of it away. */
enum { ENGINE_ENERGY_FREE, ENGINE_ENERGY_KEPT, ENGINE_ENERGY_LOST };

/* An error that should be round-off: its largest value over a run, and the size of the terms that it is a difference
   of. */
typedef struct {
    wide error, scale;
} engine_kept;

/* What became of the kept quantities over a run. */
#define ENGINE_WINDOWS 16
typedef struct {
    engine_kept position, velocity; /* |g|, |dg/dt| */
    int no_position;                /* no constraint is on positions */
    engine_kept momentum;           /* of the symmetry that changed most, relative to its scale */
    engine_kept energy;             /* change since the start of the run */
    wide lowest, highest;           /* of the energy, relative to the start of the run */
    wide means[ENGINE_WINDOWS];     /* the mean of the same over equal parts of the run */
    wide kinetic[ENGINE_WINDOWS];   /* the mean of the kinetic energy, v.p/2, likewise */
    long steps;                     /* done */
} engine_follow;

/* Steps forth and the same steps back. */
typedef struct {
    wide error;   /* distance to where it began, relative to the sizes of q and p */
    wide growth;  /* largest growth of a small perturbation on the way back */
} engine_return;

/* omega after a step against omega before it, for pairs of tangent vectors of the constraint manifold. */
typedef struct {
    wide defect;       /* largest |omega1 - omega0|, relative to the sum of |terms| */
    wide uncertainty;  /* of the defect, by differences of another order, and of round-off */
    int pairs;
} engine_symplecticity;

/* How errors grow over a run: the slope of log(largest so far) against log(t). NaN where there is nothing to see. */
enum { GROWTH_TRAJECTORY, GROWTH_ENERGY, GROWTH_POSITION, GROWTH_VELOCITY, GROWTH_KINDS };
typedef struct {
    wide exponent[GROWTH_KINDS];
    wide largest[GROWTH_KINDS];     /* at the end */
    wide size;                      /* of (q,p), Euclidean, at the most */
} engine_growth;

/* Linear stability of the constraint manifold along the exact motion: residuals chi of a formulation obey chi' = A chi
   near it, (46) of Seiler; the monodromy matrix X takes chi from the start over `span`. */
#define ENGINE_MULTIPLIERS 16
typedef struct {
    int applies;                    /* 0: the method has no formulation off the manifold; or `note` says why not */
    char note[160];
    int periodic;                   /* the span is a period: eigenvalues of X are Floquet multipliers */
    wide span, gap;                 /* gap: distance to the start after the span, relative to the size of the state */
    int count;                      /* of residuals */
    wide trace, determinant;
    wide norm;                      /* largest sum of a row of |X|, residuals in units of the start's */
    wide real_part[ENGINE_MULTIPLIERS], imaginary_part[ENGINE_MULTIPLIERS]; /* eigenvalues of X, largest first */
} engine_stability;

/* The columns of a frame, in their order. */
typedef enum {
    COLUMN_TIME,
    COLUMN_Q,
    COLUMN_V,
    COLUMN_P,
    COLUMN_LAMBDA,
    COLUMN_CONTACT,
    COLUMN_GAP,
    COLUMN_ENERGY,
    COLUMN_WORK,
    COLUMN_CONSTRAINT,
    COLUMN_RATE,
    COLUMN_SYMMETRY,
    COLUMN_OBSERVABLE,
    COLUMN_MIDDLE_TIME,
    COLUMN_MIDDLE_LAMBDA,
    COLUMN_TYPES
} engine_column;

/* Matrices at the state: the derivative of the momenta by the stage variable (velocities of a Lagrangian model), and of
   the constraints by the coordinates. */
typedef enum { ENGINE_MASS, ENGINE_JACOBIAN, ENGINE_MATRICES } engine_matrix;

struct run_progress; /* run/progress.h */

/* The functions of an engine: return type, name, arguments. The struct, the declarations of the core's side and the
   table that joins them (run/simulation_engine.c) are made of this list, so that no function can take the place of
   another. */
#define ENGINE_FUNCTIONS(F)                                                                                           \
    /* Compiles the model, makes the method, finds the consistent start. */                                           \
    F(int, create, (model *m, const engine_options *options, void **self))                                            \
    F(void, destroy, (void *self))                                                                                    \
    F(int, step, (void *self, wide h))                                                                                \
    /* a step of the same length as the one before */                                                                 \
    F(int, step_again, (void *self))                                                                                  \
    /* Up to so many of them, at least one; *done: how many. */                                                       \
    F(int, steps_again, (void *self, long count, long *done))                                                         \
    /* done so far */                                                                                                 \
    F(long, steps, (const void *self))                                                                                \
    F(wide, time, (const void *self))                                                                                 \
    F(void, counts, (const void *self, engine_counts *counts))                                                        \
                                                                                                                      \
    /* The columns of a frame: t, coordinates, velocities, momenta, multipliers, energy, ... */                       \
    F(size_t, column_count, (const void *self))                                                                       \
    /* 1 and an empty name beyond the last */                                                                         \
    F(int, column_name, (const void *self, size_t column, char *buffer, size_t size))                                 \
    /* Numbers of this precision, of number_size bytes each. */                                                       \
    F(int, frame, (void *self, void *values))                                                                         \
                                                                                                                      \
    /* What a run watches: energy, constraint, velocity_constraint, then conserved momenta; last energy - work,       \
       where `balance` says so. look evaluates it at the state; watch adds it to the sums, which watched and          \
       samples read and watch_from and samples_from set. */                                                           \
    F(size_t, watch_count, (const void *self))                                                                        \
    F(void, watch_name, (const void *self, size_t index, char *buffer, size_t size))                                  \
    F(void, look, (void *self, engine_look *found))                                                                   \
    F(void, watch, (void *self))                                                                                      \
    F(void, watched, (const void *self, size_t index, engine_watched *quantity))                                      \
    F(void, watch_from, (void *self, size_t index, const engine_watched *quantity))                                   \
    F(void, samples, (const void *self, engine_samples *samples))                                                     \
    F(void, samples_from, (void *self, const engine_samples *samples))                                                \
    /* the model's exact energy is constant */                                                                        \
    F(int, energy_conserved, (const void *self))                                                                      \
    /* how far the start was moved onto the constraints */                                                            \
    F(void, start_moves, (const void *self, wide *q, wide *w))                                                        \
                                                                                                                      \
    /* For `taut check`: needs no method. Start values and redundant constraints are reported through the             \
       callbacks. */                                                                                                  \
    F(int, check, (model *m, start_mode mode, engine_check *result,                                                   \
                   void (*start)(void *user, const char *name, wide value, int free),                                 \
                   void (*redundant)(void *user, uint32_t constraint, const char *on),                                \
                   void (*conserved)(void *user, const char *name),                                                   \
                   void (*method)(void *user, const char *name, const char *refusal), void *user))                    \
                                                                                                                      \
    /* The catalogue. */                                                                                              \
    F(int, method_count, (void))                                                                                      \
    F(const struct method_info *, method_info, (int index))                                                           \
    F(int, method_parse, (taut_context *context, const char *text))                                                   \
                                                                                                                      \
    /* For `taut converge` and `taut verify`. The method with what its options make of it. */                         \
    F(const struct method_info *, declared, (const void *self))                                                       \
    F(void, sizes, (const void *self, uint32_t *coordinates, uint32_t *constraints))                                  \
    /* 1: L or H, and no forces; 2: the same on phase space, with constraints chi(q,p); 3: with constraints on        \
       velocities */                                                                                                  \
    F(int, hamiltonian, (const void *self))                                                                           \
    /* back to the start */                                                                                           \
    F(void, restart, (void *self))                                                                                    \
    /* along the exact solution, without the method */                                                                \
    F(int, flow, (void *self, wide until, wide tolerance))                                                            \
    F(int, solution, (void *self, wide *q, wide *p, wide *lambda))                                                    \
    /* Each begins at the current state; only follow moves it. */                                                     \
    F(int, follow, (void *self, wide h, long steps, struct run_progress *progress, engine_follow *result))            \
    F(int, there_and_back, (void *self, wide h, long steps, engine_return *result))                                   \
    F(int, symplecticity, (void *self, wide h, engine_symplecticity *result))                                         \
                                                                                                                      \
    /* Models with contacts: sets the event callback (NULL: none), and counts the events of each kind. */             \
    F(void, on_event, (void *self, engine_on_event event, void *user))                                                \
    /* EVENT_KINDS numbers; NULL for a model without contacts */                                                      \
    F(const long *, event_counts, (const void *self))                                                                 \
    /* forces or time change the energy: the last of the watched quantities is energy - work */                       \
    F(int, balance, (const void *self))                                                                               \
    /* Errors over so many steps, fitted from step `from` on; the trajectory is looked at every `stride` steps, 0     \
       for never. */                                                                                                  \
    F(int, growth, (void *self, wide h, long steps, long from, long stride, engine_growth *result))                   \
    /* period 0: searched for up to `until`. h: a step that suits the motion. */                                      \
    F(int, stability, (void *self, wide h, wide period, wide until, engine_stability *result))                        \
    /* The fastest frequency (radians per unit of time) of small motions around the state; 0: none was found. limit:  \
       0, or a frequency; of one that is far below it the size alone is found. */                                     \
    F(int, frequency, (void *self, wide limit, wide *result))                                                         \
                                                                                                                      \
    /* For the run file. The fields are all that a step depends on: read for a checkpoint; written, and followed      \
       by `restored`, they take an engine of the same model and options to where the other one was. Valid until       \
       the next step. */                                                                                              \
    F(int, field_count, (void *self))                                                                                 \
    F(engine_field, field, (void *self, int index))                                                                   \
    /* refuses a state that no run could have reached */                                                              \
    F(int, restored, (void *self, const engine_counts *counts))                                                       \
    /* record.h lists them; NULL beyond the last */                                                                   \
    F(const char *, column_kind, (const void *self, size_t column))                                                   \
    /* the last step, which succeeded, of a model with contacts */                                                    \
    F(void, take_back, (void *self))                                                                                  \
                                                                                                                      \
    /* A time that belongs to the motion at the start, whatever the units; 0: none is known. For `taut verify`. */    \
    F(int, characteristic_time, (void *self, wide *time))                                                             \
    /* One of ENGINE_ENERGY_*, and the size of what the energy is a sum of: kinetic and potential energy, and         \
       work, without signs; NULL: not asked for. */                                                                   \
    F(int, energy_size, (void *self, wide *size))                                                                     \
    /* For the guard of a run (run/guard.h). The constraint that is most off, of positions and of velocities, and     \
       the name of one; whether anything moves but by round-off; the error of one more step against the exact         \
       solution, relative to the state. */                                                                            \
    F(void, off, (void *self, engine_off *position, engine_off *velocity))                                            \
    F(void, constraint_name, (const void *self, uint32_t constraint, char *buffer, size_t size))                      \
    F(int, is_still, (void *self))                                                                                    \
    F(int, step_error, (void *self, double *error))                                                                   \
    /* How many constraints depend on others, and a sentence that says which and what that means for the              \
       multipliers. */                                                                                                \
    F(uint32_t, redundancy, (const void *self, char *text, size_t size))                                              \
    /* Whether the multipliers grew while the motion stayed as it is, since the start: 1, and a sentence that says    \
       when and whose (text NULL: not asked for). */                                                                  \
    F(int, strain, (const void *self, char *text, size_t size))                                                       \
    /* Whether steps beside singular positions were made in parts, or are doubtful: 1, and what to say of that. */    \
    F(int, divided, (const void *self, char *text, size_t size))                                                      \
    /* What makes its steps now; how many programs of straight-line code that runs in a step, and how many runs so    \
       far the general path had to do after all. */                                                                   \
    F(step_code, execution, (const void *self, int *parts, long *left))                                               \
    /* How its steps are computed, and why not otherwise. With contacts: those with all of them open. */              \
    F(step_path, path, (const void *self))                                                                            \
    /* What became of native code. */                                                                                 \
    F(const struct native_use *, native, (const void *self))                                                          \
                                                                                                                      \
    /* For the library. Columns of one type: how many there are; the values of some, and nothing else is              \
       evaluated. */                                                                                                  \
    F(size_t, columns_of, (const void *self, engine_column type))                                                     \
    F(int, column_values, (void *self, engine_column type, size_t first, size_t count, void *values))                 \
    /* Another state, made consistent as a start is; w are velocities or, with by_momentum, momenta. The work is      \
       zero from here on. On failure the state is as before. */                                                       \
    F(int, set_state, (void *self, wide t, const wide *q, const wide *w, int by_momentum, start_mode start))          \
    /* The momenta change by this impulse and that of the constraints. */                                             \
    F(int, kick, (void *self, const wide *impulse))                                                                   \
    /* A second engine where this one is, in another context, which shares what is compiled and must go first. */     \
    F(int, clone, (const void *self, taut_context *context, void **result))                                           \
    /* Compressed rows: start has rows + 1 numbers. They belong to the engine. values has start[rows] numbers. */     \
    F(int, matrix_pattern, (void *self, engine_matrix which, int *rows, int *columns, const int **start,              \
                            const int **index))                                                                       \
    F(int, matrix_values, (void *self, engine_matrix which, void *values))                                            \
    /* The point of phase space, all digits; and another one, as it is, on the constraints or not. */                 \
    F(void, point, (const void *self, wide *q, wide *p))                                                              \
    F(int, set_point, (void *self, const wide *q, const wide *p))                                                     \
    /* The value of an input (index of a parameter) of this engine alone; inputs_changed follows when it was          \
       written. */                                                                                                    \
    F(wide *, input, (void *self, size_t index))                                                                      \
    F(int, inputs_changed, (void *self))                                                                              \
    /* Tangent vectors at the state, `count` rows of n numbers of this precision in dq and in dp, become those        \
       after a step of h, exactly; step_tangent takes the step as well. TAUT_UNSUPPORTED for methods that are         \
       code, and with contacts. */                                                                                    \
    F(int, tangent, (void *self, wide h, size_t count, void *dq, void *dp))                                           \
    F(int, step_tangent, (void *self, wide h, size_t count, void *dq, void *dp))

typedef struct engine_api {
    const char *name;       /* "double", "quad" */
    int digits;             /* significant digits that round-trip */
    size_t number_size;     /* bytes of a number in frames and fields */
    wide epsilon;
#define MEMBER(type, name, arguments) type (*name) arguments;
    ENGINE_FUNCTIONS(MEMBER)
#undef MEMBER
} engine_api;

extern const engine_api taut_engine_double;
#ifdef TAUT_HAVE_QUAD
extern const engine_api taut_engine_quad;
#endif
/* Numbers of an engine's precision as wide ones; `to` may be where they are. */
void taut_engine_widen(const engine_api *api, const void *values, size_t count, wide *to);
/* By name, or NULL. */
const engine_api *taut_engine_find(const char *precision);

#endif
