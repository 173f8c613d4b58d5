#include "catena/loops/sparse_rows.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index large = 200 * 200;  // entries, zeros too
constexpr Index most_filled = 10;   // of so many entries one may be other than zero

// A pivot that is this small is taken for an independent column only if there is no better one.
constexpr double good_pivot = 1e-3;

template <class Matrix>
std::optional<SparseRows> sparse_if_large(const Matrix& A) {
  if (A.rows() * A.cols() < large) return {};
  const double* const all = A.data();
  const Index filled = A.size() - std::count(all, all + A.size(), 0.0);
  if (filled * most_filled > A.size()) return {};
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(filled));
  for (Index i = 0; i < A.outerSize(); ++i) {
    for (Index k = 0; k < A.innerSize(); ++k) {
      const Index row = Matrix::IsRowMajor ? i : k, column = Matrix::IsRowMajor ? k : i;
      if (const double x = A(row, column); x != 0)
        entries.emplace_back(static_cast<int>(row), static_cast<int>(column), x);
    }
  }
  SparseRows S(A.rows(), A.cols());
  S.setFromTriplets(entries.begin(), entries.end());
  return S;
}

// Columns in an order that keeps the factors sparse.
std::vector<int> sparse_order(const SparseRows& A) {
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> P;
  SparseRows compressed = A;
  compressed.makeCompressed();
  Eigen::COLAMDOrdering<int>()(compressed, P);
  std::vector<int> order(static_cast<std::size_t>(A.cols()));
  for (Index i = 0; i < A.cols(); ++i)
    order[static_cast<std::size_t>(P.indices()[i])] = static_cast<int>(i);
  return order;
}

double longest_column(const SparseRows& A) {
  double longest = 0;
  for (Index k = 0; k < A.outerSize(); ++k) longest = std::max(longest, A.col(k).norm());
  return longest;
}

// Gaussian elimination column by column with partial pivots, which says what a column adds to those
// that were kept before it.
class Elimination {
 public:
  explicit Elimination(const SparseRows& A)
      : A_(A), pivot_of_(static_cast<std::size_t>(A.rows()), -1), x_(VectorXd::Zero(A.rows())) {}

  // The pivot of a column, 0 if it was not kept because it would be no larger than `least`.
  double keep(int column, double least) {
    std::vector<int> touched;
    std::set<int> waiting;  // pivots that the column has entries at; later ones may join
    const auto touch = [&](int row, double value) {
      if (x_[row] == 0) touched.push_back(row);
      x_[row] += value;
      if (const int p = pivot_of_[static_cast<std::size_t>(row)]; p >= 0) waiting.insert(p);
    };
    for (SparseRows::InnerIterator it(A_, column); it; ++it)
      touch(static_cast<int>(it.row()), it.value());
    while (!waiting.empty()) {
      const Reduced& r = reduced_[static_cast<std::size_t>(*waiting.begin())];
      waiting.erase(waiting.begin());
      const double size = x_[r.row];
      for (const auto& [row, value] : r.others) touch(row, -size * value);
      x_[r.row] = 0;
    }
    int best = -1;
    for (int row : touched) {
      if (pivot_of_[static_cast<std::size_t>(row)] >= 0) x_[row] = 0;
      if (best < 0 || std::abs(x_[row]) > std::abs(x_[best])) best = row;
    }
    const double pivot = best < 0 ? 0 : x_[best];
    const bool kept = std::abs(pivot) > least;
    if (kept) {
      Reduced r{best, {}};
      std::sort(touched.begin(), touched.end());
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
      for (int row : touched)
        if (row != best && x_[row] != 0) r.others.push_back({row, x_[row] / pivot});
      pivot_of_[static_cast<std::size_t>(best)] = static_cast<int>(reduced_.size());
      reduced_.push_back(std::move(r));
    }
    for (int row : touched) x_[row] = 0;
    return kept ? std::abs(pivot) : 0;
  }

 private:
  struct Reduced {  // a column over its pivot, without those before it
    int row;
    std::vector<std::pair<int, double>> others;
  };
  const SparseRows& A_;
  std::vector<Reduced> reduced_;
  std::vector<int> pivot_of_;  // by row
  VectorXd x_;
};

SparseRows columns_of(const SparseRows& A, const std::vector<int>& columns) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < columns.size(); ++k)
    for (SparseRows::InnerIterator it(A, columns[k]); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), static_cast<int>(k), it.value());
  SparseRows C(A.rows(), static_cast<Index>(columns.size()));
  C.setFromTriplets(entries.begin(), entries.end());
  return C;
}

// (Cᵀ C + c 1)⁻¹ for independent columns, refined: squares lose half of the digits.
class NormalEquations {
 public:
  NormalEquations(const SparseRows& C, double c) : N_(C.transpose() * C) {
    for (Index i = 0; i < N_.rows(); ++i) N_.coeffRef(i, i) += c;
    factors_.compute(N_);
  }
  VectorXd solve(const VectorXd& b) const {
    if (b.size() == 0) return b;
    VectorXd x = factors_.solve(b);
    for (int i = 0; i < 2; ++i) x += factors_.solve(VectorXd(b - N_ * x));
    return x;
  }

