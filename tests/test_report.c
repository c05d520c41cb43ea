/* The data of a page: what is drawn when the model does not say, numbers of many frames, texts inside HTML, memory that
   runs out. */
#include <unistd.h>

#include "record/writer.h"
#include "report/document.h"
#include "report/mesh.h"
#include "report/page.h"
#include "report/picture.h"
#include "report/frame_table.h"

#include "support_allocator.h"
#include "support_record.h"

static taut_context *context;

static int set_up(void **state)
{
    (void)state;
    return !(context = taut_context_create(NULL));
}

static int tear_down(void **state)
{
    (void)state;
    taut_context_destroy(context);
    return 0;
}

/* ---- guessed pictures ---- */

static picture *picture_of(const char *text, model **m)
{
    picture *p = NULL;
    if (taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, m) || taut_picture_create(*m, &p))
        fail_msg("%s\n%s", taut_error_text(context), text);
    return p;
}

static size_t shapes_of(const picture *p, shape_type type)
{
    size_t count = 0;
    for (size_t i = 0; i < p->shape_count; i++) count += p->shapes[i].type == type;
    return count;
}

#define SPACE \
    "local a, b, c = point 'a', point 'b', point 'c'\nlagrangian(norm2(a.dot) + norm2(b.dot) + norm2(c.dot))\n" \
              "start { a = {1, 0, 0}, b = {0, 1, 0}, c = {0, 0, 1} }\nlocal l = param('l', 1)\n"
#define PLANE "local x1, y1, x2, y2 = coordinate 'x1', coordinate 'y1', coordinate 'x2', coordinate 'y2'\n" \
              "lagrangian(x1.dot^2 + y1.dot^2 + x2.dot^2 + y2.dot^2)\nstart { x1 = 1, y1 = 0, x2 = 2, y2 = 0 }\n"

static void guesses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t bars, balls;
    } cases[] = {
        { SPACE, 0, 3 },
        { SPACE "constraint('k', norm2(a) - l^2)", 1, 3 },
        { SPACE "constraint('k', (norm2(a - b) - l^2)/2) constraint('n', norm(b - c) - 2)", 2, 3 },
        { SPACE "constraint('k', 3*norm(a - {1, 2, 3}) - l)", 1, 3 },
        { SPACE "constraint('k', (a.x - b.x)^2 + (a.y - b.y)^2 + (a.z - b.z)^2 - 1)", 1, 3 },
        { SPACE "constraint('k', 1/norm2(a - b) - 1)", 1, 3 },
        /* no distances: a plane, a cylinder, a product, heights, three points, a moving centre, an ellipsoid */
        { SPACE "constraint('k', a.z)", 0, 3 },
        { SPACE "constraint('k', a.x^2 + a.y^2 - 1)", 0, 3 },
        { SPACE "constraint('k', dot(a, b))", 0, 3 },
        { SPACE "constraint('k', a.z - b.z)", 0, 3 },
        { SPACE "constraint('k', norm2(a - b) + norm2(b - c) - 4)", 0, 3 },
        { SPACE "constraint('k', norm2(a - vector{0, 0, time()}) - 1)", 0, 3 },
        { SPACE "constraint('k', a.x^2 + a.y^2 + 2*a.z^2 - 1)", 0, 3 },
        { SPACE "constraint('k', (a.x - b.x)^2 + (a.y - b.y)^2 - 1)", 0, 3 },
        { PLANE, 0, 2 },
        { PLANE "constraint('k', x1^2 + y1^2 - 1) constraint('n', (x2 - x1)^2 + (y2 - y1)^2 - 1)", 2, 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model *m;
        picture *p = picture_of(cases[i].text, &m);
        assert_true(p->guessed);
        if (shapes_of(p, SHAPE_BAR) != cases[i].bars || shapes_of(p, SHAPE_BALL) != cases[i].balls)
            fail_msg("%zu bars and %zu balls of\n%s", shapes_of(p, SHAPE_BAR), shapes_of(p, SHAPE_BALL), cases[i].text);
        taut_picture_destroy(p);
        taut_model_free(m);
    }
}

