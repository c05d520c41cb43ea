/* Coefficients of compositions. Triple jump and Suzuki's fivefold one raise the order of any symmetric base by two and
 * have closed forms; the tables are for bases of order 2, refined to 40 digits by tools/composition.py from what was
 * published:
 *     Yoshida 1990, Phys. Lett. A 150: solutions A (order 6) and D (order 8)
 *     Kahan & Li 1997, Math. Comp. 66: s9odr6a, s17odr8a
 *     Suzuki & Umeno 1993; McLachlan 1995, SIAM J. Sci. Comput. 16 (order 8 with 15)
 *     Sofroniou & Spaletta 2005, Optim. Methods Softw. 20 (order 6 with 11) */
#include "method/composition.h"

#include <string.h>

#include "base/elementary.h"
#include "base/wide.h"

const char X(composition_schemes)[] = "jump, suzuki, yoshida, kahan-li, suzuki-umeno, sofroniou-spaletta";

#define HALF_MOST 9
static const struct {
    const char *name;
    int order, count;
    const char *half[HALF_MOST]; /* the first half and the middle */
} tables[] = {
    { "yoshida", 6, 7,
      { "0.784513610477557263819497633866349875776824",
        "0.235573213359358133684793182978534601686468",
        "-1.17767998417887100694641568096431573463927",
        "1.31518632068391121888424972823886251435195" } },
    { "kahan-li", 6, 9,
      { "0.392161444007314139279250555181182322098871",
        "0.332599136789359438599748640320274208179985",
        "-0.706246172557639359809964819474763721756733",
        "0.0822135962935508002314904474488281138721821",
        "0.798543990934829963398950353048958155211391" } },
    { "sofroniou-spaletta", 6, 11,
      { "0.213755839458782545555180669648569323159915",
        "0.183293814074257139113859744252169945529869",
        "0.176928194730989437948988117099290067727468",
        "-0.44329082681170215849622829626258399756619",
        "0.117285604328659353854035856691361047227032",
        "0.504054748438027364048327817142387227843812" } },
    { "yoshida", 8, 15,
      { "0.91484424622979156674879348984750960451812",
        "0.253693336566211354146146020689942076097653",
        "-1.44485223686060515769473065753739035495591",
        "-0.158240635368050175204066776759754247755445",
        "1.93813913762252598657918648744364176095359",
        "-1.96061023297531080760763337639966364079243",
        "0.102799849391796440698115131601225862911016",
        "1.70845307078728158466837936222897787804681" } },
    { "suzuki-umeno", 8, 15,
      { "0.741670364350612953448227801783806315603537",
        "-0.409100825800031593997300095893563417309918",
        "0.190754710296238379953876256450371662735461",
        "-0.573862471116082266656387726635535742159509",
        "0.299064181303655923844463540688602988225823",
        "0.334624918245298183784957979882182288633692",
        "0.315293092396766596632056663811002430994081",
        "-0.796887939352916354019788840173733053446332" } },
    { "kahan-li", 8, 17,
      { "0.130202483088890080878817632262549105022735",
        "0.561162981775108384561964407701586265306597",
        "-0.389474962644847286408078598645940965442312",
        "0.158841906555155600896210745630383763805423",
        "-0.395903894133237577336231539022190732584831",
        "0.184539640978315707091832541388566592772164",
        "0.258374387686322047293979109860431337163929",
        "0.295011723609310298870966240491973927737617",
        "-0.605508533830034511698921079334718587562643" } },
};
enum { TABLE_COUNT = sizeof tables / sizeof *tables };

static int find_table(const char *name, int order)
{
    for (int i = 0; i < TABLE_COUNT; i++)
        if (tables[i].order == order && strcmp(tables[i].name, name) == 0) return i;
    return -1;
}

static int read_table(int i, real *steps)
{
    int count = tables[i].count;
    for (int k = 0; k <= count / 2; k++) {
        wide value = 0;
        taut_wide_parse(tables[i].half[k], &value);
        steps[k] = steps[count - 1 - k] = (real)value;
    }
    return count;
}

/* From order p to p + 2: `outer` equal substeps g on both sides of 1 - 2 outer g, with 2 outer g^(p+1) + (1 - 2 outer
   g)^(p+1) = 0. */
static int raise(int p, int outer, real *steps, int count)
{
    real g = 1 / (2 * outer - ELEMENTARY(pow)(2 * outer, 1 / (real)(p + 1))), before[COMPOSITION_MOST];
    memcpy(before, steps, (size_t)count * sizeof *before);
    for (int i = 0; i <= 2 * outer; i++)
        for (int k = 0; k < count; k++) *steps++ = (i == outer ? 1 - 2 * outer * g : g) * before[k];
    return (2 * outer + 1) * count;
}

const char *X(composition_best)(int base, int order)
{
    if (base == 2 && order == 6) return "sofroniou-spaletta";
    return base == 2 && order == 8 ? "kahan-li" : "suzuki";
}

int X(composition_find)(const char *scheme, int base, int order, real *steps)
{
    int count = 1;
    if (!scheme) scheme = X(composition_best)(base, order);
    int table = base == 2 ? find_table(scheme, order) : -1, outer = strcmp(scheme, "suzuki") == 0 ? 2 : 1;
    if (table >= 0) return read_table(table, steps);
    /* The triple jump is Yoshida's too. */
    if (outer == 1 && strcmp(scheme, "jump") != 0 && (strcmp(scheme, "yoshida") != 0 || base != 2 || order != 4))
        return 0;
    steps[0] = 1;
    for (int p = base; p < order; p += 2) count = raise(p, outer, steps, count);
    return count;
}
