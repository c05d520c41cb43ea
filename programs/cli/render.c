/* taut render */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/new_file.h"
#include "cli/cli.h"
#include "cli/encoder.h"
#include "render/film.h"

static int render_main(int argc, char **argv);

static const option_definition definitions_of_render[] = {
    { "output", 'o', "FILE", "the film (.gif, .mp4, .webm) or picture (.png); the run's name with .gif", 0 },
    { "at", 0, "T", "the time of a picture (the end of the run)", 0 },
    { "from", 0, "T", "the film begins here (the start of the run)", 0 },
    { "to", 0, "T", "and ends here (the end of the run, but for --seconds)", 0 },
    { "speed", 0, "V", "time of the run per second of the film (as looks well)", 0 },
    { "seconds", 0, "S", "length of the film at the most, without --to (20)", 0 },
    { "fps", 0, "N", "pictures per second (30; 20 for .gif)", 0 },
    { "size", 0, "WxH", "pixels (1280x720; 640x360 for .gif)", 0 },
    { "view", 0, "VIEW", "azimuth and elevation in degrees from where one looks, and a zoom (-62,17,1)", 0 },
    { "trail", 0, "off|short|long|all", "how far back paths are drawn (short)", 0 },
    { "dark", 0, NULL, "light on dark", 0 },
    { "plain", 0, NULL, "without the clock", 0 },
    { "colours", 0, "N", "of .gif and .png: at most so many, 2 to 256; a smaller file (255; all)", 0 },
    { "meshes", 0, "FOLDER", "where the meshes that the model draws are (beside the run file)", 0 },
    OPTION_THREADS_APART,
};

const command command_render = {
    "render", "RUN.taut [-o film.gif|film.mp4|film.webm|picture.png]", "a film or a picture of a run",
    definitions_of_render, sizeof definitions_of_render / sizeof *definitions_of_render, render_main,
    "The scene is that of the page that taut report makes, drawn without a browser. The same run gives the same\n"
    "bytes (.gif, .png). Films as .mp4 and .webm are made by ffmpeg, which must be installed.\n\n"
    "Exit status: 0 done, 1 the file could not be written, 2 bad usage or not a run.\n"
};

typedef enum { FORMAT_PNG, FORMAT_GIF, FORMAT_MP4, FORMAT_WEBM, FORMATS } format;
static const char *const endings[FORMATS] = { ".png", ".gif", ".mp4", ".webm" };

typedef struct {
    taut_context *context;
    const char *path;
    format kind;
    film_options look;
    double at, speed, fps, seconds; /* at, speed: NAN where they are not given */
    int to_given, colours;          /* colours: 0: all */
    film *shown;
    image picture;
    double from, to, step;          /* times of the first and last picture, between two */
    long count;                     /* of pictures */
    long done;
    double begun, told;
} rendering;

/* ---- options ---- */

static int read_format(const char *path, format *kind)
{
    size_t length = strlen(path);
    for (int i = 0; i < FORMATS; i++) {
        size_t size = strlen(endings[i]);
        if (length <= size || strcmp(path + length - size, endings[i]) != 0) continue;
        *kind = (format)i;
        return EXIT_DONE;
    }
    return complain(EXIT_USAGE, "%s: a film ends in .gif, .mp4 or .webm, a picture in .png", path);
}

static int read_size(const options *o, rendering *z)
{
    const char *text = options_value(o, "size", z->kind == FORMAT_GIF ? "640x360" : "1280x720");
    char *end;
    long width = strtol(text, &end, 10), height = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end || width < 16 || height < 16 || width > 7680 || height > 7680)
        return complain(EXIT_USAGE, "option --size needs WIDTHxHEIGHT from 16 to 7680 pixels, as in 640x360, not '%s'",
                        text);
    if ((z->kind == FORMAT_MP4 || z->kind == FORMAT_WEBM) && (width % 2 || height % 2))
        return complain(EXIT_USAGE, "the size of a film as %s must be even, not %ldx%ld", endings[z->kind], width,
                        height);
    z->look.width = (int)width;
    z->look.height = (int)height;
    return EXIT_DONE;
}