/* A bar joins its two points; one to a fixed centre ends there; a rotation alone is a box. */
static void guessed_places(void **state)
{
    (void)state;
    float places[30];
    model *m;
    picture *pair = picture_of(SPACE "constraint('k', norm(a - c) - l)", &m);
    const double rows[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    taut_picture_places(pair, 0, rows, places);
    const uint32_t *ends = pair->index + pair->shapes[0].first;
    assert_true((places[3 * ends[0]] == 1 && places[3 * ends[1]] == 7) ||
                (places[3 * ends[0]] == 7 && places[3 * ends[1]] == 1));
    taut_picture_destroy(pair);
    taut_model_free(m);
    picture *p = picture_of(SPACE "constraint('k', norm(a - {1, 2, 3}) - l)", &m);
    const double at[] = { 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    assert_int_equal(p->coordinate_count, 9);
    taut_picture_places(p, 0, at, places);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(places[3 * p->index[p->shapes[0].first] + (uint32_t)k] - (1 + k)) < 1e-6); /* float */
        assert_true(places[3 * p->index[p->shapes[0].first + 1] + (uint32_t)k] == (float)at[k]);
    }
    assert_int_equal(p->place_count, 4); /* the end of the bar and the ball are one place */
    assert_int_equal(p->moving_count, 3);
    taut_picture_destroy(p);
    taut_model_free(m);
    p = picture_of(
        "local r = rotation 'r' lagrangian(norm2(r.omega)) start { r = {1, 0, 0, 0}, ['r.omega'] = {0, 0, 1} }", &m);
    assert_int_equal(p->shape_count, 1);
    assert_int_equal(p->shapes[0].type, SHAPE_BOX);
    assert_false(p->flat);
    taut_picture_destroy(p);
    taut_model_free(m);
}

/* Functions are drawn by their values at as many places as are asked for. */
static void functions_are_drawn(void **state)
{
    (void)state;
    float places[60];
    model *m;
    picture *p = picture_of(PLANE "draw { path(function(u) return {u, u^2 + x1} end, {1, 3}, 4) }", &m);
    const double at[] = { 10, 0, 0, 0 };
    assert_int_equal(p->shape_count, 1);
    assert_int_equal(p->shapes[0].rows * p->shapes[0].columns, 5);
    assert_int_equal(p->place_count, 5);
    taut_picture_places(p, 0, at, places);
    for (uint32_t k = 0; k < 5; k++) {
        const double u = 1 + 0.5 * k;
        const float *place = places + 3 * p->index[p->shapes[0].first + k];
        assert_true(fabs(place[0] - u) < 1e-6 && fabs(place[1] - (u * u + 10)) < 1e-5); /* float */
    }
    taut_picture_destroy(p);
    taut_model_free(m);
}

/* draw wins over guesses, and what is flat is seen to be. */
static void drawn(void **state)
{
    (void)state;
    model *m;
    picture *p = picture_of(
        PLANE "constraint('k', x1^2 + y1^2 - 1)\ndraw { ball({x1, y1*time()}), path { origin, {x1, y1} } }", &m);
    float places[30];
    const double at[] = { 3, 5 };
    assert_false(p->guessed);
    assert_true(p->flat);
    assert_int_equal(p->shape_count, 2);
    assert_int_equal(p->coordinate_count, 2);
    taut_picture_places(p, 7, at, places);
    assert_true(places[0] == 3 && places[1] == 35 && places[2] == 0);
    taut_picture_destroy(p);
    taut_model_free(m);
}

/* Rotations without draw: each a box, at its own point or beside the one before. */
static void many_rotations(void **state)
{
    (void)state;
    static const char rotations[] =
        "for i = 1, 3 do local r = rotation('r' .. i) lagrangian(norm2(r.omega))\n"
        "start { ['r' .. i] = {1, 0, 0, 0} } end\n";
    char text[600];
    for (int points = 0; points <= 3; points += 3) {
        snprintf(text, sizeof text,
                 "%sfor i = 1, %d do local a = point('a' .. i) lagrangian(norm2(a.dot))\n"
                 "start { ['a' .. i] = {i, 0, 0} } end",
                 rotations, points);
        model *m;
        picture *p = picture_of(text, &m);
        float places[100];
        double at[21];
        assert_int_equal(shapes_of(p, SHAPE_BOX), 3);
        for (size_t i = 0; i < p->coordinate_count; i++) { /* turned by nothing, points at (i, 0, 0) */
            char name[64];
            taut_model_namer(m, OP_VARIABLE, p->coordinates[i].k, p->coordinates[i].index, name, sizeof name);
            at[i] = name[0] == 'r' ? name[3] == 'w' : name[3] == 'x' ? name[1] - '0' : 0;
        }
        taut_picture_places(p, 0, at, places);
        for (size_t i = 0, number = 0; i < p->shape_count; i++) {
            if (p->shapes[i].type != SHAPE_BOX) continue;
            float x = places[3 * p->index[p->shapes[i].first]];
            assert_true(fabsf(x - (points ? 1.0f + (float)number : 1.4f * (float)number)) < 1e-6f); /* float */
            number++;
        }
        taut_picture_destroy(p);
        taut_model_free(m);
    }
}

