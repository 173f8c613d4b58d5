// Figures: properties of the three formats.
#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <bit>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/plot/figure.hpp"
#include "catena/plot/layout.hpp"
#include "figures.hpp"

namespace catena::plot {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++n;
  return n;
}

// The `d` of all paths drawn in the colour of the first series.
std::vector<std::string> first_series_paths(const std::string& svg) {
  std::vector<std::string> paths;
  tinyxml2::XMLDocument document;
  EXPECT_EQ(document.Parse(svg.c_str()), tinyxml2::XML_SUCCESS);
  const auto* root = document.RootElement();
  for (const auto* e = root->FirstChildElement("path"); e; e = e->NextSiblingElement("path")) {
    if (e->Attribute("stroke", "#0072b2")) paths.push_back(e->Attribute("d"));
  }
  return paths;
}

TEST(Svg, SvgIsWellFormed) {
  for (const auto& [name, figure] : awkward_figures()) {
    const std::string svg = to_svg(figure);
    tinyxml2::XMLDocument document;
    ASSERT_EQ(document.Parse(svg.c_str(), svg.size()), tinyxml2::XML_SUCCESS)
        << name << ": " << document.ErrorStr();
    EXPECT_STREQ(document.RootElement()->Name(), "svg");
    EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << name;
  }
}

TEST(Svg, TextArrivesAsWritten) {
  const std::string svg = to_svg(awkward_figures()["text"]);
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(svg.c_str()), tinyxml2::XML_SUCCESS);
  EXPECT_STREQ(document.RootElement()->FirstChildElement("title")->GetText(),
               "<&\"'> τ θ₁ ü 関節 \uFFFD\uFFFD(  end");
}

TEST(Svg, NanBreaksTheLine) {
  const auto paths = [](std::vector<double> y) {
    std::vector<double> x;
    for (std::size_t i = 0; i < y.size(); ++i) x.push_back(double(i));
    auto found = first_series_paths(to_svg(one_panel({{"s", x, y}})));
    found.erase(found.begin());  // the legend's
    return found;
  };
  EXPECT_EQ(count(paths({1, 2, 3, 4, 5, 6}).at(0), "M"), 1u);
  EXPECT_EQ(count(paths({1, 2, kNan, 4, 5, 6}).at(0), "M"), 2u);
  EXPECT_EQ(count(paths({1, 2, kNan, kInf, 5, 6}).at(0), "M"), 2u);
  EXPECT_EQ(count(paths({kNan, 2, 3, 4, 5, -kInf}).at(0), "M"), 1u);
  EXPECT_EQ(paths({1, 2, kNan, 4, kNan, 6}).size(), 2u)
      << "the points 4 and 6 stand alone, as dots";
}

TEST(Svg, MillionPointsStaySmall) {
  std::map<std::string, Figure> figures;
  figures["a million"] = one_panel({noise("noise", 1000000)});
  Series gaps = noise("gaps", 1000000);
  for (std::size_t i = 0; i < gaps.y.size(); i += 2) gaps.y[i] = kNan;
  figures["half of it gaps"] = one_panel({gaps});
  Series to_and_fro = noise("to and fro", 1000000);
  to_and_fro.x = noise("x", 1000003).y;
  to_and_fro.x.resize(1000000);
  figures["to and fro"] = one_panel({to_and_fro});
  figures["fifty times"] = one_panel(std::vector<Series>(50, noise("noise", 20000)));
  figures["below the limit"] = one_panel(std::vector<Series>(8, noise("noise", 3000)));
  Figure panels{"Many", "t", {}};
  for (int i = 0; i < 12; ++i)
    panels.panels.push_back({"p", "y", {noise("a", 50000), noise("b", 4000)}});
  figures["many panels"] = panels;
  for (const auto& [name, figure] : figures) EXPECT_LT(to_svg(figure).size(), 500000u) << name;
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<std::uint8_t>(bytes.at(at + i));
  return value;
}

TEST(Png, PngHasSignatureAndSize) {
  for (const auto& [name, figure] : awkward_figures()) {
    const std::string png = to_png(figure);
    const Layout layout = lay_out(figure);
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n") << name;
    EXPECT_EQ(big_endian(png, 16), 2 * layout.width) << name;
    EXPECT_EQ(big_endian(png, 20), 2 * layout.height) << name;
  }
}

