#include "native/inside.h"

#if NATIVE_AVAILABLE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int cannot(char *reason, const char *what)
{
    taut_native_print(reason, NATIVE_TEXT, "%s: %s", what, strerror(errno));
    return 1;
}

static int copy_bytes(int from, int to, size_t size, sha256 *digest)
{
    char buffer[16384];
    for (size_t at = 0; at < size;) {
        ssize_t got = pread(from, buffer, size - at < sizeof buffer ? size - at : sizeof buffer, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = EIO; /* shorter than it was a moment ago */
        if (got <= 0) return 1;
        if (digest) taut_sha256_add(digest, buffer, (size_t)got);
        for (ssize_t put = 0; put < got;) {
            ssize_t n = pwrite(to, buffer + put, (size_t)(got - put), (off_t)at + put);
            if (n < 0 && errno != EINTR) return 1;
            if (n > 0) put += n;
        }
        at += (size_t)got;
    }
    return 0;
}

int taut_native_object_copy(native_object *o, int from, size_t size, sha256 *digest, char *reason)
{
    o->file = memfd_create("taut-native", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (o->file < 0) return cannot(reason, "no file in memory can be made");
    o->size = size;
    if (copy_bytes(from, o->file, size, digest)) return cannot(reason, "the object cannot be copied");
    if (fcntl(o->file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE))
        return cannot(reason, "the object cannot be sealed");
    return 0;
}

static int within(size_t size, uint64_t offset, uint64_t length) { return offset <= size && length <= size - offset; }

/* Everything that the loader maps, and the table at the very end, must be there: a page beyond the end of a file is a
   SIGBUS. */
static int is_whole(const unsigned char *data, size_t size)
{
    const ElfW(Ehdr) *e = (const void *)data;
    if (size < sizeof *e || memcmp(data, ELFMAG, SELFMAG) != 0) return 0;
    if (data[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || e->e_type != ET_DYN) return 0;
    if (e->e_phentsize != sizeof(ElfW(Phdr)) || e->e_phoff % sizeof(void *) || e->e_phnum == 0) return 0;
    if (!within(size, e->e_phoff, (uint64_t)e->e_phnum * e->e_phentsize)) return 0;
    if (!within(size, e->e_shoff, (uint64_t)e->e_shnum * e->e_shentsize)) return 0;
    const ElfW(Phdr) *p = (const void *)(data + e->e_phoff);
    int dynamic = 0;
    for (int i = 0; i < e->e_phnum; i++) {
        if (!within(size, p[i].p_offset, p[i].p_filesz)) return 0;
        dynamic |= p[i].p_type == PT_DYNAMIC && p[i].p_filesz > 0;
    }
    return dynamic;
}

int taut_native_object_load(native_object *o, const char *entry, void **found, char *reason)
{
    char name[64];
    void *data = o->size ? mmap(NULL, o->size, PROT_READ, MAP_PRIVATE, o->file, 0) : MAP_FAILED;
    int whole = data != MAP_FAILED && is_whole(data, o->size);
    if (data != MAP_FAILED) munmap(data, o->size);
    if (!whole) {
        taut_native_print(reason, NATIVE_TEXT, "what the compiler wrote is not a whole shared object");
        return 1;
    }
    taut_native_print(name, sizeof name, "/proc/self/fd/%d", o->file);
    o->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    *found = o->handle ? dlsym(o->handle, entry) : NULL;
    if (*found) return 0;
    const char *text = dlerror();
    taut_native_print(reason, NATIVE_TEXT, "the object cannot be loaded: %s", text ? text : "the entry is not in it");
    return 1;
}

void taut_native_object_clear(native_object *o)
{
    if (o->handle) dlclose(o->handle);
    if (o->file >= 0) close(o->file);
    *o = (native_object){ .file = -1 };
}
#endif
