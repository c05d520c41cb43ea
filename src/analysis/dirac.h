/* The Dirac algorithm (Seiler 1997, sections 2 and 3), symbolic: from a singular Lagrangian, or a Hamiltonian with
 * constraints, to all constraints chi(q,p), their classes, the multipliers, the Dirac bracket. Weak equality (on the
 * manifold chi = 0) is decided at sampled points of the manifold, in `wide`.
 *
 * Constraints of the model are primary, with a multiplier each (H + u chi); gauge conditions are added after the
 * algorithm has closed. */
#ifndef TAUT_ANALYSIS_DIRAC_H
#define TAUT_ANALYSIS_DIRAC_H

#include "base/words.h"
#include "model/model.h"

#define DIRAC_COORDINATES 40 /* larger models are not analysed */

typedef enum {
    DIRAC_DETERMINED,     /* every multiplier is: constraints that are first class even so restrict the start alone */
    DIRAC_UNDETERMINED,   /* multipliers are arbitrary functions of time: gauge freedom is left */
    DIRAC_INCONSISTENT,   /* no motion satisfies the equations */
    DIRAC_REFUSED         /* the algorithm does not cover this model */
} dirac_verdict;

typedef struct {
    expr value;           /* of q, p (KIND_W), t */
    expr *gradient;       /* by (q,p), 2n */
    int generation;       /* 1 primary, 2 secondary, ... */
    int multiplier;       /* index of its u, or -1 */
    int source;           /* constraint of the model, or -1 */
    int gauge;            /* a gauge condition, or found from one */
    int first_class;
    int in_bracket;       /* one of those that the Dirac bracket is made of */
} dirac_constraint;

typedef struct sampler sampler;

typedef struct dirac {
    model *m;
    graph *g;
    taut_context *context;
    uint32_t n;
    expr *z;                  /* the variables (q,p), 2n */
    expr hamiltonian;         /* H_c */
    expr *momentum;           /* of a Lagrangian model: p_i = L_v as expressions of (q,v), n; otherwise NULL */
    int singular;             /* primary constraints come from the Hessian of L */
    dirac_constraint *chi;
    size_t count, capacity;
    int multiplier_count;
    expr *multiplier;         /* u as expressions of q, p and of free u (KIND_LAMBDA); 0 where free */
    int first, second;        /* numbers of constraints by class */
    expr *generator;          /* first-class combinations, `first` of them; 0 where none was found in a readable form */
    sampler *sampler;
    dirac_verdict verdict;
    char reason[1200];        /* unless second class: a sentence */
    char warning[600];
} dirac;

/* Runs the algorithm. A verdict is no failure: the status is that of the memory. *result is NULL on failure. */
int taut_dirac_analyse(model *m, dirac **result);
void taut_dirac_destroy(dirac *d);

/* The findings as lines for people, one call per line. `more` names what shows the whole report, for the hints where
   something long is left out; NULL: this is the whole report. Returns a status. */
int taut_dirac_report(dirac *d, const char *more, void (*line)(void *user, const char *text), void *user);
/* Formula of e with the names of the model; momenta are p.x, multipliers u1, u2. */
void taut_dirac_print(const dirac *d, expr e, char *buffer, size_t size);
/* "chi2": how the report calls a constraint. */
void taut_dirac_name(const dirac *d, size_t k, char *buffer, size_t size);
/* Which variables the gauge transformation of a generator moves: "q3, p.q1". */
void taut_dirac_moved(dirac *d, expr generator, char *buffer, size_t size);

/* {f, g} of two gradients. 0 on failure. */
expr taut_dirac_bracket(dirac *d, const expr *f, const expr *g);

/* The system on phase space: the model with H_c and all chi for constraints, and with consistent start values. Shares
   the graph and the declarations of m, which must outlive it. For models with phase_line, and after a failure of
   system_create with TAUT_SINGULAR, whose text is made use of. A model that cannot run fails with a text. */
int taut_phase_space_model(model *m, start_mode start, model **result);
void taut_phase_space_destroy(model *m);

#endif
