/* HDF5: datasets of doubles, one per column (frames); in systems with many columns the coordinates, velocities, momenta
   and multipliers are one dataset each (frames x names), with their names in another.
 *
 * The library is loaded when a file is exported: it brings some forty others along (for files in the network), and
 * linking them took half the time of the start of every command. */
#include <dlfcn.h>
#include <hdf5.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/text.h"
#include "record/export.h"

enum { SINGLE_MOST = 1000 }; /* columns that get datasets of their own */

/* Constants of its header call functions first: load does, where it must be. */
#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK

/* Its functions, under their names. */
#define HDF5_FUNCTIONS(F)                                                                                           \
    F(H5Aclose) F(H5Acreate2) F(H5Adelete) F(H5Aexists) F(H5Awrite) F(H5Dclose) F(H5Dcreate2) F(H5Dget_space)       \
    F(H5Dwrite) F(H5Eget_auto2) F(H5Eset_auto2) F(H5Fclose) F(H5Fcreate) F(H5Gclose) F(H5Gcreate2) F(H5Lexists)     \
    F(H5Sclose) F(H5Screate) F(H5Screate_simple) F(H5Sselect_hyperslab) F(H5Tclose) F(H5Tcopy) F(H5Tset_cset)       \
    F(H5Tset_size)
#define HDF5_MEMBER(NAME) __typeof__(&NAME) NAME;
#define HDF5_FIND(NAME) { #NAME, offsetof(library, NAME) },

typedef struct {
    HDF5_FUNCTIONS(HDF5_MEMBER)
    __typeof__(&H5open) open;
    __typeof__(&H5dont_atexit) dont_atexit;
    hid_t text, native_double, file_double; /* types */
} library;

/* Loads it, for good. Where nobody else has loaded it, it is told not to act when the process ends: after a write that
   failed it would write again, and crash. */
