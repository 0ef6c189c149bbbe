// SPDX-License-Identifier: Apache-2.0
// An instant of a run has one verdict: while the run plays, and later, when it was computed further. Runs are played
// again bit by bit, and the judge's word and its sentences are compared. That a waiter was overtaken in a queue is
// certain only when it gets the lock: until then it is left out. SEEDS=n plays more runs.
#include "random_runs.h"
#include "scenario_runs.h"
#include "session/bounds.h"
#include "verdict/why.h"
#include "verdict/why_safe.h"

using namespace lockscope;
using namespace lockscope::tests;
using verdict::Invariant;
using verdict::Violation;

namespace {

/// A run as it grows, and as it came to its end.
class Twice {
public:
    Twice(const experiment::RunReport& whole, const verdict::Bounds& bounds)
        : m_whole(whole), m_judge(m_trace, bounds), m_last(judged(whole, bounds)) {
        for (trace::EntityId id = 1; id < whole.trace->entityCount(); ++id) {
            const trace::Entity& e = whole.trace->entity(id);
            m_trace->intern(e.kind, e.name, e.parent, e.other);
        }
    }

    /// The judge says something else at `t` while the run plays and later; empty: it does not.
    QString difference(Nanos t) {
        for (const std::size_t end = m_whole.trace->upperBound(t); m_trace->size() < end;)
            m_trace->append(m_whole.trace->at(m_trace->size()));
        m_trace->reach(t);
        m_judge.consume();
        verdict::Verdict known = m_last;
        std::erase_if(known.violations, [t](const Violation& v) { return v.invariant == Invariant::Fifo && v.to > t; });
        const verdict::Verdict now = m_judge.verdict(), later = known.asOf(t);
        for (const Invariant invariant : verdict::kInvariants) {
            const auto i = std::size_t(invariant);
            if (now.outcomeAt(invariant, t) != later.outcomes[i])
                return u"%1 is %2 while it plays and %3 later"_qs
                    .arg(QString::fromLatin1(verdict::invariantId(invariant)))
                    .arg(int(now.outcomeAt(invariant, t)))
                    .arg(int(later.outcomes[i]));
        }
        if (now.violations.size() != later.violations.size())
            return u"%1 violations while it plays, %2 later"_qs.arg(now.violations.size()).arg(later.violations.size());
        for (std::size_t i = 0; i < now.violations.size(); ++i) {
            const Violation& played = now.violations[i];
            Violation seen = known.violations[i];
            if (played.invariant != seen.invariant || played.lock != seen.lock || played.from != seen.from)
                return u"other violations"_qs;
            if (seen.to > t) seen.to = kNever;
            const QString there = verdict::explain(played, *m_trace, t),
                          here = verdict::explain(seen, *m_whole.trace, t);
            if (there != here) return u"“%1” while it plays, “%2” later"_qs.arg(there, here);
        }
        const QString safe = verdict::whySafe(*m_trace, t), safeLater = verdict::whySafe(*m_whole.trace, t);
        return safe == safeLater ? QString() : u"“%1” while it plays, “%2” later"_qs.arg(safe, safeLater);
    }

private:
    static verdict::Verdict judged(const experiment::RunReport& whole, const verdict::Bounds& bounds) {
        verdict::Judge judge(whole.trace, bounds);
        judge.consume();
        return judge.verdict();
    }
    const experiment::RunReport& m_whole;
    std::shared_ptr<trace::Trace> m_trace = std::make_shared<trace::Trace>();
    verdict::Judge m_judge;
    verdict::Verdict m_last;
};

} // namespace

class TestToldAtOnce : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anInstantHasOneVerdict() {
        bool given = false;
        const int seeds = qEnvironmentVariableIntValue("SEEDS", &given);
        QStringList all;
        for (std::uint64_t seed = 0, end = given ? std::uint64_t(seeds) : 60; seed < end; ++seed) {
            const QString text = drawn(seed);
            const auto shared = session::readSharedText(u"lockscope:"_qs + text);
            QVERIFY2(shared, qPrintable(text));
            const experiment::RunReport report = experiment::run(shared->whole(), shared->seed);
            Twice twice(report, session::boundsFor(shared->whole()));
            const Nanos last = report.trace->reached();
            for (Nanos t = 487ms; t < last; t += 487ms) {
                const QString difference = twice.difference(t);
                if (difference.isEmpty()) continue;
                all += u"%1&at=%2ms: %3"_qs.arg(text).arg(t / 1ms).arg(difference);
                qWarning("%s", qPrintable(all.back()));
                break;
            }
        }
        QCOMPARE(all, QStringList());
    }
};

QTEST_GUILESS_MAIN(TestToldAtOnce)
#include "tst_told_at_once.moc"
