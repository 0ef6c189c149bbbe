// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "chance.h"

#include <QByteArray>
#include <QJsonValue>
#include <span>
#include <vector>

namespace lockscope::fuzz {

/// A number at the edge of some type, in decimal: 0, -1, 2^31, 2^32 - 1, 2^60, 2^63, 2^64, …
QByteArray edgeNumber(Chance& chance);

/// Makes small changes in bytes: flips, cuts, repeats, puts in a word of a dictionary, swaps numbers for ones at the
/// edge of some type, and splices with another input.
class Mutator {
public:
    explicit Mutator(std::vector<QByteArray> words) : m_words(std::move(words)) {}

    /// One to six changes. `others`: inputs to splice with.
    QByteArray mutate(QByteArray input, std::span<const QByteArray> others, Chance& chance) const;

private:
    void change(QByteArray& input, std::span<const QByteArray> others, Chance& chance) const;
    std::vector<QByteArray> m_words;
};

/// Changes one value somewhere in a JSON value: removes, doubles or replaces it, by a value of another type, one of
/// `words`, or a number at the edge of some type; or puts a field in.
QJsonValue mutateJson(const QJsonValue& value, std::span<const QByteArray> words, Chance& chance);

} // namespace lockscope::fuzz
