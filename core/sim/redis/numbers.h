// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <cstdint>
#include <optional>

namespace lockscope::sim::redisd {

/// A decimal integer as Redis takes it: no sign but '-', no leading zeros, no spaces, within 64 bits.
std::optional<std::int64_t> parseInteger(const QByteArray& text);

/// A floating-point number as C's strtod takes it in the "C" locale: decimal, hexadecimal, "inf", "infinity"; the whole
/// text, no leading spaces, not NaN, not out of range.
std::optional<double> parseDouble(const QByteArray& text);

/// One end of a score range: "1.5", "(1.5", "-inf". Redis reads it less strictly than other numbers: an empty number is
/// 0.
struct ScoreBound {
    double value = 0;
    bool exclusive = false;
};
std::optional<ScoreBound> parseScoreBound(const QByteArray& text);

/// As printf's %.17g in the "C" locale, whatever the process's locale is.
QByteArray formatDouble(double value);

QByteArray formatInteger(std::int64_t value);

/// True when `a` and `b` are equal but for ASCII case. `b` is in upper case.
bool equalsUpper(const QByteArray& a, const char* b);

} // namespace lockscope::sim::redisd
