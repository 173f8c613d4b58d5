// catena reproduce: the papers' figures, tables and claims, as a report.
#include "catena/papers/reproduce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;
using papers::PaperResult;
using papers::Verdict;

struct ReproduceOptions {
  std::vector<std::string> names;
  std::string output = "out/papers", papers;
  bool list = false;
};

// The folder of the papers: in the working folder, beside the program in a checkout, or installed.
std::string find_papers(const ReproduceOptions& o) {
  if (!o.papers.empty()) return o.papers;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& place : {fs::path("papers"), program / ".." / "papers",
                                program / ".." / "share" / "catena" / "papers"}) {
    for (const auto& entry : fs::directory_iterator(place, ignored)) {
      if (fs::exists(entry.path() / "paper.yaml", ignored))
        return place.lexically_normal().string();
    }
  }
  throw InputError({"papers"}, "the papers' data are not here, and not beside the program",
                   "run it in a checkout, or name the folder: --papers DIR");
}

std::vector<std::string> chosen_papers(const ReproduceOptions& o,
                                       const std::vector<std::string>& known) {
  for (const std::string& name : o.names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(fmt::format("there is no paper '{}'{}\n    the papers are: {}", name,
                                   did_you_mean(name, known), fmt::join(known, ", ")));
  }
  if (o.names.empty()) return known;
  std::vector<std::string> chosen;  // in the order of the report, each once
  for (const std::string& name : known) {
    if (std::find(o.names.begin(), o.names.end(), name) != o.names.end()) chosen.push_back(name);
  }
  return chosen;
}

// Makes the folders of the output; throws InputError, naming the folder, if one cannot be made.
void make_folders(const std::string& output, const std::vector<std::string>& names) {
  std::vector<fs::path> folders = {output};
  for (const std::string& name : names) folders.push_back(fs::path(output) / name);
  for (const fs::path& folder : folders) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem || !fs::is_directory(folder) || ::access(folder.c_str(), W_OK | X_OK) != 0)
      throw InputError({folder.string()},
                       "nothing can be written into this folder" +
                           (problem ? " (" + problem.message() + ")" : std::string()),
                       "name another one: --output DIR");
  }
}

std::string summary_of(const std::vector<PaperResult>& results) {
  std::string text = fmt::format("{:<24} {:>10} {:>10} {:>18}\n", "paper", "confirmed", "differs",
                                 "cannot be decided");
  int sums[3] = {0, 0, 0};
  for (const PaperResult& r : results) {
    const int counts[3] = {r.count(Verdict::confirmed), r.count(Verdict::differs),
                           r.count(Verdict::open)};
    text +=
        fmt::format("{:<24} {:>10} {:>10} {:>18}\n", r.paper.name, counts[0], counts[1], counts[2]);
    for (int i = 0; i < 3; ++i) sums[i] += counts[i];
  }
  text += fmt::format("{:<24} {:>10} {:>10} {:>18}\n", "all", sums[0], sums[1], sums[2]);
  std::string differences;
  for (const PaperResult& r : results) {
    for (const papers::ExhibitResult& e : r.exhibits) {
      for (const papers::JudgedClaim& c : e.claims) {
        if (c.judgement.verdict == Verdict::differs)
          differences += fmt::format("  {}, {}: {}\n      {}\n", r.paper.name, e.exhibit.id,
                                     c.claim.says, c.judgement.reason);
      }
    }
  }
  return text + (differences.empty() ? "" : "\nwhat differs:\n" + differences);
}

void run_reproduce(const ReproduceOptions& o) {
  const std::string folder = find_papers(o);
  const auto known = papers::paper_names(folder);
  if (o.list) return print(fmt::format("{}\n", fmt::join(known, "\n")));
  const auto names = chosen_papers(o, known);
  std::vector<papers::Paper> all;  // all are read before the first is run
  for (const std::string& name : names) all.push_back(papers::read_paper(folder, name));
  make_folders(o.output, names);

  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  const auto clear = [&] {
    if (terminal) fmt::print(stderr, "\r\033[K");
  };
  const auto begin = std::chrono::steady_clock::now();
  std::vector<PaperResult> results;
  try {
    for (const papers::Paper& paper : all) {
      results.push_back(papers::reproduce(paper, [&](const std::string& title) {
        clear();
        if (terminal) fmt::print(stderr, "{}: {}", paper.name, title), std::fflush(stderr);
      }));
    }
  } catch (...) {
    clear();
    throw;
  }
  clear();
  auto files = papers::output_files(results);
  for (auto& file : files) file.first = (fs::path(o.output) / file.first).string();
  write_files_whole(files);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print(summary_of(results) + fmt::format("\n{} files in {:.1f} s; the report: {}\n", files.size(),
                                          seconds, files.front().first));
}

}  // namespace

void add_reproduce_command(Command& app) {
  Command& command = add_command(app, "reproduce",
                                 "Figures, tables and claims of the papers, as a report with plots",
                                 "catena reproduce --output out/papers\n"
                                 "catena reproduce featherstone-orin-2000 --output report");
  const auto o = std::make_shared<ReproduceOptions>();
  command.add_option("PAPER", o->names, "Only these; without it all");
  command
      .add_option("-o,--output", o->output,
                  "Folder for report.html, claims.csv, and CSV and SVG of every figure")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option("--papers", o->papers,
                  "Folder of the papers' data (default: that of the checkout or installation)")
      ->type_name("DIR");
  command.add_flag("--list", o->list, "The names of the papers, and nothing else");
  when_run(command, [o] { run_reproduce(*o); });
}

}  // namespace catena::cli
