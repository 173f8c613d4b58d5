#include "catena/loops/sparse_rows.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>

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

// A P = Q R. Columns with less than `threshold` left are put last and count as zero.
using Ordering = Eigen::NaturalOrdering<int>;
class OrthogonalFactors {
 public:
  // `order`: in which the columns are tried.
  OrthogonalFactors(const SparseRows& A, const std::vector<int>& order, double threshold)
      : order_(order), rows_(A.rows()), columns_(A.cols()) {
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> P(A.cols());
    for (Index i = 0; i < A.cols(); ++i) P.indices()[i] = order[static_cast<std::size_t>(i)];
    SparseRows ordered = A * P;
    ordered.makeCompressed();
    qr_.setPivotThreshold(threshold);
    qr_.compute(ordered);
  }
  Index rank() const { return qr_.rank(); }
  // The i-th column that was eliminated.
  int column(Index i) const {
    return order_[static_cast<std::size_t>(qr_.colsPermutation().indices()[i])];
  }
  double pivot(Index i) const { return std::abs(qr_.matrixR().coeff(i, i)); }
  VectorXd times_Q(const VectorXd& x) const { return qr_.matrixQ() * x; }
  VectorXd times_Q_transposed(const VectorXd& x) const { return qr_.matrixQ().transpose() * x; }
  // Rᵀ y = b and R y = b for the rows and columns that count
  VectorXd solve_transposed(VectorXd b) const {
    const SparseRows R = qr_.matrixR().topLeftCorner(rank(), rank());
    R.transpose().triangularView<Eigen::Lower>().solveInPlace(b);
    return b;
  }
  VectorXd solve(VectorXd b) const {
    const SparseRows R = qr_.matrixR().topLeftCorner(rank(), rank());
    R.triangularView<Eigen::Upper>().solveInPlace(b);
    return b;
  }
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }

 private:
  std::vector<int> order_;
  Index rows_, columns_;
  Eigen::SparseQR<SparseRows, Ordering> qr_;
};

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

OrthogonalFactors factors(const SparseRows& A) {
  return {A, sparse_order(A), rank_tolerance * longest_column(A)};
}

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

// The smallest x with the least |A x - b|² + c |x|².
VectorXd damped(const SparseRows& A, const VectorXd& b, double c) {
  const Index m = A.rows(), n = A.cols();
  std::vector<Eigen::Triplet<double>> entries;
  for (Index k = 0; k < n; ++k) {
    for (SparseRows::InnerIterator it(A, k); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), static_cast<int>(k), it.value());
    entries.emplace_back(static_cast<int>(m + k), static_cast<int>(k), std::sqrt(c));
  }
  SparseRows both(m + n, n);
  both.setFromTriplets(entries.begin(), entries.end());
  const OrthogonalFactors f(both, sparse_order(both), 0);
  VectorXd rhs = VectorXd::Zero(m + n);
  rhs.head(m) = b;
  const VectorXd y = f.solve(f.times_Q_transposed(rhs).head(f.rank()));
  VectorXd x = VectorXd::Zero(n);
  for (Index i = 0; i < f.rank(); ++i) x[f.column(i)] = y[i];
  return x;
}

}  // namespace

std::optional<SparseRows> if_large(const MatrixXd& A) { return sparse_if_large(A); }
std::optional<SparseRows> if_large(const Rows& A) { return sparse_if_large(A); }

VectorXd in_range(const SparseRows& A, const VectorXd& x) {
  const OrthogonalFactors f = factors(A);
  VectorXd along = f.times_Q_transposed(x);
  along.tail(A.rows() - f.rank()).setZero();
  return f.times_Q(along);
}

LeastNorm least_norm(const SparseRows& A, const VectorXd& b, double mu) {
  if (mu > 0) {
    const double largest = largest_singular_value(A);
    return {damped(A, b, mu * largest * largest), 0};
  }
  const VectorXd reachable = in_range(A, b);
  const OrthogonalFactors f = factors(A.transpose());  // A = P Rᵀ Qᵀ
  VectorXd rhs(f.rank());
  for (Index i = 0; i < f.rank(); ++i) rhs[i] = reachable[f.column(i)];
  VectorXd along = VectorXd::Zero(A.cols());
  along.head(f.rank()) = f.solve_transposed(rhs);
  return {f.times_Q(along), static_cast<int>(f.rank())};
}

MatrixXd null_space(const SparseRows& A) {
  const OrthogonalFactors f = factors(A.transpose());
  MatrixXd all(A.cols(), A.cols() - f.rank());
  for (Index k = 0; k < all.cols(); ++k)
    all.col(k) = f.times_Q(VectorXd::Unit(A.cols(), f.rank() + k));
  return all;
}

IndependentColumns independent_columns(const SparseRows& A, const std::vector<int>& last) {
  std::vector<char> wait(static_cast<std::size_t>(A.cols()), 0);
  for (int v : last) wait[static_cast<std::size_t>(v)] = 1;
  std::vector<int> order;
  for (int v : sparse_order(A))
    if (wait[static_cast<std::size_t>(v)] == 0) order.push_back(v);
  order.insert(order.end(), last.begin(), last.end());
  const Index rank = factors(A).rank();
  const double longest = longest_column(A);
  IndependentColumns r;
  for (double tolerance : {good_pivot, rank_tolerance}) {
    const OrthogonalFactors f(A, order, tolerance * longest);
    r = {};
    double smallest = f.rank() > 0 ? f.pivot(0) : 0, largest = smallest;
    for (Index i = 0; i < f.rank(); ++i) {
      r.columns.push_back(f.column(i));
      smallest = std::min(smallest, f.pivot(i)), largest = std::max(largest, f.pivot(i));
    }
    r.smallest = largest > 0 ? smallest / largest : 0;
    if (f.rank() >= rank) break;
  }
  return r;
}

}  // namespace catena