 private:
  SparseRows N_;
  Eigen::SimplicialLDLT<SparseRows> factors_;
};

// By power iteration.
double largest_singular_value(const SparseRows& A) {
  VectorXd x = VectorXd::Ones(A.cols());
  double size = 0;
  for (int i = 0; i < 30; ++i) {
    const VectorXd y = A * x;
    x = A.transpose() * y;
    size = x.norm();
    if (!(size > 0)) return 0;
    x /= size;
  }
  return std::sqrt(size);
}

}  // namespace

std::optional<SparseRows> if_large(const MatrixXd& A) { return sparse_if_large(A); }
std::optional<SparseRows> if_large(const Rows& A) { return sparse_if_large(A); }

VectorXd in_range(const SparseRows& A, const VectorXd& x) {
  const SparseRows C = columns_of(A, independent_columns(A).columns);
  const NormalEquations normal(C, 0);
  VectorXd in = C * normal.solve(C.transpose() * x);
  in += C * normal.solve(C.transpose() * (x - in));
  return in;
}

LeastNorm least_norm(const SparseRows& A, const VectorXd& b, double mu) {
  const SparseRows transposed = A.transpose();
  if (mu > 0) {
    const double largest = largest_singular_value(A);
    return {transposed * NormalEquations(transposed, mu * largest * largest).solve(b), 0};
  }
  // Rows that the others follow from, and on them what of b can be reached. These rows may be worse
  // conditioned than A: what A still leaves of b is taken the same way.
  const std::vector<int> rows = independent_columns(transposed).columns;
  const SparseRows B = columns_of(transposed, rows);
  const SparseRows C = columns_of(A, independent_columns(A).columns);
  const NormalEquations of_rows(B, 0), of_columns(C, 0);
  VectorXd x = VectorXd::Zero(A.cols());
  for (int pass = 0; pass < 3; ++pass) {
    const VectorXd reachable = C * of_columns.solve(C.transpose() * (b - A * x));
    VectorXd rhs(B.cols());
    for (Index i = 0; i < B.cols(); ++i) rhs[i] = reachable[rows[static_cast<std::size_t>(i)]];
    x += B * of_rows.solve(rhs);
  }
  return {x, static_cast<int>(B.cols())};
}

// From each column that is not among the independent ones: it and what cancels it.
MatrixXd null_space(const SparseRows& A) {
  const std::vector<int> columns = independent_columns(A).columns;
  const SparseRows C = columns_of(A, columns);
  const NormalEquations normal(C, 0);
  std::vector<char> chosen(static_cast<std::size_t>(A.cols()), 0);
  for (int v : columns) chosen[static_cast<std::size_t>(v)] = 1;
  MatrixXd all = MatrixXd::Zero(A.cols(), A.cols() - C.cols());
  Index k = 0;
  for (Index v = 0; v < A.cols(); ++v) {
    if (chosen[static_cast<std::size_t>(v)] != 0) continue;
    const VectorXd column = A.col(v);
    VectorXd y = normal.solve(C.transpose() * column);
    y += normal.solve(C.transpose() * (column - C * y));
    for (std::size_t i = 0; i < columns.size(); ++i) all(columns[i], k) = -y[static_cast<Index>(i)];
    all(v, k++) = 1;
  }
  if (all.cols() == 0) return all;
  const Eigen::HouseholderQR<MatrixXd> basis(all);
  return basis.householderQ() * MatrixXd::Identity(all.rows(), all.cols());
}

IndependentColumns independent_columns(const SparseRows& A, const std::vector<int>& last) {
  std::vector<char> wait(static_cast<std::size_t>(A.cols()), 0);
  for (int v : last) wait[static_cast<std::size_t>(v)] = 1;
  const double longest = longest_column(A);
  Elimination elimination(A);
  IndependentColumns r;
  double smallest = 0, largest = 0;
  const auto keep = [&](int v, double tolerance) {
    const double pivot = elimination.keep(v, tolerance * longest);
    if (pivot == 0) return false;
    smallest = r.columns.empty() ? pivot : std::min(smallest, pivot);
    largest = std::max(largest, pivot);
    r.columns.push_back(v);
    return true;
  };
  std::vector<int> rest;  // good pivots first
  for (int v : sparse_order(A)) {
    if (wait[static_cast<std::size_t>(v)] == 0 && !keep(v, good_pivot)) rest.push_back(v);
  }
  for (int v : rest) keep(v, rank_tolerance);
  for (int v : last) keep(v, rank_tolerance);
  r.smallest = largest > 0 ? smallest / largest : 0;
  return r;
}

}  // namespace catena
