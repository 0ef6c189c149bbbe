// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/glob.h"

#include <string_view>

namespace lockscope::sim::redisd {

namespace {

/// Does the class that starts after '[' at `at` hold `c`? Leaves `at` on the closing ']' (or the last byte when
/// open-ended).
bool classHolds(std::string_view pattern, std::size_t& at, unsigned char c) {
    const bool negated = at < pattern.size() && pattern[at] == '^';
    if (negated) ++at;
    bool found = false;
    for (;; ++at) {
        if (at + 1 < pattern.size() && pattern[at] == '\\') {
            ++at;
            found |= static_cast<unsigned char>(pattern[at]) == c;
        } else if (at < pattern.size() && pattern[at] == ']') {
            break;
        } else if (at >= pattern.size()) {
            --at;
            break;
        } else if (at + 2 < pattern.size() && pattern[at + 1] == '-') {
            unsigned char low = static_cast<unsigned char>(pattern[at]);
            unsigned char high = static_cast<unsigned char>(pattern[at + 2]);
            if (low > high) std::swap(low, high);
            at += 2;
            found |= c >= low && c <= high;
        } else {
            found |= static_cast<unsigned char>(pattern[at]) == c;
        }
    }
    return found != negated;
}

/// Linear-time backtracking: on a mismatch only the last star needs to take one byte more.
bool matches(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0;
    std::size_t starPattern = std::string_view::npos, starText = 0;
    while (t < text.size()) {
        bool ok = false;
        std::size_t next = p;
        if (p < pattern.size()) {
            if (pattern[p] == '*') {
                starPattern = ++p;
                starText = t;
                continue;
            }
            if (pattern[p] == '?') {
                ok = true;
            } else if (pattern[p] == '[') {
                next = p + 1;
                ok = classHolds(pattern, next, static_cast<unsigned char>(text[t]));
            } else {
                if (pattern[p] == '\\' && p + 1 < pattern.size()) ++next;
                ok = pattern[next] == text[t];
            }
        }
        if (ok) {
            p = next + 1;
            ++t;
        } else if (starPattern != std::string_view::npos) {
            p = starPattern;
            t = ++starText;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p >= pattern.size();
}

} // namespace

bool globMatches(const QByteArray& pattern, const QByteArray& text) {
    return matches({pattern.constData(), std::size_t(pattern.size())}, {text.constData(), std::size_t(text.size())});
}

} // namespace lockscope::sim::redisd
