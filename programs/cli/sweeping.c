#include "cli/sweeping.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/screen.h"

typedef struct {
    int shows;
    double begun, last;      /* when progress was shown */
} watcher;

static void show(void *user, const sweep_progress *p)
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

static void summarise(const sweep *s, const sweep_spec *spec, const sweep_progress *p, const char *path)
{
    const executor *e = taut_sweep_executor(s);
    screen_put(stdout, TONE_HEADING, "%s", spec->m->title);
    printf("\n  method %s   step %.6g   t = 0 .. %.9g   members %llu .. %llu   on %s\n", spec->method,
           (double)spec->step, (double)spec->until, (unsigned long long)spec->first, (unsigned long long)spec->last,
           taut_executor_name(taut_executor_on(e)));
    if (*taut_executor_note(e)) printf("  (%s)\n", taut_executor_note(e));
    printf("\n  members               %llu done, %llu of them failed", (unsigned long long)p->done,
           (unsigned long long)p->failed);
    if (p->done < p->members) printf(", %llu missing", (unsigned long long)(p->members - p->done));
    printf("\n  here                  %llu members, %.4g steps in %.3g s (%.3g member steps/s, %d thread%s)\n",
           (unsigned long long)p->here, p->steps, p->seconds, p->seconds > 0 ? p->steps / p->seconds : 0.0,
           spec->threads, spec->threads == 1 ? "" : "s");
    printf("  recorded in %s\n", path);
}

int sweep_session(taut_context *context, sweep *s, const sweep_spec *spec, const char *path)
{
    watcher z = { .shows = screen_shows_progress(), .begun = clock_seconds() };
    sweep_progress p = { 0 };
    stop_listen();
    const sweep_watch watch = { .progress = show, .stop = &told_to_stop, .user = &z };
    const int status = taut_sweep_run(s, &watch, &p);
    screen_progress_clear();
    if (status)
        return complain(EXIT_FAILED, "stopped after %llu of %llu members: %s; 'taut resume %s' goes on from what is "
                                     "recorded", (unsigned long long)p.done, (unsigned long long)p.members,
                        taut_error_text(context), path);
    summarise(s, spec, &p, path);
    if (p.stopped)
        return complain(128 + told_to_stop, "stopped after %llu of %llu members; to continue: taut resume %s",
                        (unsigned long long)p.done, (unsigned long long)p.members, path);
    char name[4096];
    screen_next("taut report %s", screen_quoted(path, name, sizeof name));
    return EXIT_DONE;
}

int sweep_resume(taut_context *context, taut_file *file, const char *path, const options *o)
{
    sweep_stored stored = { 0 };
    sweep *s = NULL;
    const char *how = taut_file_property(file, "status");
    if (options_value(o, "until", NULL))
        return complain(EXIT_USAGE,
                        "option --until: the end of an ensemble cannot be moved; run it again with another");
    if (how && strcmp(how, "finished") == 0) {
        printf("%s is finished: all its members are done\n", path);
        return EXIT_DONE;
    }
    record *r = NULL;
    int status = taut_record_open(context, path, &r);
    if (!status) status = taut_sweep_load(context, r, &stored);
    taut_record_close(r);
    if (status) return complain(exit_status_of(status), "%s", taut_error_text(context));
    int code = native_option(o, &stored.spec.native) || sweep_threads_option(o, &stored.spec.threads) ? EXIT_USAGE : 0;
    if (!code) {
        status = taut_sweep_create(context, &stored.spec, &s);
        if (!status) status = taut_sweep_continue(s, path);
        code = status ? complain(exit_status_of(status), "%s", taut_error_text(context))
                      : sweep_session(context, s, &stored.spec, path);
    }
    taut_sweep_free(s);
    taut_sweep_stored_clear(context, &stored);
    return code;
}