/* An arrow's head may have velocities and multipliers; other things of a shape reach the picture, too. */
static void arrows(void **state)
{
    (void)state;
    model *m;
    picture *p = picture_of(SPACE "local k = constraint('k', norm2(a) - l^2)\n"
                                  "draw { arrow(a, k*a + 2*b.dot, 3):colour 'blue':label 'pull', ground(-4) }", &m);
    static const char *const names[] = { "a.x", "a.y", "a.z", "b.x.dot", "b.y.dot", "b.z.dot", "lambda.k" };
    const double at[] = { 1, 2, 3, 10, 20, 30, 0.5 };
    float places[30];
    assert_int_equal(p->coordinate_count, 7);
    for (size_t i = 0; i < 7; i++) {
        char name[64];
        taut_model_namer(m, OP_VARIABLE, p->coordinates[i].k, p->coordinates[i].index, name, sizeof name);
        assert_string_equal(name, names[i]);
    }
    taut_picture_places(p, 0, at, places);
    const shape *arrow = &p->shapes[0];
    for (int k = 0; k < 3; k++)
        assert_true(places[3 * p->index[arrow->first + 1] + (uint32_t)k] == (float)(1.5 * at[k] + 2 * at[3 + k]));
    assert_true(arrow->type == SHAPE_ARROW && arrow->scale == 3);
    assert_string_equal(m->texts[arrow->colour - 1], "blue");
    assert_string_equal(m->texts[arrow->label - 1], "pull");
    assert_true(p->shapes[1].type == SHAPE_GROUND && p->shapes[1].radius == -4);
    taut_picture_destroy(p);
    taut_model_free(m);
}

/* ---- meshes ---- */

static char mesh_path[] = "taut-mesh-XXXXXX";

static int mesh_of(taut_context *of, const void *text, size_t size, mesh *out)
{
    FILE *file = fopen(mesh_path, "wb");
    fwrite(text, 1, size, file);
    fclose(file);
    return taut_mesh_read(of, "model.lua", mesh_path, out);
}

static void meshes(void **state)
{
    (void)state;
    static const char stl[] = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n vertex 1 0 0\r\n"
                              "vertex\t0 1.5e0 -2\nendloop\nendfacet\nendsolid";
    static const char obj[] = "# a square\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1/1/1 2//1 3 -1\n";
    static const char *const bad[] = { "", "hello", "v 1 2\n", "v 0 0 0\nf 1 2 3\n", "f 0 0 0", "vertex 1 1 nan\n" };
    mesh m;
    assert_int_equal(mesh_of(context, stl, sizeof stl - 1, &m), TAUT_OK);
    assert_true(m.count == 1 && m.corners[7] == 1.5f && m.corners[8] == -2);
    taut_mem_free(context, m.corners);
    assert_int_equal(mesh_of(context, obj, sizeof obj - 1, &m), TAUT_OK);
    static const float wanted[18] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0 };
    assert_int_equal(m.count, 2);
    assert_memory_equal(m.corners, wanted, sizeof wanted);
    taut_mem_free(context, m.corners);
    unsigned char binary[84 + 50] = { [80] = 1 };
    for (int k = 0; k < 9; k++) binary[84 + 12 + 4 * k + 2] = 0x80, binary[84 + 12 + 4 * k + 3] = 0x3f; /* 1.0f */
    assert_int_equal(mesh_of(context, binary, sizeof binary, &m), TAUT_OK);
    for (int k = 0; k < 9; k++) assert_true(m.corners[k] == 1);
    taut_mem_free(context, m.corners);
    /* numbers that are none: a NaN in the first corner, minus infinity in the last */
    binary[84 + 12 + 2] = 0xc0, binary[84 + 12 + 3] = 0x7f, binary[84 + 44 + 3] = 0xff;
    assert_int_equal(mesh_of(context, binary, sizeof binary, &m), TAUT_OK);
    for (int k = 0; k < 9; k++) assert_true(m.corners[k] == (k == 0 || k == 8 ? 0 : 1));
    taut_mem_free(context, m.corners);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(mesh_of(context, bad[i], strlen(bad[i]), &m), TAUT_CANNOT_READ);
        assert_true(!m.count && !m.corners);
    }
    assert_int_equal(taut_mesh_read(context, "no/where.lua", "part.stl", &m), TAUT_CANNOT_READ);
    assert_non_null(strstr(taut_error_text(context), "no/part.stl"));
    for (long k = 1, status = TAUT_OUT_OF_MEMORY; status; k++) { /* memory that runs out at every place */
        counter c = { .fail_at = k, .fail_count = 1 << 30 };
        const taut_allocator allocator = { counted_resize, &c };
        taut_context *own = taut_context_create(&allocator);
        status = own ? mesh_of(own, obj, sizeof obj - 1, &m) : TAUT_OUT_OF_MEMORY;
        assert_true(!status || status == TAUT_OUT_OF_MEMORY);
        if (!status) taut_mem_free(own, m.corners);
        if (own) taut_context_destroy(own);
        assert_int_equal(c.live, 0);
    }
    unlink(mesh_path);
}

