#include "base/context.h"

#include <malloc.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/near.h"
#include "base/pages.h"
#include "base/text.h"

struct taut_context {
    atomic_long references; /* the user's, and those of models and simulations, which other threads may release */
    taut_allocator allocator;
    taut_log log;
    void *log_user;
    taut_stop stop;
    void *stop_user;
    const volatile int *interrupt;
    char error[TAUT_ERROR_TEXT];
    int status;              /* that the error belongs to */
    char file[512], item[200]; /* that the error names, its line and time */
    char near[NEAR_TEXT];      /* what the item was meant to be */
    int line;
    double time;
    char noted[TAUT_ERROR_TEXT]; /* the last line of note_once */
    struct flat_workspace *open; /* what objects join that are created (flat.h) */
    host_environment environment;
    load_budget budget;
    page_store *pages;           /* large blocks of loads; NULL: the allocator has them */
    context_function *functions;
    size_t function_count, function_capacity;
    atomic_int faulty;           /* 0; 1: a thread writes what follows; 2: it is there */
    char fault[sizeof ((context_function *)0)->name];
    int fault_status;
};

static void *default_resize(void *user, void *block, size_t size)
{
    (void)user;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

taut_context *taut_context_create(const taut_allocator *allocator)
{
    taut_allocator used = { default_resize, NULL };
    if (allocator && allocator->resize) used = *allocator;
    taut_context *context = used.resize(used.user, NULL, sizeof *context);
    if (!context) return NULL;
    memset(context, 0, sizeof *context);
    context->allocator = used;
    if (!taut_context_has_allocator(context)) context->pages = taut_pages_create();
    taut_budget_init(&context->budget);
    atomic_init(&context->references, 1);
    atomic_init(&context->faulty, 0);
    taut_fail_forget(context);
    return context;
}

void taut_context_keep(taut_context *context) { atomic_fetch_add(&context->references, 1); }

void taut_context_release(taut_context *context)
{
    if (atomic_fetch_sub(&context->references, 1) != 1) return;
    taut_mem_free(context, context->functions);
    taut_pages_destroy(context->pages);
    context->allocator.resize(context->allocator.user, context, 0);
}

void taut_context_destroy(taut_context *context)
{
    if (!context) return;
    context->log = NULL; /* what still lives in the context says no more */
    taut_context_release(context);
}

load_budget *taut_context_budget(taut_context *context) { return &context->budget; }

host_environment *taut_context_environment(taut_context *context) { return &context->environment; }

struct flat_workspace *taut_context_opened(const taut_context *context) { return context->open; }

struct flat_workspace *taut_context_open(taut_context *context, struct flat_workspace *w)
{
    struct flat_workspace *before = context->open;
    context->open = w;
    return before;
}

const taut_allocator *taut_context_allocator(const taut_context *context) { return &context->allocator; }
int taut_context_has_allocator(const taut_context *context) { return context->allocator.resize != default_resize; }

void taut_context_log(taut_context *context, taut_log log, void *user)
{
    if (!context) return;
    context->log = log;
    context->log_user = user;
}

void taut_context_stop(taut_context *context, taut_stop stop, void *user)
{
    context->stop = stop;
    context->stop_user = user;
}

void taut_context_interrupt(taut_context *context, const volatile int *interrupt)
{
    if (context) context->interrupt = interrupt;
}

int taut_stopped(taut_context *context)
{
    const int interrupted = context->interrupt && *context->interrupt;
    if (!interrupted && (!context->stop || !context->stop(context->stop_user))) return 0;
    return taut_fail(context, TAUT_STOPPED, "stopped from outside");
}

const char *taut_error_text(const taut_context *context)
{
    return context ? context->error : "";
}

void taut_context_error(const taut_context *context, taut_error *error)
{
    if (!error) return;
    const taut_error none = { error->size, TAUT_OK, "", "", "", 0, (double)NAN, "" };
    if (!context) {
        if (error->size) memcpy(error, &none, error->size < sizeof none ? error->size : sizeof none);
        return;
    }
    const taut_error found = { error->size, context->status, context->error, context->file,
                               context->item, context->line, context->time, context->near };
    if (error->size) memcpy(error, &found, error->size < sizeof found ? error->size : sizeof found);
}

int taut_version(void) { return TAUT_VERSION_NUMBER; }

const char *taut_status_name(int status)
{
    static const char *const names[] = { "TAUT_OK", "TAUT_BAD_USAGE", "TAUT_BAD_MODEL", "TAUT_OUT_OF_MEMORY",
        "TAUT_NO_CONVERGENCE", "TAUT_SINGULAR", "TAUT_NOT_FINITE", "TAUT_CANNOT_READ", "TAUT_UNSUPPORTED",
        "TAUT_CANNOT_WRITE", "TAUT_REFUSED", "TAUT_STOPPED" };
    const unsigned which = status < 0 ? 0u - (unsigned)status : (unsigned)status;
    return which < sizeof names / sizeof *names ? names[which] : "TAUT_UNKNOWN";
}

/* What a block takes, of the memory that is counted. */
static size_t counted(const taut_context *context, void *block)
{
    if (!block || taut_context_has_allocator(context)) return 0;
    const size_t size = taut_pages_size(context->pages, block);
    return size ? size : malloc_usable_size(block);
}

static void count(taut_context *context, size_t before, size_t now)
{
    if (before != now)
        atomic_fetch_add_explicit(&context->budget.bytes, (long long)now - (long long)before, memory_order_relaxed);
}

void taut_mem_keep(taut_context *context, int keep)
{
    if (context->pages) taut_pages_keep(context->pages, keep);
}

void taut_mem_give_back(taut_context *context)
{
    if (context->pages) taut_pages_give_back(context->pages);
}

/* A large block as malloc has it becomes one of pages, which can be moved. */
static void *resize_large(taut_context *context, void *block, size_t before, size_t size)
{
    int is_zero;
    void *result = context->pages ? taut_pages_take(context->pages, size, &is_zero) : NULL;
    if (!result) return context->allocator.resize(context->allocator.user, block, size);
    if (block) memcpy(result, block, before < size ? before : size);
    free(block);
    return result;
}

/* One of pages; a small one leaves them. */
static void *resize_pages(taut_context *context, void *block, size_t before, size_t size)
{
    void *result = size >= PAGES_LARGE ? taut_pages_resize(context->pages, block, size) : NULL;
    if (result) return result;
    if (size) result = resize_large(context, NULL, 0, size);
    if (size && !result) return NULL;
    if (size) memcpy(result, block, before < size ? before : size);
    taut_pages_free(context->pages, block);
    return result;
}

/* The allocator's resize, counted. */
static void *resize_block(taut_context *context, void *block, size_t size)
{
    const size_t before = counted(context, block);
    void *result;
    if (taut_pages_size(context->pages, block)) result = resize_pages(context, block, before, size);
    else if (size >= PAGES_LARGE) result = resize_large(context, block, before, size);
    else result = context->allocator.resize(context->allocator.user, block, size);
    if (result || !size) count(context, before, counted(context, result));
    return result;
}

void *taut_mem_resize(taut_context *context, void *block, size_t count, size_t size)
{
    if (count == 0) count = 1;
    if (size && count > (size_t)PTRDIFF_MAX / size) {
        taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory: %zu items of %zu bytes asked for", count, size);
        return NULL;
    }
    if (taut_budget_take(context, count * size)) return NULL;
    void *result = resize_block(context, block, count * size);
    if (!result) taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory: %zu bytes asked for", count * size);
    return result;
}

void *taut_mem_new(taut_context *context, size_t items, size_t size)
{
    /* what is new from the system need not be written once more */
    if (!taut_context_has_allocator(context) && items <= (size_t)PTRDIFF_MAX / (size ? size : 1)) {
        if (taut_budget_take(context, items * size)) return NULL;
        int is_zero = 1;
        void *zeroed = context->pages ? taut_pages_take(context->pages, items * size, &is_zero) : NULL;
        if (zeroed && !is_zero) memset(zeroed, 0, items * size);
        if (!zeroed) zeroed = calloc(items ? items : 1, size);
        count(context, 0, counted(context, zeroed));
        if (zeroed) return zeroed;
    }
    void *block = taut_mem_resize(context, NULL, items, size);
    if (block) memset(block, 0, (items ? items : 1) * size);
    return block;
}

void taut_mem_free(taut_context *context, void *block)
{
    if (block) resize_block(context, block, 0);
}

char *taut_mem_text(taut_context *context, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = taut_mem_resize(context, NULL, size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

int taut_mem_enlarge(taut_context *context, void *array, size_t *capacity, size_t need, size_t size)
{
    size_t wanted = *capacity ? *capacity : 8;
    while (wanted < need) wanted += wanted / 2 + 8;
    void *block;
    memcpy(&block, array, sizeof block);
    block = taut_mem_resize(context, block, wanted, size);
    if (!block) return TAUT_OUT_OF_MEMORY;
    memcpy(array, &block, sizeof block);
    *capacity = wanted;
    return TAUT_OK;
}

void taut_mem_trim(taut_context *context, void *array, size_t *capacity, size_t count, size_t size)
{
    void *block, *smaller;
    memcpy(&block, array, sizeof block);
    if (!block || count >= *capacity) return;
    smaller = resize_block(context, block, (count ? count : 1) * size);
    if (!smaller) return; /* it stays as it is */
    memcpy(array, &smaller, sizeof smaller);
    *capacity = count ? count : 1;
}

void taut_context_forget_fault(taut_context *context)
{
    if (atomic_load_explicit(&context->faulty, memory_order_relaxed))
        atomic_store_explicit(&context->faulty, 0, memory_order_relaxed);
}

void taut_fail_forget(taut_context *context)
{
    context->error[0] = context->file[0] = context->item[0] = context->near[0] = 0;
    context->status = context->line = 0;
    context->time = (double)NAN;
    taut_context_forget_fault(context);
}

void taut_fail_near(taut_context *context, const char *word)
{
    snprintf(context->near, sizeof context->near, "%s", word ? word : "");
}

void taut_fail_at(taut_context *context, double time)
{
    if (!(context->time == context->time)) context->time = time;
}

/* What a message names: "FILE:LINE: ..." or "at t = TIME: ..." at its beginning, as the format says; the first thing
   between quotes. */
static void find_place(taut_context *context, const char *format, va_list arguments)
{
    static const char place[] = "%s:%d:", moment[] = "at t = %.9g";
    if (strncmp(format, place, sizeof place - 1) == 0) {
        snprintf(context->file, sizeof context->file, "%s", va_arg(arguments, const char *));
        context->line = va_arg(arguments, int);
    } else if (strncmp(format, moment, sizeof moment - 1) == 0) {
        context->time = va_arg(arguments, double);
    }
    const char *from = strchr(context->error, '\''), *to = from ? strchr(from + 1, '\'') : NULL;
    if (to) snprintf(context->item, sizeof context->item, "%.*s", (int)(to - from - 1), from + 1);
}

int taut_fail_v(taut_context *context, int status, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    taut_text_format_v(context->error, sizeof context->error, format, arguments);
    context->file[0] = context->item[0] = context->near[0] = 0;
    context->line = 0;
    context->time = (double)NAN;
    context->status = status;
    find_place(context, format, again);
    va_end(again);
    return status;
}

/* A function of the user is behind the failure. The status keeps its sign. */
static int blame_function(taut_context *context, int status)
{
    const int given = context->fault_status, kind = given ? TAUT_REFUSED : TAUT_NOT_FINITE;
    const double time = context->time;
    char name[sizeof context->fault], before[TAUT_ERROR_TEXT / 2], what[64] = "gave a number that is not finite";
    snprintf(name, sizeof name, "%s", context->fault);
    snprintf(before, sizeof before, "%.*s", (int)sizeof before - 1, context->error);
    if (given) snprintf(what, sizeof what, "failed with status %d", given);
    atomic_store(&context->faulty, 0);
    status = status < 0 ? -kind : kind;
    if (time == time)
        return taut_fail(context, status, "at t = %.9g: the function '%s' %s (%s)", time, name, what, before);
    return taut_fail(context, status, "the function '%s' %s (%s)", name, what, before);
}

int taut_fail_done(taut_context *context, int status)
{
    if (status && taut_context_has_fault(context)) status = blame_function(context, status);
    if (!status) taut_fail_forget(context);
    context->status = status;
    return status;
}

void taut_context_begin(taut_context *context)
{
    environment_enter(&context->environment);
    taut_fail_forget(context);
}

int taut_context_done(taut_context *context, int status)
{
    status = taut_fail_done(context, status);
    environment_leave(&context->environment);
    return status;
}

int taut_fail(taut_context *context, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    taut_fail_v(context, status, format, arguments);
    va_end(arguments);
    return status;
}

void taut_note(taut_context *context, const char *format, ...)
{
    if (!context->log) return;
    char line[TAUT_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    taut_text_format_v(line, sizeof line, format, arguments);
    va_end(arguments);
    context->log(context->log_user, line);
}

void taut_note_once(taut_context *context, const char *line)
{
    if (strcmp(line, context->noted) == 0) return;
    snprintf(context->noted, sizeof context->noted, "%s", line);
    taut_note(context, "%s", line);
}

void taut_note_forget(taut_context *context) { context->noted[0] = 0; }

/* ---- functions of the user ---- */

static int is_function_name(const char *name)
{
    size_t n = 0;
    for (; name && name[n]; n++) {
        const char c = name[n];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (n && c >= '0' && c <= '9'))) return 0;
    }
    return n && n < sizeof ((context_function *)0)->name;
}

const context_function *taut_context_function(const taut_context *context, const char *name)
{
    for (size_t i = 0; i < context->function_count; i++)
        if (strcmp(context->functions[i].name, name) == 0) return &context->functions[i];
    return NULL;
}

int taut_define(taut_context *context, const char *name, size_t arguments, int order, taut_function function,
                void *user)
{
    if (!context) return TAUT_BAD_USAGE;
    taut_fail_forget(context);
    if (!name || !is_function_name(name))
        return taut_fail(context, TAUT_BAD_USAGE,
                         "taut_define: a function needs a name of at most 63 letters, digits and underscores");
    if (!arguments || arguments > TAUT_ARGUMENTS_MOST || order < 0 || order > 2 || !function)
        return taut_fail(context, TAUT_BAD_USAGE,
                         "taut_define: the function '%s' needs 1 to %d arguments, an order of 0, 1 or 2, and an "
                         "address", name, TAUT_ARGUMENTS_MOST);
    context_function *f = (context_function *)taut_context_function(context, name);
    if (!f && taut_mem_grow(context, &context->functions, &context->function_capacity, context->function_count + 1,
                            sizeof *context->functions))
        return taut_fail_done(context, TAUT_OUT_OF_MEMORY);
    if (!f) f = &context->functions[context->function_count++];
    *f = (context_function){ .arguments = (uint32_t)arguments, .order = order, .function = function, .user = user };
    snprintf(f->name, sizeof f->name, "%s", name);
    return TAUT_OK;
}

void taut_context_fault(taut_context *context, const context_function *f, int status)
{
    int none = 0;
    if (!atomic_compare_exchange_strong(&context->faulty, &none, 1)) return;
    memcpy(context->fault, f->name, sizeof context->fault);
    context->fault_status = status;
    atomic_store_explicit(&context->faulty, 2, memory_order_release);
}

int taut_context_has_fault(const taut_context *context)
{
    return atomic_load_explicit(&context->faulty, memory_order_acquire) == 2;
}
