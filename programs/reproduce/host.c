/* What experiments need of the machine: folders, processes, clocks, the terminal; and the entry point. */
#include "reproduce/reproduce.h"

#include <dirent.h>
#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "taut/taut.h"

/* host.list(folder): the names in it, sorted; nil when it cannot be read */
static int list(lua_State *L)
{
    struct dirent **found;
    int count = scandir(luaL_checkstring(L, 1), &found, NULL, alphasort);
    if (count < 0) return 0;
    lua_newtable(L);
    for (int i = 0, n = 0; i < count; i++) {
        if (found[i]->d_name[0] != '.') {
            lua_pushstring(L, found[i]->d_name);
            lua_rawseti(L, -2, ++n);
        }
        free(found[i]);
    }
    free(found);
    return 1;
}

/* host.folder(path): makes it, with those above it */
static int folder(lua_State *L)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s", luaL_checkstring(L, 1)) >= (int)sizeof path)
        return luaL_error(L, "a path is too long");
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0777);
            *p = '/';
        }
    if (mkdir(path, 0777) && errno != EEXIST)
        return luaL_error(L, "cannot make the folder %s: %s", path, strerror(errno));
    return 0;
}

/* host.hash(text): 64 bits, FNV-1a; only distinguishes versions of a file */
static int hash(lua_State *L)
{
    size_t size;
    const unsigned char *text = (const unsigned char *)luaL_checklstring(L, 1, &size);
    uint64_t sum = 14695981039346656037ULL;
    char buffer[24];
    for (size_t i = 0; i < size; i++) sum = (sum ^ text[i]) * 1099511628211ULL;
    snprintf(buffer, sizeof buffer, "%016llx", (unsigned long long)sum);
    lua_pushstring(L, buffer);
    return 1;
}

/* host.spawn(function): runs it in a process of its own; true or false of the function is its success. Returns an
   id. */
static int spawn(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    fflush(NULL);
#ifdef __linux__
    pid_t parent = getpid();
#endif
    pid_t id = fork();
    if (id < 0) return luaL_error(L, "cannot start a process: %s", strerror(errno));
    if (id == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* no work for a parent that is gone */
        if (getppid() != parent) _exit(1);
#endif
        int failed = lua_pcall(L, 0, 1, 0) != LUA_OK;
        if (failed) fprintf(stderr, "taut: %s\n", lua_tostring(L, -1));
        failed |= !lua_toboolean(L, -1);
        fflush(NULL);
        _exit(failed);
    }
    lua_pushinteger(L, id);
    return 1;
}

/* host.wait(seconds): the id of a process that has ended, and whether it succeeded; false when none has within this
   time; nil when there are none */