/* ---- numbers ---- */

static char path[] = "taut-report-XXXXXX";

enum { SPIKE = 123456, HOLE = 200001 };

static void write_run(long frames)
{
    static const record_column columns[] = { { "t", "time" }, { "energy", "energy" }, { "x", "observable" } };
    writer *w = NULL;
    int done;
    unlink(path);
    assert_int_equal(taut_writer_create(context, path, 0, columns, 3, 0, 0, &w), TAUT_OK);
    for (long i = 0; i < frames; i++) {
        const double values[] = { i / 8.0, 5 + (i % 7) / 16.0 + (i == SPIKE ? 100 : 0),
                                  i == HOLE ? (double)NAN : (double)i };
        assert_int_equal(taut_writer_frame(w, i, values), TAUT_OK);
    }
    assert_int_equal(taut_writer_commit(w, 1000, &done), TAUT_OK);
    taut_writer_close(w);
}

static table table_of(long frames)
{
    record *r = NULL;
    table t = { 0 };
    write_run(frames);
    if (taut_record_open(context, path, &r) || taut_table_read(context, r, &t))
        fail_msg("%s", taut_error_text(context));
    taut_record_close(r);
    return t;
}

static void few_frames(void **state)
{
    (void)state;
    table t = table_of(1000);
    assert_int_equal(t.bucket, 1);
    assert_int_equal(t.rows, 1000);
    assert_int_equal(t.column_count, 4); /* and the deviation of the energy */
    assert_true(t.columns[1].values[10] == 5 + 3.0 / 16);
    assert_true(t.columns[3].deviation && t.columns[3].values[10] == 3.0 / 16);
    assert_true(t.columns[2].slope == 8); /* x = 8 t, numbers without rounding */
    assert_true(t.columns[2].highest == 999 && t.columns[2].first == 0);
    taut_table_clear(&t);
}

/* The first rows are single frames, the others buckets. */
static long first_frame(const table *t, size_t row)
{
    return (long)row < t->dense ? (long)row : t->dense + ((long)row - t->dense) * t->bucket;
}

static size_t row_of(const table *t, long frame)
{
    return (size_t)(frame < t->dense ? frame : t->dense + (frame - t->dense) / t->bucket);
}

/* Every third frame from the 100th on; deviations are from the run's first frame all the same. */
static void some_frames(void **state)
{
    (void)state;
    record *r = NULL;
    table t = { 0 };
    const frame_selection selection = { 100, 3, 50 }, none = { 5, 1, 0 };
    write_run(1000);
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    assert_int_equal(taut_table_select(context, r, &selection, &t), TAUT_OK);
    assert_true(t.rows == 50 && t.frames == 50 && t.bucket == 1);
    for (size_t i = 0; i < 50; i++) {
        assert_true(t.columns[2].values[i] == (double)(100 + 3 * i));
        assert_true(t.columns[3].values[i] == (double)((100 + 3 * i) % 7) / 16);
    }
    assert_true(t.columns[2].first == 100 && t.columns[2].last == 247 && t.columns[2].highest == 247);
    taut_table_clear(&t);
    assert_int_equal(taut_table_select(context, r, &none, &t), TAUT_OK);
    assert_true(t.rows == 0);
    taut_table_clear(&t);
    taut_record_close(r);
}

/* A single frame among many is in the envelope of its bucket, and a value that is no number hides none of the
   others. */