TEST(Png, TallFiguresGetFewerPixels) {
  Figure tall{"Tall", "x", std::vector<Panel>(400, Panel{"p", "y", {wave("s", 3)}}), 1};
  EXPECT_LE(big_endian(to_png(tall), 20), 32767u);
}

std::string decode_base64(const std::string& text) {
  static const std::string kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int n = 0;
  for (const char c : text.substr(0, text.find('='))) {
    bits = bits << 6 | static_cast<std::uint32_t>(kDigits.find(c));
    n += 6;
    if (n >= 8) bytes += static_cast<char>(bits >> (n -= 8) & 0xFF);
  }
  return bytes;
}

TEST(Html, CarriesTheDataExactly) {
  const std::vector<double> y = {0.1, -1e-300, 1.0 / 3, 12345.678901234567};
  const std::string html = to_html(one_panel({{"s", {0, 1, 2, 3}, y}}));
  const auto at = html.find("\"y\":\"") + 5;
  const std::string bytes = decode_base64(html.substr(at, html.find('"', at) - at));
  ASSERT_EQ(bytes.size(), y.size() * sizeof(double));
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::uint64_t word = 0;
    for (std::size_t k = 8; k-- > 0;)
      word = word << 8 | static_cast<std::uint8_t>(bytes[8 * i + k]);
    EXPECT_EQ(std::bit_cast<double>(word), y[i]);
  }
}

TEST(Html, HtmlHasNoExternalResources) {
  for (const auto& [name, figure] : awkward_figures()) {
    std::string html = to_html(figure);
    const std::string name_of_svg = "http://www.w3.org/2000/svg";  // a name, not an address
    for (auto at = html.find(name_of_svg); at != std::string::npos; at = html.find(name_of_svg))
      html.erase(at, name_of_svg.size());
    for (const char* word : {"http:", "https:", "src=", "href=", "@import", "fetch(",
                             "XMLHttpRequest", "<link", "<iframe", "import("}) {
      EXPECT_EQ(html.find(word), std::string::npos) << name << ": " << word;
    }
    EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  }
}

TEST(Html, DataCannotEndTheScript) {
  const std::string html =
      to_html(one_panel({{"</script><script>alert(1)</script><!--", {0, 1}, {0, 1}}}));
  EXPECT_EQ(count(html, "</script>"), 2u);
  EXPECT_EQ(count(html, "<!--"), 0u);
}

TEST(Html, MillionPointsMakeAFewMegabytes) {
  EXPECT_LT(to_html(one_panel({noise("noise", 1000000)})).size(), 5000000u);
}

TEST(Html, SeriesWithTheSameTimeStoreItOnce) {
  const auto size = [](int series) {
    return to_html(one_panel(std::vector<Series>(std::size_t(series), wave("s", 1000)))).size();
  };
  EXPECT_LT(size(2) - size(1), 20000u);  // y: 10.7 KB, y in the SVG: 8 KB
}

TEST(Render, ChoosesByExtension) {
  const Figure figure = one_panel({wave("s", 10)});
  EXPECT_EQ(render(figure, "svg"), to_svg(figure));
  EXPECT_EQ(render(figure, ".PNG"), to_png(figure));
  EXPECT_EQ(render(figure, "html"), to_html(figure));
}

TEST(Render, SameFigureGivesSameBytes) {
  for (const auto& [name, figure] : awkward_figures()) {
    EXPECT_EQ(to_svg(figure), to_svg(figure)) << name;
    EXPECT_EQ(to_html(figure), to_html(figure)) << name;
  }
  const Figure figure = awkward_figures()["own legends"];
  EXPECT_EQ(to_png(figure), to_png(figure));
}

std::string message_of(const Figure& figure, std::string_view extension) {
  try {
    render(figure, extension);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no error";
}

TEST(Render, ErrorsNameTheRemedy) {
  EXPECT_EQ(message_of({}, "pdf"), "plot: cannot draw 'pdf' files; use .svg, .png or .html");
  EXPECT_EQ(message_of({}, ""), "plot: cannot draw '' files; use .svg, .png or .html");
  for (const char* extension : {"svg", "png", "html"}) {
    EXPECT_EQ(message_of(one_panel({{"tau", {0, 1}, {0}}}), extension),
              "plot: series 'tau' has 2 values of x but 1 of y; every point needs both");
  }
}

}  // namespace
}  // namespace catena::plot