static int read_view(const options *o, film_options *look)
{
    const char *text = options_value(o, "view", NULL);
    double number[3] = { 0, 0, 1 };
    int count = 0;
    if (!text) return EXIT_DONE;
    for (const char *at = text; at && count < 3; count++) {
        char item[64];
        wide value;
        const char *comma = strchr(at, ',');
        snprintf(item, sizeof item, "%.*s", (int)(comma ? comma - at : (long)strlen(at)), at);
        if (taut_wide_parse(item, &value) || !(value - value == 0)) break;
        number[count] = (double)value;
        at = comma ? comma + 1 : NULL;
        if (!at && count >= 1 && number[2] >= 0.01 && number[2] <= 1000 && fabs(number[1]) <= 90) {
            look->azimuth = number[0], look->elevation = number[1], look->zoom = number[2];
            return EXIT_DONE;
        }
    }
    return complain(EXIT_USAGE,
                    "option --view needs azimuth and elevation in degrees, and perhaps a zoom, as in 30,20,1.5, "
                    "not '%s'",
                    text);
}

static int read_trail(const options *o, trail_kind *trails)
{
    static const char *const names[] = { "off", "short", "long", "all" };
    const char *text = options_value(o, "trail", "short");
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            *trails = (trail_kind)i;
            return EXIT_DONE;
        }
    return complain(EXIT_USAGE, "option --trail is off, short, long or all, not '%s'", text);
}

/* A number between two; NAN where the option is not given and has no other value. */
static int read_number(const options *o, const char *name, const char *otherwise, double least, double most,
                       double *value)
{
    wide number;
    *value = NAN;
    if (!options_value(o, name, otherwise)) return EXIT_DONE;
    if (number_option(o, name, otherwise, &number)) return EXIT_USAGE;
    *value = (double)number;
    if (*value >= least && *value <= most) return EXIT_DONE;
    return complain(EXIT_USAGE, "option --%s is a number from %g to %g, not %s", name, least, most,
                    options_value(o, name, otherwise));
}

static int read_options(const options *o, rendering *z)
{
    double colours;
    z->look = taut_film_default();
    if (read_format(z->path, &z->kind) || read_size(o, z) || read_view(o, &z->look) || read_trail(o, &z->look.trails) ||
        threads_option(o, &z->look.threads) || read_number(o, "at", NULL, -1e300, 1e300, &z->at) ||
        read_number(o, "from", "-1e300", -1e300, 1e300, &z->look.from) ||
        read_number(o, "to", "1e300", -1e300, 1e300, &z->look.to) ||
        read_number(o, "speed", NULL, 1e-300, 1e300, &z->speed) ||
        read_number(o, "seconds", "20", 0.001, 1e6, &z->seconds) ||
        read_number(o, "fps", z->kind == FORMAT_GIF ? "20" : "30", 0.1, 240, &z->fps) ||
        read_number(o, "colours", NULL, 2, 256, &colours))
        return EXIT_USAGE;
    z->colours = colours == colours ? (int)colours : 0;
    z->to_given = options_value(o, "to", NULL) != NULL;
    z->look.meshes = options_value(o, "meshes", NULL);
    z->look.dark = options_value(o, "dark", NULL) != NULL;
    z->look.clock = options_value(o, "plain", NULL) == NULL;
    static const char *const of_films[] = { "speed", "seconds", "fps" };
    for (size_t i = 0; z->kind == FORMAT_PNG && i < 3; i++)
        if (options_value(o, of_films[i], NULL))
            return complain(EXIT_USAGE, "option --%s is for films, not for .png", of_films[i]);
    if (z->kind != FORMAT_PNG && options_value(o, "at", NULL))
        return complain(EXIT_USAGE, "option --at is for pictures (.png)");
    if ((z->kind == FORMAT_MP4 || z->kind == FORMAT_WEBM) && z->colours)
        return complain(EXIT_USAGE, "option --colours is for .gif and .png");
    return EXIT_DONE;
}

