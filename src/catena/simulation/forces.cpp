#include "catena/simulation/forces.hpp"

#include "catena/model/coordinates.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using In = System::In;
using Out = System::Out;

class ConstantForces final : public Forces {
 public:
  explicit ConstantForces(const Eigen::VectorXd& tau) : tau_(tau) {}
  void add(double, In, In, Out tau, std::span<Force<double>>) override {
    for (std::size_t i = 0; i < tau.size(); ++i) tau[i] += tau_[static_cast<Eigen::Index>(i)];
  }

 private:
  Eigen::VectorXd tau_;
};

class SampledForces final : public Forces {
 public:
  SampledForces(const Mechanism<double>& m, const Sampled& samples,
                const std::vector<FrameInfo>& frames)
      : samples_(samples), frames_(frames) {
    check_size("samples", static_cast<std::size_t>(samples.size()),
               index(m.nv) + 6 * frames.size());
  }
  void add(double t, In, In, Out tau, std::span<Force<double>> Fext_B) override {
    Eigen::Index k = 0;
    for (double& x : tau) x += samples_.at(t, k++).value;
    for (const FrameInfo& frame : frames_) {
      double w[6];
      for (double& x : w) x = samples_.at(t, k++).value;
      Fext_B[index(frame.body)] +=
          transform(frame.X_BF, Force<double>{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
    }
  }

 private:
  Sampled samples_;
  std::vector<FrameInfo> frames_;
};

class SampledMotion final : public DrivenMotion {
 public:
  SampledMotion(std::shared_ptr<const Sampled> samples, Eigen::Index entry)
      : samples_(std::move(samples)), entry_(entry) {}
  void at(double t, double& q, double& v, double& a) const override {
    const Sampled::Point p = samples_->at(t, entry_);
    q = p.value, v = p.first, a = p.second;
  }

 private:
  std::shared_ptr<const Sampled> samples_;
  Eigen::Index entry_;
};

class SteadyMotion final : public DrivenMotion {
 public:
  SteadyMotion(double position, double speed) : position_(position), speed_(speed) {}
  void at(double t, double& q, double& v, double& a) const override {
    q = position_ + speed_ * t, v = speed_, a = 0;
  }

 private:
  double position_, speed_;
};

class ControlForces final : public Forces {
 public:
  ControlForces(const Mechanism<double>& m, const Formulation<double>& method,
                const Controller& controller)
      : m_(m),
        method_(method),
        c_(controller),
        w_(m_, method.room(m_)),
        force_(m.nv),
        a_(m.nv),
        position_of_(index(m.nv), -1) {
    for (const JointInfo& j : m_.names->joints) {
      if (j.mimic || j.nq != j.nv) continue;
      for (int k = 0; k < j.nv; ++k) position_of_[index(j.v + k)] = j.q + k;
    }
  }

  void add(double t, In q, In v, Out tau, std::span<Force<double>>) override {
    const Out force{force_.data(), tau.size()};
    a_.setZero();
    for (std::size_t i = 0; i < tau.size(); ++i) {
      if (position_of_[i] < 0) continue;
      const auto k = static_cast<Eigen::Index>(i);
      const Sampled::Point p = c_.reference->at(t, k);
      a_[k] = c_.kp[k] * (p.value - q[index(position_of_[i])]) + c_.kd[k] * (p.first - v[i]);
      if (c_.law == ControlLaw::computed_torque) a_[k] += p.second;
    }
    const In a{a_.data(), tau.size()};
    force_.setZero();
    if (c_.law == ControlLaw::gravity_pd) method_.inverse_dynamics(m_, q, {}, {}, {}, w_, force);
    if (c_.law == ControlLaw::computed_torque)
      method_.inverse_dynamics(m_, q, v, a, {}, w_, force);
    else
      force_ += a_;
    for (std::size_t i = 0; i < tau.size(); ++i) {
      if (position_of_[i] >= 0) tau[i] += force_[static_cast<Eigen::Index>(i)];
    }
  }

 private:
  Mechanism<double> m_;
  const Formulation<double>& method_;
  Controller c_;
  Workspace<double> w_;
  Eigen::VectorXd force_, a_;
  std::vector<int> position_of_;
};

}  // namespace

std::shared_ptr<Forces> constant_forces(const Eigen::VectorXd& tau) {
  return std::make_shared<ConstantForces>(tau);
}
std::shared_ptr<Forces> sampled_forces(const Mechanism<double>& m, const Sampled& samples,
                                       const std::vector<FrameInfo>& frames) {
  return std::make_shared<SampledForces>(m, samples, frames);
}
std::shared_ptr<const DrivenMotion> sampled_motion(std::shared_ptr<const Sampled> samples,
                                                   Eigen::Index entry) {
  return std::make_shared<SampledMotion>(std::move(samples), entry);
}
std::shared_ptr<const DrivenMotion> steady_motion(double position, double speed) {
  return std::make_shared<SteadyMotion>(position, speed);
}
std::shared_ptr<Forces> control_forces(const Mechanism<double>& m,
                                       const Formulation<double>& method,
                                       const Controller& controller) {
  return std::make_shared<ControlForces>(m, method, controller);
}

}  // namespace catena
