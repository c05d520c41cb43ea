/* Pictures without a browser: files that others can read, things where geometry says they are, films of runs, memory
   that runs out. */
#include <math.h>
#include <unistd.h>

#include "base/deflate.h"
#include "render/film.h"
#include "render/scene.h"

#include "support_allocator.h"
#include "support_inflate.h"
#include "support_record.h"

static taut_context *context;
static char path[] = "/tmp/taut-test-XXXXXX";

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

static uint32_t random_state = 1;
static unsigned random_byte(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 24;
}

/* ---- compression ---- */

static void packed_and_unpacked(void **state)
{
    (void)state;
    enum { MOST = 200000 };
    unsigned char *in = calloc(MOST, 1), *back = malloc(MOST), *out;
    size_t size;
    for (int kind = 0; kind < 5; kind++) {
        size_t count = kind == 0 ? 0 : kind == 1 ? 1 : MOST;
        for (size_t i = 0; i < count; i++) /* one byte, all alike, noise, text that repeats at many distances */
            in[i] = (unsigned char)(kind == 2   ? 7
                                    : kind == 3 ? random_byte()
                                                : "abcdefgh"[i % 7] ^ (i % 1000 == 0 ? random_byte() : 0));
        assert_int_equal(taut_deflate(context, in, count, &out, &size), TAUT_OK);
        assert_int_equal(inflate(out, size, back, MOST), count);
        if (count) assert_memory_equal(in, back, count);
        if (kind == 2 || kind == 4) assert_true(size < count / 50);
        taut_mem_free(context, out);
    }
    free(in);
    free(back);
}

/* Uses of codes that grow like Fibonacci's numbers make the longest ones: they are kept to 15 bits. */
static void long_codes(void **state)
{
    (void)state;
    size_t count = 0, size;
    unsigned char *in = malloc(1 << 20), *back = malloc(1 << 20), *out;
    for (size_t symbol = 0, a = 1, b = 1, c; symbol < 21; symbol++, c = a + b, a = b, b = c)
        for (size_t i = 0; i < a; i++) in[count++] = (unsigned char)symbol;
    for (size_t i = count; i-- > 1;) { /* in any order, so that few matches are found */
        size_t k = (random_byte() << 16 | random_byte() << 8 | random_byte()) % (i + 1);
        unsigned char held = in[i];
        in[i] = in[k], in[k] = held;
    }
    assert_int_equal(taut_deflate(context, in, count, &out, &size), TAUT_OK);
    assert_int_equal(inflate(out, size, back, 1 << 20), count);
    assert_memory_equal(in, back, count);
    taut_mem_free(context, out);
    free(in);
    free(back);
}

/* ---- PNG ---- */

static unsigned char *written(int (*write)(FILE *file, void *user), void *user, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    assert_int_equal(write(file, user), TAUT_OK);
    fclose(file);
    return (unsigned char *)text;
}

static int as_png(FILE *file, void *user) { return taut_png_write(context, user, file); }

