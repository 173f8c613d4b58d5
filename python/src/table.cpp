// Tables of numbers in the CSV files of the command line, and the columns of a robot in them.
#include "catena/data/table.hpp"

#include <nanobind/stl/string_view.h>

#include "catena/data/columns.hpp"
#include "catena/readers/quantity.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;

nb::tuple parts_of(const Table& table) {
  return nb::make_tuple(table.columns,
                        new_array(table.values, {table.num_rows(), table.num_columns()}));
}

Table table_from(const std::vector<std::string>& columns, nb::handle values_) {
  const Input values("values", values_, columns.size());
  Table table;
  table.columns = columns;
  table.values.assign(values.data(), values.data() + values.size());
  return table;
}

// The vectors of a robot in a table: q, and what there is of qd, qdd, tau and time.
nb::dict vectors_of(const Robot& r, const std::vector<std::string>& columns, nb::handle values) {
  const Table table = table_from(columns, values);
  const DataColumns found(
      r.m, table, r.closed == nullptr ? DataColumns::Positions::all : DataColumns::Positions::some);
  const std::size_t n = found.num_rows();
  std::vector<double> time(n), q, qd, qdd, tau;
  for (std::size_t i = 0; i < n; ++i) {
    const DataRow row = found.row(i);
    time[i] = row.time;
    q.insert(q.end(), row.q.begin(), row.q.end());
    qd.insert(qd.end(), row.qd.begin(), row.qd.end());
    qdd.insert(qdd.end(), row.qdd.begin(), row.qdd.end());
    tau.insert(tau.end(), row.tau.begin(), row.tau.end());
  }
  nb::dict all;
  all["q"] = new_array(q, {n, r.nq()});
  if (found.has_time()) all["time"] = new_array(time, {n});
  if (found.has("qd")) all["v"] = new_array(qd, {n, r.nv()});
  if (found.has("qdd")) all["a"] = new_array(qdd, {n, r.nv()});
  if (found.has("tau")) all["tau"] = new_array(tau, {n, r.nv()});
  return all;
}

double quantity(const std::string& text, const std::string& of) {
  const Dimension expected = of == "angle"      ? dimension::angle
                             : of == "length"   ? dimension::length
                             : of == "angle/s"  ? dimension::angle * per_second
                             : of == "length/s" ? dimension::length * per_second
                                                : dimension::number;
  try {
    return evaluate(text, expected);
  } catch (const QuantityError& error) {
    throw InputError({}, error.problem, error.remedy);
  }
}

// "angle", "length" or "number", of positions and of velocities.
std::vector<std::string> names_of(const std::vector<Dimension>& dimensions) {
  std::vector<std::string> names;
  for (const Dimension& d : dimensions)
    names.emplace_back(d == dimension::angle    ? "angle"
                       : d == dimension::length ? "length"
                                                : "number");
  return names;
}

}  // namespace

void bind_table(nb::module_& module) {
  module.def(
      "read_table", [](const std::string& path) { return parts_of(read_table(path)); }, "path"_a,
      nb::sig("def read_table(path: str) -> tuple[list[str], NDArray]"),
      "Columns and values of a CSV file.");
  module.def(
      "parse_table",
      [](const std::string& text, const std::string& file) {
        return parts_of(parse_table(text, file));
      },
      "text"_a, "file"_a,
      nb::sig("def parse_table(text: str, file: str) -> tuple[list[str], NDArray]"),
      "Columns and values of CSV text.");
  module.def(
      "to_csv",
      [](const std::vector<std::string>& columns, nb::handle values) {
        return to_csv(table_from(columns, values));
      },
      "columns"_a, "values"_a,
      nb::sig("def to_csv(columns: Sequence[str], values: ArrayLike) -> str"),
      "CSV text that reads back bit for bit.");
  module.def("write_file", &write_file_whole, "path"_a, "text"_a,
             nb::sig("def write_file(path: str, text: str) -> None"),
             "Writes a file that appears whole or not at all.");
  module.def("vectors_of", &vectors_of, "robot"_a, "columns"_a, "values"_a,
             nb::sig("def vectors_of(robot: Robot, columns: Sequence[str], values: ArrayLike) -> "
                     "dict[str, NDArray]"),
             "q, v, a, tau and time of a robot in a table.");
  module.def(
      "quantity", &quantity, "text"_a, "of"_a,
      "The value of \"30 deg\" in SI units; of: angle, length, angle/s, length/s or number.");
  module.def(
      "dimensions",
      [](const Robot& r) {
        return nb::make_tuple(names_of(position_dimensions(r.m)),
                              names_of(velocity_dimensions(r.m)));
      },
      "robot"_a, nb::sig("def dimensions(robot: Robot) -> tuple[list[str], list[str]]"),
      "What the positions and velocities measure: angle, length or number.");
}

}  // namespace catena::python
