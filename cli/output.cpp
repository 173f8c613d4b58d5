// Where results go: files, pipes, terminals and plots.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "catena/plot/figure.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

// The table in columns of equal width, rounded, broken into blocks that fit the terminal.
class AlignedTable {
 public:
  AlignedTable(const Table& table, const std::string& key, std::size_t width)
      : table_(table), key_(key), width_(width) {
    // A long table shows its beginning and its end.
    const std::size_t n = table.num_rows();
    for (std::size_t r = 0; r < n; ++r) {
      if (n <= most_rows || r < most_rows / 2 || r >= n - most_rows / 2) shown_.push_back(r);
    }
    has_key_ = table.num_columns() > 0 && table.columns[0] == key;
  }

  std::string text() const {
    std::string result;
    const std::size_t first = has_key_ ? 1 : 0;
    for (std::size_t begin = first; begin < table_.num_columns();) {
      std::size_t used = key_width(), end = begin;
      while (end < table_.num_columns() &&
             (end == begin || used + 2 + column_width(end) <= width_)) {
        used += 2 + column_width(end++);
      }
      if (begin > first) result += '\n';
      result += block(begin, end);
      begin = end;
    }
    if (shown_.size() < table_.num_rows()) {
      result += fmt::format("({} rows, of which {} are not shown; -o FILE writes them all)\n",
                            table_.num_rows(), table_.num_rows() - shown_.size());
    }
    return result;
  }

 private:
  static constexpr std::size_t most_rows = 60;

  static std::string cell(double value) {
    return fmt::format("{:.6g}", value == 0 ? 0.0 : value);  // no -0
  }
  std::string key(std::size_t row) const {
    return has_key_ ? cell(table_.at(row, 0)) : std::to_string(row + 1);
  }
  std::string key_title() const { return has_key_ ? key_ : "row"; }
  std::size_t key_width() const {
    std::size_t width = key_title().size();
    for (std::size_t r : shown_) width = std::max(width, key(r).size());
    return width;
  }
  std::size_t column_width(std::size_t column) const {
    std::size_t width = table_.columns[column].size();
    for (std::size_t r : shown_) width = std::max(width, cell(table_.at(r, column)).size());
    return width;
  }
  std::string block(std::size_t begin, std::size_t end) const {
    std::vector<std::size_t> widths;
    for (std::size_t c = begin; c < end; ++c) widths.push_back(column_width(c));
    const std::size_t first_width = key_width();
    std::string text = fmt::format("{:>{}}", key_title(), first_width);
    for (std::size_t c = begin; c < end; ++c) {
      text += fmt::format("  {:>{}}", table_.columns[c], widths[c - begin]);
    }
    text += '\n';
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const std::size_t r = shown_[i];
      if (i > 0 && r != shown_[i - 1] + 1) text += fmt::format("{:>{}}\n", "...", first_width);
      text += fmt::format("{:>{}}", key(r), first_width);
      for (std::size_t c = begin; c < end; ++c) {
        text += fmt::format("  {:>{}}", cell(table_.at(r, c)), widths[c - begin]);
      }
      text += '\n';
    }
    return text;
  }

  const Table& table_;
  std::string key_;
  std::size_t width_;
  std::vector<std::size_t> shown_;
  bool has_key_ = false;
};

std::size_t terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 100;
}

// One panel per label, over the key (the time, say) or the number of the row.
plot::Figure figure_of(const Result& result) {
  const Table& table = result.table;
  const int key = table.find(result.key);
  plot::Figure figure;
  figure.title = result.title;
  figure.x_label = key >= 0 ? result.key_label : "row";
  for (std::size_t c = 0; c < table.num_columns(); ++c) {
    const std::string& label = result.panels[c];
    if (label.empty()) continue;
    auto panel = std::find_if(figure.panels.begin(), figure.panels.end(),
                              [&](const plot::Panel& p) { return p.y_label == label; });
    if (panel == figure.panels.end()) {
      panel = figure.panels.insert(panel, plot::Panel{"", label, {}});
    }
    plot::Series series{result.labels[c], {}, {}};
    for (std::size_t r = 0; r < table.num_rows(); ++r) {
      series.x.push_back(key >= 0 ? table.at(r, static_cast<std::size_t>(key))
                                  : static_cast<double>(r + 1));
      series.y.push_back(table.at(r, c));
    }
    panel->series.push_back(std::move(series));
  }
  return figure;
}

bool ends_in_json(const std::string& path) {
  return std::filesystem::path(path).extension() == ".json";
}

// The form of this result: prose is not for programs, unless a file is asked for by its ending.
Format format_of(const OutputOptions& options, const Result& result) {
  const Format format = cli::format_of(options);
  const bool csv_file = std::filesystem::path(options.file).extension() == ".csv";
  return result.prose && format == Format::csv && !csv_file ? Format::readable : format;
}

}  // namespace

Format format_of(const OutputOptions& options) {
  if (options.json || ends_in_json(options.file)) return Format::json;
  return options.file.empty() && ::isatty(STDOUT_FILENO) ? Format::readable : Format::csv;
}

void Result::add_column(const std::string& name, const std::string& panel,
                        const std::string& label) {
  table.columns.push_back(name);
  panels.push_back(panel);
  labels.push_back(label.empty() ? name : label);
}

void print(std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((written && std::fflush(stdout) == 0) || errno == EPIPE) return;
  throw InputError({"standard output"}, std::strerror(errno), "free some space, or use -o FILE");
}

void write_result(const OutputOptions& options, const Result& result) {
  write_result(options, result, result);
}

void write_result(const OutputOptions& options, const Result& result, const Result& drawn) {
  const bool to_stdout = options.file.empty() || options.file == "-";
  if (!options.plot.empty() && options.plot == options.file) {
    throw UsageError("-o and --plot name the same file");
  }
  const Format format = format_of(options, result);
  std::string text;
  if (format == Format::json) {
    text = result.json.empty() ? to_json(result.table) : result.json;
  } else if (format == Format::readable) {
    text = result.readable.empty() ? AlignedTable(result.table, result.key, terminal_width()).text()
                                   : result.readable;
  } else {
    text = to_csv(result.table);
  }
  std::vector<std::pair<std::string, std::string>> files;
  if (!options.plot.empty()) {
    const std::string ending = std::filesystem::path(options.plot).extension().string();
    files.emplace_back(options.plot, plot::render(figure_of(drawn), ending));
  }
  if (!to_stdout) files.emplace_back(options.file, std::move(text));
  write_files_whole(files);
  if (to_stdout) print(text);
}

void write_plot(const OutputOptions& options, const Result& drawn) {
  const std::string ending = std::filesystem::path(options.plot).extension().string();
  write_file_whole(options.plot, plot::render(figure_of(drawn), ending));
}

}  // namespace catena::cli
