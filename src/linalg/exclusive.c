#include "linalg/exclusive.h"

#include <pthread.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void taut_exclusive_begin(void) { pthread_mutex_lock(&one_at_a_time); }
void taut_exclusive_end(void) { pthread_mutex_unlock(&one_at_a_time); }
