/* --json: the result of a command as one JSON document on standard output, see docs/json.md. Messages become part of
   it: nothing else is written to standard output, and nothing but progress to stderr. */
#ifndef TAUT_CLI_ANSWER_H
#define TAUT_CLI_ANSWER_H

#include "base/wide.h"
#include "report/json.h"

/* From now on the command answers in JSON. */
void answer_in_json(const char *command);
int answer_is_json(void);
/* The document, to write members of it. */
json *answer_json(void);
/* A message; an error has an exit status that is not 0. Does nothing where the answer is not JSON. */
void answer_message(int exit_status, const char *text);
/* The model's file as it was named: the document calls it by its name alone. It must live until the end. */
void answer_file(const char *path);
/* Members that all documents about a model begin with: model (its file), title. */
void answer_model(const char *file, const char *title);
/* The closing members: errors, warnings, exit_status. */
void answer_end(int exit_status);

#endif