static void many_frames(void **state)
{
    (void)state;
    long frames = SANITIZED && !getenv("TAUT_TEST_LONG") ? 310001 : 1000001;
    table t = table_of(frames);
    assert_true(t.bucket > 1);
    assert_true(t.rows * 3 * t.column_count <= TABLE_VALUES);
    assert_true(first_frame(&t, t.rows) >= frames && first_frame(&t, t.rows - 1) < frames);
    assert_int_equal(t.dense, TABLE_DENSE);
    const double *least = t.columns[1].values + t.rows, *greatest = least + t.rows;
    size_t at = row_of(&t, SPIKE);
    for (size_t i = 0; i < t.rows; i++) {
        assert_true(t.columns[0].values[i] == (double)first_frame(&t, i) / 8);
        if ((long)i < t.dense) assert_true(least[i] == greatest[i] && least[i] == 5 + (double)(i % 7) / 16);
        assert_true(i == at ? greatest[i] > 100 : greatest[i] <= 5 + 6.0 / 16);
        assert_true(least[i] >= 5);
    }
    assert_true(t.columns[1].highest == greatest[at]);
    at = row_of(&t, HOLE);
    assert_true(t.columns[2].values[t.rows + at] >= (double)first_frame(&t, at));
    assert_true(t.columns[2].values[2 * t.rows + at] < (double)first_frame(&t, at + 1));
    assert_int_equal(t.columns[2].not_finite, 1);
    taut_table_clear(&t);
}

/* ---- texts ---- */

static void json_texts(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    json j = { .file = open_memstream(&text, &size) };
    taut_json_open(&j, NULL, '{');
    taut_json_text(&j, "a\"b", "</script> & \\ \n \x01 \xc3\xa4 \xff \xed\xa0\x80");
    taut_json_number(&j, "n", 0.1);
    taut_json_number(&j, "i", INFINITY);
    taut_json_open(&j, "l", '[');
    taut_json_integer(&j, NULL, -3);
    taut_json_flag(&j, NULL, 1);
    taut_json_text(&j, NULL, NULL);
    taut_json_close(&j, ']');
    taut_json_close(&j, '}');
    fclose(j.file);
    assert_string_equal(
        text, "{\"a\\\"b\":\"\\u003c/script\\u003e \\u0026 \\\\ \\n \\u0001 \xc3\xa4 \\ufffd \\ufffd\\ufffd\\ufffd\",\n"
              "\"n\":0.10000000000000001,\n\"i\":null,\n\"l\":[-3,\ntrue,\nnull]}");
    free(text);
}

/* The first and last characters of each length of UTF-8, and the bytes just beside them, which are none: forms that are
   too long, halves of pairs, U+110000. A reader refuses a page with one of these. */
static void json_characters(void **state)
{
    (void)state;
    static const struct { const char *text; int bad; } all[] = {
        { "\xc2\x80", 0 }, { "\xc1\xbf", 2 }, { "\xdf\xbf", 0 }, { "\xe0\xa0\x80", 0 }, { "\xe0\x9f\xbf", 3 },
        { "\xed\x9f\xbf", 0 }, { "\xed\xa0\x80", 3 }, { "\xee\x80\x80", 0 }, { "\xef\xbf\xbf", 0 },
        { "\xf0\x90\x80\x80", 0 }, { "\xf0\x8f\xbf\xbf", 4 }, { "\xf4\x8f\xbf\xbf", 0 }, /* U+10FFFF */
        { "\xf4\x90\x80\x80", 4 }, { "\xf5\x80\x80\x80", 4 }, { "\xf0\x90\x80", 3 }, { "\x80", 1 } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *text = NULL, expected[40] = "\"";
        size_t size = 0;
        json j = { .file = open_memstream(&text, &size) };
        taut_json_text(&j, NULL, all[i].text);
        fclose(j.file);
        if (!all[i].bad) strcat(expected, all[i].text);
        for (int k = 0; k < all[i].bad; k++) strcat(expected, "\\ufffd");
        strcat(expected, "\"");
        assert_string_equal(text, expected);
        free(text);
    }
}

/* 1.0 is 00 00 00 00 00 00 f0 3f; -2.5f is 00 00 20 c0. */
static void numbers_as_base64(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    const double one = 1;
    const float two[] = { -2.5f, 1 };
    taut_base64_doubles(file, &one, 1);
    putc(' ', file);
    taut_base64_floats(file, two, 2);
    fclose(file);
    assert_string_equal(text, "AAAAAAAA8D8= AAAgwAAAgD8=");
    free(text);
}

