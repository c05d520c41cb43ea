/* A font of strokes, for clocks and labels. */
#include <math.h>

#include "render/scene.h"

/* Letters from ' ' to '~': strokes, each of places "xy" one after the other. The base line is at y = 2, capitals reach
   8, small letters 6. */
static const char *const letters[] = {
    "", "0804 0202", "0806 2826", "1218 3238 0444 0646", "473818070615354443321203 2921", "0248 0818170708 3343423233",
    "420607182837360403122244", "0806", "18060311", "08161301", "2723 0644 0446", "2723 0545", "131200", "0535", "0202",
    "0238", "183847433212030718", "062822 0242", "07183847460242", "0718384746354443321203 1535", "32380444",
    "48080516364543321203", "473818070312324344351504", "084812", "15060718384746351504031232434435",
    "031232434738180706153546", "0505 0202", "1515 131200", "370533", "0646 0444", "073503", "071838474624 2222",
    "42120307183847443423253545", "022842 1434", "02083847463505 3544433202", "4738180703123243", "02082846442202",
    "48080242 0535", "480802 0535", "47381807031232434525", "0802 4842 0545", "0828 1812 0222", "4843321203",
    "0802 4804 2642", "080242", "0208254842", "02084248", "183847433212030718", "02083847463505",
    "183847433212030718 2442", "02083847463505 2542", "473818070615354443321203", "0848 2822", "080312324348", "082248",
    "0812253248", "0842 4802", "082548 2522", "08480242", "18080111", "0832", "08181101", "061826", "0141", "0817",
    "4642 4536160503123243", "0802 0516364543321203", "4536160503123243", "4842 4536160503123243",
    "04444536160503123243", "38281712 0626", "4641301001 4536160503123243", "0802 0516364542", "0602 0808",
    "26211000 2828", "0802 3604 1532", "0802", "0602 0516263532 3546566562", "0602 0516364542", "163645433212030516",
    "0600 0516364543321203", "4640 4536160503123243", "0602 051636", "45361605143443321203", "18132232 0636",
    "0603123243 4642", "062246", "0612253246", "0642 4602", "0622 461000", "06460242", "28171605141221", "0801",
    "08171625141201", "05163445"
};
#define UNKNOWN "0208484202"
#define HEIGHT 8 /* units from the base line to the next line's, but for two */

/* Goes to the next letter: its strokes. */
static const char *next_letter(const char **text)
{
    unsigned char c = (unsigned char)*(*text)++;
    if (c >= ' ' && c <= '~') return letters[c - ' '];
    while (c >= 0x80 && ((unsigned char)**text & 0xc0) == 0x80) (*text)++; /* the rest of it in UTF-8 */
    return UNKNOWN;
}

static int width_of(const char *strokes)
{
    int most = *strokes ? 0 : 1;
    for (; *strokes; strokes += 2) {
        if (*strokes == ' ') strokes++;
        if (*strokes - '0' > most) most = *strokes - '0';
    }
    return most + 2;
}

static void add_strokes(tracer *z, const char *text, double x, double y, double size, double radius,
                        const float *colour)
{
    const double unit = size / HEIGHT;
    while (*text) {
        const char *at = next_letter(&text);
        int wide = width_of(at);
        for (; *at; at += 2) {
            if (*at == ' ') at++;
            if (!at[2] || at[2] == ' ') continue; /* the end of a stroke */
            drawn d = { .when = PASS_TEXT, .type = DRAWN_LINE, .radius = { radius, 0 }, .cover = 1 };
            for (int k = 0; k < 2; k++) {
                d.at[k][0] = x + (at[2 * k] - '0') * unit;
                d.at[k][1] = y - (at[2 * k + 1] - '2') * unit;
            }
            for (int k = 0; k < 3; k++) d.colour[k] = d.other[k] = colour[k];
            taut_tracer_add(z, &d);
        }
        x += wide * unit;
    }
}

void taut_letters_add(tracer *z, const char *text, double x, double y, double size, const float *halo,
                      const float *colour)
{
    double radius = fmax(0.65, 0.055 * size);
    if (halo) add_strokes(z, text, x, y, size, radius + 1.6, halo);
    add_strokes(z, text, x, y, size, radius, colour);
}