static uint32_t number_at(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void assert_png(const unsigned char *file, size_t size, const image *wanted)
{
    unsigned char colours[768], *rows = malloc((size_t)wanted->height * (1 + 3 * (size_t)wanted->width)), *at = rows;
    size_t step = 3;
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    for (size_t i = 8; i < size;) {
        uint32_t length = number_at(file + i), crc = ~0u;
        for (size_t k = 0; k < 4 + length; k++) {
            crc ^= file[i + 4 + k];
            for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
        assert_true(number_at(file + i + 8 + length) == ~crc);
        const unsigned char *data = file + i + 8;
        if (memcmp(file + i + 4, "IHDR", 4) == 0) {
            assert_int_equal(number_at(data), wanted->width);
            assert_int_equal(number_at(data + 4), wanted->height);
            assert_int_equal(data[8], 8); /* bits */
            assert_true(data[9] == 2 || data[9] == 3); /* three colours of a pixel, or one of a list */
            step = data[9] == 3 ? 1 : 3;
        }
        if (memcmp(file + i + 4, "PLTE", 4) == 0) memcpy(colours, data, length);
        if (memcmp(file + i + 4, "IDAT", 4) == 0)
            assert_int_equal(inflate(data, length, rows, (size_t)wanted->height * (1 + 3 * (size_t)wanted->width)),
                             (size_t)wanted->height * (1 + step * (size_t)wanted->width));
        i += 12 + length;
    }
    size_t row = step * (size_t)wanted->width;
    for (size_t y = 0; y < (size_t)wanted->height; y++, at += 1 + row)
        for (size_t x = 0; x < row; x++) { /* undo the filter, then compare */
            int left = x >= step ? at[1 + x - step] : 0, up = y ? at[x - row] : 0,
                corner = y && x >= step ? at[x - row - step] : 0;
            int p = left + up - corner, a = abs(p - left), b = abs(p - up), c = abs(p - corner);
            const int guess[5] = { 0, left, up, (left + up) / 2, a <= b && a <= c ? left : b <= c ? up : corner };
            assert_true(at[0] < 5);
            at[1 + x] = (unsigned char)(at[1 + x] + guess[at[0]]);
            const unsigned char *pixel = wanted->rgb + 3 * (y * (size_t)wanted->width);
            if (step == 3) assert_int_equal(at[1 + x], pixel[x]);
            else assert_memory_equal(colours + 3 * at[1 + x], pixel + 3 * x, 3);
        }
    free(rows);
}

static void png_files(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        image z;
        size_t size;
        assert_int_equal(taut_image_create(context, 61, 37, &z), TAUT_OK);
        for (size_t i = 0; i < 61 * 37; i++)
            for (size_t k = 0; k < 3; k++)
                z.rgb[3 * i + k] = (unsigned char)(kind == 0   ? random_byte()
                                                   : kind == 1 ? (i * (k + 1)) / 9
                                                               : (i / 40 % 5) * 50 + k);
        unsigned char *file = written(as_png, &z, &size);
        assert_png(file, size, &z);
        free(file);
        taut_image_free(context, &z);
    }
}

/* ---- GIF ---- */

enum { GIF_WIDE = 90, GIF_HIGH = 70, GIF_FRAMES = 4 };

typedef struct {
    image frames[GIF_FRAMES];
    palette colours;
} gif_case;

static int as_gif(FILE *file, void *user)
{
    gif_case *c = user;
    gif out;
    int status = taut_gif_begin(&out, context, file, GIF_WIDE, GIF_HIGH, 5, &c->colours);
    for (int i = 0; !status && i < GIF_FRAMES; i++) status = taut_gif_frame(&out, &c->frames[i]);
    taut_gif_end(&out);
    return status;
}

/* Decodes the codes of one frame; returns the byte after them. */
static const unsigned char *unpack_lzw(const unsigned char *at, unsigned char *out, size_t count)
{
    static int prefix[4096];
    static unsigned char byte[4096], stack[4096];
    unsigned char *bytes = malloc(1 << 20);
    size_t size = 0, bit = 0, made = 0;
    assert_int_equal(*at++, 8);
    while (*at) memcpy(bytes + size, at + 1, *at), size += *at, at += 1 + *at;
    int width = 9, next = 258, before = -1;
    for (;;) {
        int code = 0;
        for (int k = 0; k < width; k++, bit++) code |= (bytes[bit / 8] >> bit % 8 & 1) << k;
        assert_true(bit <= 8 * size);
        if (code == 257) break;
        if (code == 256) {
            width = 9, next = 258, before = -1;
            continue;
        }
        const int is_new = code == next;
        int depth = 0, c = is_new ? before : code;
        assert_true(code < next || (code == next && before >= 0));
        for (; c >= 258; c = prefix[c]) stack[depth++] = byte[c];
        stack[depth++] = (unsigned char)c;
        const unsigned char first = (unsigned char)c;
        if (before >= 0 && next < 4096) {
            prefix[next] = before, byte[next++] = first;
            if (next == 1 << width && width < 12) width++;
        }
        for (int i = depth; i-- > 0;) assert_true(made < count), out[made++] = stack[i];
        if (is_new) assert_true(made < count), out[made++] = first; /* the code that was just made ends as it begins */
        before = code;
    }
    assert_true(made == count);
    free(bytes);
    return at + 1;
}

static void gif_files(void **state)
{
    (void)state;
    gif_case c = { 0 };
    const image *all[GIF_FRAMES];
    for (int i = 0; i < GIF_FRAMES; i++) {
        assert_int_equal(taut_image_create(context, GIF_WIDE, GIF_HIGH, &c.frames[i]), TAUT_OK);
        all[i] = &c.frames[i];
        for (int y = 0; y < GIF_HIGH; y++)
            for (int x = 0; x < GIF_WIDE; x++) { /* noise that fills the table; a disc that moves and stops */
                unsigned char *rgb = c.frames[i].rgb + 3 * (y * GIF_WIDE + x);
                int where = i < 3 ? i : 2,
                    inside = (x - 20 * where - 20) * (x - 20 * where - 20) + (y - 30) * (y - 30) < 200;
                for (int k = 0; k < 3; k++)
                    rgb[k] = (unsigned char)(i == 0   ? (int)random_byte() & 0xc0
                                             : inside ? 200 - 60 * k
                                                      : 30 + x / 30 * 20);
            }
    }
    assert_int_equal(taut_palette_choose(context, all, GIF_FRAMES, 255, &c.colours), TAUT_OK);
    size_t size;
    unsigned char *file = written(as_gif, &c, &size), shown[GIF_WIDE * GIF_HIGH] = { 0 };
    assert_memory_equal(file, "GIF89a", 6);
    const unsigned char *at = file + 13 + 768 + 19;
    for (int i = 0; i < GIF_FRAMES; i++) {
        assert_memory_equal(at, "\x21\xf9\x04\x05\x05\x00\xff\x00\x2c", 9);
        const unsigned char *box = at + 9;
        int left = box[0] | box[1] << 8, top = box[2] | box[3] << 8, wide = box[4] | box[5] << 8,
            high = box[6] | box[7] << 8;
        unsigned char part[GIF_WIDE * GIF_HIGH];
        at = unpack_lzw(box + 9, part, (size_t)(wide * high));
        for (int y = 0; y < high; y++)
            for (int x = 0; x < wide; x++)
                if (part[y * wide + x] != 255) shown[(top + y) * GIF_WIDE + left + x] = part[y * wide + x];
        for (int p = 0; p < GIF_WIDE * GIF_HIGH; p++)
            assert_int_equal(shown[p], palette_of(&c.colours, c.frames[i].rgb + 3 * p));
        if (i == 3) assert_true(wide == 1 && high == 1); /* nothing changed */
        else if (i == 2) assert_true(wide < GIF_WIDE && high < GIF_HIGH);
    }
    assert_int_equal(*at, 0x3b);
    assert_int_equal(at + 1 - file, size);
    free(file);
    for (int i = 0; i < GIF_FRAMES; i++) taut_image_free(context, &c.frames[i]);
}

/* Few colours come out as they are; of many, each is replaced by one that is near. */
static void palettes(void **state)
{
    (void)state;
    image z;
    palette *p = malloc(sizeof *p);
    assert_int_equal(taut_image_create(context, 64, 64, &z), TAUT_OK);
    const image *all[1] = { &z };
    for (size_t i = 0; i < 64 * 64; i++)
        for (size_t k = 0; k < 3; k++) z.rgb[3 * i + k] = (unsigned char)(i % 7 * 30 + 10 * k);
    assert_int_equal(taut_palette_choose(context, all, 1, 256, p), TAUT_OK);
    assert_int_equal(p->count, 7);
    for (size_t i = 0; i < 64 * 64; i++) assert_memory_equal(p->colour[palette_of(p, z.rgb + 3 * i)], z.rgb + 3 * i, 3);
    for (size_t i = 0; i < 64 * 64; i++)
        z.rgb[3 * i] = (unsigned char)(i % 64 * 4), z.rgb[3 * i + 1] = (unsigned char)(i / 64 * 4),
                  z.rgb[3 * i + 2] = 0;
    assert_int_equal(taut_palette_choose(context, all, 1, 64, p), TAUT_OK);
    assert_int_equal(p->count, 64);
    for (size_t i = 0; i < 64 * 64;
         i++) /* 64 colours for a square of 256 by 256: no farther than a cell of 32 is wide */
        for (int k = 0; k < 3; k++)
            assert_true(abs(p->colour[palette_of(p, z.rgb + 3 * i)][k] - z.rgb[3 * i + (size_t)k]) <= 36);
    taut_image_free(context, &z);
    free(p);
}

/* ---- the tracer ---- */

enum { SIDE = 200 };

static tracer *make_tracer(int flat)
{
    tracer *z;
    assert_int_equal(taut_tracer_create(context, SIDE, SIDE, 1, &z), TAUT_OK);
    z->flat = flat;
    z->unit = 0.01; /* the plane is 2 wide; in space that much at depth 1 */
    return z;
}

/* The sum of a colour over all pixels, in pixels. */
static double amount(tracer *z, int colour)
{
    image out;
    double sum = 0;
    assert_int_equal(taut_image_create(context, SIDE, SIDE, &out), TAUT_OK);
    assert_int_equal(taut_tracer_draw(z, &out), TAUT_OK);
    for (size_t i = 0; i < SIDE * SIDE; i++) sum += out.rgb[3 * i + (size_t)colour] / 255.0;
    taut_image_free(context, &out);
    return sum;
}

#define RED { 1, 0, 0 }
#define GREEN { 0, 1, 0 }
#define near(is, wanted, part) assert_true(fabs((is) - (double)(wanted)) <= (part) * fabs((double)(wanted)))

/* Areas: a sample is a ninth of a pixel, so edges are right to some hundredths of a pixel on the average. */
static void areas(void **state)
{
    (void)state;
    const double pi = 3.14159265358979;
    tracer *z = make_tracer(1);
    taut_tracer_add(
        z, &(drawn) {
               .when = PASS_SOLID, .type = DRAWN_SPHERE, .at = { { 0.1, 0.2, 0 } }, .radius = { 0.5 }, .colour = RED });
    near(amount(z, 0), pi * 50 * 50, 0.003);
    taut_tracer_clear(z);
    taut_tracer_add(z, &(drawn) { .when = PASS_SOLID,
                                  .type = DRAWN_FRUSTUM,
                                  .at = { { -0.5, -0.3, 0 }, { 0.3, 0.3, 0 } },
                                  .radius = { 0.1, 0.1 },
                                  .colour = RED });
    near(amount(z, 0), 100 * 20, 0.01); /* length 1, width 0.2 */
    taut_tracer_clear(z);
    taut_tracer_add(z, &(drawn) { .when = PASS_SOLID,
                                  .type = DRAWN_FRUSTUM,
                                  .at = { { -0.5, 0, 0 }, { 0.5, 0, 0 } },
                                  .radius = { 0.2, 0 },
                                  .colour = RED });
    near(amount(z, 0), 100 * 20, 0.01); /* a cone from the side: a triangle */
    taut_tracer_clear(z);
    taut_tracer_add(z, &(drawn) { .when = PASS_SOLID,
                                  .type = DRAWN_FRUSTUM,
                                  .at = { { 0, 0, -1 }, { 0, 0, 1 } },
                                  .radius = { 0.4, 0.4 },
                                  .colour = RED });
    near(amount(z, 0), pi * 40 * 40, 0.003); /* a cylinder from its end */
    taut_tracer_clear(z);
    taut_tracer_add(z, &(drawn) { .when = PASS_SOLID,
                                  .type = DRAWN_TRIANGLE,
                                  .at = { { -0.5, -0.5, 0 }, { 0.7, -0.4, 0.3 }, { 0, 0.6, -0.2 } },
                                  .colour = RED });
    near(amount(z, 0), 0.5 * (1.2 * 1.1 - 0.5 * 0.1) * 1e4, 0.005);
    taut_tracer_clear(z);
    taut_tracer_add(z, &(drawn) { .when = PASS_SOLID,
                                  .type = DRAWN_LINE,
                                  .at = { { -0.5, -0.3, 0 }, { 0.3, 0.3, 0 } },
                                  .radius = { 1.5 },
                                  .colour = RED,
                                  .other = RED,
                                  .cover = 1 });
    near(amount(z, 0), 100 * 3 + pi * 1.5 * 1.5, 0.03); /* round ends */
    taut_tracer_clear(z);
    taut_tracer_add(z, &(drawn) { .when = PASS_SHADOW,
                                  .type = DRAWN_SHADE,
                                  .at = { { -0.5, 0, 0 }, { 0.5, 0, 0 } },
                                  .normal = { { 0, 0, 1 } },
                                  .radius = { 0.1, 0.1 },
                                  .colour = RED });
    near(amount(z, 0), 100 * 20 + pi * 100, 0.01);
    taut_tracer_destroy(z);
    z = make_tracer(0); /* in perspective: a ball at distance d is seen under the angle asin(r/d) */
    taut_tracer_add(
        z,
        &(drawn) { .when = PASS_SOLID, .type = DRAWN_SPHERE, .at = { { 0, 0, 5 } }, .radius = { 3 }, .colour = RED });
    near(amount(z, 0), pi * 75 * 75, 0.003); /* tan(asin(3/5)) = 3/4 */
    taut_tracer_clear(z);
    taut_tracer_add(
        z,
        &(drawn) { .when = PASS_SOLID, .type = DRAWN_SPHERE, .at = { { 0, 0, -5 } }, .radius = { 3 }, .colour = RED });
    assert_true(amount(z, 0) == 0); /* behind the reader */
    taut_tracer_destroy(z);
}

static void depth(void **state)
{
    (void)state;
    const double pi = 3.14159265358979;
    for (int flat = 0; flat < 2; flat++) {
        tracer *z = make_tracer(flat);
        const double s = flat ? 1 : 4; /* size at depth 4 */
        taut_tracer_add(z,
                        &(drawn) { .when = PASS_SOLID,
                                   .type = DRAWN_TRIANGLE,
                                   .colour = RED,
                                   .at = { { -0.5 * s, -0.5 * s, 4 }, { 0.5 * s, -0.5 * s, 4 }, { 0, 0.5 * s, 4 } } });
        drawn ball = {
            .when = PASS_SOLID, .type = DRAWN_SPHERE, .at = { { 0, 0, 3 } }, .radius = { 0.05 }, .colour = GREEN
        };
        double whole = 5000;
        taut_tracer_add(z, &ball);
        near(whole - amount(z, 0), amount(z, 1), 0.02); /* what is before it hides it */
        ball.at[0][2] = 5;
        taut_tracer_clear(z);
        taut_tracer_add(z, &ball);
        taut_tracer_add(z,
                        &(drawn) { .when = PASS_SOLID,
                                   .type = DRAWN_TRIANGLE,
                                   .colour = RED,
                                   .at = { { -0.5 * s, -0.5 * s, 4 }, { 0.5 * s, -0.5 * s, 4 }, { 0, 0.5 * s, 4 } } });
        assert_true(amount(z, 1) == 0);
        taut_tracer_add(z, &(drawn) { .when = PASS_GLASS,
                                      .type = DRAWN_SPHERE,
                                      .at = { { 0, 0, 3 } },
                                      .radius = { 0.1 },
                                      .colour = GREEN,
                                      .cover = 0.25f });
        double covered = pi * 100 / (flat ? 1 : 9);
        near(amount(z, 1), 0.25 * covered, 0.05); /* a quarter of it hides what is behind, and no other glass */
        near(whole - amount(z, 0), 0.25 * covered, 0.05);
        taut_tracer_destroy(z);
    }
}

/* A trail takes the darker colour on light paper: its faded end never covers its strong one. */
static void trails_of(void **state)
{
    (void)state;
    tracer *z = make_tracer(1);
    for (int k = 0; k < 3; k++) z->paper[k] = 1;
    for (int pale = 0; pale < 2; pale++) /* the pale one comes last */
        taut_tracer_add(z, &(drawn) { .when = PASS_TRAIL,
                                      .type = DRAWN_LINE,
                                      .at = { { -0.5, 0, 0 }, { 0.5, 0, 0 } },
                                      .radius = { 3 },
                                      .cover = 1,
                                      .colour = { pale ? 0.9f : 0, 1, 1 },
                                      .other = { pale ? 0.9f : 0, 1, 1 } });
    double white = SIDE * SIDE;
    near(white - amount(z, 0), 100 * 6 + 28, 0.05);
    z->dark = 1;
    assert_true(white - amount(z, 0) == 0);
    taut_tracer_destroy(z);
}

/* Numbers that are none, and what is nowhere, draw nothing. */
static void nothing(void **state)
{
    (void)state;
    tracer *z = make_tracer(0);
    static const drawn_type types[] = { DRAWN_SPHERE, DRAWN_FRUSTUM, DRAWN_TRIANGLE, DRAWN_LINE, DRAWN_SHADE };
    static const double bad[] = { NAN, INFINITY, -INFINITY, 1e300, 0 };
    for (int t = 0; t < 5; t++)
        for (int b = 0; b < 5; b++)
            for (int c = 0; c < 3; c++) {
                drawn d = { .when = PASS_SOLID,
                            .type = types[t],
                            .at = { { 1, 1, 3 }, { 1, 1, 3 }, { 1, 1, 3 } },
                            .radius = { 0, 0 },
                            .colour = RED };
                d.at[t % 2][c] = bad[b];
                taut_tracer_add(z, &d);
            }
    assert_true(amount(z, 0) < 30);
    taut_tracer_destroy(z);
}

/* ---- films ---- */

#define MODEL_TEXT                                                                                                    \
    "local a, b = coordinate 'a', coordinate 'b'\nlagrangian(a.dot^2/2 + b.dot^2/2)\n"                                 \
    "start { a = 0, ['a.dot'] = 1, b = 0, ['b.dot'] = 0 }\nunits { time = 's' }\n"                                     \
    "draw { ball({a, b, 0}, 0.2):colour '#ff0000', bar({-1, -1, 0}, {11, -1, 0}):colour '#0000ff' }\n"

static void record_text(const char *text, const char *file, long steps)
{
    model *m = NULL;
    void *engine = NULL;
    observer o = { 0 };
    run_result result = { 0 };
    const engine_api *api = taut_engine_find("double");
    const wide h = taut_wide_from_double(0.125);
    run_options run = { .step = h,
                        .until = h * steps,
                        .every = 1,
                        .samples = 100,
                        .frame = observe_frame,
                        .event = observe_event,
                        .after_step = observe_step,
                        .user = &o };
    const engine_options e = { .method = "rattle", .step = h };
    unlink(file);
    if (taut_model_read_text(context, "text.lua", text, strlen(text), NULL, 0, &m))
        fail_msg("%s", taut_error_text(context));
    if (api->create(m, &e, &engine)) fail_msg("%s", taut_error_text(context));
    const recorder_subject subject = { m, NULL, 0, api, &e, &run };
    if (taut_recorder_create(context, file, 0, &subject, engine, &o.recorder)) fail_msg("%s", taut_error_text(context));
    if (taut_run_loop(context, api, engine, &run, &result)) fail_msg("%s", taut_error_text(context));
    assert_int_equal(taut_recorder_finish(o.recorder, &result, TAUT_OK), TAUT_OK);
    taut_recorder_close(o.recorder);
    taut_run_result_clear(context, &result);
    api->destroy(engine);
    taut_model_free(m);
}

/* Where the red of a picture is. */
static void middle_of_red(const image *z, double *x, double *y)
{
    double sum = 0, sx = 0, sy = 0;
    for (int i = 0; i < z->height; i++)
        for (int k = 0; k < z->width; k++) {
            const unsigned char *c = z->rgb + 3 * (i * z->width + k);
            if (c[0] < 120 || c[1] > 70 || c[2] > 70) continue;
            sum++, sx += k + 0.5, sy += i + 0.5;
        }
    assert_true(sum > 20);
    *x = sx / sum;
    *y = sy / sum;
}

static film *open_film(taut_file **r, const film_options *o)
{
    film *z = NULL;
    if (taut_file_open(context, path, r) || taut_film_open(context, *r, o, &z))
        fail_msg("%s", taut_error_text(context));
    return z;
}

/* The bar is 12 long and the ball crosses it at 1 per unit of time: its place in pixels follows. */
static void moving_ball(void **state)
{
    (void)state;
    taut_file *r;
    image z;
    double from, to;
    film_options o = taut_film_default();
    o.width = 360, o.height = 200, o.clock = 0, o.trails = TRAIL_OFF;
    record_text(MODEL_TEXT, path, 80);
    film *f = open_film(&r, &o);
    assert_int_equal(taut_image_create(context, 360, 200, &z), TAUT_OK);
    taut_film_span(f, &from, &to);
    assert_true(from == 0 && to == 10);
    near(taut_film_speed(f), 2.5, 1e-12); /* a quarter of the run a second: slower than the picture is wide */
    const double unit = 6 * 1.18 * 200 / 360 / 100; /* half of it fits, with a margin of 18 % */
    for (int i = 0; i <= 5; i++) {
        double t = 2 * i, x, y;
        assert_int_equal(taut_film_draw(f, t + 0.1, 0, &z), TAUT_OK); /* the last frame not after it */
        middle_of_red(&z, &x, &y);
        near(x, 180 + (t - 5) / unit / 1, 0.01);
        assert_true(fabs(y - (100 - 0.4 / unit)) < 0.5); /* the middle of -1 .. 0.2 is -0.4 */
    }
    taut_film_close(f);
    taut_file_close(r);
    o.from = 4, o.to = 6; /* a part: the camera still sees the bar */
    f = open_film(&r, &o);
    taut_film_span(f, &from, &to);
    assert_true(from == 4 && to == 6);
    taut_film_close(f);
    taut_file_close(r);
    o.from = 11, o.to = 12;
    assert_int_equal(taut_file_open(context, path, &r), TAUT_OK);
    assert_int_equal(taut_film_open(context, r, &o, &f), TAUT_BAD_USAGE);
    assert_null(f);
    taut_file_close(r);
    taut_image_free(context, &z);
}

/* A picture does not depend on the pictures before it, nor on the number of threads. */
static void same_bytes(void **state)
{
    (void)state;
    image a, b;
    taut_file *r, *s;
    film_options o = taut_film_default(), with = o;
    unlink(path);
    recorded_run(
        &(recipe) { .model = "double-spherical-pendulum", .method = "rattle", .step = 0.01, .steps = 800, .every = 1,
                    .interval = 1 },
        path, 0, 0);
    o.width = with.width = 240, o.height = with.height = 150;
    with.threads = 3;
    assert_int_equal(taut_image_create(context, 240, 150, &a), TAUT_OK);
    assert_int_equal(taut_image_create(context, 240, 150, &b), TAUT_OK);
    for (int trails = TRAIL_OFF; trails <= TRAIL_ALL; trails++) {
        o.trails = with.trails = (trail_kind)trails;
        film *one = open_film(&r, &o), *three = open_film(&s, &with);
        for (int i = 0; i <= 8; i++) assert_int_equal(taut_film_draw(one, i, 1, &a), TAUT_OK);
        for (int t = 6; t > 0; t -= 3) { /* and back */
            assert_int_equal(taut_film_draw(one, t, 1, &a), TAUT_OK);
            taut_film_close(three), taut_file_close(s);
            three = open_film(&s, &with);
            assert_int_equal(taut_film_draw(three, t, 1, &b), TAUT_OK);
            assert_memory_equal(a.rgb, b.rgb, 3 * 240 * 150);
        }
        taut_film_close(one), taut_film_close(three);
        taut_file_close(r), taut_file_close(s);
    }
    taut_image_free(context, &a);
    taut_image_free(context, &b);
}

/* Every kind of shape leaves colour where nothing was. */
static void shapes(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "bar({0, 0, 0}, {a, 0, 0})",
        "spring({0, 0, 0}, {a, 0, 0})",
        "ball({a, 0, 1}, 0.3)",
        "box({a, 0, 0}, {1, 0.5, 0.3})",
        "disc({a, 0, 1}, {0.6, 0.1})",
        "cylinder({0, 0, 0}, {a, 0, 1}, 0.2)",
        "capsule({0, 0, 0}, {a, 0, 1}, 0.2)",
        "arrow({0, 0, 0}, {1 + a, 0, 1})",
        "plane({0, 0, 0}, {1, 0, 1})",
        "path { {0, 0, 0}, {a, 0, 1}, {0, 1, 1} }",
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[512];
        image z;
        taut_file *r;
        size_t coloured = 0;
        film_options o = taut_film_default();
        o.width = 160, o.height = 120, o.clock = 0, o.trails = TRAIL_OFF;
        snprintf(text, sizeof text,
                 "local a = coordinate 'a'\nlagrangian(a.dot^2/2)\nstart { a = 1, ['a.dot'] = 0.1 }\n"
                 "draw { %s:colour '#ff00ff', ball({0, 0, 0}, 0.02):label 'W', ball({1, 1, 0}, 0.02) }\n",
                 kinds[i]);
        record_text(text, path, 8);
        film *f = open_film(&r, &o);
        assert_int_equal(taut_image_create(context, 160, 120, &z), TAUT_OK);
        assert_int_equal(taut_film_draw(f, 1, 0, &z), TAUT_OK);
        for (size_t p = 0; p < 160 * 120; p++)
            coloured += z.rgb[3 * p] > z.rgb[3 * p + 1] + 30 && z.rgb[3 * p + 2] > z.rgb[3 * p + 1] + 30;
        if (coloured < 40) fail_msg("%s: %zu pixels", kinds[i], coloured);
        taut_image_free(context, &z);
        taut_film_close(f);
        taut_file_close(r);
    }
}

