#include "import/import.h"

#include <stdlib.h>

#include "import/mjcf.h"
#include "import/urdf.h"

struct description {
    xml_node *root;
    int is_mjcf;
    urdf_job urdf;
    mjcf_model mjcf;
};

static int read_as(description *z, taut_context *context, const char *path)
{
    int status = xml_read(context, path, &z->root);
    if (status) return status;
    z->is_mjcf = xml_is(z->root, "mujoco");
    if (z->is_mjcf) return mjcf_read(context, path, z->root, &z->mjcf);
    if (!xml_is(z->root, "robot"))
        return taut_fail(context, TAUT_BAD_MODEL,
                         "%s:%d: a robot description begins with <robot> or <mujoco>, not with <%s>", path,
                         z->root->line, z->root->name);
    z->urdf = (urdf_job){ .context = context, .path = path, .root = z->root };
    status = urdf_read(context, path, z->root, &z->urdf.robot);
    return status ? status : urdf_prepare(&z->urdf);
}

int taut_import_read(taut_context *context, const char *path, description **result)
{
    *result = NULL;
    description *z = calloc(1, sizeof *z);
    if (!z) return taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory");
    const int status = read_as(z, context, path);
    if (status) taut_import_free(z);
    else *result = z;
    return status;
}

int taut_import_write(void *of, FILE *file)
{
    description *z = of;
    return z->is_mjcf ? mjcf_write(&z->mjcf, file) : urdf_write(&z->urdf, file);
}

int taut_import_left_out(const description *z) { return z->is_mjcf ? z->mjcf.left_out : z->urdf.left_out; }

void taut_import_free(description *z)
{
    if (!z) return;
    if (z->is_mjcf) mjcf_clear(&z->mjcf);
    urdf_clear(&z->urdf.robot);
    free(z->urdf.order);
    xml_free(z->root);
    free(z);
}
