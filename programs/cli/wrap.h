/* Lines on a terminal, see wrap.c. */
#ifndef TAUT_CLI_WRAP_H
#define TAUT_CLI_WRAP_H

/* Standard output from now on. */
void wrap_begin(void);
/* Lines as they are, from now on; must come before the first one is written. */
void wrap_off(void);
/* Nothing at all; and all again. */
void wrap_drop(void);
void wrap_keep(void);
/* Writes what is left. Non-zero: something could not be written; errno says why. */
int wrap_end(void);

#endif