/* Red pixels of a picture whose middle is {0, 0, 0}, with a bar from x = -4 to 4 below it: how many in each column. */
static void count_red(const char *drawn, long columns[320], long *from, long *to)
{
    image z;
    taut_file *r;
    char text[600];
    film_options o = taut_film_default();
    o.width = 320, o.height = 160, o.clock = 0, o.trails = TRAIL_OFF;
    snprintf(text, sizeof text,
             "local a = point('a', 2)\nlagrangian(norm2(a.dot)/2)\nstart { a = {2, 0}, ['a.dot'] = {0, 1e-9} }\n"
             "draw { bar({-4, -1, 0}, {4, -1, 0}), ball({2, 1, 0}, 0.02), %s:colour '#ff0000' }\n", drawn);
    record_text(text, path, 8);
    film *f = open_film(&r, &o);
    assert_int_equal(taut_image_create(context, 320, 160, &z), TAUT_OK);
    assert_int_equal(taut_film_draw(f, 0, 0, &z), TAUT_OK);
    memset(columns, 0, 320 * sizeof *columns);
    *from = 320, *to = 0;
    for (int i = 0; i < 160; i++)
        for (int k = 0; k < 320; k++) {
            const unsigned char *c = z.rgb + 3 * (i * 320 + k);
            if (c[0] < 120 || c[1] > 70 || c[2] > 70) continue;
            columns[k]++;
            if (k < *from) *from = k;
            if (k > *to) *to = k;
        }
    taut_image_free(context, &z);
    taut_film_close(f);
    taut_file_close(r);
}

