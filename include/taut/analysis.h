/* What a model is, and what methods do on it: findings, convergence, verification. taut.h includes it. */
#ifndef TAUT_ANALYSIS_H
#define TAUT_ANALYSIS_H

#include "taut/taut.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a model is ----
   Freedom, rank, start, structure, conserved quantities, and the methods that suit it (`taut check`). */
typedef struct taut_findings taut_findings;
/* start is TAUT_STRICT or TAUT_PROJECT. That a model cannot run, or has no consistent start, is a finding and no
   failure of the call. */
TAUT_API int taut_findings_create(taut_context *context, taut_model *model, int start, taut_findings **result);
/* NULL is allowed. */
TAUT_API void taut_findings_release(taut_findings *findings);

enum { TAUT_FORM_NONE, TAUT_FORM_LAGRANGIAN, TAUT_FORM_HAMILTONIAN, TAUT_FORM_RATES };
typedef struct taut_structure {
    size_t size;
    int status;                  /* TAUT_OK, or why the model cannot run: what follows `form` is then not known */
    const char *failure;         /* the message that belongs to it; otherwise "" */
    int form;                    /* one of TAUT_FORM_* */
    int phase_space;             /* nonzero: the system is one on phase space, by the Dirac algorithm */
    size_t coordinates, constraints;
    size_t velocity_constraints; /* those of the constraints that are on velocities */
    size_t contacts, closed;     /* and how many of them are closed at the start */
    const char *closed_names;    /* their names with commas between them, as many as fit */
    int sequential_impacts;      /* nonzero: impacts are resolved one after the other */
    int rank_known;              /* 0 without a consistent start; then the next two are not known */
    size_t rank;                 /* of the constraints */
    int degrees_of_freedom;      /* of the velocities */
    int position_freedom;        /* with constraints on velocities: how many directions positions have in the end */
    const char *nonholonomic;    /* names of constraints on velocities that restrict no position, and */
    const char *integrable;      /* of those that keep a function of coordinates and time constant; "" without */
    const char *start_failure;   /* why the start is not consistent; otherwise "" */
    size_t start_free;           /* start values that were found from the constraints */
    taut_value start_moved_positions, start_moved_velocities; /* onto the constraints */
    int time_dependent, energy_conserved;
    size_t forces;               /* declared by the model */
    int has_forces;              /* nonzero: forces act. On what they depend: */
    int force_position, force_velocity, force_time, force_multiplier;
    int constant_mass, diagonal_mass, largest_mass_block;
    int coupled;                 /* terms linear in velocities depend on q or t */
    int augmented_mass;          /* singular alone; multiples of the constraints make it regular */
    int fast_path;               /* steps solve for the multipliers alone, or are explicit */
    size_t terms, kernels, constants;
    taut_value fastest_frequency; /* radians per unit of time, at the start; 0: none was found */
} taut_structure;
/* The strings are valid as long as the findings. */
TAUT_API void taut_findings_about(const taut_findings *findings, taut_structure *structure);

enum {
    TAUT_FOUND_START,            /* start values */
    TAUT_FOUND_DEPENDENT,        /* constraints that depend on others */
    TAUT_FOUND_CONSERVED,        /* conserved momenta */
    TAUT_FOUND_METHOD,           /* the methods of the catalogue */
    TAUT_FOUND_KINDS
};
typedef struct taut_found {
    size_t size;
    const char *name;
    const char *text;            /* of a constraint: on which it depends, "" where its gradient is zero; of a method:
                                    why it refuses the model, NULL where it suits */
    taut_value value;            /* of a start value */
    int is_free;                 /* it was found from the constraints */
    int line;                    /* of a constraint, in the model */
} taut_found;
/* TAUT_BAD_USAGE beyond the last of its kind. The strings are valid as long as the findings. */
TAUT_API int taut_findings_item(const taut_findings *findings, int kind, size_t index, taut_found *found);

