// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QByteArray>
#include <QString>
#include <expected>
#include <map>

namespace lockscope::session {

/// How long the locks of one server are usually held, over the last 14 days: for each lock and day how many holds
/// lasted about how long. It is bounded, and small enough to be read and written as a whole.
class UsualHolds {
public:
    static constexpr int kDays = 14;
    static constexpr std::size_t kMostLocks = 2000; ///< about; those that were held last stay
    static constexpr qsizetype kLongestName = 512;  ///< bytes; locks of longer names are not kept
    static constexpr std::uint64_t kEnough = 5;     ///< holds that make a usual one

    /// A hold that ended at `wallMs`, in ms since 1970, and lasted for `held`.
    void note(const QByteArray& lock, Nanos held, std::int64_t wallMs);
    /// Takes over what another one has.
    void merge(const UsualHolds& other);
    /// The median of the holds of the 14 days before `wallMs`, to about a tenth of it; 0: there were too few.
    Nanos usualOf(const QByteArray& lock, std::int64_t wallMs) const;
    /// Such medians of all locks that have one.
    std::map<QByteArray, Nanos> usual(std::int64_t wallMs) const;
    bool empty() const { return m_locks.empty(); }

    /// As text, without the days that are over by `wallMs`.
    QByteArray toJson(std::int64_t wallMs) const;
    /// Reads such a text, within the bounds. The error says what is wrong with it.
    static std::expected<UsualHolds, QString> fromJson(const QByteArray& text);

private:
    using Lengths = std::map<int, std::uint64_t>; ///< how many holds had a length of that class
    using Days = std::map<std::int64_t, Lengths>; ///< by days since 1970
    void bound();
    std::map<QByteArray, Days> m_locks;
};

} // namespace lockscope::session