/* An arrow begins where it should, and is thicker near its head. A box has its size wherever it is. What is drawn at
   the end of a bar is seen. */
static void places_and_sizes(void **state)
{
    (void)state;
    long columns[320], from, to, first = 0, second = 0;
    count_red("arrow({0, 0, 0}, {2, 0, 0})", columns, &from, &to);
    for (long k = from; k <= to; k++) *(k < (from + to) / 2 ? &first : &second) += columns[k];
    if (from < 158 || from > 162 || to < 170 || second <= first)
        fail_msg("from %ld to %ld, %ld pixels in the first half, %ld in the second", from, to, first, second);
    count_red("box({2, 0, 0}, {1, 1, 1})", columns, &from, &to);
    if (to - from > 60 || from < 170) fail_msg("from %ld to %ld", from, to); /* 8 are at most 320 pixels */
    count_red("ball({4, -1, 0}, 0.01)", columns, &from, &to);
    assert_true(from <= to);
}

static void letters(void **state)
{
    (void)state;
    tracer *z = make_tracer(1);
    const float red[3] = RED;
    for (int c = '!'; c <= '~'; c++) {
        char text[2] = { (char)c, 0 };
        taut_tracer_clear(z);
        taut_letters_add(z, text, 20, 100, 40, NULL, red);
        double ink = amount(z, 0);
        if (!(ink > 10)) fail_msg("'%c' is not there", c);
    }
    const float green[3] = GREEN;
    double plain = amount(z, 0);
    taut_tracer_clear(z);
    taut_letters_add(z, "~", 20, 100, 40, green, red);
    assert_true(fabs(amount(z, 0) - plain) < 1 && amount(z, 1) > 50); /* around it, not over it */
    /* the second letter is where the first ends, also after one that the font has not, which is a box */
    taut_tracer_clear(z);
    taut_letters_add(z, "\xce\xbbi", 20, 100, 40, NULL, red);
    double both = amount(z, 0);
    taut_tracer_clear(z);
    taut_letters_add(z, "i", 20, 100, 40, NULL, red);
    assert_true(both > amount(z, 0) + 200); /* 20 by 30 pixels, 4 wide */
    taut_tracer_destroy(z);
}

