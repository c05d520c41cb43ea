#include "cli/answer.h"

#include <stdlib.h>
#include <string.h>

#include "cli/wrap.h"
#include "taut/taut.h"

typedef struct {
    char **texts;
    size_t count, capacity;
} message_list;

static struct {
    int on, open;
    const char *command, *path; /* path: of the model */
    json j;
    message_list errors, warnings;
} answer;

void answer_in_json(const char *command)
{
    answer.on = 1;
    answer.command = command;
    wrap_off(); /* strings are not to be broken */
}

int answer_is_json(void) { return answer.on; }

json *answer_json(void)
{
    if (!answer.open) {
        answer.j = (json){ .file = stdout, .path = answer.path };
        answer.open = 1;
        taut_json_open(&answer.j, NULL, '{');
        taut_json_text(&answer.j, "taut", TAUT_VERSION);
        taut_json_text(&answer.j, "command", answer.command);
    }
    return &answer.j;
}

/* A message that has no room is lost; the exit status is not. */
void answer_message(int exit_status, const char *text)
{
    message_list *z = exit_status ? &answer.errors : &answer.warnings;
    if (!answer.on) return;
    if (z->count == z->capacity) {
        const size_t capacity = z->capacity ? 2 * z->capacity : 8;
        char **more = realloc(z->texts, capacity * sizeof *more);
        if (!more) return;
        z->texts = more;
        z->capacity = capacity;
    }
    char *copy = strdup(text);
    if (copy) z->texts[z->count++] = copy;
}

void answer_file(const char *path)
{
    answer.path = path;
    if (answer.open) answer.j.path = path;
}

void answer_model(const char *file, const char *title)
{
    json *j = answer_json();
    taut_json_text(j, "model", file);
    taut_json_text(j, "title", title);
}

static void put_messages(const char *key, message_list *z)
{
    json *j = answer_json();
    taut_json_open(j, key, '[');
    for (size_t i = 0; i < z->count; i++) {
        taut_json_text(j, NULL, z->texts[i]);
        free(z->texts[i]);
    }
    taut_json_close(j, ']');
    free(z->texts);
    *z = (message_list){ 0 };
}

void answer_end(int exit_status)
{
    if (!answer.on) return;
    put_messages("errors", &answer.errors);
    put_messages("warnings", &answer.warnings);
    taut_json_integer(answer_json(), "exit_status", exit_status);
    taut_json_close(answer_json(), '}');
    fputc('\n', stdout);
    answer.on = answer.open = 0; /* what is said after it, that it could not be written, goes to stderr */
}
