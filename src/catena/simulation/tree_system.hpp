// A tree in motion: forward dynamics of any formulation, with forces, driven joints, stops and dry
// friction that can hold.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/formulations/formulation.hpp"
#include "catena/simulation/system.hpp"

namespace catena {

// Joint forces and wrenches as a function of time and state.
class Forces {
 public:
  virtual ~Forces() = default;
  // Adds to tau [nv] and Fext_B [num_bodies]: wrenches on bodies at Bo, in B.
  virtual void add(double t, System::In q, System::In v, System::Out tau,
                   std::span<Force<double>> Fext_B) = 0;
};

// The motion of one velocity coordinate with a position of its own.
class DrivenMotion {
 public:
  virtual ~DrivenMotion() = default;
  virtual void at(double t, double& q, double& v, double& a) const = 0;
};

struct TreeOptions {
  bool stops = false;      // joint limits hold
  double restitution = 0;  // of a stop: speed after over speed before
  // A joint that leaves its stop more slowly than this stays on it: rad/s or m/s.
  double rest_speed = 1e-4;
};

class TreeSystem final : public LagrangianSystem {
 public:
  //   throws  InputError if the method cannot do this mechanism
  TreeSystem(const Mechanism<double>& m, const Formulation<double>& method,
             const TreeOptions& options = {});

  void add_forces(std::shared_ptr<Forces> forces);
  // Throws InputError unless the velocity belongs to a joint whose rates are those of its
  // positions.
  void drive(int velocity, std::shared_ptr<const DrivenMotion> motion);

  int nq() const override { return m_.nq; }
  int nv() const override { return m_.nv; }
  void acceleration(double t, In q, In v, Out a) override;
  bool flat() const override { return m_.nq == m_.nv; }
  void move(In q, In u, Out result) const override;
  void local_rate(In u, In v, Out rate) const override;
  void position_rate(In q, In v, Out rate) const override;
  void position_sizes(In q, Out sizes) const override;
  bool project(double t, Out q, Out v) override;
  void begin(double t, Out q, Out v) override;
  int num_switches() const override { return static_cast<int>(switches_.size()); }
  void switches(double t, In q, In v, Out values) override;
  void switch_over(int which, double t, Out q, Out v) override;
  std::string regime() const override { return regime_; }
  void set_regime(const std::string& text) override { regime_ = text; }
  Energies energies(In q, In v) override;
  void joint_forces(double t, In q, In v, In a, Out tau) override;
  std::string velocity_name(int index) const override;

  std::string refusal() const override;
  void inertia_times(In q, In v, Out p) override;
  void solve_inertia(In q, In f, Out x) override;
  void momentum_force(double t, In q, In v, Out force) override;
  void local_rate_transposed(In u, In p, Out result) const override;
  void velocity_of_rate_transposed(In u, In p, Out result) const override;

  const Mechanism<double>& mechanism() const { return m_; }
  // Dry friction along each velocity, of mimic joints, too.
  const std::vector<double>& dry_friction() const { return friction_; }
  // The position of a velocity that has one of its own, or -1 (quaternions).
  int position_of(int velocity) const { return position_of_[static_cast<std::size_t>(velocity)]; }

 private:
  static In in(const Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
  static Out out(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

  using VectorXd = Eigen::VectorXd;
  // What a velocity coordinate does: '.' moves freely, '+' and '-' slides against friction in this
  // direction, '0' is held by friction, 'l' and 'u' stands on its lower or upper stop, 'd' is
  // driven.
  bool is_fixed(std::size_t v) const;
  enum class SwitchKind { lower, upper, friction };
  struct Switch {
    SwitchKind kind;
    int velocity, position;
    double limit;
  };
  struct Driven {
    int velocity, position;
    std::shared_ptr<const DrivenMotion> motion;
  };

  void find_switches();
  // q, v with driven joints where they must be
  void impose_driven(double t, In q, In v);
  void applied_forces(double t);
  void forced_acceleration(double t, In q, In v, Out a);
  void solve_partly(Out a);
  // The force that holds each fixed coordinate, at the state of the last acceleration().
  void holding_forces(In a, Out force);
  void settle(double t, In q, In v);
  void impulse(int velocity, In q, Out v, double after);
  void take_directions(In v);

  Mechanism<double> m_;         // without dry friction
  Mechanism<double> inertial_;  // without any force of its own
  const Formulation<double>& method_;
  TreeOptions options_;
  Workspace<double> w_;
  std::vector<std::shared_ptr<Forces>> forces_;
  std::vector<Driven> driven_;
  std::vector<Switch> switches_;
  std::vector<double> friction_;  // by velocity
  std::vector<int> position_of_;  // by velocity: its own position, or -1
  std::string regime_;
  VectorXd q_, v_, tau_, a_, force_, bias_, x_, zero_;
  Eigen::MatrixXd M_;
  std::vector<Force<double>> Fext_B_;
  bool wrenches_ = false;
};

}  // namespace catena