enum {
    TAUT_PATH_STRAIGHT,          /* the whole step is straight-line code */
    TAUT_PATH_ELEMENTS,          /* programs over elements of few shapes: the bodies, the joints */
    TAUT_PATH_FIELDS,            /* loops over the terms of the model */
    TAUT_PATH_WRITTEN_OUT        /* loops that are written out for models of this kind (chains of points) */
};
typedef struct taut_path {
    size_t size;
    int kind;                    /* TAUT_PATH_... */
    int shapes;                  /* of elements: how many programs there are of each kind */
    int phases, condensed;       /* of elements: parts of a step, and how many of them eliminate velocities body by
                                    body */
    const char *why;             /* why it is no straight-line code: a clause about a step by it; "" where it was not
                                    tried */
    const char *why_fields;      /* why there are no elements: a clause about the model; "" where they were not tried */
} taut_path;
/* How steps of a method ("rattle", "lobatto:s=3") compute this model, which is set up for it. With contacts: the steps
   with all of them open. The strings are constants. Fails where the method or the start do. */
TAUT_API int taut_findings_path(taut_findings *findings, const char *method, taut_path *path);

typedef struct taut_dirac_info {
    size_t size;
    int covered;                 /* 0: the algorithm does not cover this model */
    int singular;                /* the mass matrix is singular: constraints of the algorithm come from L itself */
    int asked;                   /* the model asks for phase space itself */
    size_t coordinates;
} taut_dirac_info;
/* The Dirac algorithm on the model (docs/dirac.md), also on one that cannot run: all constraints, their classes,
   multipliers, the Dirac bracket. more NULL: the whole report; otherwise a short one, with hints that `more` shows the
   rest. A model that the algorithm does not cover is no failure. info may be NULL. */
TAUT_API int taut_findings_dirac(taut_findings *findings, const char *more, taut_dirac_info *info);
/* A line of the last report, valid until the next one; NULL beyond the last. */
TAUT_API const char *taut_findings_dirac_line(const taut_findings *findings, size_t index);

/* ---- progress ---- */

/* How far a long call is, for another thread: the call writes it, at no cost worth mentioning, and any thread may read
   it meanwhile. */
typedef struct taut_progress taut_progress;
TAUT_API int taut_progress_create(taut_context *context, taut_progress **result);
/* NULL is allowed. */
TAUT_API void taut_progress_release(taut_progress *progress);
typedef struct taut_progress_state {
    size_t size;
    const char *doing;       /* what was begun last, valid as long as the call; NULL: nothing yet */
    int part, parts;         /* finished parts of all; parts 0: not known */
    long step, steps;        /* of the current part; steps 0: not known */
} taut_progress_state;
TAUT_API void taut_progress_read(const taut_progress *progress, taut_progress_state *state);

/* ---- convergence ----
   Errors of a method at one time, for several steps, against a reference; and the orders that they show (`taut
   converge`). Numbers are given as strings, so that they have all digits of quad precision. */
typedef struct taut_convergence taut_convergence;

/* Errors are largest absolute differences of the positions, of the momenta, and of the multipliers that belong to the
   state. */
enum { TAUT_ERROR_POSITION, TAUT_ERROR_MOMENTUM, TAUT_ERROR_MULTIPLIER, TAUT_ERRORS };

typedef struct taut_convergence_spec {
    size_t size;
    const char *method;          /* with its options; NULL: "rattle" */
    const char *precision;       /* of the method's runs; NULL: "double" */
    int start;                   /* TAUT_STRICT or TAUT_PROJECT */
    const char *until;           /* the time of the errors */
    const char *const *steps;    /* each divides it (taut_step_count) */
    size_t step_count;
    /* The reference, in the widest precision of the build: a method with this step and half of it; NULL: the exact
       solution, by an extrapolation method that none of the methods uses. */
    const char *reference_method, *reference_step;
    int threads;                 /* 1 to TAUT_THREADS_MOST, each with runs of its own; the results are the same.
                                    0: 1 */
} taut_convergence_spec;
/* Compiles the model for the method and for the reference. */
TAUT_API int taut_convergence_create(taut_context *context, taut_model *model, const taut_convergence_spec *spec,
                                     taut_convergence **result);
/* NULL is allowed. */
TAUT_API void taut_convergence_release(taut_convergence *convergence);
/* Computes all of it. A step that fails has a row that says so; the call fails where there is no reference. progress
   may be NULL. */
