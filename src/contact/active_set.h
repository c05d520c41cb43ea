/* Active-set steps: whole steps, judged at their end. */
#ifndef TAUT_CONTACT_ACTIVE_SET_H
#define TAUT_CONTACT_ACTIVE_SET_H

#include "contact/hybrid.h"

/* Fails when method or model do not go with them. */
int X(active_set_check)(const hybrid *self, const struct method_class *class, const method_spec *spec);
int X(active_set_step)(hybrid *self, state *x, real h);

#endif