/* ---- pictures one after the other ---- */

/* How many, and how far apart: as far as the film may go. A GIF counts in hundredths of a second. */
static void plan(rendering *z)
{
    double first, last;
    taut_film_span(z->shown, &first, &last);
    if (!(z->speed > 0)) z->speed = taut_film_speed(z->shown);
    if (z->kind == FORMAT_GIF) z->fps = 100 / fmax(2, round(100 / z->fps));
    z->from = first;
    z->step = z->speed / z->fps;
    double pictures = floor((last - first) / z->step * (1 + 1e-12)) + 1,
           most = z->to_given ? 1e7 : ceil(z->seconds * z->fps);
    z->count = (long)fmax(1, fmin(pictures, most));
    z->to = first + (double)(z->count - 1) * z->step;
    if (pictures > most)
        fprintf(
            stderr,
            "the film shows t = %g to %g of %g, %g of the run's time a second; --to, --speed and --seconds show more\n",
            first, z->to, last, z->speed);
}

static void show_progress(rendering *z)
{
    double now = clock_seconds();
    if (!isatty(2) || now - z->begun < 1 || now - z->told < 0.2) return;
    z->told = now;
    fprintf(stderr, "\r\033[K%ld of %ld pictures", z->done, z->count);
    fflush(stderr);
}

/* The next picture; *more is 0 when there is none, or a signal came. */
static int next_picture(rendering *z, int *more)
{
    *more = z->done < z->count && !told_to_stop;
    if (!*more) return TAUT_OK;
    show_progress(z);
    return taut_film_draw(z->shown, z->from + (double)z->done++ * z->step, z->step, &z->picture);
}

/* ---- files ---- */

static int write_png(void *user, FILE *file)
{
    rendering *z = user;
    double first, last;
    taut_film_span(z->shown, &first, &last);
    int status = taut_film_draw(z->shown, z->at == z->at ? z->at : last, 0, &z->picture);
    if (!status && z->colours) {
        palette *p = calloc(1, sizeof *p);
        const image *const all[1] = { &z->picture };
        status = p ? taut_palette_choose(z->context, all, 1, z->colours, p) : TAUT_OUT_OF_MEMORY;
        if (!status) taut_palette_apply(p, &z->picture);
        free(p);
    }
    return status ? status : taut_png_write(z->context, &z->picture, file);
}

/* The colours of some pictures from the whole film stand for all. */
static int choose_colours(rendering *z, palette *p)
{
    enum { LOOKS = 8 };
    image looks[LOOKS] = { { 0 } };
    const image *all[LOOKS];
    int status = TAUT_OK;
    for (int i = 0; !status && i < LOOKS; i++) {
        all[i] = &looks[i];
        status = taut_image_create(z->context, z->look.width, z->look.height, &looks[i]);
        double t = z->from + (z->to - z->from) * i / (LOOKS - 1);
        if (!status) status = taut_film_draw(z->shown, t, z->step, &looks[i]);
    }
    const int most = z->colours && z->colours < 255 ? z->colours : 255;
    if (!status) status = taut_palette_choose(z->context, all, LOOKS, most, p);
    for (int i = 0; i < LOOKS; i++) taut_image_free(z->context, &looks[i]);
    return status;
}

static int write_gif(void *user, FILE *file)
{
    rendering *z = user;
    palette *p = calloc(1, sizeof *p);
    gif out;
    int status = p ? choose_colours(z, p) : TAUT_OUT_OF_MEMORY, more = 1;
    if (!status) {
        status = taut_gif_begin(&out, z->context, file, z->look.width, z->look.height, (int)round(100 / z->fps), p);
        while (!status && more) {
            status = next_picture(z, &more);
            if (!status && more) status = taut_gif_frame(&out, &z->picture);
        }
        taut_gif_end(&out);
    }
    free(p);
    return status;
}

