/* Machine code that Taut wrote itself, as memory of the process that can be executed and no longer be written to. */
#include "native/inside.h"

#if NATIVE_AVAILABLE
#include <string.h>
#include <sys/mman.h>

void *taut_native_pages(const void *code, size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return NULL;
    memcpy(pages, code, size);
    __builtin___clear_cache((char *)pages, (char *)pages + size); /* instructions have a cache of their own on some */
    if (mprotect(pages, size, PROT_READ | PROT_EXEC) == 0) return pages;
    munmap(pages, size); /* a hardened system may forbid it */
    return NULL;
}

void taut_native_pages_end(void *pages, size_t size)
{
    if (pages) munmap(pages, size);
}
#else
void *taut_native_pages(const void *code, size_t size)
{
    (void)code, (void)size;
    return NULL;
}

void taut_native_pages_end(void *pages, size_t size) { (void)pages, (void)size; }
#endif
