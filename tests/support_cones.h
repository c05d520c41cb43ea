/* Contacts that carry weight: their forces are inside their friction cones. */
#ifndef TAUT_TESTS_SUPPORT_CONES_H
#define TAUT_TESTS_SUPPORT_CONES_H

#include "contact/hybrid_inside.h"
#include "support_contact.h"

/* The forces of all closed contacts, which are those that are reported. error: of a normal force; friction may be
   outside of its cone by ten times as much. */
static inline const mode_set *forces_inside_cones(simulation *z, real error)
{
    hybrid *h = z->hybrid;
    mode_set *set;
    int possible = 1;
    assert_int_equal(X(mode_sets_get)(&h->sets, &z->x, &set), TAUT_OK);
    assert_int_equal(X(mode_set_load)(set, &z->x), TAUT_OK);
    assert_int_equal(X(mode_set_forces)(set, &set->begin), TAUT_OK);
    X(kinematics_evaluate)(h->kinematics, z->x.q, z->x.w, z->x.t, 0);
    if (set->softened) assert_int_equal(X(contact_share)(h, set, &set->begin, &possible), TAUT_OK);
    assert_true(possible);
    X(simulation_read)(z, READING_MULTIPLIERS);
    for (size_t i = 0; i < h->count; i++) {
        if (set->first[i] < 0) continue;
        const real *lambda = set->lambda + set->first[i];
        real most = X(kinematics_of)(h->kinematics, i)->mu * lambda[0], size = 0;
        for (int r = 1; r < set->rows[i]; r++) size += lambda[r] * lambda[r];
        assert_true(lambda[0] >= -error);
        if (set->rows[i] > 1) assert_true(REAL(sqrt)(size) <= most + 10 * error);
        assert_at_most(REAL(fabs)(z->lambda[z->s->c + i] - lambda[0]), error);
    }
    return set;
}

#endif
