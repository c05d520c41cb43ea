/* Runs commands in turn, several rounds of all of them, so that whatever else the machine does hits all alike; the
 * least of each counts. usage: turns [-r ROUNDS] [-f KEY[,KEY...]] [-o FOLDER] < LIST
 * A line of the list is LABEL COMMAND ARGUMENT...; with the label "-" a preparation, which is not measured. One line is
 * printed per label: LABEL, processor seconds (user and system, with children), wall seconds, peak MiB, the least of
 * the numbers that follow KEY= or "KEY": in the output (nan: the key is not there), of the first key that is there; or
 * LABEL "failed". The last output is kept as FOLDER/LABEL. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { JOBS = 500, WORDS = 40, OUTPUT = 1 << 16 };

typedef struct {
    char *words[WORDS]; /* label, command, arguments, NULL */
    double cpu, wall, mib, figure;
    int failed;
} job;

static int read_jobs(job *jobs)
{
    int count = 0;
    char *line = NULL;
    size_t room = 0;
    while (count < JOBS && getline(&line, &room, stdin) > 0) {
        job *j = &jobs[count];
        int words = 0;
        char *text = strdup(line);
        for (char *w = strtok(text, " \n"); w && words < WORDS - 1; w = strtok(NULL, " \n")) j->words[words++] = w;
        j->cpu = j->wall = j->figure = INFINITY;
        if (words > 1)
            count++;
        else
            free(text);
    }
    free(line);
    return count;
}

/* The last number after a key, as KEY= or as "KEY": of JSON; INFINITY: the key is not there. */
static double figure_after(const char *text, const char *key, int length)
{
    static const char *const forms[] = { "%.*s=", "\"%.*s\":" };
    double value = INFINITY;
    for (int i = 0; i < 2; i++) {
        char wanted[100];
        snprintf(wanted, sizeof wanted, forms[i], length, key);
        for (const char *at = text; (at = strstr(at, wanted)); at++) value = strtod(at + strlen(wanted), NULL);
    }
    return value;
}

/* Of what was printed, the figure of the first of the keys that is there. */
static double figure_in(const char *path, const char *keys)
{
    static char text[OUTPUT];
    double value = INFINITY;
    FILE *f = fopen(path, "r");
    if (!f) return INFINITY;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    for (const char *key = keys; isinf(value) && *key; key += strspn(key, ",")) {
        const int length = (int)strcspn(key, ",");
        value = figure_after(text, key, length);
        key += length;
    }
    return value;
}

static void run(job *j, const char *folder, const char *key)
{
    char path[1000];
    struct rusage used;
    int status, measured = strcmp(j->words[0], "-") != 0;
    snprintf(path, sizeof path, "%s/%s", folder, measured ? j->words[0] : "preparation");
    double begun = clock_seconds();
    pid_t child = fork();
    if (child == 0) {
        int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(127);
        execvp(j->words[1], j->words + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0) {
        perror("turns");
        exit(1);
    }
    double wall = clock_seconds() - begun, mib = (double)used.ru_maxrss / 1024;
    double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
                 + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) j->failed = 1;
    if (cpu < j->cpu) j->cpu = cpu;
    if (wall < j->wall) j->wall = wall;
    if (mib > j->mib) j->mib = mib;
    if (key && !j->failed) j->figure = fmin(j->figure, figure_in(path, key));
}

int main(int argc, char **argv)
{
    static job jobs[JOBS];
    const char *folder = ".", *key = NULL;
    int rounds = 5, option;
    while ((option = getopt(argc, argv, "r:f:o:")) != -1) {
        if (option == 'r')
            rounds = atoi(optarg);
        else if (option == 'f')
            key = optarg;
        else if (option == 'o')
            folder = optarg;
        else
            return fprintf(stderr, "usage: turns [-r ROUNDS] [-f KEY] [-o FOLDER] < LIST\n"), 2;
    }
    int count = read_jobs(jobs);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
            if (!jobs[i].failed) run(&jobs[i], folder, key);
    for (int i = 0; i < count; i++) {
        job *j = &jobs[i];
        if (strcmp(j->words[0], "-") == 0) continue;
        if (j->failed)
            printf("%s failed\n", j->words[0]);
        else
            printf("%s %.9g %.9g %.4g %.9g\n", j->words[0], j->cpu, j->wall, j->mib,
                   isinf(j->figure) ? NAN : j->figure);
    }
    return 0;
}
