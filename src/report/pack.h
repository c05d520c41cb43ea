/* The numbers of a page, packed without loss: every value is predicted from values that a reader has already, and the
 * difference is kept. A smooth motion is predicted to its last few bits.
 *
 * A table's columns are channels: channel parts*k of column k its values; with an envelope (3 parts) the next two its
 * minima and maxima. A channel is predicted in one of two ways:
 *
 *     order n        p_i = c_1 x_{i-1} + c_2 x_{i-2} + .. + c_n x_{i-n},   c_j = -(-1)^j (n over j)
 *     like, times, plus    p_i = times y_i + plus,   y an earlier channel
 *
 * in double, term by term from the left; at the beginning n is i, and p_0 = 0. A prediction that is not finite is 0.
 * With the bits of a number as a signed integer, those but the sign turned round where it is negative, the difference
 * d = x - p modulo 2^64 becomes 2d or -2d-1, which is not negative. Its lowest bytes come first, those of all rows,
 * then the next ones, to the eighth. The bytes of all channels, one after the other, are then deflated. */
#ifndef TAUT_REPORT_PACK_H
#define TAUT_REPORT_PACK_H

#include "report/frame_table.h"

#define PACK_ORDER_MOST 16

typedef struct {
    int order;               /* -1: like another channel */
    size_t like;
    double times, plus;
} pack_code;

typedef struct {
    size_t parts, channel_count;
    pack_code *codes;        /* per channel */
    unsigned char *bytes;    /* deflated */
    size_t size;
} packed;

/* columns: those of the record. To be cleared in any case. The second packs what a table has frame by frame: one
   channel for each of its columns. */
int taut_pack(taut_context *context, const table *t, const record_column *columns, packed *p);
int taut_pack_whole(taut_context *context, const table *t, const record_column *columns, packed *p);
void taut_pack_clear(taut_context *context, packed *p);

#endif