/* ---- memory ---- */

static int make_pictures(counter *c)
{
    const taut_allocator allocator = { counted_resize, c };
    taut_context *own = taut_context_create(&allocator);
    if (!own) return TAUT_OUT_OF_MEMORY;
    taut_file *r = NULL;
    film *f = NULL;
    image z = { 0 };
    gif g = { 0 };
    FILE *file = fopen("/dev/null", "w");
    palette *p = malloc(sizeof *p);
    const image *all[1] = { &z };
    film_options o = taut_film_default();
    o.width = 40, o.height = 30;
    int status = taut_file_open(own, path, &r);
    if (!status) status = taut_film_open(own, r, &o, &f);
    if (!status) status = taut_image_create(own, 40, 30, &z);
    for (int i = 0; !status && i < 3; i++) status = taut_film_draw(f, 0.1 * i, 0.1, &z);
    if (!status) status = taut_png_write(own, &z, file);
    if (!status) status = taut_palette_choose(own, all, 1, 255, p);
    if (!status) {
        status = taut_gif_begin(&g, own, file, 40, 30, 5, p);
        if (!status) status = taut_gif_frame(&g, &z);
        taut_gif_end(&g);
    }
    taut_image_free(own, &z);
    taut_film_close(f);
    taut_file_close(r);
    taut_context_destroy(own);
    fclose(file);
    free(p);
    return status;
}

static void memory(void **state)
{
    (void)state;
    counter whole = { 0 };
    unlink(path);
    recorded_run(
        &(recipe) { .model = "six-balls", .method = "rattle", .step = 0.01, .steps = 30, .every = 1, .interval = 1 },
        path, 0, 0);
    assert_int_equal(make_pictures(&whole), TAUT_OK);
    assert_int_equal(whole.live, 0);
    long stride = getenv("TAUT_TEST_LONG") ? 1 : 1 + whole.calls / 150;
    for (long k = 1; k <= whole.calls; k += k > whole.calls - 60 ? 1 : stride) { /* those of this room come last */
        counter c = { .fail_at = k, .fail_count = 1 << 30 };
        assert_int_equal(make_pictures(&c), TAUT_OUT_OF_MEMORY);
        assert_int_equal(c.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(packed_and_unpacked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_codes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(png_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(gif_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(palettes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(areas, set_up, tear_down),
        cmocka_unit_test_setup_teardown(depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(trails_of, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(moving_ball, set_up, tear_down),
        cmocka_unit_test_setup_teardown(same_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(places_and_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(letters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory, set_up, tear_down),
    };
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
