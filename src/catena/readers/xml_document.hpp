// XML with places: every element knows its line and column, and what is not well-formed is said.
#pragma once

#include <tinyxml2.h>

#include <string>
#include <string_view>
#include <vector>

#include "catena/support/error.hpp"

namespace catena {

class XmlDocument {
 public:
  // Byte-order mark, comments, processing instructions and DOCTYPE are skipped.
  //   throws  InputError if `text` is not well-formed or nested beyond all reason
  XmlDocument(std::string_view text, std::string file);

  const tinyxml2::XMLElement& root() const { return *tree_.RootElement(); }
  const std::string& file() const { return file_; }

  Where where(const tinyxml2::XMLElement& element) const;
  // Of the attribute's name; the element's if it has none of that name.
  Where where(const tinyxml2::XMLElement& element, std::string_view attribute) const;

 private:
  void find_tags();
  std::size_t skip_markup(std::size_t at);
  std::size_t tag_end(std::size_t begin) const;
  void parse_tree();
  std::size_t offset(const tinyxml2::XMLElement& element) const;
  Where place(std::size_t offset) const;
  [[noreturn]] void fail(std::size_t at, const std::string& problem,
                         const std::string& remedy) const;

  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_begins_;
  std::vector<std::size_t> tag_begins_;  // of start tags, in document order
  tinyxml2::XMLDocument tree_;
};

}  // namespace catena
