/* The papers' experiments: descriptions in Lua (reproduce/ of the sources, PREFIX/share/taut/reproduce when installed)
   over the public interface of Taut. This room gives Lua what it lacks for them: numbers in the widest precision,
   simulations, processes. Lua code computes, judges and writes. */
#ifndef TAUT_REPRODUCE_REPRODUCE_H
#define TAUT_REPRODUCE_REPRODUCE_H

#include <lua.h>

/* Arithmetic in the widest precision of the build, as a value of Lua: the global function wide(x), and abs, sqrt,
   number, text that take both kinds of number. */
void numbers_open(lua_State *L);
/* Pushes high + low. */
void numbers_push(lua_State *L, double high, double low);
/* Pushes a string of the number at index i, with all its digits. */
const char *numbers_text(lua_State *L, int i);

/* The global function simulate(model, options): taut.h as an object of Lua. root stands before names of models. */
void simulations_open(lua_State *L, const char *root);

/* The global table host: folders, processes, clocks, the terminal. */
void host_open(lua_State *L, const char *root);

typedef struct {
    const char *root;    /* the folder that holds reproduce/ and models/ */
    const char *papers;  /* names separated by blanks; empty for all */
    const char *output;  /* the folder for results and pages */
    int brief;           /* the short form */
    int again;           /* forget what was computed before */
    int jobs;            /* processes at a time */
    int quiet;           /* no progress */
} reproduce_options;

/* Finds the folder that holds reproduce/: $TAUT_SHARE, or next to the program, or where it is installed. NULL if there
   is none. */
const char *reproduce_root(char *buffer, size_t size);
/* Runs the experiments. Returns an exit status of the command: 0; 1 when a figure lies outside its band; 2 for a paper
   that is not there. A message about what went wrong in the machinery goes to stderr. */
int reproduce_run(const reproduce_options *options);

#endif
