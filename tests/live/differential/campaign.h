// SPDX-License-Identifier: Apache-2.0
// How much a differential test does, and how a difference is told, so that a person can have it again.
#pragma once
#include <QElapsedTimer>
#include <QString>
#include <cstdint>
#include <cstdio>

namespace lockscope::differential {

/// Random operations of one kind of server, seed after seed, until enough are done. A seed's operations are the same
/// each time, however many seeds there are, unless answers depend on real time. SEED=n begins with that seed,
/// OPERATIONS=n asks for so many (`./dev differential` sets both).
class Campaign {
public:
    /// `kind`: as `./dev differential --kind` names it. `usual`: how many operations without OPERATIONS.
    Campaign(const char* kind, qint64 usual) : m_kind(kind), m_usual(usual), m_wanted(usual) {
        const QByteArray seed = qgetenv("SEED"), operations = qgetenv("OPERATIONS");
        if (!seed.isEmpty()) m_firstSeed = numberIn("SEED", seed);
        if (!operations.isEmpty()) m_wanted = qint64(numberIn("OPERATIONS", operations));
        m_since.start();
        m_told.start();
    }
    std::uint64_t firstSeed() const { return m_firstSeed; }
    qint64 wanted() const { return m_wanted; }
    qint64 done() const { return m_done; }
    bool isOver() const { return m_done >= m_wanted; }
    /// Whether as many operations are done as a usual run does: then each kind of answer must have occurred.
    bool isRepresentative() const { return m_done >= m_usual; }
    /// Counts operations that had the same outcome on both sides, and says now and then how far it has come.
    void did(qint64 operations, std::uint64_t seed) {
        m_done += operations;
        if (m_told.elapsed() < kBetweenReports) return;
        m_told.restart();
        const double perSecond = double(m_done) * 1000 / double(std::max<qint64>(1, m_since.elapsed()));
        std::fprintf(stderr, "%s: %lld of %lld operations agree, %.0f a second, at seed %llu\n", m_kind,
                     static_cast<long long>(m_done), static_cast<long long>(m_wanted), perSecond,
                     static_cast<unsigned long long>(seed));
    }
    /// The text of the first difference: `operations` into that seed's.
    QString difference(std::uint64_t seed, qint64 operations, const QByteArray& history) const {
        return QStringLiteral("the model of %1 and the real server differ after %2 operations of seed %3; the last "
                              "ones:\n  %4\nto have it again: ./dev differential --kind %1 --seed %3")
            .arg(QLatin1String(m_kind))
            .arg(operations)
            .arg(seed)
            .arg(QString::fromUtf8(history));
    }
    qint64 elapsed() const { return m_since.elapsed(); } ///< ms

private:
    static constexpr qint64 kBetweenReports = 10'000; ///< ms
    static std::uint64_t numberIn(const char* name, const QByteArray& text) {
        bool valid = false;
        const std::uint64_t number = text.toULongLong(&valid);
        if (!valid || number == 0) qFatal("%s=%s: not a number above 0", name, text.constData());
        return number;
    }

    const char* m_kind;
    qint64 m_usual, m_wanted, m_done = 0;
    std::uint64_t m_firstSeed = 1;
    QElapsedTimer m_since, m_told;
};

} // namespace lockscope::differential
