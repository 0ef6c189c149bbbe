// SPDX-License-Identifier: Apache-2.0
#include "session/usual_holds.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cmath>
#include <vector>

namespace lockscope::session {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(UsualHolds)
};

constexpr std::int64_t kDayMs = 86'400'000;
constexpr double kShortest = 1e5;            ///< ns; all shorter ones are of class 0
constexpr double kAClass = 1.2;              ///< a class's lengths go up to so many times its shortest
constexpr int kClasses = 180;                ///< the last one is more than a year
constexpr qint64 kMostHolds = 1'000'000'000; ///< of one length and day, as a file may claim
const auto kVersion = QStringLiteral("version");
const auto kLocks = QStringLiteral("locks");

int classOf(Nanos held) {
    const double times = double(std::max<std::int64_t>(held.count(), 1)) / kShortest;
    return times <= 1 ? 0 : std::min(int(std::log(times) / std::log(kAClass)) + 1, kClasses - 1);
}

/// The middle of a class.
Nanos lengthOf(int which) {
    return Nanos(std::int64_t(kShortest * std::pow(kAClass, which - 0.5)));
}

} // namespace

void UsualHolds::note(const QByteArray& lock, Nanos held, std::int64_t wallMs) {
    if (lock.size() > kLongestName) return;
    ++m_locks[lock][wallMs / kDayMs][classOf(held)];
    constexpr std::size_t kSurplus = kMostLocks / 4; // so that not each new lock has all the others compared
    if (m_locks.size() > kMostLocks + kSurplus) bound();
}

void UsualHolds::merge(const UsualHolds& other) {
    for (const auto& [lock, days] : other.m_locks)
        for (const auto& [day, lengths] : days)
            for (const auto& [length, count] : lengths)
                m_locks[lock][day][length] += count;
    bound();
}

void UsualHolds::bound() {
    for (auto& [lock, days] : m_locks)
        while (days.size() > std::size_t(kDays + 1)) // the first one is over in part
            days.erase(days.begin());
    if (m_locks.size() <= kMostLocks) return;
    std::vector<std::pair<std::int64_t, QByteArray>> byAge;
    for (const auto& [lock, days] : m_locks)
        byAge.emplace_back(days.empty() ? 0 : days.rbegin()->first, lock);
    std::ranges::sort(byAge);
    byAge.resize(m_locks.size() - kMostLocks);
    for (const auto& [day, lock] : byAge)
        m_locks.erase(lock);
}

Nanos UsualHolds::usualOf(const QByteArray& lock, std::int64_t wallMs) const {
    const auto found = m_locks.find(lock);
    if (found == m_locks.end()) return Nanos(0);
    Lengths all;
    std::uint64_t holds = 0;
    // A day after that is of a clock that was set back since.
    const auto end = found->second.upper_bound(wallMs / kDayMs);
    for (auto day = found->second.upper_bound(wallMs / kDayMs - kDays); day != end; ++day) {
        for (const auto& [length, count] : day->second) {
            all[length] += count;
            holds += count;
        }
    }
    if (holds < kEnough) return Nanos(0);
    std::uint64_t passed = 0;
    for (const auto& [length, count] : all) {
        passed += count;
        if (2 * passed >= holds) return lengthOf(length);
    }
    Q_UNREACHABLE();
}

std::map<QByteArray, Nanos> UsualHolds::usual(std::int64_t wallMs) const {
    std::map<QByteArray, Nanos> all;
    for (const auto& [lock, days] : m_locks)
        if (const Nanos time = usualOf(lock, wallMs); time > Nanos(0)) all.emplace(lock, time);
    return all;
}

QByteArray UsualHolds::toJson(std::int64_t wallMs) const {
    QJsonObject locks;
    for (const auto& [lock, days] : m_locks) {
        QJsonObject byDay;
        for (auto day = days.upper_bound(wallMs / kDayMs - kDays); day != days.end(); ++day) {
            QJsonObject lengths;
            for (const auto& [length, count] : day->second)
                lengths.insert(QString::number(length), qint64(count));
            byDay.insert(QString::number(day->first), lengths);
        }
        // Names are bytes, and need not be text.
        if (!byDay.isEmpty()) locks.insert(QString::fromLatin1(lock.toPercentEncoding()), byDay);
    }
    return QJsonDocument(QJsonObject{{kVersion, 1}, {kLocks, locks}}).toJson(QJsonDocument::Compact);
}

std::expected<UsualHolds, QString> UsualHolds::fromJson(const QByteArray& text) {
    QJsonParseError problem;
    const QJsonObject whole = QJsonDocument::fromJson(text, &problem).object();
    if (problem.error != QJsonParseError::NoError) return std::unexpected(problem.errorString());
    if (whole[kVersion].toInt() != 1) return std::unexpected(Text::tr("it is of another version of Lockscope"));
    UsualHolds holds;
    const QJsonObject locks = whole[kLocks].toObject();
    for (auto lock = locks.begin(); lock != locks.end(); ++lock) {
        const QByteArray name = QByteArray::fromPercentEncoding(lock.key().toLatin1());
        if (name.size() > kLongestName) continue;
        const QJsonObject days = lock->toObject();
        for (auto day = days.begin(); day != days.end(); ++day) {
            bool isDay = false;
            const qint64 number = day.key().toLongLong(&isDay);
            if (!isDay) continue;
            const QJsonObject lengths = day->toObject();
            for (auto length = lengths.begin(); length != lengths.end(); ++length) {
                bool ok = false;
                const int which = length.key().toInt(&ok);
                const qint64 count = length->toInteger();
                if (ok && which >= 0 && which < kClasses && count > 0)
                    holds.m_locks[name][number][which] += std::uint64_t(std::min(count, kMostHolds));
            }
        }
    }
    holds.bound();
    return holds;
}

} // namespace lockscope::session
