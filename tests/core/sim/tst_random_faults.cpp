// SPDX-License-Identifier: Apache-2.0
// Lists of faults drawn at random: the judge's verdicts against a simple reading of the trace of its own, and the words
// of each violation against the names and instants that the trace has. SEEDS=n plays more lists.
#include "random_runs.h"
#include "scenario_runs.h"
#include "verdict/why.h"
#include "verdict/words.h"

#include <QRegularExpression>
#include <cmath>
#include <set>

using namespace lockscope;
using namespace lockscope::tests;
using trace::EntityId;
using trace::EventKind;
using verdict::Invariant;

namespace {

/// One client's hold as it believes in it, no longer than any reading would have it.
struct Hold {
    EntityId lock, thread;
    std::int64_t from, to;
};

/// From each grant of an exclusive hold to the first sign that it is over.
std::vector<Hold> surelyBelieved(const trace::Trace& trace) {
    std::vector<Hold> all;
    std::map<std::pair<EntityId, EntityId>, std::pair<std::int64_t, std::int64_t>> open; // since, its own end
    const auto end = [&](auto hold, std::int64_t at) {
        const auto [since, last] = hold->second;
        const std::int64_t to = last < 0 ? at : std::min(at, last);
        if (to > since) all.push_back({hold->first.first, hold->first.second, since, to});
        return open.erase(hold);
    };
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const trace::Event e = trace.at(i);
        const auto hold = open.find({e.subject, e.actor});
        switch (e.kind) {
        case EventKind::Granted:
            if (i > 0 && trace.kindAt(i - 1) == EventKind::GrantedAs) break;
            if (hold == open.end()) open[{e.subject, e.actor}] = {e.at, -1};
            break;
        case EventKind::BelievedUntil:
            if (hold != open.end()) hold->second.second = e.value;
            break;
        case EventKind::ReleaseSent:
        case EventKind::Released:
        case EventKind::ReleaseRefused:
        case EventKind::ReleaseFailed:
        case EventKind::Lost:
        case EventKind::Suspended:
            if (hold != open.end()) end(hold, e.at);
            break;
        case EventKind::ClientKilled:
            for (auto one = open.begin(); one != open.end();)
                one = trace.clientOf(one->first.second) == e.actor ? end(one, e.at) : std::next(one);
            break;
        default:
            break;
        }
    }
    while (!open.empty())
        end(open.begin(), trace.reached().count());
    return all;
}

/// The holder of a lock by its rows before `row`; kNoEntity: nobody.
EntityId holderBefore(EntityId lock, std::size_t row, const trace::Trace& trace) {
    while (row-- > 0) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::RecordHeld && kind != EventKind::RecordFreed) continue;
        if (const trace::Event e = trace.at(row); e.subject == lock)
            return kind == EventKind::RecordHeld ? e.actor : trace::kNoEntity;
    }
    return trace::kNoEntity;
}

/// How many servers' copies name that thread before `row`, and how many copies there are.
std::pair<int, int> copiesNaming(EntityId thread, EntityId lock, std::size_t row, const trace::Trace& trace) {
    int naming = 0, all = 0;
    for (EntityId id = 1; id < trace.entityCount(); ++id) {
        if (trace.copyOf(id) != lock) continue;
        ++all;
        naming += holderBefore(id, row, trace) == thread;
    }
    return {naming, all};
}

/// All instants that rows have or tell.
std::vector<std::int64_t> instantsOf(const trace::Trace& trace, const verdict::Violation& v) {
    std::vector<std::int64_t> all{v.from.count(), v.to.count()};
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const trace::Event e = trace.at(i);
        all.push_back(e.at);
        if (e.kind == EventKind::BelievedUntil || isRecord(e.kind)) all.push_back(e.value);
    }
    std::ranges::sort(all);
    return all;
}

/// A name or an instant in the words on a violation that the trace does not have; empty: it has all.
QString notInTrace(const QString& words, const verdict::Violation& v, const trace::Trace& trace) {
    static const QRegularExpression name(u"\\b([A-H]|(?:redis|etcd|zk|sql)-[0-9]+)\\b"_qs),
        instant(u"\\b(?:at|from|to|since|until|by|on|From|At) (?:([0-9]+):)?([0-9]+)((?:\\.[0-9]+)?)( s)?\\b"_qs);
    std::set<QString> names;
    for (EntityId id = 1; id < trace.entityCount(); ++id)
        names.insert(QString::fromUtf8(trace.entity(id).name));
    for (auto it = name.globalMatch(words); it.hasNext();)
        if (const QString one = it.next().captured(1); !names.contains(one) && one != u"A") return one;
    const std::vector<std::int64_t> known = instantsOf(trace, v);
    for (auto it = instant.globalMatch(words); it.hasNext();) {
        const auto match = it.next();
        if (match.captured(1).isEmpty() && match.captured(4).isEmpty()) continue; // a count
        const qsizetype decimals = std::max<qsizetype>(0, match.captured(3).size() - 1);
        const std::int64_t unit = std::int64_t(std::llround(1e9 / std::pow(10, decimals)));
        const double seconds = (match.captured(2) + match.captured(3)).toDouble() + 60 * match.captured(1).toDouble();
        const std::int64_t from = std::llround(seconds * 1e9);
        const auto first = std::ranges::lower_bound(known, from);
        if (first == known.end() || *first >= from + unit) return match.captured(0);
    }
    return {};
}

