/* How the steps of a method are computed, and why not otherwise. */
#ifndef TAUT_BASE_STEP_PATH_H
#define TAUT_BASE_STEP_PATH_H

typedef enum {
    PATH_STRAIGHT,           /* the whole step is straight-line code (lower/lower.h) */
    PATH_ELEMENTS,           /* programs over elements of few shapes (lower/elements.h) */
    PATH_FIELDS,             /* loops over the terms of the model, kernel by kernel */
    PATH_WRITTEN_OUT,        /* loops that are written out by hand for models of this kind */
    PATH_KINDS
} path_kind;

static inline const char *path_kind_name(path_kind kind)
{
    static const char *const names[PATH_KINDS] = { "straight-line", "elements", "fields", "written-out" };
    return names[kind];
}

typedef struct {
    path_kind kind;
    int shapes;              /* of the elements */
    int phases, condensed;   /* by elements: how many, and of how many the velocities are eliminated body by body */
    const char *why;         /* no straight-line code: a clause about a step by it; NULL: it was not tried */
    const char *why_fields;  /* no elements, a clause about the model; NULL: they were not tried */
} step_path;

#endif