/* Every kind of part; the expected text is the JSON that viewer/src/document.ts reads. */
static void documents(void **state)
{
    (void)state;
    static const char template[] = "<a>" PAGE_MARK "</a>";
    static const document_column columns[] = { { "method", 0 }, { "error", 1 } };
    static const double x[] = { 1, 2 }, y[] = { 0.5, NAN };
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    document d;
    assert_int_equal(taut_document_begin(&d, context, file, "no mark", 7, "T", NULL), TAUT_BAD_USAGE);
    assert_int_equal(taut_document_begin(&d, context, file, template, sizeof template - 1, "T", NULL), TAUT_OK);
    taut_document_heading(&d, 2, "H");
    taut_document_text(&d, "<p>");
    taut_document_table(&d, "C", columns, 2);
    taut_document_row(&d, (const char *const[]){ "em", "1" });
    taut_document_end_table(&d);
    taut_document_plot(&d, "P", "h", 1, "e", 0);
    taut_document_series(&d, "s", SERIES_BOTH, x, y, 2);
    taut_document_end_plot(&d);
    taut_document_verdicts(&d);
    taut_document_verdict(&d, VERDICT_QUALIFIED, "claim", NULL);
    taut_document_end_verdicts(&d);
    assert_int_equal(taut_document_end(&d), TAUT_OK);
    fclose(file);
    assert_string_equal(
        text,
        "<a><script type=\"application/json\" "
        "id=\"data\">{\"format\":1,\n\"title\":\"T\",\n\"summary\":null,\n\"parts\":["
        "{\"type\":\"heading\",\n\"level\":2,\n\"text\":\"H\"},\n{\"type\":\"text\",\n\"text\":\"\\u003cp\\u003e\"},\n"
        "{\"type\":\"table\",\n\"caption\":\"C\",\n\"columns\":[{\"name\":\"method\",\n\"align\":\"left\"},\n"
        "{\"name\":\"error\",\n\"align\":\"right\"}],\n\"rows\":[[\"em\",\n\"1\"]]},\n"
        "{\"type\":\"plot\",\n\"title\":\"P\",\n\"x\":{\"label\":\"h\",\n\"log\":true},\n\"y\":{\"label\":\"e\","
        "\n\"log\":false},\n"
        "\"series\":[{\"label\":\"s\",\n\"style\":\"both\",\n\"x\":[1,\n2],\n\"y\":[0.5,\nnull]}]},\n"
        "{\"type\":\"verdicts\",\n\"items\":[{\"verdict\":\"qualified\",\n\"claim\":\"claim\",\n\"remark\":null}]}]}</"
        "script>\n</a>");
    free(text);
}

/* ---- the header of a page ---- */

static char *page_of(const char *run)
{
    static const char template[] = "<html>" PAGE_MARK "</html>";
    char *text = NULL;
    size_t size = 0;
    record *r = NULL;
    FILE *file = open_memstream(&text, &size);
    int status = taut_record_open(context, run, &r);
    if (!status) status = taut_page_write(context, r, template, sizeof template - 1, file);
    if (status) fail_msg("%s", taut_error_text(context));
    taut_record_close(r);
    fclose(file);
    return text;
}

/* The number behind "name": from this place on. */
static double number_after(const char *text, const char *name)
{
    char mark[64];
    snprintf(mark, sizeof mark, "\"%s\":", name);
    const char *at = strstr(text, mark);
    if (!at) fail_msg("no %s in the page", name);
    return strtod(at + strlen(mark), NULL);
}

static const char *column_entry(const char *text, const char *name, int deviation)
{
    char mark[160];
    const char *columns = strstr(text, "\"columns\":[");
    assert_non_null(columns);
    snprintf(mark, sizeof mark, "{\"name\":\"%s\",\n\"kind\":", name);
    const char *at = strstr(columns, mark);
    if (at && deviation) at = strstr(at + 1, mark);
    if (!at) fail_msg("no column %s in the page", name);
    assert_int_equal(deviation, strncmp(strchr(strchr(at, '\n') + 1, '\n') + 1, "\"deviation\":true", 16) == 0);
    return at;
}

/* Every number of the header against the frames of the run file. The slope is a sum of as many terms as there are
   frames: a few ulps for each of them, of the largest value over the length of the run. */
