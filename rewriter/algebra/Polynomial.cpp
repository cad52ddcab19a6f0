//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "algebra/Polynomial.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace tilelift {
namespace {

bool before(const Monomial &a, const Monomial &b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

/// The order in which division picks leading terms: more factors first.
bool leadsOver(const Term &a, const Term &b) {
  if (a.factors.size() != b.factors.size())
    return a.factors.size() > b.factors.size();
  return before(a.factors, b.factors);
}

/// What is left of `whole` when the factors of `part` are taken out.
std::optional<Monomial> withoutFactors(const Monomial &whole, const Monomial &part) {
  Monomial rest;
  auto taken = part.begin();
  for (SymbolId factor : whole) {
    if (taken != part.end() && *taken == factor)
      ++taken;
    else
      rest.push_back(factor);
  }
  if (taken != part.end())
    return std::nullopt;
  return rest;
}

} // namespace

Polynomial::Polynomial(int64_t constant) {
  if (constant != 0)
    terms.push_back({{}, constant});
}

Polynomial Polynomial::symbol(SymbolId id) {
  Polynomial result;
  result.terms.push_back({{id}, 1});
  return result;
}

Polynomial Polynomial::ofTerm(const Term &term) {
  Polynomial result;
  if (term.coefficient != 0)
    result.terms.push_back(term);
  return result;
}

Polynomial Polynomial::invalid() {
  Polynomial result;
  result.valid = false;
  return result;
}

bool Polynomial::isConstant() const {
  return valid && (terms.empty() || (terms.size() == 1 && terms[0].factors.empty()));
}

std::optional<int64_t> Polynomial::asConstant() const {
  if (!isConstant())
    return std::nullopt;
  return constantTerm();
}

int64_t Polynomial::constantTerm() const {
  return !terms.empty() && terms[0].factors.empty() ? terms[0].coefficient : 0;
}

bool Polynomial::mentions(SymbolId symbol) const {
  return llvm::any_of(terms, [&](const Term &term) { return is_contained(term.factors, symbol); });
}

Polynomial Polynomial::withoutConstant() const {
  Polynomial result = *this;
  if (!terms.empty() && terms[0].factors.empty())
    result.terms.erase(result.terms.begin());
  return result;
}

int64_t Polynomial::divisor() const {
  int64_t common = 0;
  for (const Term &term : terms)
    common = std::gcd(common, term.coefficient);
  return common;
}

std::optional<Polynomial> Polynomial::dividedBy(int64_t number) const {
  if (!valid || number == 0 || divisor() % number != 0)
    return std::nullopt;
  Polynomial result = *this;
  for (Term &term : result.terms)
    term.coefficient /= number;
  return result;
}

void Polynomial::add(const Term &term) {
  auto place = std::lower_bound(terms.begin(), terms.end(), term, [](const Term &a, const Term &b) {
    return before(a.factors, b.factors);
  });
  if (place == terms.end() || place->factors != term.factors) {
    terms.insert(place, term);
    return;
  }
  if (__builtin_add_overflow(place->coefficient, term.coefficient, &place->coefficient))
    *this = invalid();
  else if (place->coefficient == 0)
    terms.erase(place);
}

Polynomial Polynomial::operator-() const { return Polynomial(0) - *this; }

Polynomial &Polynomial::operator+=(const Polynomial &other) {
  if (!valid || !other.valid)
    return *this = invalid();
  for (const Term &term : other.terms) {
    add(term);
    if (!valid)
      break;
  }
  return *this;
}

Polynomial &Polynomial::operator-=(const Polynomial &other) { return *this += other * -1; }

Polynomial &Polynomial::operator*=(const Polynomial &other) {
  if (!valid || !other.valid)
    return *this = invalid();
  Polynomial result;
  for (const Term &a : terms) {
    for (const Term &b : other.terms) {
      Term both{a.factors, 0};
      both.factors.append(b.factors.begin(), b.factors.end());
      std::sort(both.factors.begin(), both.factors.end());
      if (__builtin_mul_overflow(a.coefficient, b.coefficient, &both.coefficient))
        return *this = invalid();
      result.add(both);
      if (!result.valid)
        return *this = invalid();
    }
  }
  // A sum to a high power has more terms than anybody wants to compute with.
  constexpr size_t mostTerms = 256;
  return *this = result.terms.size() > mostTerms ? invalid() : result;
}

bool Polynomial::operator<(const Polynomial &other) const {
  if (valid != other.valid)
    return valid < other.valid;
  return std::lexicographical_compare(terms.begin(), terms.end(), other.terms.begin(),
                                      other.terms.end(), [](const Term &a, const Term &b) {
                                        if (a.factors != b.factors)
                                          return before(a.factors, b.factors);
                                        return a.coefficient < b.coefficient;
                                      });
}

Division divide(const Polynomial &value, const Polynomial &divisor) {
  Division result{Polynomial(), value};
  if (!value.isValid() || !divisor.isValid() || divisor.isZero())
    return result;
  Term leading = *std::min_element(divisor.getTerms().begin(), divisor.getTerms().end(), leadsOver);

  for (bool progress = true; progress;) {
    progress = false;
    for (const Term &term : result.remainder.getTerms()) {
      std::optional<Monomial> rest = withoutFactors(term.factors, leading.factors);
      if (!rest || term.coefficient % leading.coefficient != 0)
        continue;
      Polynomial step = Polynomial::ofTerm({*rest, term.coefficient / leading.coefficient});
      result.quotient += step;
      result.remainder -= step * divisor;
      progress = true;
      break; // the terms have changed
    }
  }
  return result;
}

} // namespace tilelift
