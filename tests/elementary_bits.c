/* Writes the bits of elementary_bits.h to standard output, for tests/elementary.sh. */
#include <stdio.h>

#include "elementary_bits.h"

int main(void)
{
    uint64_t seed = 1234567;
    double values[BITS_VALUES];
    for (int i = 0; i < 20000; i++) {
        const double x = bits_argument(i, &seed), y = bits_argument(i / 4, &seed);
        bits_values(x, y, values);
        if (fwrite(values, sizeof values, 1, stdout) != 1) return 1;
    }
    return 0;
}
