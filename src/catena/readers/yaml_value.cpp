#include "catena/readers/yaml_value.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "catena/readers/text_file.hpp"

namespace catena::yaml {
namespace {

constexpr int max_depth = 64;  // a model needs 6
constexpr std::size_t max_values = 1'000'000;

// A list or table that is still open.
struct Open {
  std::shared_ptr<Value> value;
  YAML::anchor_t anchor = 0;
  bool has_key = false;
  std::string key;
  int key_line = 0, key_column = 0;
  std::unordered_map<std::string, int> line_of_key;
};

class Builder : public YAML::EventHandler {
 public:
  explicit Builder(const std::string& file) : file_(std::make_shared<const std::string>(file)) {}

  const ValuePtr& root() const { return root_; }
  const Where& last_scalar() const { return last_scalar_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!root_) return;
    throw InputError(where(mark), "a second document begins here, but a model is one document",
                     "remove the line '---', or put the second model into its own file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    close(make(mark, Value::Kind::nothing), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& text) override {
    last_scalar_ = where(mark);
    auto value = make(mark, Value::Kind::text);
    value->text = text;
    close(std::move(value), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchored_.find(anchor);
    if (it == anchored_.end()) {
      throw InputError(where(mark), "this alias stands inside the value that it repeats",
                       "write the value out instead of the alias");
    }
    add(it->second, where(mark));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, Value::Kind::list, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, Value::Kind::table, anchor);
  }
  void OnSequenceEnd() override { close_top(); }
  void OnMapEnd() override { close_top(); }

 private:
  Where where(const YAML::Mark& mark) const { return {*file_, mark.line + 1, mark.column + 1}; }

  std::shared_ptr<Value> make(const YAML::Mark& mark, Value::Kind kind) {
    if (++count_ > max_values) {
      throw InputError(where(mark), fmt::format("the file has more than {} values", max_values),
                       "is this the file you meant?");
    }
    auto value = std::make_shared<Value>();
    value->kind = kind;
    value->line = mark.line + 1;
    value->column = mark.column + 1;
    value->file = file_;
    return value;
  }

  // Thrown from here, yaml-cpp's own recursion ends long before the stack does.
  void check_depth(int depth, const Where& at) const {
    if (depth <= max_depth) return;
    throw InputError(at, fmt::format("values are nested more than {} deep", max_depth),
                     "a model needs 6 levels; look for a bracket that is never closed");
  }

  void open(const YAML::Mark& mark, Value::Kind kind, YAML::anchor_t anchor) {
    check_depth(static_cast<int>(open_.size()) + 1, where(mark));
    open_.emplace_back();
    open_.back().value = make(mark, kind);
    open_.back().anchor = anchor;
  }
  void close_top() {
    Open top = std::move(open_.back());
    open_.pop_back();
    close(std::move(top.value), top.anchor);
  }
  void close(std::shared_ptr<Value> value, YAML::anchor_t anchor) {
    const Where at = value->where();
    if (anchor != 0) anchored_[anchor] = value;
    add(std::move(value), at);
  }

  void add(ValuePtr value, const Where& at) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& top = open_.back();
    // Aliases make trees that are deeper than the text.
    top.value->height = std::max(top.value->height, value->height + 1);
    check_depth(top.value->height, at);
    if (top.value->kind == Value::Kind::list) {
      top.value->items.push_back(std::move(value));
    } else if (!top.has_key) {
      take_key(top, *value, at);
    } else {
      top.has_key = false;
      if (value->kind == Value::Kind::nothing) {  // "mass:" and nothing after it
        auto nothing = std::make_shared<Value>(*value);
        nothing->line = top.key_line;
        nothing->column = top.key_column;
        value = std::move(nothing);
      }
      top.value->entries.push_back(
          {std::move(top.key), top.key_line, top.key_column, std::move(value)});
    }
  }

  void take_key(Open& top, const Value& key, const Where& at) {
    if (key.kind != Value::Kind::text) {
      throw InputError(at, "a key must be a word, not " + describe(key), "write 'key: value'");
    }
    const auto [it, is_new] = top.line_of_key.emplace(key.text, at.line);
    if (!is_new) {
      throw InputError(
          at,
          fmt::format("key '{}' is given twice, first in line {}", printable(key.text), it->second),
          "remove one of the two");
    }
    top.has_key = true;
    top.key = key.text;
    top.key_line = at.line;
    top.key_column = at.column;
  }

  std::shared_ptr<const std::string> file_;
  ValuePtr root_;
  Where last_scalar_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, ValuePtr> anchored_;
  std::size_t count_ = 0;
};

// yaml-cpp takes a quote that is never closed for one that ends with the file, so that a file cut
// off in a text would pass: throws if the last scalar is such a one.
void check_last_quote(std::string_view text, const Where& last_scalar) {
  std::size_t at = 0;
  for (int line = 1; line < last_scalar.line; ++line) at = text.find('\n', at) + 1;
  at += static_cast<std::size_t>(std::max(0, last_scalar.column - 1));
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return;
  const char quote = text[at];
  const auto is = [&](std::size_t i, char c) { return i < text.size() && text[i] == c; };
  for (++at; at < text.size(); ++at) {
    const bool escapes = quote == '"' ? is(at, '\\') : is(at, '\'') && is(at + 1, '\'');
    if (!escapes && is(at, quote)) break;
    if (escapes) ++at;
  }
  if (at < text.size()) return;
  throw InputError(last_scalar, "the text that begins here has no closing quote",
                   "close the quote; is the end of the file missing?");
}

}  // namespace

ValuePtr parse_document(std::string_view text, const std::string& file) {
  check_is_text(text, file);
  Builder builder(file);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    throw InputError(
        {file, error.mark.line + 1, error.mark.column + 1}, "this is not valid YAML: " + error.msg,
        "look for an unclosed bracket or quote, a wrong indentation or a tab before here");
  }
  check_last_quote(text, builder.last_scalar());
  if (!builder.root() || builder.root()->kind == Value::Kind::nothing) {
    throw InputError({file}, "the file has no content besides comments",
                     "write a model; docs/model-format.md begins with a small one");
  }
  return builder.root();
}

std::string describe(const Value& value) {
  switch (value.kind) {
    case Value::Kind::nothing:
      return "nothing";
    case Value::Kind::text:
      return "the text '" + printable(value.text) + "'";
    case Value::Kind::list:
      return fmt::format("a list of {}", value.items.size());
    case Value::Kind::table:
      return "a table of keys";
  }
  return "";
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (result.size() >= longest) return result + "...";
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80   ? 1
                               : byte < 0xc0 ? 0
                               : byte < 0xe0 ? 2
                               : byte < 0xf0 ? 3
                                             : 4;
    bool valid = length > 0 && i + length <= text.size();  // as UTF-8
    for (std::size_t k = 1; valid && k < length; ++k) {
      valid = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    }
    if (!valid) {
      result += '?';
    } else if (byte < 0x20 || byte == 0x7f) {
      result += ' ';
    } else {
      result += text.substr(i, length);
    }
    i += valid ? length : 1;
  }
  return result;
}

}  // namespace catena::yaml
