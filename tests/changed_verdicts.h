/* Other constants of iteration.h, for test_verdicts_changed: no correction of linear equations is so small that a
   second one is not needed. */
#include "lower/iteration.h"
#undef LINEAR_SOUND
#undef LINEAR_SURE
#undef LINEAR_ENOUGH
#define LINEAR_SOUND 0x1p-100
#define LINEAR_SURE 0x1p-100
#define LINEAR_ENOUGH 0x1p-100
