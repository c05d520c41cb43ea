#include "cli/encoder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/new_file.h"
#include "cli/cli.h"

#define PROGRAM "ffmpeg"

static int is_there(void)
{
    const char *path = getenv("PATH");
    char file[4096];
    while (path && *path) {
        int length = (int)strcspn(path, ":");
        if (snprintf(file, sizeof file, "%.*s/%s", length, path, PROGRAM) < (int)sizeof file && access(file, X_OK) == 0)
            return 1;
        path += length + (path[length] == ':');
    }
    return 0;
}

/* In the child: reads pictures from `input`. A signal from the terminal is ours to deal with. */
static void start(int input, const char *part, int webm, const char *size, const char *rate)
{
    static const char *const mp4[] = { "-c:v",      "libx264",    "-preset", "medium", "-crf", "20",
                                       "-movflags", "+faststart", "-f",      "mp4",    NULL };
    static const char *const vp9[] = { "-c:v",    "libvpx-vp9", "-crf", "32",   "-b:v", "0",
                                       "-row-mt", "1",          "-f",   "webm", NULL };
    const char *first[] = { PROGRAM,         "-nostdin", "-v",          "error", "-y",         "-f", "rawvideo",
                            "-pixel_format", "rgb24",    "-video_size", size,    "-framerate", rate, "-i",
                            "pipe:0",        "-pix_fmt", "yuv420p" };
    const char *const *rest = webm ? vp9 : mp4;
    const char *all[40];
    char name[4200];
    int count = 0;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) all[count++] = first[i];
    while (*rest) all[count++] = *rest++;
    snprintf(name, sizeof name, "file:%s", part); /* whatever its name: not an option, not an address */
    all[count++] = name;
    all[count] = NULL;
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    if (dup2(input, 0) < 0) _exit(127);
    execvp(PROGRAM, (char *const *)all);
    _exit(127);
}

int encoder_begin(encoder *z, const char *part, const char *name, int webm, int width, int height, double fps)
{
    int ends[2];
    char size[32], rate[32];
    *z = (encoder){ .picture = 3 * (size_t)width * (size_t)height, .name = name };
    if (!is_there())
        return complain(EXIT_USAGE,
                        "%s: films of this kind are made by %s, which is not installed (Debian: apt install "
                        "ffmpeg); .gif and .png need nothing",
                        name, PROGRAM);
    FILE *file = taut_new_file(name, part); /* ours, so that no link that lies there is written to */
    if (!file) return complain(EXIT_USAGE, "cannot write %s: %s", name, strerror(errno));
    fclose(file);
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.6f", fps);
    if (pipe2(ends, O_CLOEXEC)) return complain(EXIT_FAILED, "cannot start %s: %s", PROGRAM, strerror(errno));
    z->process = fork();
    if (z->process == 0) start(ends[0], part, webm, size, rate);
    close(ends[0]);
    z->pipe = ends[1];
    if (z->process < 0) {
        close(ends[1]);
        unlink(part);
        return complain(EXIT_FAILED, "cannot start %s: %s", PROGRAM, strerror(errno));
    }
    signal(SIGPIPE, SIG_IGN);
    return EXIT_DONE;
}

int encoder_picture(encoder *z, const unsigned char *rgb)
{
    for (size_t done = 0; done < z->picture && !z->broken;) {
        ssize_t wrote = write(z->pipe, rgb + done, z->picture - done);
        if (wrote < 0 && errno != EINTR) z->broken = 1;
        if (wrote > 0) done += (size_t)wrote;
    }
    return z->broken ? EXIT_FAILED : EXIT_DONE; /* the end says why */
}

int encoder_end(encoder *z)
{
    int result = 0;
    close(z->pipe);
    while (waitpid(z->process, &result, 0) < 0)
        if (errno != EINTR) return complain(EXIT_FAILED, "cannot wait for %s: %s", PROGRAM, strerror(errno));
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0 && !z->broken) return EXIT_DONE;
    return complain(EXIT_FAILED, "%s: %s failed (%s %d)", z->name, PROGRAM,
                    WIFEXITED(result) ? "exit status" : "signal",
                    WIFEXITED(result) ? WEXITSTATUS(result) : WTERMSIG(result));
}
