/* A run is recorded into a file, the file is read, and a page is made of it. Usage: run-file RUN.taut PAGE.html */
#include "example.h"

static const char text[] = "title 'A pendulum'\n"
                           "local a = point('a', 2)\n"
                           "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                           "constraint('rod', norm2(a) - 1)\n"
                           "start { a = {1, 0} }\n";

static int write_piece(void *user, const char *data, size_t size) { return fwrite(data, 1, size, user) != size; }

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = load(context, "pendulum", text);
    taut_simulation *z = NULL;
    CHECK(context, taut_simulation_create(context, model, NULL, &z));
    taut_run run = { .size = sizeof run, .h = 0.01, .until = 2, .every = 5, .file = argv[1], .replace = 1 };
    CHECK(context, taut_advance(z, &run));
    taut_simulation_release(z);
    taut_model_release(model);

    taut_file *file = NULL;
    size_t frames;
    CHECK(context, taut_file_open(context, argv[1], &file));
    CHECK(context, taut_file_frames(file, &frames));
    printf("%s, by %s: %zu frames of %zu columns\n", taut_file_property(file, "title"),
           taut_file_property(file, "method"), frames, taut_file_columns(file));
    const size_t columns[] = { 0, (size_t)taut_file_find(file, "a.y") };
    for (size_t i = 0; i < frames; i += 10) {
        double row[2];
        CHECK(context, taut_file_read(file, i, 1, columns, 2, row, NULL));
        printf("t = %.1f  y = %.4f\n", row[0], row[1]);
    }

    FILE *page = fopen(argv[2], "w");
    if (!page) return 1;
    CHECK(context, taut_page(file, write_piece, page));
    fclose(page);
    taut_file_close(file);
    taut_context_destroy(context);
    return 0;
}
