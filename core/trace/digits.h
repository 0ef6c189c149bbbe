// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <charconv>
#include <cstdint>

namespace lockscope::trace {

/// A number in digits as below, for a look at them that needs no memory of the heap.
class Digits {
public:
    Digits(std::uint64_t number, int base) : m_end(std::to_chars(m_digits, m_digits + kMost, number, base).ptr) {}
    Digits(const Digits&) = delete;
    Digits& operator=(const Digits&) = delete;
    /// Valid as long as this object.
    QByteArrayView view() const { return {m_digits, m_end}; }

private:
    static constexpr std::size_t kMost = 20;
    char m_digits[kMost];
    const char* m_end;
};

/// A number in digits, without leading zeros, in base 10 or 16. QByteArray::number() gives the same at ten times the
/// cost: a simulation names every waiter by a number at every change of a queue.
inline QByteArray digitsOf(std::uint64_t number, int base) {
    return Digits(number, base).view().toByteArray();
}

} // namespace lockscope::trace
