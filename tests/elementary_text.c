/* elementary_text NAME..: the sections of base/elementary.h that these functions need, for tests/elementary.sh. */
#include <stdio.h>
#include <stdlib.h>

#include "base/elementary_text.h"

int main(int count, char **arguments)
{
    const char *const *names = (const char *const *)(arguments + 1);
    size_t size = taut_elementary_text(names, (size_t)count - 1, NULL, 0);
    if (size == TAUT_ELEMENTARY_UNKNOWN) return 1;
    char *text = malloc(size + 1);
    if (!text || taut_elementary_text(names, (size_t)count - 1, text, size + 1) != size) return 1;
    fputs(text, stdout);
    free(text);
    return 0;
}
