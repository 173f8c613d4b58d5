// The papers' examples, tables and claims as objects.
#include "robot.hpp"
#ifdef CATENA_HAS_PAPERS
#include "catena/papers/reproduce.hpp"
#endif

namespace catena::python {

#ifdef CATENA_HAS_PAPERS
namespace {

using namespace nb::literals;

nb::object value_of(const papers::Measure& measure) {
  if (const double* number = std::get_if<double>(&measure.value)) return nb::float_(*number);
  const std::string& word = std::get<std::string>(measure.value);
  return nb::str(word.c_str(), word.size());
}

nb::dict parts_of(const papers::ExhibitResult& exhibit) {
  nb::list claims;
  for (const papers::JudgedClaim& c : exhibit.claims)
    claims.append(nb::make_tuple(c.claim.id, c.claim.says, to_string(c.judgement.verdict),
                                 c.judgement.found, c.judgement.reason));
  nb::dict measures;
  for (const auto& [name, measure] : exhibit.run.measures)
    measures[name.c_str()] = nb::make_tuple(value_of(measure), measure.unit);
  nb::list grids;
  for (const papers::Grid& grid : exhibit.run.grids)
    grids.append(nb::make_tuple(grid.caption, grid.header, grid.rows));
  const Table& table = exhibit.run.table;
  nb::dict all;
  all["id"] = exhibit.exhibit.id, all["title"] = exhibit.exhibit.title;
  all["note"] = exhibit.exhibit.note, all["failure"] = exhibit.failure;
  all["claims"] = claims, all["measures"] = measures, all["grids"] = grids;
  all["columns"] = table.columns;
  all["values"] = new_array(table.values, {table.num_rows(), table.num_columns()});
  return all;
}

nb::dict reproduce_paper(const std::string& folder, const std::string& name) {
  const papers::Paper paper = papers::read_paper(folder, name);
  papers::PaperResult result;
  {
    nb::gil_scoped_release release;
    result = papers::reproduce(paper, {});
  }
  nb::list exhibits;
  for (const papers::ExhibitResult& exhibit : result.exhibits) exhibits.append(parts_of(exhibit));
  nb::dict all;
  all["name"] = paper.name, all["title"] = paper.title, all["authors"] = paper.authors;
  all["source"] = paper.source, all["about"] = paper.about, all["exhibits"] = exhibits;
  all["report"] = papers::report_html({&result, 1});
  return all;
}

}  // namespace

void bind_papers(nb::module_& module) {
  module.def("paper_names", &papers::paper_names, "folder"_a, "Names of the papers in a folder.");
  module.def("reproduce", &reproduce_paper, "folder"_a, "name"_a,
             nb::sig("def reproduce(folder: str, name: str) -> dict[str, Any]"),
             "Everything of a paper, computed and judged.");
}
#else
void bind_papers(nb::module_&) {}
#endif

}  // namespace catena::python
