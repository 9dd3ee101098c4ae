// Declarations of Lepton, the expression library of LAMMPS's LEPTON package, whose headers LAMMPS does not install. The
// declarations are those of the LAMMPS version that the plugin is built for. LAMMPS contains the library if it was
// built with that package; the functions are weak symbols, and present() says whether they exist.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace Lepton {

class ExpressionTreeNode;

class __attribute__((visibility("default"))) Operation {
 public:
  enum Id {
    CONSTANT,
    VARIABLE,
    CUSTOM,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    POWER,
    NEGATE,
    SQRT,
    EXP,
    LOG,
    SIN,
    COS,
    SEC,
    CSC,
    TAN,
    COT,
    ASIN,
    ACOS,
    ATAN,
    ATAN2,
    SINH,
    COSH,
    TANH,
    ERF,
    ERFC,
    STEP,
    DELTA,
    SQUARE,
    CUBE,
    RECIPROCAL,
    ADD_CONSTANT,
    MULTIPLY_CONSTANT,
    POWER_CONSTANT,
    MIN,
    MAX,
    ABS,
    FLOOR,
    CEIL,
    SELECT
  };
  virtual ~Operation() = 0;
  virtual std::string getName() const = 0;
  virtual Id getId() const = 0;
  virtual int getNumArguments() const = 0;
  virtual Operation *clone() const = 0;
  virtual double evaluate(double *args, const std::map<std::string, double> &variables) const = 0;
};

class ExpressionTreeNode {
 public:
  __attribute__((weak)) ExpressionTreeNode(const ExpressionTreeNode &node);
  __attribute__((weak)) ~ExpressionTreeNode();
  __attribute__((weak)) const Operation &getOperation() const;
  __attribute__((weak)) const std::vector<ExpressionTreeNode> &getChildren() const;

 private:
  Operation *operation;
  std::vector<ExpressionTreeNode> children;
  mutable int tag;
};

class ParsedExpression {
 public:
  __attribute__((weak)) const ExpressionTreeNode &getRootNode() const;
  __attribute__((weak)) ParsedExpression differentiate(const std::string &variable) const;

 private:
  ExpressionTreeNode rootNode;
};

class Parser {
 public:
  __attribute__((weak)) static ParsedExpression parse(const std::string &expression);
};

/// True if this LAMMPS contains Lepton.
inline bool present() { return &Parser::parse != nullptr; }

}  // namespace Lepton
