#include "catena/papers/paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "catena/readers/text_file.hpp"

namespace catena::papers {
namespace {

namespace fs = std::filesystem;

const yaml::Keys exhibit_keys = {"id",      "title",  "note",   "kind",    "x",
                                 "columns", "panels", "claims", "readings"};
const yaml::Keys check_keys = {"measure",   "is",       "within",  "within_factor",
                               "by_factor", "at_least", "at_most", "less_than"};

yaml::Keys joined(yaml::Keys a, const yaml::Keys& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// One or two checks: at_least and at_most may stand together.
void read_checks(const yaml::Table& table, const Where& where, std::vector<Check>& checks) {
  const std::string measure = table.text_of("measure", table.need("measure", "name a result"));
  const std::size_t before = checks.size();
  const auto add = [&](Check::Kind kind, double number, double within, const std::string& word) {
    checks.push_back({measure, kind, number, within, word, where});
  };
  if (const yaml::Value* is = table.find("is")) {
    double number = std::nan("");
    const std::string text = table.text_of("is", *is);
    try {
      number = evaluate(text, dimension::number);
    } catch (const QuantityError&) {  // a word
    }
    if (table.has("within_factor"))
      add(Check::Kind::near, number, table.number("within_factor", dimension::number, 1), "");
    else
      add(Check::Kind::is, number, table.number("within", dimension::number, 0), text);
  }
  if (table.has("at_least"))
    add(Check::Kind::at_least, table.number("at_least", dimension::number, 0), 0, "");
  if (table.has("at_most"))
    add(Check::Kind::at_most, table.number("at_most", dimension::number, 0), 0, "");
  if (table.has("less_than"))
    add(Check::Kind::less_than, 0, table.number("by_factor", dimension::number, 1),
        table.text("less_than", ""));
  if (checks.size() == before) add(Check::Kind::shown, 0, 0, "");
}

Claim read_claim(const yaml::Value& value, std::size_t i, const Paper& paper) {
  const yaml::Table table(value, yaml::label_of(value, "claim", "id", i),
                          joined(check_keys, {"id", "says", "all", "needs"}));
  Claim claim;
  claim.where = value.where();
  claim.id = table.text_of("id", table.need("id", "name the claim"));
  claim.says = table.text_of("says", table.need("says", "say what the paper claims"));
  if (table.has("measure")) read_checks(table, value.where(), claim.checks);
  if (const yaml::Value* all = table.find("all")) {
    for (const auto& item : table.list_of("all", *all))
      read_checks(yaml::Table(*item, table.label(), check_keys), item->where(), claim.checks);
  }
  if (const yaml::Value* needs = table.find("needs")) {
    for (const auto& item : table.list_of("needs", *needs)) {
      const auto found = std::find_if(paper.open.begin(), paper.open.end(),
                                      [&](const auto& entry) { return entry.first == item->text; });
      if (found == paper.open.end())
        table.fail(
            item->where(),
            fmt::format("'{}' is not among what the text leaves open", yaml::printable(item->text)),
            "describe it under 'open' at the top of the file");
      claim.needs.push_back(found->second);
    }
  }
  if (claim.checks.empty() && claim.needs.empty())
    table.fail(value.where(), "nothing decides this claim", "give a measure, or what it needs");
  return claim;
}

PanelSource read_panel(const yaml::Value& value, std::size_t i) {
  const yaml::Table table(value, yaml::label_of(value, "panel", "title", i),
                          {"title", "y", "curves", "range", "decades"});
  PanelSource panel;
  panel.title = table.text("title", "");
  panel.y_label = table.text("y", "");
  panel.decades = table.text("decades", "no") == "yes";
  const yaml::Value& curves = table.need("curves", "write {column: name}");
  if (curves.kind != yaml::Value::Kind::table)
    table.fail("curves", "'curves' needs a table", "write {column: name}");
  for (const yaml::Entry& entry : curves.entries)
    panel.curves.push_back({entry.key, entry.value->text});
  if (const yaml::Value* range = table.find("range")) {
    const auto& ends = table.list_of("range", *range);
    if (ends.size() != 2) table.fail("range", "'range' needs two numbers", "write [from, to]");
    panel.has_range = true;
    panel.from = table.number_of("range", *ends[0], dimension::number);
    panel.to = table.number_of("range", *ends[1], dimension::number);
  }
  return panel;
}

Exhibit read_exhibit(const yaml::Value& value, std::size_t i, const Paper& paper) {
  const std::string label = yaml::label_of(value, "exhibit", "id", i);
  std::string kind_name, known;
  for (const yaml::Entry& entry : value.entries) {
    if (entry.key == "kind") kind_name = entry.value->text;
  }
  Exhibit e;
  for (const Kind& kind : kinds()) {
    if (kind.name == kind_name) e.kind = &kind;
    known += (known.empty() ? "" : ", ") + kind.name;
  }
  if (e.kind == nullptr)
    throw InputError(value.where(),
                     fmt::format("{}: there is no kind '{}'", label, yaml::printable(kind_name)),
                     "the kinds are: " + known);
  e.keys = std::make_shared<yaml::Table>(value, label, joined(exhibit_keys, e.kind->keys));
  const yaml::Table& table = *e.keys;
  e.id = table.text_of("id", table.need("id", "name the exhibit, e.g. fig-5"));
  for (char c : e.id) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-')
      table.fail("id", fmt::format("'{}' cannot be part of a file's name", yaml::printable(e.id)),
                 "use letters, digits and '-'");
  }
  e.title = table.text_of("title", table.need("title", "e.g. 'Fig. 5: Torques'"));
  e.note = table.text("note", "");
  e.x_label = table.text("x", "");
  e.columns = static_cast<int>(table.number("columns", dimension::number, 1));
  if (const yaml::Value* panels = table.find("panels")) {
    const auto& items = table.list_of("panels", *panels);
    for (std::size_t k = 0; k < items.size(); ++k) e.panels.push_back(read_panel(*items[k], k));
  }
  if (const yaml::Value* claims = table.find("claims")) {
    const auto& items = table.list_of("claims", *claims);
    for (std::size_t k = 0; k < items.size(); ++k)
      e.claims.push_back(read_claim(*items[k], k, paper));
  }
  if (const yaml::Value* readings = table.find("readings")) {
    const auto& items = table.list_of("readings", *readings);
    for (std::size_t k = 0; k < items.size(); ++k) {
      const auto keys =
          std::make_shared<yaml::Table>(*items[k], yaml::label_of(*items[k], "reading", "name", k),
                                        joined({"name"}, e.kind->keys));
      e.readings.push_back(
          {keys->text_of("name", keys->need("name", "say how the text is read")), keys});
    }
  }
  if (e.readings.empty()) e.readings.push_back({"as printed", nullptr});
  return e;
}

yaml::Table top_of(const yaml::Value& document) {
  return {document, "", {"order", "title", "authors", "source", "about", "open", "exhibits"}};
}

std::string file_of(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name / "paper.yaml").string();
}

}  // namespace

