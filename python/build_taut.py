"""Builds taut._taut, the C interface for Python (cffi, API mode): the compiler checks it against taut/taut.h.

Which library it is linked with:
- TAUT_LINK=shared: the installed libtaut.so that pkg-config finds;
- otherwise libtaut.a of the folder TAUT_BUILD, by default build/ of the source tree that this folder is part of (or
  that TAUT_SOURCE names), where CMake builds it if it is not there;
- without a source tree, the installed one.
"""
import os
import re
import subprocess
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent
SOURCE = Path(os.environ.get("TAUT_SOURCE", HERE.parent))
SHARED = os.environ.get("TAUT_LINK") == "shared" or not (SOURCE / "src" / "library").is_dir()
# What the archive is linked with, as in CMakeLists.txt (TAUT_NEEDS).
NEEDS = ["klu", "amd", "pthread", "dl", "m"]


def pkg_config(*arguments: str) -> list:
    return subprocess.run(["pkg-config", *arguments], check=True, capture_output=True, text=True).stdout.split()


def starting(flags: list, start: str) -> list:
    return [flag[len(start):] for flag in flags if flag.startswith(start)]


def static_library() -> Path:
    folder = Path(os.environ.get("TAUT_BUILD", SOURCE / "build"))
    archive = folder / "lib" / "libtaut.a"
    if not archive.exists():
        subprocess.run(["cmake", "-S", SOURCE, "-B", folder], check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "taut_archive"], check=True)
    return archive


def declarations(*headers: Path) -> str:
    """What cffi reads: the headers without comments and preprocessor, so that there is no second list of functions."""
    text = "".join(header.read_text() for header in headers)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    return re.sub(r"\bTAUT_API\b", "", text)


if SHARED:
    flags = pkg_config("--cflags", "--libs", "taut")
    include = starting(flags, "-I") or [pkg_config("--variable=includedir", "taut")[0]]
    link = {"libraries": starting(flags, "-l"), "library_dirs": starting(flags, "-L")}
else:
    include = [str(SOURCE / "include")]
    flags = pkg_config("--libs", "lua5.4", "sqlite3")
    link = {"libraries": starting(flags, "-l") + NEEDS, "library_dirs": starting(flags, "-L"),
            "extra_objects": [str(static_library())]}

HEADERS = [Path(include[0]) / "taut" / name for name in ("context.h", "taut.h", "analysis.h", "files.h")]
VERSION = re.search(r'TAUT_VERSION "([^"]+)"', HEADERS[0].read_text()).group(1)  # type: ignore[union-attr]

CALLBACKS = """
extern "Python" {
    void taut_python_log(void *user, const char *line);
    int taut_python_before(void *user, taut_simulation *simulation);
    int taut_python_after(void *user, taut_simulation *simulation);
    int taut_python_event(void *user, const taut_event *event);
    int taut_python_chunk(void *user, const taut_members_chunk *chunk);
    int taut_python_write(void *user, const char *data, size_t size);
    int taut_python_function(void *user, int order, const double *x, double *value, double *gradient, double *hessian);
}
#define TAUT_STOP ...
#define TAUT_THREADS_MOST ...
#define TAUT_VERSION_NUMBER ...
const volatile int *taut_python_watch(void);
void taut_python_unwatch(void);
"""

# Ctrl-C: Python's own handler only takes a note of it while C code runs. Ours, in its place during a run, sets the flag
# that taut_advance looks at, and then calls Python's. Only Python's main thread calls these two; they nest.
SIGNALS = """
#include <signal.h>
#include <taut/taut.h>

static volatile int interrupted;
static int watchers;
static struct sigaction before_watching;

static void on_interrupt(int number, siginfo_t *info, void *more)
{
    interrupted = 1;
    if (before_watching.sa_flags & SA_SIGINFO) before_watching.sa_sigaction(number, info, more);
    else before_watching.sa_handler(number);
}

static const volatile int *taut_python_watch(void)
{
    if (watchers++) return &interrupted;
    struct sigaction ours;
    interrupted = 0;
    sigaction(SIGINT, NULL, &before_watching);
    if (!(before_watching.sa_flags & SA_SIGINFO)
        && (before_watching.sa_handler == SIG_DFL || before_watching.sa_handler == SIG_IGN)) return &interrupted;
    ours = before_watching;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = on_interrupt;
    sigaction(SIGINT, &ours, NULL);
    return &interrupted;
}

static void taut_python_unwatch(void)
{
    if (watchers && !--watchers) sigaction(SIGINT, &before_watching, NULL);
}
"""

ffi = FFI()
ffi.cdef(declarations(*HEADERS) + CALLBACKS)
ffi.set_source("taut._taut", SIGNALS, include_dirs=include, **link)

if __name__ == "__main__":
    ffi.compile(verbose=True)
