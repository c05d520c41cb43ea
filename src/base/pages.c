#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap */
#endif
#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

/* Sanitizers and valgrind's like look at the ends of what malloc gives. */
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <pthread.h>
#include <sys/mman.h>

#define RANGES 1024 /* blocks in use, and ranges that are kept, at most: with more there is malloc */

typedef struct {
    char *at;
    size_t size; /* whole pages */
} range;

struct page_store {
    pthread_mutex_t lock;
    int keep;
    size_t used_count, kept_count;
    range used[RANGES], kept[RANGES];
};

page_store *taut_pages_create(void)
{
    page_store *p = malloc(sizeof *p);
    if (!p) return NULL;
    p->keep = 0;
    p->used_count = p->kept_count = 0;
    if (pthread_mutex_init(&p->lock, NULL)) {
        free(p);
        return NULL;
    }
    return p;
}

static void give_all(page_store *p)
{
    while (p->kept_count) {
        const range r = p->kept[--p->kept_count];
        munmap(r.at, r.size);
    }
}

void taut_pages_destroy(page_store *p)
{
    if (!p) return;
    give_all(p);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void taut_pages_keep(page_store *p, int keep)
{
    pthread_mutex_lock(&p->lock);
    p->keep = keep;
    if (!keep) give_all(p);
    pthread_mutex_unlock(&p->lock);
}

void taut_pages_give_back(page_store *p)
{
    pthread_mutex_lock(&p->lock);
    give_all(p);
    pthread_mutex_unlock(&p->lock);
}

/* ---- what is kept ---- */

/* Neighbours become one. */
static void put_aside(page_store *p, range r)
{
    for (size_t i = 0; p->keep && i < p->kept_count;) {
        const range other = p->kept[i];
        if (other.at + other.size != r.at && r.at + r.size != other.at) {
            i++;
            continue;
        }
        if (other.at < r.at) r.at = other.at;
        r.size += other.size;
        p->kept[i] = p->kept[--p->kept_count];
        i = 0;
    }
    if (p->keep && p->kept_count < RANGES) p->kept[p->kept_count++] = r;
    else munmap(r.at, r.size);
}

/* The beginning of the smallest range that is large enough; NULL: there is none. */
static char *take_kept(page_store *p, size_t size)
{
    size_t best = p->kept_count;
    for (size_t i = 0; i < p->kept_count; i++)
        if (p->kept[i].size >= size && (best == p->kept_count || p->kept[i].size < p->kept[best].size)) best = i;
    if (best == p->kept_count) return NULL;
    range *r = &p->kept[best];
    char *at = r->at;
    r->at += size;
    r->size -= size;
    if (!r->size) *r = p->kept[--p->kept_count];
    return at;
}

/* ---- blocks ---- */

static size_t whole_pages(size_t size) { return (size + PAGES_UNIT - 1) / PAGES_UNIT * PAGES_UNIT; }

static range *find(page_store *p, const void *block)
{
    for (size_t i = p->used_count; i-- > 0;)
        if (p->used[i].at == block) return &p->used[i];
    return NULL;
}

void *taut_pages_take(page_store *p, size_t size, int *is_zero)
{
    if (size < PAGES_LARGE || size > (size_t)PTRDIFF_MAX - PAGES_UNIT) return NULL;
    size = whole_pages(size);
    pthread_mutex_lock(&p->lock);
    char *at = p->keep && p->used_count < RANGES ? take_kept(p, size) : NULL;
    *is_zero = !at;
    if (!at && p->keep && p->used_count < RANGES) {
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) at = NULL;
    }
    if (at) p->used[p->used_count++] = (range){ at, size };
    pthread_mutex_unlock(&p->lock);
    return at;
}

size_t taut_pages_size(page_store *p, const void *block)
{
    if (!p || !block || (uintptr_t)block % PAGES_ALIGNMENT) return 0;
    pthread_mutex_lock(&p->lock);
    const range *r = find(p, block);
    const size_t size = r ? r->size : 0;
    pthread_mutex_unlock(&p->lock);
    return size;
}

/* What lies behind the new end is kept, or given back. */
static void shorten(page_store *p, range *r, size_t size)
{
    put_aside(p, (range){ r->at + size, r->size - size });
    r->size = size;
}

void *taut_pages_resize(page_store *p, void *block, size_t size)
{
    void *result = NULL;
    if (size > (size_t)PTRDIFF_MAX - PAGES_UNIT) return NULL;
    size = whole_pages(size);
    pthread_mutex_lock(&p->lock);
    range *r = find(p, block);
    if (r && size < r->size) shorten(p, r, size);
    if (r && size > r->size) {
        void *moved = mremap(r->at, r->size, size, MREMAP_MAYMOVE);
        if (moved != MAP_FAILED) *r = (range){ moved, size };
    }
    if (r && r->size == size) result = r->at;
    pthread_mutex_unlock(&p->lock);
    return result;
}

void taut_pages_free(page_store *p, void *block)
{
    pthread_mutex_lock(&p->lock);
    range *r = find(p, block);
    if (r) {
        const range gone = *r;
        *r = p->used[--p->used_count];
        put_aside(p, gone);
    }
    pthread_mutex_unlock(&p->lock);
}

#else

page_store *taut_pages_create(void) { return NULL; }
void taut_pages_destroy(page_store *p) { (void)p; }
void taut_pages_keep(page_store *p, int keep) { (void)p, (void)keep; }
void taut_pages_give_back(page_store *p) { (void)p; }
void *taut_pages_take(page_store *p, size_t size, int *is_zero) { return (void)p, (void)size, (void)is_zero, NULL; }
size_t taut_pages_size(page_store *p, const void *block) { return (void)p, (void)block, (size_t)0; }
void *taut_pages_resize(page_store *p, void *block, size_t size) { return (void)p, (void)block, (void)size, NULL; }
void taut_pages_free(page_store *p, void *block) { (void)p, (void)block; }

#endif
