/* Bytes made smaller, in zlib's format (RFC 1950, 1951). The same bytes give the same result everywhere. */
#ifndef TAUT_BASE_DEFLATE_H
#define TAUT_BASE_DEFLATE_H

#include "base/context.h"

/* The result is an allocation that the caller frees; NULL after a failure. */
int taut_deflate(taut_context *context, const unsigned char *data, size_t size, unsigned char **result,
                 size_t *result_size);

#endif