TAUT_API int taut_convergence_run(taut_convergence *convergence, taut_progress *progress);

typedef struct taut_convergence_info {
    size_t size;
    const char *precision, *reference_precision;
    int kinds;                                 /* of errors: TAUT_ERRORS, or one less without multipliers */
    size_t rows;                               /* one for each step; 0 before the run */
    taut_value reference_error[TAUT_ERRORS];   /* estimated: the difference of its last two refinements */
    taut_value reference_fine, reference_coarse; /* their steps, or tolerances */
    const char *wrong;       /* that the method converges to another motion, and how that shows; otherwise "" */
} taut_convergence_info;
/* The strings are valid as long as the convergence, until it is run again. */
TAUT_API void taut_convergence_about(const taut_convergence *convergence, taut_convergence_info *info);

typedef struct taut_convergence_row {
    size_t size;
    taut_value step;
    long steps;
    taut_value error[TAUT_ERRORS];
    taut_value order[TAUT_ERRORS];   /* against the row before; NaN where there is none, or where a limit hides it */
    int limited[TAUT_ERRORS];        /* nonzero: within a factor of ten of what the reference, or round-off, can show */
    const char *failure;             /* why this step did not get to the end; otherwise "" */
} taut_convergence_row;
/* TAUT_BAD_USAGE beyond the last. */
TAUT_API int taut_convergence_row_at(const taut_convergence *convergence, size_t index, taut_convergence_row *row);

/* ---- comparison ----
   Several methods on one model, from the same start to the same end: what each keeps, its error, its cost (`taut
   compare`). Numbers are given as strings. */
typedef struct taut_comparison taut_comparison;

typedef struct taut_comparison_spec {
    size_t size;
    const char *const *methods;  /* with their options; 32 at the most */
    size_t method_count;
    const char *const *steps;    /* each divides `until` (taut_step_count); 64 at the most */
    size_t step_count;
    const char *until;
    const char *precision;       /* of the methods' runs; NULL: "double" */
    int start;                   /* TAUT_STRICT or TAUT_PROJECT */
    int threads;                 /* 1 to TAUT_THREADS_MOST, each with runs of its own, whose times are then those of a
                                    busy machine. 0: 1 */
    int traces;                  /* nonzero: taut_comparison_page shows the runs with the first step over time */
} taut_comparison_spec;
TAUT_API int taut_comparison_create(taut_context *context, taut_model *model, const taut_comparison_spec *spec,
                                    taut_comparison **result);
/* NULL is allowed. */
TAUT_API void taut_comparison_release(taut_comparison *comparison);
/* Computes all of it. A method that refuses the model, or fails, has a row that says so. progress may be NULL. */
TAUT_API int taut_comparison_run(taut_comparison *comparison, taut_progress *progress);

typedef struct taut_comparison_info {
    size_t size;
    const char *precision, *reference_precision;
    size_t rows;                 /* method by method, step by step; 0 before the run */
    int kinds;                   /* of errors: TAUT_ERRORS, or one less without multipliers */
    int has_energy;              /* the model conserves its energy, */
    int has_balance;             /* or energy - work */
    int has_momenta;             /* there are conserved momenta */
    taut_value reference_error[TAUT_ERRORS]; /* estimated; NaN where no method reached the end */
    const char *reference_failure; /* why there is no reference; otherwise "" */
} taut_comparison_info;
/* The strings are valid as long as the comparison, until it is run again. */
TAUT_API void taut_comparison_about(const taut_comparison *comparison, taut_comparison_info *info);