static int wait_for_one(lua_State *L)
{
    const struct timespec moment = { 0, 50 * 1000 * 1000 };
    int status;
    pid_t id;
    for (double left = luaL_checknumber(L, 1); (id = waitpid(-1, &status, WNOHANG)) == 0; left -= 0.05) {
        if (left <= 0) {
            lua_pushboolean(L, 0);
            return 1;
        }
        nanosleep(&moment, NULL);
    }
    if (id < 0) return 0;
    lua_pushinteger(L, id);
    lua_pushboolean(L, WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 2;
}

/* host.clock(): seconds of wall time; host.work(): seconds of processor time of this process */
static int wall_clock(lua_State *L)
{
    lua_pushnumber(L, clock_seconds());
    return 1;
}

static int work_clock(lua_State *L)
{
    lua_pushnumber(L, clock_work());
    return 1;
}

/* host.terminal(): the width of the terminal that stderr is, or nil when it is none */
static int terminal(lua_State *L)
{
    struct winsize size = { 0 };
    if (!isatty(STDERR_FILENO)) return 0;
    ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    lua_pushinteger(L, size.ws_col ? size.ws_col : 80);
    return 1;
}

/* host.has(precision) */
static int has(lua_State *L)
{
#ifdef TAUT_HAVE_QUAD
    int quad = 1;
#else
    int quad = 0;
#endif
    lua_pushboolean(L, quad || strcmp(luaL_checkstring(L, 1), "quad") != 0);
    return 1;
}

static const luaL_Reg functions[] = {
    { "list", list }, { "folder", folder }, { "hash", hash }, { "spawn", spawn }, { "wait", wait_for_one },
    { "clock", wall_clock },
    { "work", work_clock }, { "terminal", terminal }, { "has", has }, { NULL, NULL },
};

/* The program itself, or an empty string: a part of what results depend on. */
static void program_path(char *buffer, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", buffer, size - 1);
    buffer[length > 0 ? length : 0] = 0;
}

void host_open(lua_State *L, const char *root)
{
    char program[4096];
    luaL_newlib(L, functions);
    lua_pushstring(L, root);
    lua_setfield(L, -2, "root");
    lua_pushstring(L, TAUT_VERSION);
    lua_setfield(L, -2, "version");
    program_path(program, sizeof program);
    lua_pushstring(L, program);
    lua_setfield(L, -2, "program");
    lua_setglobal(L, "host");
}

/* ---- the way in ---- */

static int holds_experiments(const char *root)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/reproduce/lib/main.lua", root);
    return access(path, R_OK) == 0;
}

const char *reproduce_root(char *buffer, size_t size)
{
    static const char *const candidates[] = { "..", "../share/taut" };
    char program[4096];
    const char *given = getenv("TAUT_SHARE");
    if (given && *given) {
        snprintf(buffer, size, "%s", given);
        return holds_experiments(buffer) ? buffer : NULL;
    }
    program_path(program, sizeof program);
    char *slash = strrchr(program, '/');
    if (!slash) return NULL;
    *slash = 0;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        snprintf(buffer, size, "%s/%s", program, candidates[i]);
        if (holds_experiments(buffer)) return buffer;
    }
    return NULL;
}

static int traceback(lua_State *L)
{
    luaL_traceback(L, L, lua_tostring(L, 1), 1);
    return 1;
}

static void push_options(lua_State *L, const reproduce_options *o)
{
    lua_newtable(L);
    lua_pushstring(L, o->papers);
    lua_setfield(L, -2, "papers");
    lua_pushstring(L, o->output);
    lua_setfield(L, -2, "output");
    lua_pushboolean(L, o->brief);
    lua_setfield(L, -2, "brief");
    lua_pushboolean(L, o->quiet);
    lua_setfield(L, -2, "quiet");
    lua_pushboolean(L, o->again);
    lua_setfield(L, -2, "again");
    lua_pushinteger(L, o->jobs);
    lua_setfield(L, -2, "jobs");
}

int reproduce_run(const reproduce_options *options)
{
    int code = 1;
    lua_State *L = luaL_newstate();
    if (!L) {
        fprintf(stderr, "taut: out of memory\n");
        return code;
    }
    luaL_openlibs(L);
    numbers_open(L);
    simulations_open(L, options->root);
    host_open(L, options->root);
    /* The descriptions' own modules, and no others. */
    lua_getglobal(L, "package");
    lua_pushfstring(L, "%s/reproduce/lib/?.lua", options->root);
    lua_setfield(L, -2, "path");
    lua_pushstring(L, "");
    lua_setfield(L, -2, "cpath");
    lua_settop(L, 0);
    lua_pushcfunction(L, traceback);
    lua_getglobal(L, "require");
    lua_pushstring(L, "main");
    if (lua_pcall(L, 1, 1, 1) == LUA_OK) {
        push_options(L, options);
        if (lua_pcall(L, 1, 1, 1) == LUA_OK) {
            code = (int)lua_tointeger(L, -1);
            lua_close(L);
            return code;
        }
    }
    fprintf(stderr, "taut: %s\n", lua_tostring(L, -1));
    lua_close(L);
    return code;
}
