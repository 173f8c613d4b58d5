#include "catena/readers/xml_document.hpp"

#include <algorithm>
#include <cstdint>

namespace catena {
namespace {

constexpr std::size_t max_depth = 90;  // tinyxml2 stops at 100
constexpr auto npos = std::string::npos;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool ends_name(char c) { return is_space(c) || c == '>' || c == '/' || c == '='; }

std::string_view name_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && !ends_name(text[end])) ++end;
  return text.substr(at, end - at);
}

// Markup that says nothing about the robot becomes blanks, so that places stay what they are.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  std::replace_if(
      text.begin() + static_cast<std::ptrdiff_t>(begin),
      text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c != '\n'; }, ' ');
}

const char* what_is_wrong(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_PARSING_ELEMENT:
      return "an element is not well-formed";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute is not well-formed";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "a text is not well-formed";
    case tinyxml2::XML_ERROR_PARSING_CDATA:
      return "a CDATA section is not closed";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "a comment is not closed";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "a closing tag does not match";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "the elements are nested too deeply";
    default:
      return "this is not well-formed XML";
  }
}

}  // namespace

XmlDocument::XmlDocument(std::string_view text, std::string file) : file_(std::move(file)) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  text_ = text;
  line_begins_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_begins_.push_back(i + 1);
  }
  find_tags();
  parse_tree();
}

Where XmlDocument::place(std::size_t offset) const {
  const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  const auto line = next - line_begins_.begin();
  return {file_, static_cast<int>(line), static_cast<int>(offset - *(next - 1)) + 1};
}

void XmlDocument::fail(std::size_t at, const std::string& problem,
                       const std::string& remedy) const {
  throw InputError(place(at), problem, remedy);
}

// The start tags in order, and that every one is closed by its own end tag.
void XmlDocument::find_tags() {
  const std::size_t first = text_.find_first_not_of(" \t\r\n");
  if (first == npos || text_[first] != '<') {
    fail(first == npos ? 0 : first, "this is not XML: it does not begin with '<'",
         "give a URDF file, which begins with <robot name=\"...\">");
  }
  struct Open {
    std::string_view name;
    std::size_t begin;
  };
  std::vector<Open> open;
  for (std::size_t at = text_.find('<'); at != npos; at = text_.find('<', at)) {
    if (text_.compare(at, 2, "<!") == 0 || text_.compare(at, 2, "<?") == 0) {
      at = skip_markup(at);
    } else if (text_.compare(at, 2, "</") == 0) {
      const std::string name(name_at(text_, at + 2));
      if (open.empty()) fail(at, "</" + name + "> closes nothing", "remove it");
      if (open.back().name != name) {
        const Where begin = place(open.back().begin);
        fail(at,
             "</" + name + "> stands where </" + std::string(open.back().name) + "> is expected",
             "close the <" + std::string(open.back().name) + "> of line " +
                 std::to_string(begin.line) + " first");
      }
      open.pop_back();
      at += 2;
    } else {
      const std::size_t end = tag_end(at);
      if (open.empty() && !tag_begins_.empty()) {
        fail(at, "a second root element <" + std::string(name_at(text_, at + 1)) + "> begins here",
             "keep one robot in a file");
      }
      tag_begins_.push_back(at);
      if (text_[end - 2] != '/') open.push_back({name_at(text_, at + 1), at});
      if (open.size() > max_depth) {
        fail(at, "the elements are nested more than " + std::to_string(max_depth) + " deep",
             "no URDF needs that; is this the file you meant?");
      }
      at = end;
    }
  }
  if (!open.empty()) {
    const std::string name(open.back().name);
    fail(open.back().begin, "<" + name + "> is not closed before the end of the file",
         "add </" + name + ">, or get the whole file if it was cut off");
  }
  if (tag_begins_.empty()) fail(0, "the file has no element", "a URDF file has a <robot>");
}

// Past a comment or CDATA section; past a processing instruction or DOCTYPE, which is blanked out.
std::size_t XmlDocument::skip_markup(std::size_t at) {
  const auto past = [&](const char* closing, std::size_t from) {
    const std::size_t end = text_.find(closing, from);
    if (end == npos) {
      fail(at, "what begins here with '" + text_.substr(at, 2) + "' is not closed",
           std::string("close it with ") + closing);
    }
    return end + std::string_view(closing).size();
  };
  if (text_.compare(at, 4, "<!--") == 0) return past("-->", at + 4);
  if (text_.compare(at, 9, "<![CDATA[") == 0) return past("]]>", at + 9);
  std::size_t end = past(text_[at + 1] == '?' ? "?>" : ">", at + 2);
  const std::size_t subset = text_.find('[', at);
  if (text_[at + 1] == '!' && subset < end) end = past(">", past("]", subset));
  blank(text_, at, end);
  return end;
}

// One past the '>' of the tag; a '>' within quotes does not end it.
std::size_t XmlDocument::tag_end(std::size_t begin) const {
  const std::string name(name_at(text_, begin + 1));
  char quote = 0;
  for (std::size_t i = begin + 1; i < text_.size(); ++i) {
    const char c = text_[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '<') {
      break;
    } else if (c == '>') {
      return i + 1;
    }
  }
  fail(begin, "the tag <" + name + " is not closed",
       quote ? "close the quotes of its attributes, and the tag with '>'" : "close it with '>'");
}

void XmlDocument::parse_tree() {
  const tinyxml2::XMLError error = tree_.Parse(text_.data(), text_.size());
  if (error != tinyxml2::XML_SUCCESS || !tree_.RootElement()) {
    throw InputError({file_, tree_.ErrorLineNum()}, what_is_wrong(error),
                     "an XML checker such as xmllint shows more");
  }
  // The tree's elements in document order are the start tags in order.
  std::uintptr_t index = 0;
  for (tinyxml2::XMLNode* node = tree_.FirstChild(); node;) {
    if (node->ToElement()) node->SetUserData(reinterpret_cast<void*>(index++));
    tinyxml2::XMLNode* next = node->FirstChild();
    while (node && !next) {
      next = node->NextSibling();
      if (!next) node = node->Parent();
    }
    node = next;
  }
}

std::size_t XmlDocument::offset(const tinyxml2::XMLElement& element) const {
  const auto index = reinterpret_cast<std::uintptr_t>(element.GetUserData());
  return tag_begins_.at(index);
}

Where XmlDocument::where(const tinyxml2::XMLElement& element) const {
  return place(offset(element));
}

Where XmlDocument::where(const tinyxml2::XMLElement& element, std::string_view attribute) const {
  const std::size_t begin = offset(element);
  const std::size_t end = tag_end(begin);
  char quote = 0;
  for (std::size_t i = begin + 1; i < end; ++i) {
    const char c = text_[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (is_space(text_[i - 1]) && name_at(text_, i) == attribute) {
      return place(i);
    }
  }
  return place(begin);
}

}  // namespace catena