static int load(taut_context *context, library *h)
{
    static const struct { const char *name; size_t at; } functions[] = {
        HDF5_FUNCTIONS(HDF5_FIND)
        { "H5dont_atexit", offsetof(library, dont_atexit) },
        { "H5open", offsetof(library, open) }, /* the last one: see below */
    };
    static const struct { const char *name; size_t at; } types[] = {
        { "H5T_C_S1_g", offsetof(library, text) },
        { "H5T_NATIVE_DOUBLE_g", offsetof(library, native_double) },
        { "H5T_IEEE_F64LE_g", offsetof(library, file_double) },
    };
    void *before = dlopen(TAUT_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    void *handle = dlopen(TAUT_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL), *found = handle;
    for (size_t i = 0; found && i < sizeof functions / sizeof *functions; i++) {
        found = dlsym(handle, functions[i].name);
        memcpy((char *)h + functions[i].at, &found, sizeof found);
    }
    if (found && !before) h->dont_atexit();
    if (before) dlclose(before);
    if (found && h->open() < 0) found = NULL;
    /* The types have values when it is open. In a host that is linked with the same library they stand in the host:
       copies of variables take the place of the library's own. */
    void *host = found ? dlopen(NULL, RTLD_NOW) : NULL, *from = host && dlsym(host, "H5open") == found ? host : handle;
    for (size_t i = 0; found && i < sizeof types / sizeof *types; i++)
        if ((found = dlsym(from, types[i].name))) memcpy((char *)h + types[i].at, found, sizeof(hid_t));
    if (host) dlclose(host);
    return found ? TAUT_OK
                 : taut_fail(context, TAUT_UNSUPPORTED,
                             "HDF5 is not available: '%s' cannot be loaded; install it, or export to CSV",
                             TAUT_HDF5_LIBRARY);
}

typedef struct {
    hid_t id;
    size_t first, width;  /* columns of the table that go into it */
    int single;
} dataset;

typedef struct {
    taut_context *context;
    library h5;
    const record *r;
    const char *path;
    const export_options *options;
    hid_t file;
    dataset *sets;
    size_t count;
    double *values;       /* of a dataset, for a piece */
    size_t capacity;
} store;

static int failed(const store *z)
{
    return taut_fail(z->context, TAUT_CANNOT_WRITE, "cannot write '%s': HDF5 failed, perhaps the disk is full",
                     z->path);
}

static const char *column_name(const store *z, size_t k)
{
    return taut_record_columns(z->r)[z->options->columns[k]].name;
}
static const char *column_kind(const store *z, size_t k)
{
    return taut_record_columns(z->r)[z->options->columns[k]].kind;
}

/* ---- strings ---- */

static hid_t text_type(const store *z)
{
    hid_t type = z->h5.H5Tcopy(z->h5.text);
    z->h5.H5Tset_size(type, H5T_VARIABLE);
    z->h5.H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static int put_attribute(const store *z, hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = z->h5.H5Screate(H5S_SCALAR);
    hid_t id = z->h5.H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int bad = id < 0 || z->h5.H5Awrite(id, type, value) < 0;
    if (id >= 0) z->h5.H5Aclose(id);
    z->h5.H5Sclose(space);
    return bad ? failed(z) : TAUT_OK;
}

static int put_text(const store *z, hid_t object, const char *name, const char *value)
{
    hid_t type = text_type(z);
    int status = put_attribute(z, object, name, type, &value);
    z->h5.H5Tclose(type);
    return status;
}

/* The properties of the run: numbers as numbers. */
static int put_properties(const store *z)
{
    static const char *const texts[] = { "taut",   "created",   "model", "source", "title",
                                         "method", "precision", "start", "status" };
    static const char *const numbers[] = { "step", "until", "every", "tolerance" };
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < sizeof texts / sizeof *texts; i++)
        if (taut_record_property(z->r, texts[i]))
            status = put_text(z, z->file, texts[i], taut_record_property(z->r, texts[i]));
    for (size_t i = 0; !status && i < sizeof numbers / sizeof *numbers; i++) {
        const char *text = taut_record_property(z->r, numbers[i]);
        double value = text ? taut_text_number(text, NULL) : 0;
        if (text) status = put_attribute(z, z->file, numbers[i], z->h5.native_double, &value);
    }
    hid_t group = status ? -1 : z->h5.H5Gcreate2(z->file, "settings", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (!status && group < 0) status = failed(z);
    for (size_t i = 0; !status && i < taut_record_setting_count(z->r); i++) {
        const char *name, *value;
        taut_record_setting(z->r, i, &name, &value);
        if (z->h5.H5Aexists(group, name) > 0) z->h5.H5Adelete(group, name); /* the last one counts */
        status = put_text(z, group, name, value);
    }
    if (group >= 0) z->h5.H5Gclose(group);
    return status;
}

/* ---- datasets ---- */

/* A slash would make a group. */
static void link_name(char *to, size_t size, const char *name)
{
    size_t i = 0;
    for (; name[i] && i < size - 1; i++) to[i] = name[i] == '/' ? ':' : name[i];
    to[i] = 0;
}

static int put_names(const store *z, const dataset *d)
{
    char name[80];
    hsize_t size = d->width;
    const char **names = taut_mem_new(z->context, d->width, sizeof *names);
    if (!names) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; k < d->width; k++) names[k] = column_name(z, d->first + k);
    snprintf(name, sizeof name, "%s.names", column_kind(z, d->first));
    hid_t type = text_type(z), space = z->h5.H5Screate_simple(1, &size, NULL);
    hid_t id = z->h5.H5Dcreate2(z->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int bad = id < 0 || z->h5.H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) < 0;
    if (id >= 0) z->h5.H5Dclose(id);
    z->h5.H5Sclose(space);
    z->h5.H5Tclose(type);
    taut_mem_free(z->context, names);
    return bad ? failed(z) : TAUT_OK;
}

static int create_dataset(store *z, dataset *d)
{
    char name[300];
    hsize_t size[2] = { (hsize_t)taut_export_frame_count(z->r, z->options), d->width };
    link_name(name, sizeof name, d->single ? column_name(z, d->first) : column_kind(z, d->first));
    if (z->h5.H5Lexists(z->file, name, H5P_DEFAULT) > 0)
        return taut_fail(z->context, TAUT_UNSUPPORTED,
                         "two columns of the run are called '%s'; export only one of them", name);
    hid_t space = z->h5.H5Screate_simple(d->single ? 1 : 2, size, NULL);
    d->id = z->h5.H5Dcreate2(z->file, name, z->h5.file_double, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    z->h5.H5Sclose(space);
    if (d->id < 0) return failed(z);
    int status = put_text(z, d->id, "kind", column_kind(z, d->first));
    return !status && !d->single ? put_names(z, d) : status;
}

static int create_datasets(store *z)
{
    const size_t width = z->options->column_count;
    int status = TAUT_OK;
    z->sets = taut_mem_new(z->context, width, sizeof *z->sets);
    if (!z->sets) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; !status && k < width; k += z->sets[z->count - 1].width) {
        static const char *const many[] = { "coordinate", "velocity", "momentum", "multiplier" };
        dataset *d = &z->sets[z->count++];
        *d = (dataset){ -1, k, 1, 1 };
        for (size_t i = 0; width > SINGLE_MOST && i < 4; i++)
            if (strcmp(column_kind(z, k), many[i]) == 0) d->single = 0;
        while (!d->single && k + d->width < width && strcmp(column_kind(z, k), column_kind(z, k + d->width)) == 0)
            d->width++;
        status = create_dataset(z, d);
    }
    return status;
}

static int write_part(const store *z, const dataset *d, long first, long count)
{
    hsize_t at[2] = { (hsize_t)first, 0 }, size[2] = { (hsize_t)count, d->width };
    int rank = d->single ? 1 : 2;
    hid_t memory = z->h5.H5Screate_simple(rank, size, NULL), space = z->h5.H5Dget_space(d->id);
    int bad = memory < 0 || space < 0 || z->h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, size, NULL) < 0 ||
              z->h5.H5Dwrite(d->id, z->h5.native_double, memory, space, H5P_DEFAULT, z->values) < 0;
    if (space >= 0) z->h5.H5Sclose(space);
    if (memory >= 0) z->h5.H5Sclose(memory);
    return bad ? failed(z) : TAUT_OK;
}