/* Through ffmpeg, into a file beside the wanted one. */
static int write_film(rendering *z)
{
    encoder e;
    if (taut_new_file_is_special(z->path))
        return complain(EXIT_USAGE,
                        "cannot write %s: ffmpeg goes to and fro in its file, and this is not a regular one", z->path);
    char *part = malloc(strlen(z->path) + sizeof NEW_FILE_ENDING);
    if (!part) return complain(EXIT_FAILED, "out of memory");
    taut_new_file_name(z->path, part);
    int code = encoder_begin(&e, part, z->path, z->kind == FORMAT_WEBM, z->look.width, z->look.height, z->fps);
    if (code) {
        free(part);
        return code;
    }
    int status = TAUT_OK, more = 1;
    while (!status && !code && more) {
        status = next_picture(z, &more);
        if (!status && more) code = encoder_picture(&e, z->picture.rgb);
    }
    code = encoder_end(&e);
    if (status) code = complain(exit_status_of(status), "%s: %s", z->path, taut_error_text(z->context));
    if (!code && taut_new_file_settle(z->path, part))
        code = complain(EXIT_FAILED, "cannot write %s: %s", z->path, strerror(errno));
    if (code) unlink(part);
    free(part);
    return code;
}

static int write_file(rendering *z)
{
    if (z->kind == FORMAT_PNG) return write_whole_file(z->context, z->path, write_png, z);
    plan(z);
    stop_listen();
    z->begun = clock_seconds();
    int code = z->kind == FORMAT_GIF ? write_whole_file(z->context, z->path, write_gif, z) : write_film(z);
    if (z->told > 0) fputs("\r\033[K", stderr);
    if (!code && told_to_stop)
        return complain(128 + told_to_stop, "stopped after %ld of %ld pictures; %s has those", z->done, z->count,
                        z->path);
    return code;
}

static int render_run(rendering *z, const char *path)
{
    taut_file *file = NULL;
    int status = taut_file_open(z->context, path, &file), code;
    if (!status && taut_file_is_ensemble(file)) {
        taut_file_close(file);
        return complain(EXIT_USAGE, "%s is an ensemble: 'taut replay' makes the run of a member, which can be rendered",
                        path);
    }
    if (!status) status = taut_file_check(file);
    if (!status) status = taut_film_open(z->context, file, &z->look, &z->shown);
    if (!status) status = taut_image_create(z->context, z->look.width, z->look.height, &z->picture);
    code = status ? complain(exit_status_of(status), "%s", taut_error_text(z->context)) : write_file(z);
    if (!code) put_output_name(z->path);
    taut_image_free(z->context, &z->picture);
    taut_film_close(z->shown);
    taut_file_close(file);
    return code;
}

/* run.taut -> run.gif */
static char *name_of_film(const char *path)
{
    size_t length = strlen(path);
    if (length > 5 && strcmp(path + length - 5, ".taut") == 0) length -= 5;
    char *name = malloc(length + 5);
    if (name) sprintf(name, "%.*s.gif", (int)length, path);
    return name;
}

static int render_main(int argc, char **argv)
{
    options o;
    int parsed = options_parse(&command_render, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count != 1)
        return complain(EXIT_USAGE, "'taut render' needs one run file, as in: taut render run.taut -o film.gif");
    char *otherwise = name_of_film(o.positional[0]);
    if (!otherwise) return complain(EXIT_FAILED, "out of memory");
    rendering z = { .path = options_value(&o, "output", otherwise) };
    int code = read_options(&o, &z);
    if (!code) {
        z.context = make_context();
        code = z.context ? render_run(&z, o.positional[0]) : EXIT_FAILED;
        taut_context_destroy(z.context);
    }
    free(otherwise);
    return code;
}
