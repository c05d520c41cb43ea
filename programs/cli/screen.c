#include "cli/screen.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/wrap.h"

/* The screen of the process: there is one. */
static struct {
    int colour;                 /* 0 by the terminal, 1 always, -1 never */
    int quiet;
    pthread_mutex_t lock;       /* of the line of progress */
    int shown;                  /* there is one */
    /* what is watched */
    pthread_t thread;
    pthread_cond_t end;
    int watching;
    const char *name;
    const taut_progress *watched;
    double begun;
} screen = { .lock = PTHREAD_MUTEX_INITIALIZER, .end = PTHREAD_COND_INITIALIZER };

static int is_dumb(void)
{
    const char *terminal = getenv("TERM");
    return !terminal || !*terminal || strcmp(terminal, "dumb") == 0;
}

/* ---- colour ---- */

int screen_colour(const char *when)
{
    static const char *const words[] = { "never", "auto", "always" };
    for (int i = 0; i < 3; i++)
        if (strcmp(when, words[i]) == 0) {
            screen.colour = i - 1;
            return 0;
        }
    return 1;
}

static int has_colour(const FILE *file)
{
    const char *none = getenv("NO_COLOR");
    if (screen.colour) return screen.colour > 0;
    return isatty(file == stderr ? STDERR_FILENO : STDOUT_FILENO) && !(none && *none) && !is_dumb();
}

const char *screen_tone(const FILE *file, tone t)
{
    static const char *const sequences[] = { "\033[0m", "\033[1m", "\033[32m", "\033[33m", "\033[1;31m", "\033[2m" };
    return has_colour(file) ? sequences[t] : "";
}

int screen_put(FILE *file, tone t, const char *format, ...)
{
    va_list arguments;
    if (t) fputs(screen_tone(file, t), file);
    va_start(arguments, format);
    const int length = vfprintf(file, format, arguments);
    va_end(arguments);
    if (t) fputs(screen_tone(file, TONE_PLAIN), file);
    return length;
}

void screen_quiet(int keep_output)
{
    screen.quiet = 1;
    if (!keep_output) wrap_drop();
}

void screen_keep_output(void) { wrap_keep(); }

int screen_is_quiet(void) { return screen.quiet; }

/* ---- progress ---- */

int screen_shows_progress(void) { return !screen.quiet && isatty(STDERR_FILENO) && !is_dumb(); }

static int width_of_progress(void)
{
    struct winsize size = { 0 };
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 2) return 79;
    return size.ws_col - 1; /* the last column is left alone: some terminals would go to the next line */
}

/* With the lock. */
static void draw(double fraction, const char *text)
{
    char bar[31];
    const int width = width_of_progress(), length = (int)strlen(text);
    int room = width - length - 3;
    if (room > 30) room = 30;
    fputs("\r", stderr);
    if (fraction >= 0 && room >= 8) {
        const int filled = (int)(room * (fraction < 1 ? fraction : 1));
        for (int i = 0; i < room; i++) bar[i] = i < filled ? '=' : ' ';
        fprintf(stderr, "[%.*s] ", room, bar);
    }
    fprintf(stderr, "%.*s\033[K", width, text);
    fflush(stderr);
    screen.shown = 1;
}

void screen_progress(double fraction, const char *text)
{
    if (!screen_shows_progress()) return;
    pthread_mutex_lock(&screen.lock);
    draw(fraction, text);
    pthread_mutex_unlock(&screen.lock);
}

/* With the lock. */
static void clear(void)
{
    if (screen.shown) fputs("\r\033[K", stderr);
    if (screen.shown) fflush(stderr);
    screen.shown = 0;
}

void screen_progress_clear(void)
{
    pthread_mutex_lock(&screen.lock);
    clear();
    pthread_mutex_unlock(&screen.lock);
}

const char *screen_duration(double seconds, char *text, size_t size)
{
    if (!(seconds < 1e9)) snprintf(text, size, "unknown");
    else if (seconds < 90) snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 5400) snprintf(text, size, "%.0f min", seconds / 60);
    else snprintf(text, size, "%.1f h", seconds / 3600);
    return text;
}