static void page_header(void **state)
{
    (void)state;
    unlink(path);
    const recipe how = { .model = "four-particles", .method = "rattle", .step = 0.01, .steps = 40, .every = 2,
                         .interval = 1 };
    recorded_run(&how, path, 0, 0);
    frames f = read_frames_of(path);
    char *text = page_of(path);
    record *r = NULL;
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    assert_int_equal(f.count, 21);
    assert_true(number_after(text, "frames") == 21 && number_after(text, "rows") == 21);
    assert_true(number_after(text, "bucket") == 1);
    assert_true(number_after(text, "coordinates") == 12 && number_after(text, "constraints") == 2);
    assert_true(number_after(text, "columnsOmitted") == 0);
    assert_non_null(strstr(text, "\"method\":\"rattle\""));
    assert_non_null(strstr(text, "\"step\":\"0.01\""));
    assert_non_null(strstr(text, "\"every\":\"2\""));
    int deviations = 0;
    for (size_t k = 0; k < f.width; k++) {
        const record_column *c = &taut_record_columns(r)[k];
        int changes = strcmp(c->kind, "energy") == 0 || strcmp(c->kind, "conserved") == 0;
        for (int deviation = 0; deviation <= changes; deviation++) {
            double first = 0, last = 0, lowest = INFINITY, highest = -INFINITY, t = 0, y = 0, tt = 0, ty = 0;
            for (long i = 0; i < f.count; i++) {
                double x = (double)(f.values[(size_t)i * f.width + k] - (deviation ? f.values[k] : 0));
                if (i == 0) first = x;
                last = x;
                lowest = fmin(lowest, x);
                highest = fmax(highest, x);
                t += (double)f.values[(size_t)i * f.width] / (double)f.count, y += x / (double)f.count;
            }
            for (long i = 0; i < f.count; i++) {
                double x = (double)(f.values[(size_t)i * f.width + k] - (deviation ? f.values[k] : 0)),
                       dt = (double)f.values[(size_t)i * f.width] - t;
                tt += dt * dt, ty += dt * (x - y);
            }
            const char *entry = column_entry(text, c->name, deviation);
            assert_true(number_after(entry, "first") == first && number_after(entry, "last") == last);
            assert_true(number_after(entry, "lowest") == lowest && number_after(entry, "highest") == highest);
            double slope = number_after(entry, "slope"), span = (double)f.values[(size_t)(f.count - 1) * f.width];
            double room = 1e-14 * fmax(fabs(lowest), fabs(highest)) / span;
            if (!(fabs(slope - ty / tt) <= room)) fail_msg("%s: slope %g, not %g", c->name, slope, ty / tt);
            deviations += deviation;
        }
    }
    assert_int_equal(deviations, 7); /* energy, three momenta, three angular momenta */
    taut_record_close(r);
    free_frames(&f);
    free(text);
}

/* Is the energy called a constant of the motion? Not with a force, a contact, time in the equations, or rates. */
static void page_energy(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        int conserved;
    } cases[] = { { "pendulum", 1 }, { "damped-pendulum", 0 }, { "bouncing-ball", 0 }, { "driven-pendulum", 0 },
                  { "newtons-cradle", 1 }, /* its impacts lose nothing */
                  { "papers/jay-simeon-4.1", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unlink(path);
        const recipe c = { .model = cases[i].model, .method = "rattle", .step = 0.01, .steps = 2, .every = 1,
                           .interval = 1 };
        recorded_run(&c, path, 0, 0);
        char *text = page_of(path);
        const char *wanted = cases[i].conserved ? "\"energyConserved\":true" : "\"energyConserved\":false";
        if (!strstr(text, wanted)) fail_msg("%s", cases[i].model);
        free(text);
    }
}

/* Of multipliers that are one choice of many the page says so, once. */
static void page_redundancy(void **state)
{
    (void)state;
    static const char *const models[] = { "bennett", "pendulum" };
    for (int i = 0; i < 2; i++) {
        unlink(path);
        const recipe c = { .model = models[i], .method = "rattle", .step = 0.005, .steps = 2, .every = 1,
                           .interval = 1 };
        recorded_run(&c, path, 0, 0);
        char *text = page_of(path);
        const char *said = strstr(text, "\"redundancy\":\"3 of 23 constraints depend on the others (h4z, h4u, h4v)");
        assert_int_equal(said != NULL, i == 0);
        if (said) assert_non_null(strstr(said, "are one choice of many"));
        if (said) assert_null(strstr(strstr(said, "are one choice of many") + 1, "are one choice of many"));
        free(text);
    }
}

