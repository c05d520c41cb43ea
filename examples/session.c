/* A run that is recorded, interrupted and gone on with, and what is drawn of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taut/taut.h>

static const char pendulum[] =
    "local a = point('a', 2)\n"
    "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
    "constraint('rod', norm2(a) - 1)\n"
    "start { a = {1, 0} }\n"
    "draw { bar(origin, a), ball(a, 0.05) }\n";

static volatile int stop;

/* A program of yours would look at the clock, or a signal would set it. */
static void watch(void *user, taut_simulation *simulation, long done, long steps, double energy_change)
{
    (void)user, (void)simulation, (void)steps, (void)energy_change;
    if (done == 400) stop = 1;
}

static int tell(const taut_session *session)
{
    taut_session_info info = { .size = sizeof info };
    taut_watched w = { .size = sizeof w };
    taut_session_about(session, &info);
    printf("%ld of %ld steps, t = %g\n", info.steps, info.steps_planned, info.time.high);
    for (size_t i = 0; i < info.watched && !taut_session_watched(session, i, &w); i++)
        if (w.kind == TAUT_ENERGY) printf("energy changed by at most %.1e\n", w.highest.high - w.lowest.high);
    return info.finished;
}

static int draw(taut_file *file)
{
    taut_drawing *drawing = NULL;
    taut_drawing_info info = { .size = sizeof info };
    int status = taut_drawing_create(file, NULL, &drawing);
    taut_drawing_about(drawing, &info);
    float *places = malloc(3 * (info.places + 1) * sizeof *places);
    size_t frame = 0;
    double t = 0;
    if (!status) status = places ? taut_file_find_frame(file, 1, 0, &frame) : TAUT_OUT_OF_MEMORY;
    if (!status) status = taut_drawing_places(drawing, frame, &t, places);
    for (size_t i = 0; !status && i < info.shapes; i++) {
        taut_shape shape = { .size = sizeof shape };
        status = taut_drawing_shape(drawing, i, &shape);
        if (status || shape.type != TAUT_SHAPE_BALL) continue;
        const float *at = places + 3 * shape.places[0];
        printf("t = %g: a ball of radius %g at (%.3f, %.3f)\n", t, shape.radius, at[0], at[1]);
    }
    free(places);
    taut_drawing_release(drawing);
    return status;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "session.taut";
    taut_session_spec spec = { .size = sizeof spec, .until = "5", .every = 10, .file = path, .replace = 1,
                               .progress = watch, .interrupt = &stop };
    const taut_session_spec rest = { .size = sizeof rest };
    taut_model *model = NULL;
    taut_session *session = NULL;
    taut_file *file = NULL;
    taut_context *context = taut_context_create(NULL);
    if (!context) return 1;

    int status = taut_model_load_text(context, "pendulum", pendulum, strlen(pendulum), NULL, 0, &model);
    if (!status) status = taut_session_create(context, model, &spec, &session);
    if (!status) status = taut_session_run(session);
    if (!status && !tell(session)) {
        taut_session_release(session);
        session = NULL;
        status = taut_session_open(context, path, &rest, &session);
        if (!status) status = taut_session_run(session);
        if (!status) tell(session);
    }
    taut_session_release(session);
    if (!status) status = taut_file_open(context, path, &file);
    if (!status) status = draw(file);
    if (status) fprintf(stderr, "%s\n", taut_error_text(context));

    taut_file_close(file);
    taut_model_release(model);
    taut_context_destroy(context);
    remove(path);
    return status != 0;
}