static int write_piece(void *user, const wide *values, long first, long count)
{
    store *z = user;
    size_t width = z->options->column_count;
    int status = taut_mem_grow(z->context, &z->values, &z->capacity, (size_t)count * width, sizeof *z->values);
    for (size_t i = 0; !status && i < z->count; i++) {
        const dataset *d = &z->sets[i];
        double *to = z->values;
        for (long f = 0; f < count; f++)
            for (size_t k = 0; k < d->width; k++) *to++ = (double)values[(size_t)f * width + d->first + k];
        status = write_part(z, d, first, count);
    }
    return status;
}

static int write_file(store *z, record *r, const char *part)
{
    unlink(part); /* of an export that was killed; or a link that lies in wait */
    z->file = z->h5.H5Fcreate(part, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    if (z->file < 0) return taut_fail(z->context, TAUT_CANNOT_WRITE,
        "cannot write '%s': HDF5 cannot create it; look at the folder and the disk", z->path);
    int status = put_properties(z);
    if (!status) status = create_datasets(z);
    if (!status) status = taut_export_read(z->context, r, z->options, write_piece, z);
    for (size_t i = 0; i < z->count; i++)
        if (z->sets[i].id >= 0 && z->h5.H5Dclose(z->sets[i].id) < 0 && !status) status = failed(z);
    if (z->h5.H5Fclose(z->file) < 0 && !status) status = failed(z);
    return status;
}

int taut_export_hdf5(taut_context *context, record *r, const char *path, const export_options *options)
{
    store z = { .context = context, .r = r, .path = path, .options = options };
    H5E_auto2_t printer;
    void *user;
    if (taut_new_file_is_special(path))
        return taut_fail(context, TAUT_CANNOT_WRITE,
                         "cannot write '%s': HDF5 goes to and fro in its file, and this is not a regular one", path);
    int status = load(context, &z.h5);
    if (status) return status;
    char *part = taut_export_begin(context, path);
    if (!part) return TAUT_OUT_OF_MEMORY;
    /* HDF5 prints its errors unless this is switched off */
    z.h5.H5Eget_auto2(H5E_DEFAULT, &printer, &user);
    z.h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    status = write_file(&z, r, part);
    z.h5.H5Eset_auto2(H5E_DEFAULT, printer, user);
    taut_mem_free(context, z.sets);
    taut_mem_free(context, z.values);
    return taut_export_end(context, part, path, status);
}