typedef struct taut_comparison_row {
    size_t size;
    const char *method;
    taut_value step;
    const char *failure;         /* why it was refused, or did not reach the end: then nothing below is known but */
    int refused;                 /* whether that was before the first step; otherwise "" */
    long steps, newton_iterations, factorisations, evaluations;
    double seconds;              /* of the steps alone */
    int code;                    /* one of TAUT_CODE_*: what made them; */
    long general_steps;          /* so many of them were left to the general path */
    taut_value energy, slope;    /* largest change of the energy, and its trend per unit of time */
    taut_value momentum;         /* largest change of a conserved momentum */
    taut_value position, velocity; /* largest |g| and |dg/dt| */
    taut_value error[TAUT_ERRORS]; /* at the end, against the exact solution in the widest precision */
    int limited[TAUT_ERRORS];    /* nonzero: within a factor of ten of what the reference, or round-off, can show */
} taut_comparison_row;
/* TAUT_BAD_USAGE beyond the last. */
TAUT_API int taut_comparison_row_at(const taut_comparison *comparison, size_t index, taut_comparison_row *row);
/* A page with the table and plots: one HTML file, given to `write` in pieces. `write` returns 0; another number ends it
   with TAUT_CANNOT_WRITE. */
TAUT_API int taut_comparison_page(taut_comparison *comparison, int (*write)(void *user, const char *data, size_t size),
                                  void *user);

/* ---- verification ----
   What a method declares, against what it does on a model (`taut verify`, docs/methods.md). */
typedef struct taut_verification taut_verification;

typedef struct taut_verification_spec {
    size_t size;
    const char *method;          /* with its options; NULL: "rattle" */
    const char *precision;       /* of all measurements; NULL: the widest, and "double" for the trend of the energy */
    int start;                   /* TAUT_STRICT or TAUT_PROJECT */
    const char *step, *until;    /* numbers; NULL: chosen */
    const char *period;          /* of the motion; NULL: searched for */
    int threads;                 /* 1 to TAUT_THREADS_MOST, each with measurements of its own; the results are the same.
                                    0: 1 */
} taut_verification_spec;
/* Compiles the model for the method. */
TAUT_API int taut_verification_create(taut_context *context, taut_model *model, const taut_verification_spec *spec,
                                      taut_verification **result);
/* NULL is allowed. */
TAUT_API void taut_verification_release(taut_verification *verification);
/* Measures everything. Fails only where the model does not run under the method with this step. progress may be
   NULL. */
TAUT_API int taut_verification_run(taut_verification *verification, taut_progress *progress);

typedef struct taut_verification_info {
    size_t size;
    const char *precision, *energy_precision;
    size_t rows;                 /* 0 before the run */
    const char *step, *until;    /* those that were used, with as many digits as read back the same; "" before */
    long steps;                  /* of the runs in `precision` */
} taut_verification_info;
TAUT_API void taut_verification_about(const taut_verification *verification, taut_verification_info *info);

enum {
    TAUT_VERDICT_HOLDS,          /* declared, and so */
    TAUT_VERDICT_FAILS,          /* declared, and not so */
    TAUT_VERDICT_UNDECIDED,      /* declared; the measurement does not decide, the note says why */
    TAUT_VERDICT_NOT_APPLICABLE, /* the model has nothing to keep; the note says why */
    TAUT_VERDICT_KEPT,           /* not declared, yet kept on this model */
    TAUT_VERDICT_NOT_KEPT,       /* not declared, not kept */
    TAUT_VERDICT_NO_TREND,       /* of the energy, this and the next four */
    TAUT_VERDICT_TREND,
    TAUT_VERDICT_ROUND_OFF,
    TAUT_VERDICT_TOO_SHORT,
    TAUT_VERDICT_NO_RETURN,      /* the energy has a trend, and so has the motion */
    TAUT_VERDICT_MEASURED,       /* a number without a judgement */
    TAUT_VERDICTS
};
typedef struct taut_verification_row {
    size_t size;
    const char *property;
    const char *declared;        /* "yes", "no", an order; "-" where nothing is declared */
    const char *measured;        /* for people */
    const char *note;            /* otherwise "" */
    taut_value value;            /* what was measured, and */
    taut_value limit;            /* what would still be the measurement's own error; NaN where there is none */
    int verdict;                 /* one of TAUT_VERDICT_* */
    const char *verdict_text;
} taut_verification_row;
/* TAUT_BAD_USAGE beyond the last. The strings are valid as long as the verification, until it is run again. */
TAUT_API int taut_verification_row_at(const taut_verification *verification, size_t index, taut_verification_row *row);

#ifdef __cplusplus
}
#endif
#endif
