// How claims are judged.
#include "catena/papers/claim.hpp"

#include <gtest/gtest.h>

#include "catena/papers/expression.hpp"

namespace catena::papers {
namespace {

Reading reading_with(const std::string& name, double value) {
  return {name,
          "",
          {{"torque", {value, "N m"}}, {"other", {3., ""}}, {"mode", {std::string("below")}}}};
}

Claim claim_with(Check::Kind kind, double number, double within = 0, const std::string& word = "") {
  return {"c", "says", {{"torque", kind, number, within, word}}, {}};
}

TEST(Judge, ConfirmsWhatHoldsForEveryReading) {
  const Judgement j =
      judge(claim_with(Check::Kind::at_most, 5), {reading_with("a", 4), reading_with("b", 5)});
  EXPECT_EQ(j.verdict, Verdict::confirmed);
  EXPECT_EQ(j.found, (std::vector<std::string>{"a: torque = 4 N m", "b: torque = 5 N m"}));
}

TEST(Judge, ShowsOnceWhatEveryReadingHas) {
  const Judgement j =
      judge(claim_with(Check::Kind::at_most, 5), {reading_with("a", 4), reading_with("b", 4)});
  EXPECT_EQ(j.found, (std::vector<std::string>{"every reading: torque = 4 N m"}));
}

TEST(Judge, SaysByWhatItDiffers) {
  const Judgement j = judge(claim_with(Check::Kind::is, 1.4, 0.05), {reading_with("a", 1.5)});
  EXPECT_EQ(j.verdict, Verdict::differs);
  EXPECT_EQ(j.reason, "torque is 1.5 N m, printed 1.4: off by 0.1");
  EXPECT_EQ(judge(claim_with(Check::Kind::near, 1, 3), {reading_with("a", 0.2)}).reason,
            "torque is 0.2 N m, printed 1: smaller by a factor of 5");
  EXPECT_EQ(judge(claim_with(Check::Kind::at_least, 2), {reading_with("a", 1)}).reason,
            "torque is 1 N m, which is below 2");
}

TEST(Judge, IsOpenWhereReadingsDisagree) {
  const Judgement j = judge(claim_with(Check::Kind::is, 1.4, 0.05),
                            {reading_with("up", 1.4), reading_with("down", 2)});
  EXPECT_EQ(j.verdict, Verdict::open);
  EXPECT_EQ(j.reason, "holds for: up; not for: down. The text does not say which it is.");
}

TEST(Judge, IsOpenWhereTheTextIsSilent) {
  Claim claim = claim_with(Check::Kind::at_most, 5);
  claim.needs = {"The table is missing."};
  EXPECT_EQ(judge(claim, {reading_with("a", 4)}).verdict, Verdict::open);
  EXPECT_EQ(judge(claim, {reading_with("a", 4)}).reason, "The table is missing.");
}

TEST(Judge, EveryConditionHasItsBounds) {
  const auto verdict = [](Check::Kind kind, double number, double within, double value,
                          const std::string& word = "") {
    return judge(claim_with(kind, number, within, word), {reading_with("a", value)}).verdict;
  };
  EXPECT_EQ(verdict(Check::Kind::is, 1, 0.1, 1.1 - 1e-12), Verdict::confirmed);
  EXPECT_EQ(verdict(Check::Kind::is, 1, 0.1, 0.89), Verdict::differs);
  EXPECT_EQ(verdict(Check::Kind::near, 1, 3, 2.9), Verdict::confirmed);
  EXPECT_EQ(verdict(Check::Kind::near, 1, 3, 0.3), Verdict::differs);
  EXPECT_EQ(verdict(Check::Kind::at_least, 1, 0, 1), Verdict::confirmed);
  EXPECT_EQ(verdict(Check::Kind::less_than, 0, 1, 2.9, "other"), Verdict::confirmed);
  EXPECT_EQ(verdict(Check::Kind::less_than, 0, 2, 2.9, "other"), Verdict::differs);
  EXPECT_EQ(verdict(Check::Kind::is, 1, 0.1, std::nan("")), Verdict::differs);
  EXPECT_EQ(verdict(Check::Kind::at_most, 1, 0, std::nan("")), Verdict::differs);
}

TEST(Judge, ComparesWords) {
  const Claim claim{"c", "says", {{"mode", Check::Kind::is, 0, 0, "above"}}, {}};
  EXPECT_EQ(judge(claim, {reading_with("a", 1)}).reason, "mode is below, printed above");
}

TEST(Judge, AReadingWithoutResultDecidesNothing) {
  const Reading none{"none", "does not close", {}};
  EXPECT_EQ(judge(claim_with(Check::Kind::at_most, 5), {reading_with("a", 1), none}).verdict,
            Verdict::confirmed);
  EXPECT_EQ(judge(claim_with(Check::Kind::at_most, 5), {none}).verdict, Verdict::open);
}

TEST(Judge, NamesAResultThatIsNotThere) {
  const Claim claim{
      "c", "says", {{"torqe", Check::Kind::at_most, 1, 0, "", {"paper.yaml", 7, 3}}}, {}};
  try {
    judge(claim, {reading_with("a", 1)});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "paper.yaml:7:3: there is no result 'torqe' here (did you mean 'torque'?)\n"
              "    the results are: mode, other, torque");
  }
}

TEST(Expression, FollowsTheRulesOfArithmetic) {
  const Variables names = {{"x", 2}, {"q.rod", 0.5}};
  EXPECT_EQ(evaluate_expression("1 + 2*x^3 - 4/x", names), 15);
  EXPECT_EQ(evaluate_expression("-x^2", names), -4);
  EXPECT_EQ(evaluate_expression("--(x - 5)*-1", names), 3);
  EXPECT_DOUBLE_EQ(evaluate_expression("sin(q.rod) + cos(pi/3)", names), std::sin(0.5) + 0.5);
}

TEST(Expression, SaysWhatIsWrong) {
  const auto problem = [](const std::string& text) -> std::string {
    try {
      evaluate_expression(text, {});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem("C1*"), "'C1*' is no expression: 'C1' is not known here");
  EXPECT_EQ(problem("2*"), "'2*' is no expression: it ends too early");
  EXPECT_EQ(problem("(1"), "'(1' is no expression: a ')' is missing");
  EXPECT_EQ(problem("1 2"), "'1 2' is no expression: '2' is left over");
  EXPECT_EQ(problem("tan(1)"), "'tan(1)' is no expression: there is no function 'tan'");
  EXPECT_NE(problem(std::string(1000, '(')), "");
}

}  // namespace
}  // namespace catena::papers
