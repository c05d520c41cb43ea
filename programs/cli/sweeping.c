#include "cli/sweeping.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/screen.h"

typedef struct {
    int shows;
    double begun, last;      /* when progress was shown */
} watcher;

static void show(void *user, const taut_members_progress *p)
{
    watcher *z = user;
    char left[32], failed[40] = "", text[200];
    const double now = clock_seconds();
    if (!z->shows || !p->here || now - z->begun < 0.5 || now - z->last < 0.1) return;
    z->last = now;
    if (p->failed) snprintf(failed, sizeof failed, ", %llu failed", (unsigned long long)p->failed);
    screen_duration(p->seconds * (double)(p->members - p->done) / (double)p->here, left, sizeof left);
    snprintf(text, sizeof text, "%llu of %llu members%s   %.3g member steps/s   %s left", (unsigned long long)p->done,
             (unsigned long long)p->members, failed, p->seconds > 0 ? p->steps / p->seconds : 0.0, left);
    screen_progress((double)p->done / (double)p->members, text);
}

static void summarise(const taut_members_info *m, const taut_members_run_options *run, const char *path)
{
    screen_put(stdout, TONE_HEADING, "%s", m->title);
    printf("\n  method %s   step %.6g   t = 0 .. %.9g   members %llu .. %llu   on %s\n", m->method, m->h, m->until,
           (unsigned long long)m->first, (unsigned long long)(m->first + m->count - 1), m->on);
    if (*m->note) printf("  (%s)\n", m->note);
    printf("\n  members               %llu done, %llu of them failed", (unsigned long long)run->done,
           (unsigned long long)run->failed);
    if (run->done < m->count) printf(", %llu missing", (unsigned long long)(m->count - run->done));
    printf("\n  here                  %llu members, %.4g steps in %.3g s (%.3g member steps/s, %d thread%s)\n",
           (unsigned long long)run->here, run->steps, run->seconds, run->seconds > 0 ? run->steps / run->seconds : 0.0,
           m->threads, m->threads == 1 ? "" : "s");
    printf("  recorded in %s\n", path);
}

int sweep_session(taut_context *context, taut_members *members, const char *path)
{
    watcher z = { .shows = screen_shows_progress(), .begun = clock_seconds() };
    taut_members_info m = { .size = sizeof m };
    taut_members_run_options run = { .size = sizeof run, .progress = show, .interrupt = &told_to_stop, .unlisted = 1,
                                     .user = &z };
    stop_listen();
    const int status = taut_members_run(members, &run);
    taut_members_about(members, &m);
    screen_progress_clear();
    if (status)
        return complain(EXIT_FAILED, "stopped after %llu of %llu members: %s; 'taut resume %s' goes on from what is "
                                     "recorded", (unsigned long long)run.done, (unsigned long long)m.count,
                        taut_error_text(context), path);
    summarise(&m, &run, path);
    if (run.stopped)
        return complain(128 + told_to_stop, "stopped after %llu of %llu members; to continue: taut resume %s",
                        (unsigned long long)run.done, (unsigned long long)m.count, path);
    char name[4096];
    screen_next("taut report %s", screen_quoted(path, name, sizeof name));
    return EXIT_DONE;
}

int sweep_threads_option(const options *o, int *threads)
{
    const long found = sysconf(_SC_NPROCESSORS_ONLN);
    *threads = found < 1 ? 1 : found > TAUT_THREADS_MOST ? TAUT_THREADS_MOST : (int)found;
    return options_value(o, "threads", NULL) ? threads_option(o, threads) : 0;
}

int sweep_resume(taut_context *context, taut_file *file, const char *path, const options *o)
{
    taut_members *members = NULL;
    const char *how = taut_file_property(file, "status");
    int native, threads;
    if (options_value(o, "until", NULL))
        return complain(EXIT_USAGE,
                        "option --until: the end of an ensemble cannot be moved; run it again with another");
    if (how && strcmp(how, "finished") == 0) {
        printf("%s is finished: all its members are done\n", path);
        return EXIT_DONE;
    }
    if (native_option(o, &native) || sweep_threads_option(o, &threads)) return EXIT_USAGE;
    const int status = taut_members_open(context, path, native, threads, &members);
    const int code = status ? complain(exit_status_of(status), "%s", taut_error_text(context))
                            : sweep_session(context, members, path);
    taut_members_release(members);
    return code;
}
