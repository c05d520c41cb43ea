/* Errors of the elementary functions against quad: the table of docs/accuracy.md. usage: ulp [-a] [COUNT [THREADS]]
 * COUNT arguments a function, 10^6 unless given, shared by its rows; the same ones for any number of threads. Values in
 * quad are computed where long double leaves a doubt about the largest error or the rounding, with -a for all. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "elementary_ulp.h"

enum { PARTS = 256 };

typedef struct {
    pthread_mutex_t lock;
    const ulp_row *row;
    long count;
    int quick, next;
    ulp_result result[PARTS];
} job;

static void *work(void *user)
{
    job *j = user;
    for (;;) {
        pthread_mutex_lock(&j->lock);
        int part = j->next++;
        pthread_mutex_unlock(&j->lock);
        if (part >= PARTS) return NULL;
        long share = j->count / PARTS + (part < j->count % PARTS);
        uint64_t seed = ((uint64_t)(j->row - ulp_rows) * PARTS + (uint64_t)part + 1) * 0x9e3779b97f4a7c15u;
        j->result[part] = ulp_measure(j->row, share, seed, j->quick);
    }
}

static ulp_result measure(const ulp_row *row, long count, int threads, int quick)
{
    job j = { .lock = PTHREAD_MUTEX_INITIALIZER, .row = row, .count = count, .quick = quick };
    pthread_t started[64];
    int running = 0;
    while (running < threads - 1 && !pthread_create(&started[running], NULL, work, &j)) running++;
    work(&j);
    for (int i = 0; i < running; i++) pthread_join(started[i], NULL);
    ulp_result all = { 0 };
    for (int i = 0; i < PARTS; i++) {
        const ulp_result *r = &j.result[i];
        all.count += r->count, all.exact += r->exact;
        if (!(r->most <= all.most)) all.most = r->most, all.x = r->x, all.y = r->y;
    }
    return all;
}

static int rows_of(const char *name)
{
    int rows = 0;
    for (int i = 0; i < ULP_ROWS; i++) rows += !strcmp(ulp_rows[i].name, name);
    return rows;
}

int main(int count, char **arguments)
{
    const int all = count > 1 && !strcmp(arguments[1], "-a");
    count -= all, arguments += all;
    long trials = count > 1 ? atol(arguments[1]) : 1000000;
    int threads = count > 2 ? atoi(arguments[2]) : 1, failed = 0;
    if (trials < 1 || threads < 1 || threads > 64) {
        fprintf(stderr, "usage: ulp [-a] [COUNT [THREADS]]\n");
        return 2;
    }
    printf("| function | arguments | largest error | at | correctly rounded |\n|---|---|---|---|---|\n");
    for (int i = 0; i < ULP_ROWS; i++) {
        const ulp_row *row = &ulp_rows[i];
        const ulp_result r = measure(row, trials / rows_of(row->name), threads, !all);
        printf("| %s | %s | %.4f | %.17g", row->name, row->range, r.most, r.x);
        if (row->high_y != row->low_y) printf(", %.17g", r.y);
        printf(" | %.2f %% |\n", 100 * (double)r.exact / (double)r.count);
        fflush(stdout);
        if (!(r.most <= row->bound)) {
            fprintf(stderr, "ulp: %s, %s: the error %.4f is above %g\n", row->name, row->range, r.most, row->bound);
            failed = 1;
        }
    }
    return failed;
}