std::vector<std::string> paper_names(const std::string& folder) {
  std::vector<std::pair<double, std::string>> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string(), file = file_of(folder, name);
    if (!fs::is_regular_file(file, ignored)) continue;
    const auto document = yaml::parse_document(read_text_file(file), file);
    found.emplace_back(top_of(*document).number("order", dimension::number, 1000), name);
  }
  if (found.empty())
    throw InputError({folder}, "there is no paper in this folder (NAME/paper.yaml)",
                     "give the folder 'papers' of a checkout: --papers DIR");
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (const auto& entry : found) names.push_back(entry.second);
  return names;
}

Paper read_paper(const std::string& folder, const std::string& name) {
  Paper paper;
  paper.name = name;
  paper.folder = (fs::path(folder) / name).string();
  const std::string file = file_of(folder, name);
  paper.document = yaml::parse_document(read_text_file(file), file);
  const yaml::Table table = top_of(*paper.document);
  paper.order = static_cast<int>(table.number("order", dimension::number, 1000));
  paper.title = table.text_of("title", table.need("title", "the title of the paper"));
  paper.authors = table.text("authors", "");
  paper.source = table.text("source", "");
  paper.about = table.text("about", "");
  if (const yaml::Value* open = table.find("open")) {
    for (const yaml::Entry& entry : open->entries)
      paper.open.emplace_back(entry.key, table.text_of(entry.key, *entry.value));
  }
  const auto& items = table.list_of("exhibits", table.need("exhibits", "what the paper shows"));
  std::set<std::string> ids;
  for (std::size_t i = 0; i < items.size(); ++i) {
    paper.exhibits.push_back(read_exhibit(*items[i], i, paper));
    if (!ids.insert(paper.exhibits.back().id).second)
      table.fail(items[i]->where(),
                 fmt::format("the exhibit '{}' is there twice", paper.exhibits.back().id),
                 "rename one");
  }
  return paper;
}

}  // namespace catena::papers