class Reading {
public:
    explicit Reading(const experiment::RunReport& report) : m_trace(*report.trace), m_verdict(report.verdict) {}

    /// All that the judge or its words say and the trace does not bear out.
    QStringList complaints() {
        exclusion();
        for (const verdict::Violation& v : m_verdict.violations) {
            if (v.invariant == Invariant::StaleWrite) staleWrite(v);
            if (v.invariant == Invariant::Progress && !anyReaches(v))
                complain(v, u"none of its waiters reaches servers that decide"_qs);
            if (v.invariant == Invariant::MutualExclusion) heir(v);
            if (v.invariant == Invariant::Ownership) complain(v, u"all these recipes check whose lock it is"_qs);
            words(v);
        }
        return m_complaints;
    }

private:
    void complain(const verdict::Violation& v, const QString& why) {
        m_complaints += u"%1: %2"_qs.arg(why, verdict::explain(v, m_trace));
    }
    void exclusion() {
        const std::vector<Hold> holds = surelyBelieved(m_trace);
        for (std::size_t i = 0; i < holds.size(); ++i)
            for (std::size_t j = i + 1; j < holds.size(); ++j) {
                const std::int64_t from = std::max(holds[i].from, holds[j].from),
                                   to = std::min(holds[i].to, holds[j].to);
                if (holds[i].lock != holds[j].lock || holds[i].thread == holds[j].thread || to <= from) continue;
                const bool told = std::ranges::any_of(m_verdict.violations, [&](const verdict::Violation& v) {
                    return v.invariant == Invariant::MutualExclusion && v.lock == holds[i].lock &&
                           v.from.count() <= from && v.to.count() >= to;
                });
                if (!told) m_complaints += u"two held together at %1 ns, and nothing is told"_qs.arg(from);
            }
        for (const verdict::Violation& v : m_verdict.violations) {
            if (v.invariant != Invariant::MutualExclusion) continue;
            for (const EntityId thread : v.actors)
                if (!grantedBefore(thread, v.lock, v.to)) complain(v, u"it was never granted"_qs);
        }
    }
    bool grantedBefore(EntityId thread, EntityId lock, Nanos t) const {
        for (std::size_t row = 0, end = m_trace.upperBound(t); row < end; ++row)
            if (m_trace.kindAt(row) == EventKind::Granted)
                if (const trace::Event e = m_trace.at(row); e.actor == thread && e.subject == lock) return true;
        return false;
    }
    /// The links of a client that are cut, whichever way, before row `row`.
    std::set<EntityId> cutFrom(EntityId client, std::size_t row) const {
        std::set<EntityId> cut;
        for (std::size_t i = 0; i < row; ++i) {
            const trace::Event e = m_trace.at(i);
            if (e.kind == EventKind::Healed) cut.clear();
            if (e.kind != EventKind::LinkCut && e.kind != EventKind::LinkMended) continue;
            const trace::Entity& link = m_trace.entity(e.subject);
            if (link.parent != client) continue;
            e.kind == EventKind::LinkCut ? void(cut.insert(link.other)) : void(cut.erase(link.other));
        }
        return cut;
    }
    std::vector<EntityId> serversOf(EntityId lock) const {
        if (const EntityId own = m_trace.entity(lock).parent; own != trace::kNoEntity) return {own};
        std::vector<EntityId> all;
        for (EntityId id = 1; id < m_trace.entityCount(); ++id)
            if (m_trace.copyOf(id) == lock) all.push_back(m_trace.entity(id).parent);
        return all;
    }
    /// Whether a waiter could ask so many servers as decide, when the bound passed.
    bool anyReaches(const verdict::Violation& v) const {
        std::vector<EntityId> servers = serversOf(v.lock);
        std::size_t needed = 1;
        for (const trace::Event& e : rows(m_trace, EventKind::RecordDecider)) {
            if (e.subject != v.lock || e.time() > v.from) continue;
            servers = e.actor == trace::kNoEntity ? serversOf(v.lock) : std::vector{e.actor};
            needed = e.value > 1 ? std::size_t(e.value) : 1;
        }
        return std::ranges::any_of(v.actors, [&](EntityId thread) {
            const std::set<EntityId> cut = cutFrom(m_trace.clientOf(thread), m_trace.upperBound(v.from));
            return std::size_t(std::ranges::count_if(servers, [&](EntityId id) { return !cut.contains(id); })) >=
                   needed;
        });
    }
    /// The client that the words name as the new holder is one of the believers when they begin to be two.
    void heir(const verdict::Violation& v) {
        static const QRegularExpression named(
            u"gave (?:the lock to )?([A-H]) (?:the lock )?at|[Aa]fter others, ([A-H]) got"_qs);
        const std::vector<Hold> holds = surelyBelieved(m_trace);
        if (std::ranges::none_of(holds, [&](const Hold& hold) { return hold.lock == v.lock; })) return; // permits
        for (auto it = named.globalMatch(verdict::explain(v, m_trace)); it.hasNext();) {
            const auto match = it.next();
            const QString name = match.captured(1) + match.captured(2);
            if (match.capturedStart(2) < 0 && verdict::explain(v, m_trace).contains(u"fter others"_qs)) continue;
            const bool held = std::ranges::any_of(holds, [&](const Hold& hold) {
                return hold.lock == v.lock && Nanos(hold.from) <= v.from && Nanos(hold.to) >= v.from &&
                       verdict::actorText(hold.thread, m_trace) == name;
            });
            if (!held) complain(v, u"%1 did not hold it when it began"_qs.arg(name));
        }
    }
    /// Servers that a client is told to be cut off from, and cuts of no length.
    void cutsTold(const verdict::Violation& v, const QString& words) {
        static const QRegularExpression cut(
            u"([A-H]) (?:was|has been) cut off from ([^.]*?) (?:at|from|since) ([^ ]+)(?: s to ([^ ]+) s)?"_qs);
        for (auto it = cut.globalMatch(words); it.hasNext();) {
            const auto match = it.next();
            if (match.captured(3) == match.captured(4)) complain(v, u"a cut of no length"_qs);
            static const QRegularExpression between(u", | and "_qs);
            for (const QString& server : match.captured(2).split(between)) {
                const std::vector<EntityId> servers = serversOf(v.lock);
                const bool keeps =
                    std::ranges::any_of(servers, [&](EntityId id) { return m_trace.displayName(id) == server; });
                if (!keeps) complain(v, u"%1 does not keep the lock"_qs.arg(server));
            }
        }
    }
    /// A client whose work hung does not work for longer than its lease.
    void hungTold(const verdict::Violation& v, const QString& words) {
        static const QRegularExpression longer(u"([A-H]) worked for longer"_qs);
        const auto match = longer.match(words);
        if (!match.hasMatch()) return;
        bool hangs = false;
        for (std::size_t i = 0; i < v.row; ++i) {
            const trace::Event e = m_trace.at(i);
            if (e.kind == EventKind::Healed) hangs = false;
            if (e.kind != EventKind::WorkHung && e.kind != EventKind::ClientStarted) continue;
            if (m_trace.displayName(e.actor) == match.captured(1)) hangs = e.kind == EventKind::WorkHung;
        }
        if (hangs && !words.contains(u"had hung")) complain(v, u"its work hung"_qs);
    }
    void staleWrite(const verdict::Violation& v) {
        if (v.newerToken != 0) return;
        const EntityId writer = v.actors.front();
        if (holderBefore(v.lock, v.row, m_trace) == writer) complain(v, u"its writer holds the lock by the record"_qs);
        const auto [naming, all] = copiesNaming(writer, v.lock, v.row, m_trace);
        const bool replicas = std::ranges::any_of(rows(m_trace, EventKind::RecordDecider), [&](const trace::Event& e) {
            return e.subject == v.lock && e.actor != trace::kNoEntity; // one of them decides
        });
        if (!replicas && all > 1 && 2 * naming > all) complain(v, u"a majority names its writer"_qs);
    }
    void words(const verdict::Violation& v) {
        const QString whole = verdict::explain(v, m_trace);
        if (whole == verdict::whatHappened(v, m_trace) && v.invariant != Invariant::TokenOrder)
            complain(v, u"no cause is told"_qs);
        if (whole.contains(u"asked in vain") || whole.contains(u"ask in vain")) complain(v, u"no cause is told"_qs);
        cutsTold(v, whole);
        hungTold(v, whole);
        if (const QString odd = notInTrace(whole, v, m_trace); !odd.isEmpty())
            complain(v, u"“%1” is not in the trace"_qs.arg(odd));
    }

    const trace::Trace& m_trace;
    const verdict::Verdict& m_verdict;
    QStringList m_complaints;
};

} // namespace

class TestRandomFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void verdictsAndWordsAgreeWithTheTrace() {
        bool given = false;
        const int seeds = qEnvironmentVariableIntValue("SEEDS", &given);
        QStringList all;
        int violated = 0;
        for (std::uint64_t seed = 0, end = given ? std::uint64_t(seeds) : 60; seed < end; ++seed) {
            const QString text = drawn(seed);
            const auto shared = session::readSharedText(u"lockscope:"_qs + text);
            QVERIFY2(shared, qPrintable(text + (shared ? QString() : shared.error())));
            const experiment::RunReport report = experiment::run(shared->whole(), shared->seed);
            violated += !report.verdict.violations.empty();
            for (const QString& complaint : Reading(report).complaints()) {
                qWarning("%s\n    %s", qPrintable(text), qPrintable(complaint)); // all of them, however many
                all += complaint;
            }
        }
        QCOMPARE(all, QStringList());
        QVERIFY(violated > 0); // else nothing was read
    }
};

QTEST_GUILESS_MAIN(TestRandomFaults)
#include "tst_random_faults.moc"