static void draw_watched(double used)
{
    char text[200], time[32], part[40] = "", steps[64] = "";
    taut_progress_state p = { .size = sizeof p };
    taut_progress_read(screen.watched, &p);
    const char *doing = p.doing;
    const int done = p.part, parts = p.parts;
    const long step = p.step, all = p.steps;
    if (parts) snprintf(part, sizeof part, " (%d of %d)", done < parts ? done + 1 : parts, parts);
    if (all) snprintf(steps, sizeof steps, "   %ld/%ld steps", step < all ? step : all, all);
    snprintf(text, sizeof text, "%s: %s%s%s   %s", screen.name, doing ? doing : "", part, steps,
             screen_duration(used, time, sizeof time));
    draw(all ? (double)step / (double)all : -1, text);
}

/* A tenth of a second is often enough; what is over before half a second shows nothing. */
static void *watch(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&screen.lock);
    while (screen.watching) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&screen.end, &screen.lock, &until);
        const double used = clock_seconds() - screen.begun;
        if (screen.watching && used > 0.5) draw_watched(used);
    }
    clear();
    pthread_mutex_unlock(&screen.lock);
    return NULL;
}

void screen_watch(const char *name, const taut_progress *p)
{
    if (!screen_shows_progress()) return;
    screen.name = name;
    screen.watched = p;
    screen.begun = clock_seconds();
    screen.watching = 1;
    if (pthread_create(&screen.thread, NULL, watch, NULL)) screen.watching = 0;
}

void screen_unwatch(void)
{
    if (!screen.watching) return;
    pthread_mutex_lock(&screen.lock);
    screen.watching = 0;
    pthread_cond_signal(&screen.end);
    pthread_mutex_unlock(&screen.lock);
    pthread_join(screen.thread, NULL);
}

/* The text after `column` columns, in lines of the terminal's width that end between words. */
static void put_wrapped(const char *text, int column)
{
    const int width = isatty(STDERR_FILENO) ? width_of_progress() + 1 : 0;
    char word[2 * TAUT_ERROR_TEXT];
    while (width && *text && !strchr(text, '\n')) {
        const size_t blanks = strspn(text, " "), length = strcspn(text + blanks, " ");
        int columns = 0;
        if (!length || blanks + length >= sizeof word) break;
        for (size_t i = 0; i < length; i++) columns += ((unsigned char)text[blanks + i] & 0xC0) != 0x80;
        const int fits = column + (int)blanks + columns <= width;
        memcpy(word, text + (fits ? 0 : blanks), length + (fits ? blanks : 0));
        word[length + (fits ? blanks : 0)] = 0;
        if (!fits) fputs("\n  ", stderr);
        put_text(stderr, word);
        column = fits ? column + (int)blanks + columns : 2 + columns;
        text += blanks + length;
    }
    put_text(stderr, text);
    fputc('\n', stderr);
}

void screen_message(tone t, const char *head, const char *text)
{
    pthread_mutex_lock(&screen.lock);
    clear();
    if (*head) screen_put(stderr, t, "%s", head);
    if (*head) fputc(' ', stderr);
    put_wrapped(text, *head ? (int)strlen(head) + 1 : 0);
    pthread_mutex_unlock(&screen.lock);
}

/* ---- what comes next ---- */

void screen_next(const char *format, ...)
{
    char text[5000];
    va_list arguments;
    if (screen.quiet || !isatty(STDERR_FILENO)) return;
    fflush(stdout);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    screen_message(TONE_FAINT, "next:", text);
}

const char *screen_quoted(const char *path, char *buffer, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (strspn(path, plain) == strlen(path) && *path) return path;
    size_t at = 0;
    if (size < strlen(path) * 4 + 3) return path;
    buffer[at++] = '\'';
    for (; *path; path++) {
        if (*path == '\'') at += (size_t)sprintf(buffer + at, "'\\''");
        else buffer[at++] = *path;
    }
    buffer[at++] = '\'';
    buffer[at] = 0;
    return buffer;
}
