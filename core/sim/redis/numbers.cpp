// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/numbers.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace lockscope::sim::redisd {

std::optional<std::int64_t> parseInteger(const QByteArray& text) {
    const char* begin = text.constData();
    const char* end = begin + text.size();
    const char* digits = begin != end && *begin == '-' ? begin + 1 : begin;
    if (digits == end) return std::nullopt;
    if (*digits == '0') {
        if (text.size() == 1) return 0;
        return std::nullopt;
    }
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

namespace {

struct Parsed {
    double value = 0;
    bool outOfRange = false;
};

bool startsWithUpper(std::string_view text, std::string_view upper) {
    if (text.size() < upper.size()) return false;
    for (std::size_t i = 0; i < upper.size(); ++i)
        if ((text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]) != upper[i]) return false;
    return true;
}

/// The whole of `text` as a number, NaN included. std::from_chars knows neither a plus sign nor "0x", and signed
/// prefixes must not come twice.
std::optional<Parsed> parseWhole(std::string_view text) {
    bool negative = false;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    if (text.empty() || text[0] == '-' || text[0] == '+') return std::nullopt;
    auto format = std::chars_format::general;
    if (startsWithUpper(text, "0X") && text.size() > 2) {
        text.remove_prefix(2);
        format = std::chars_format::hex;
        if (text[0] == '-' || startsWithUpper(text, "INF") || startsWithUpper(text, "NAN")) return std::nullopt;
    }
    Parsed parsed;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), parsed.value, format);
    if (stop != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc::result_out_of_range) {
        parsed.outOfRange = true;
        // Neither overflow nor underflow leaves a value behind; a huge exponent tells them apart well enough.
        const bool tiny = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
        parsed.value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    }
    if (negative) parsed.value = -parsed.value;
    return parsed;
}

std::string_view view(const QByteArray& text) {
    return {text.constData(), std::size_t(text.size())};
}

} // namespace

std::optional<double> parseDouble(const QByteArray& text) {
    const auto parsed = parseWhole(view(text));
    if (!parsed || parsed->outOfRange || std::isnan(parsed->value)) return std::nullopt;
    return parsed->value;
}

std::optional<ScoreBound> parseScoreBound(const QByteArray& text) {
    ScoreBound bound;
    // The server reads this as a C string.
    std::string_view rest = view(text).substr(0, view(text).find('\0'));
    if (!rest.empty() && rest[0] == '(') {
        bound.exclusive = true;
        rest.remove_prefix(1);
    }
    if (rest.empty()) return bound;
    while (!rest.empty() && (rest[0] == ' ' || (rest[0] >= '\t' && rest[0] <= '\r')))
        rest.remove_prefix(1);
    const auto parsed = parseWhole(rest);
    if (!parsed || std::isnan(parsed->value)) return std::nullopt;
    bound.value = parsed->value;
    return bound;
}

QByteArray formatInteger(std::int64_t value) {
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return QByteArray(buffer, end - buffer);
}

QByteArray formatDouble(double value) {
    if (std::isinf(value)) return value > 0 ? QByteArrayLiteral("inf") : QByteArrayLiteral("-inf");
    if (std::isnan(value)) return std::signbit(value) ? QByteArrayLiteral("-nan") : QByteArrayLiteral("nan");
    // Deadlines and counts are whole: the same digits, at a tenth of the cost.
    constexpr double kWhole = 1e15;
    if (value == std::trunc(value) && std::abs(value) < kWhole && !(value == 0 && std::signbit(value)))
        return formatInteger(std::int64_t(value));
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 17).ptr;
    return QByteArray(buffer, end - buffer);
}

bool equalsUpper(const QByteArray& a, const char* b) {
    const qsizetype size = a.size();
    for (qsizetype i = 0; i < size; ++i) {
        const char c = a[i];
        if ((c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c) != b[i] || b[i] == '\0') return false;
    }
    return b[size] == '\0';
}

} // namespace lockscope::sim::redisd
