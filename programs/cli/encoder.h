/* Pictures one after the other into a film, by the program ffmpeg. */
#ifndef TAUT_CLI_ENCODER_H
#define TAUT_CLI_ENCODER_H

#include <stddef.h>
#include <sys/types.h>

typedef struct {
    pid_t process;
    int pipe;
    size_t picture;      /* bytes */
    int broken;          /* it takes no more */
    const char *name;    /* of the film, for messages */
} encoder;

/* All complain and return an exit status. The film is written to `part`. */
int encoder_begin(encoder *z, const char *part, const char *name, int webm, int width, int height, double fps);
int encoder_picture(encoder *z, const unsigned char *rgb);
/* Waits until the film is complete. Must follow each successful begin. */
int encoder_end(encoder *z);

#endif