/* What was watched covers all steps, also those without a frame, and its extremes are at least those of the frames. */
static void page_watched(void **state)
{
    (void)state;
    double lowest[2];
    for (int i = 0; i < 2; i++) {
        unlink(path);
        const recipe c = { .model = "double-spherical-pendulum", .method = "rattle", .step = 0.05, .steps = 400,
                           .every = i ? 7 : 1, .interval = 1 };
        recorded_run(&c, path, 0, 0);
        char *text = page_of(path);
        const char *watched = strstr(text, "\"watched\":[{\"name\":\"energy\"");
        assert_non_null(watched);
        lowest[i] = number_after(watched, "lowest");
        double frames = number_after(column_entry(text, "energy", 0), "lowest");
        assert_true(lowest[i] <= frames);
        assert_true(i ? lowest[i] < frames : lowest[i] == frames);
        assert_true(number_after(watched, "down") == lowest[i] - number_after(watched, "first"));
        free(text);
    }
    assert_true(lowest[0] == lowest[1]);
    /* with so many steps only some are looked at, but every frame is: what was watched is what the columns say */
    unlink(path);
    const recipe c = { .model = "double-spherical-pendulum", .method = "rattle", .step = 0.05, .steps = 3000,
                       .every = 1, .interval = 1, .samples = 100 };
    recorded_run(&c, path, 0, 0);
    char *text = page_of(path);
    static const char *const names[] = { "energy", "constraint", "velocity_constraint", "angular_momentum.z" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char mark[80];
        snprintf(mark, sizeof mark, "{\"name\":\"%s\",\n\"first\"", names[i]);
        const char *watched = strstr(text, mark), *column = column_entry(text, names[i], 0);
        assert_non_null(watched);
        assert_true(number_after(watched, "lowest") == number_after(column, "lowest"));
        assert_true(number_after(watched, "highest") == number_after(column, "highest"));
    }
    free(text);
}

/* ---- memory ---- */

static int write_page(counter *c)
{
    const taut_allocator allocator = { counted_resize, c };
    static const char template[] = "<html>" PAGE_MARK "</html>";
    taut_context *own = taut_context_create(&allocator);
    record *r = NULL;
    FILE *file = fopen("/dev/null", "w");
    if (!own) {
        fclose(file);
        return TAUT_OUT_OF_MEMORY;
    }
    int status = taut_record_open(own, path, &r);
    if (!status) status = taut_page_write(own, r, template, sizeof template - 1, file);
    if (status) assert_non_null(strstr(taut_error_text(own), "memory"));
    taut_record_close(r);
    taut_context_destroy(own);
    fclose(file);
    return status;
}

static void memory(void **state)
{
    (void)state;
    static const char *const models[] = { "six-balls", "rigid-body" };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        counter whole = { 0 };
        unlink(path);
        recorded_run(
            &(recipe){ .model = models[i], .method = "rattle", .step = 0.01, .steps = 20, .every = 1, .interval = 1 },
            path, 0, 0);
        assert_int_equal(write_page(&whole), TAUT_OK);
        assert_int_equal(whole.live, 0);
        long stride = getenv("TAUT_TEST_LONG") ? 1 : 1 + whole.calls / 150;
        for (long k = 1; k <= whole.calls; k += stride) {
            counter c = { .fail_at = k, .fail_count = 1 << 30 };
            assert_int_equal(write_page(&c), TAUT_OUT_OF_MEMORY);
            assert_int_equal(c.live, 0);
        }
        /* one that fails alone: what comes after it works again, and must not be led astray. Those of the page come last */
        for (long k = 1; k <= whole.calls; k += k > whole.calls - 60 ? 1 : stride) {
            counter c = { .fail_at = k, .fail_count = 1 };
            const int status = write_page(&c);
            assert_true(status == TAUT_OUT_OF_MEMORY || status == TAUT_OK);
            assert_int_equal(c.live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(guesses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(guessed_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(functions_are_drawn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(drawn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(few_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(some_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_rotations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arrows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(meshes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(page_watched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json_texts, set_up, tear_down),
        cmocka_unit_test(json_characters),
        cmocka_unit_test_setup_teardown(numbers_as_base64, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(documents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(page_header, set_up, tear_down),
        cmocka_unit_test_setup_teardown(page_energy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(page_redundancy, set_up, tear_down),
    };
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    file = mkstemp(mesh_path);
    if (file < 0) return 1;
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
