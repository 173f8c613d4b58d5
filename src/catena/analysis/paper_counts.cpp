#include "catena/analysis/paper_counts.hpp"

namespace catena {
namespace {

using enum Question;

// Divisions count as multiplications. Where two papers print different figures for one algorithm,
// the original's are taken (Luh et al.: 131n - 48; Balafoutis et al.: 81n - 65). Walker and Orin's
// forward dynamics has 7n² + 233/6 n additions by its formula, though its table prints another
// value at n = 6.
constexpr PaperCount table[] = {
    {inverse,
     "Hollerbach 1980",
     "Saha 1999, Table 1",
     {0, 0, 412, -277},
     {0, 0, 320, -201},
     "412n - 277",
     "320n - 201"},
    {inverse,
     "Luh et al. 1980",
     "Mata et al. 2002, Table 1",
     {0, 0, 150, -48},
     {0, 0, 131, -48},
     "150n - 48",
     "131n - 48"},
    {inverse,
     "Walker & Orin 1982",
     "Saha 1999, Table 1",
     {0, 0, 137, -22},
     {0, 0, 101, -11},
     "137n - 22",
     "101n - 11"},
    {inverse,
     "RIDIM, Saha 1999",
     "Saha 1999, Table 1",
     {0, 0, 120, -44},
     {0, 0, 97, -55},
     "120n - 44",
     "97n - 55"},
    {inverse,
     "Khalil et al. 1986",
     "Saha 1999, Table 1",
     {0, 0, 105, -92},
     {0, 0, 94, -86},
     "105n - 92",
     "94n - 86"},
    {inverse,
     "Angeles et al. 1989",
     "Saha 1999, Table 1",
     {0, 0, 105, -109},
     {0, 0, 90, -105},
     "105n - 109",
     "90n - 105"},
    {inverse,
     "Balafoutis et al. 1988",
     "Saha 1999, Table 1",
     {0, 0, 93, -69},
     {0, 0, 81, -65},
     "93n - 69",
     "81n - 65"},
    {inverse,
     "Gibbs-Appell, Mata et al. 2002",
     "Mata et al. 2002, Table 1",
     {0, 0, 96, -101},
     {0, 0, 84, -100},
     "96n - 101",
     "84n - 100"},
    {bias,
     "Gibbs-Appell, Mata et al. 2002",
     "Mata et al. 2002, Table 3",
     {0, 0, 96, -108},
     {0, 0, 83, -105},
     "96n - 108",
     "83n - 105"},
    {inertia,
     "Walker & Orin 1982",
     "Mata et al. 2002, Table 2",
     {0, 12, 56, -27},
     {0, 7, 67, -56},
     "12n² + 56n - 27",
     "7n² + 67n - 56"},
    {inertia,
     "Angeles & Ma 1988",
     "Mata et al. 2002, Table 2",
     {1, 17, -21, 8},
     {1, 14, -16, 5},
     "n³ + 17n² - 21n + 8",
     "n³ + 14n² - 16n + 5"},
    {inertia,
     "Gibbs-Appell, Mata et al. 2002",
     "Mata et al. 2002, Table 2",
     {0, 11.5, 19.5, -49},
     {0, 8.5, 31.5, -69},
     "11.5n² + 19.5n - 49",
     "8.5n² + 31.5n - 69"},
    {solve,
     "RFDSIM, Saha 1999",
     "Saha 1999, Table 2",
     {0, 0, 201, -335},
     {0, 0, 193, -361},
     "201n - 335",
     "193n - 361"},
    {solve,
     "Featherstone 1983",
     "Saha 1999, Table 2",
     {0, 0, 199, -198},
     {0, 0, 174, -173},
     "199n - 198",
     "174n - 173"},
    {solve,
     "Walker & Orin 1982",
     "Saha 1999, Table 2",
     {1.0 / 6, 11.5, 115.0 / 3, -47},
     {1.0 / 6, 7, 233.0 / 6, -46},
     "n³/6 + 23n²/2 + 115n/3 - 47",
     "n³/6 + 7n² + 233n/6 - 46"},
    {solve,
     "Mohan & Saha 2007",
     "Saha, Table 2",
     {0, 0, 173, -128},
     {0, 0, 150, -133},
     "173n - 128",
     "150n - 133"},
    {solve,
     "Saha 2003",
     "Saha, Table 2",
     {0, 0, 191, -284},
     {0, 0, 187, -325},
     "191n - 284",
     "187n - 325"},
    {solve,
     "Valasek",
     "Saha, Table 2",
     {0, 0, 226, -343},
     {0, 0, 206, -345},
     "226n - 343",
     "206n - 345"},
    {solve,
     "Brandl et al. 1986",
     "Saha, Table 2",
     {0, 0, 250, -222},
     {0, 0, 220, -198},
     "250n - 222",
     "220n - 198"},
    {forward,
     "Gibbs-Appell, Mata et al. 2002",
     "Mata et al. 2002, Table 3",
     {1.0 / 6, 13, 695.0 / 6, -157},
     {1.0 / 6, 10, 683.0 / 6, -174},
     "n³/6 + 13n² + 695n/6 - 157",
     "n³/6 + 10n² + 683n/6 - 174"},
    {forward,
     "Featherstone 1987",
     "Mata et al. 2002, Table 4",
     {0, 0, 300, -267},
     {0, 0, 279, -259},
     "300n - 267",
     "279n - 259"},
};

}  // namespace

std::string_view title_of(Question question) {
  switch (question) {
    case Question::inverse:
      return "inverse dynamics";
    case bias:
      return "bias forces (inverse dynamics without acceleration)";
    case inertia:
      return "inertia matrix";
    case solve:
      return "forward dynamics, bias forces known";
    case forward:
      return "forward dynamics";
  }
  return "";
}

std::string_view name_of(Question question) {
  switch (question) {
    case Question::inverse:
      return "inverse";
    case bias:
      return "bias";
    case inertia:
      return "inertia";
    case solve:
      return "solve";
    case forward:
      return "forward";
  }
  return "";
}

double evaluate(const double (&polynomial)[4], int n) {
  double value = 0;
  for (double c : polynomial) value = value * n + c;
  return value;
}

std::span<const PaperCount> paper_counts() { return table; }

}  // namespace catena
