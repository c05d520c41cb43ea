/* What the command shows on a terminal besides its results: colour, progress, the next command to type. */
#ifndef TAUT_CLI_SCREEN_H
#define TAUT_CLI_SCREEN_H

#include <stdio.h>

#include "taut/taut.h"

/* Colour is there where the stream is a terminal, unless NO_COLOR is set or TERM is dumb; --color always or never
   decides for both streams. */
typedef enum { TONE_PLAIN, TONE_HEADING, TONE_GOOD, TONE_WARNING, TONE_ERROR, TONE_FAINT } tone;
/* auto, always or never; returns non-zero for any other word. */
int screen_colour(const char *when);
/* The sequence that begins a tone (TONE_PLAIN ends it), or "". file is stdout or stderr. */
const char *screen_tone(const FILE *file, tone t);
/* printf of a text with its tone: screen_put(stdout, TONE_HEADING, "%s", title). Returns the columns of the text. */
int screen_put(FILE *file, tone t, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* --quiet: errors only. What goes to standard output from now on is dropped if it is not what was asked for. */
void screen_quiet(int keep_output);
/* What this command prints is what was asked for: it is not dropped. */
void screen_keep_output(void);
int screen_is_quiet(void);

/* Progress is one line on stderr, where that is a terminal and --quiet was not given: is there such a line? */
int screen_shows_progress(void);
/* A bar (fraction from 0 to 1; less than 0: none) and a text, cut to the width. */
void screen_progress(double fraction, const char *text);
/* Removes it. */
void screen_progress_clear(void);
/* "12 s", "3 min", "2.1 h" */
const char *screen_duration(double seconds, char *text, size_t size);
/* Shows from another thread how far p is, after a moment, until screen_unwatch. */
void screen_watch(const char *name, const taut_progress *p);
void screen_unwatch(void);

/* A message on stderr, after a head ("taut:") with its tone or none (""). The progress makes way; on a terminal lines
   end between words. */
void screen_message(tone t, const char *head, const char *text);

/* "next: taut ...", on stderr where that is a terminal and --quiet was not given. */
void screen_next(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A name of a file as it is typed: in quotes where the shell would break it. */
const char *screen_quoted(const char *path, char *buffer, size_t size);

#endif
