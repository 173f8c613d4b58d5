// Rows of a data file, computed many at once.
#pragma once

#include <functional>

#include "catena/batch/batch.hpp"
#include "common.hpp"

namespace catena::cli {

// --threads N
void add_threads_option(Command& command, int& threads);

// Goes through the rows of `input` in pieces, calls compute(batch, rows, out) for each, where `out`
// has a row of nv numbers for each state, and adds time and numbers to the result.
//   throws  NumericalError, naming the row of `input`, where a number is not finite or compute()
//           says that a state has no result
using BatchFunction =
    std::function<BatchStatus(Batch<double>& batch, const DataRows& rows, std::span<double> out)>;
void compute_rows(const Mechanism<double>& m, const Table& input, const DataColumns& columns,
                  int threads, const BatchFunction& compute, Result& result);

}  // namespace catena::cli
