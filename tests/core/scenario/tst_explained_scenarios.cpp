// SPDX-License-Identifier: Apache-2.0
// The explanations of built-in scenarios say what the trace says: for every violation, the actors that they name and
// the instants that they tell are looked up in the rows again.
#include "experiment/run.h"
#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"
#include "sim/fitting_recipes.h"
#include "trace/state.h"
#include "verdict/why.h"
#include "verdict/words.h"

#include <QRegularExpression>
#include <QTest>

using namespace lockscope;
using trace::EntityId;
using trace::Event;
using trace::EventKind;
using verdict::Invariant;
using verdict::Violation;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 1;
#else
constexpr std::uint64_t kSeeds = 20;
#endif

/// Few, as each sentence is read against the whole trace. SEEDS=n: so many.
std::uint64_t seeds() {
    const int told = qEnvironmentVariableIntValue("SEEDS");
    return told > 0 ? std::uint64_t(told) : kSeeds;
}

/// An instant as it is written: "5.8 s" is 5.8 s until 5.9 s.
struct Told {
    std::int64_t from = 0, to = 0;
    bool contains(std::int64_t at) const { return from <= at && at < to; }
};

Told told(const QString& seconds, const QString& decimals) {
    std::int64_t unit = 1'000'000'000, at = seconds.toLongLong() * unit;
    for (const QChar digit : decimals) {
        unit /= 10;
        at += digit.digitValue() * unit;
    }
    return {at, at + unit};
}

/// Reads one violation's explanation against its trace.
class Reader {
public:
    Reader(const Violation& violation, const trace::Trace& trace)
        : m_v(violation), m_trace(trace), m_text(verdict::explain(violation, trace)) {}

    /// The mistake in it, with the text; empty: none.
    QString complaint() const {
        QString wrong = words();
        if (wrong.isEmpty()) wrong = instants();
        if (wrong.isEmpty() && m_v.invariant == Invariant::MutualExclusion) wrong = believers();
        if (wrong.isEmpty() && m_v.invariant == Invariant::Ownership) wrong = owner();
        if (wrong.isEmpty()) wrong = named();
        if (wrong.isEmpty()) wrong = heldBefore();
        if (wrong.isEmpty()) wrong = cause();
        return wrong.isEmpty() ? QString() : QStringLiteral("%1 in “%2”").arg(wrong, m_text);
    }

private:
    QString actor(EntityId thread) const { return verdict::actorText(thread, m_trace); }

    /// No name is missing, and every actor is named, where there are not too many.
    QString words() const {
        for (const char* const hole : {"?", "  ", " ,", " .", " · ", "%1", "%2"})
            if (m_text.contains(QLatin1String(hole))) return QStringLiteral("“%1”").arg(QLatin1String(hole));
        for (const EntityId thread : m_v.actors) {
            if (actor(thread).isEmpty()) return QStringLiteral("an actor without a name");
            if (m_v.actors.size() <= 5 && !isNamed(actor(thread)))
                return QStringLiteral("%1 is not named").arg(actor(thread));
        }
        return {};
    }
    bool isNamed(const QString& name) const {
        const QRegularExpression word(QStringLiteral("\\b%1\\b").arg(QRegularExpression::escape(name)));
        return word.match(m_text).hasMatch();
    }

    /// Every instant is that of a row, of the violation's ends, or of a deadline that some row has told.
    QString instants() const {
        static const QRegularExpression kInstant(
            QStringLiteral("\\b(?:at|from|to|since|until) (?:(\\d+):)?(\\d+)(?:\\.(\\d+))?(?= s\\b|[ .,])"));
        for (auto it = kInstant.globalMatch(m_text); it.hasNext();) {
            const auto match = it.next();
            const QString seconds = QString::number(match.captured(1).toInt() * 60 + match.captured(2).toInt());
            if (!happened(told(seconds, match.captured(3))))
                return QStringLiteral("nothing happened %1").arg(match.captured());
        }
        return {};
    }
    bool happened(const Told& when) const {
        if (when.contains(m_v.from.count()) || when.contains(m_v.to.count())) return true;
        for (std::size_t row = 0; row < m_trace.size(); ++row) {
            const Event e = m_trace.at(row);
            if (when.contains(e.at) || when.contains(e.value)) return true; // a value: a deadline
        }
        return false;
    }

    /// The clients that believed to hold the lock in that instant.
    bool believes(EntityId thread, Nanos at) const {
        trace::State state;
        for (std::size_t row = 0; row < m_trace.size() && m_trace.at(row).time() <= at; ++row)
            state.apply(m_trace.at(row), m_trace);
        state.passTime(at.count());
        const auto belief = state.beliefs.find({m_v.lock, thread});
        return belief != state.beliefs.end() && belief->second.holding();
    }
    /// The two that begin it do believe it, as long as it lasts: at its beginning, and in the middle of it.
    QString believers() const {
        const Nanos end = m_v.to == kNever ? m_trace.reached() : m_v.to;
        std::size_t now = 0;
        for (const EntityId thread : m_v.actors)
            now += believes(thread, m_v.from);
        if (now < 2) return QStringLiteral("only %1 believed it at its beginning").arg(now);
        const Nanos last = end - Nanos(1);
        std::size_t still = 0;
        for (const EntityId thread : m_v.actors)
            still += believes(thread, std::max(m_v.from, last));
        return still < 2 ? QStringLiteral("only %1 believed it right before its end").arg(still) : QString();
    }

    /// The owner that was wronged was the record's.
    QString owner() const {
        for (std::size_t row = std::min(m_v.row + 1, m_trace.size()); row-- > 0;) {
            const Event e = m_trace.at(row);
            if (e.kind != EventKind::RecordHeld || e.subject != m_v.lock) continue;
            return e.actor == m_v.actors.back() ? QString()
                                                : QStringLiteral("it was not %1's").arg(actor(m_v.actors.back()));
        }
        return QStringLiteral("nobody had it");
    }

    /// Sentences that tell what befell somebody: there is such a row, of that actor, at that instant.
    QString named() const {
        struct Fact {
            const char* words; ///< the actor, then the instant
            std::vector<EventKind> kinds;
            bool freed = false; ///< the actor is whose record ended
        };
        static const std::vector<Fact> kFacts{
            {"(\\S+) was paused from", {EventKind::ClientPaused}},
            {"(\\S+) has been paused since", {EventKind::ClientPaused}},
            {"(\\S+) was killed at", {EventKind::NodeKilled}},
            {"(\\S+) crashed at", {EventKind::NodeKilled}},
            {"(?:lease|session|lock) of (\\S+) (?:ended|was released) at",
             {EventKind::RecordFreed, EventKind::RecordHolderGone},
             true},
            {"(?:gave (?:the lock|it)|went) to (\\S+) at", {EventKind::RecordHeld}},
            {"(\\S+) had asked the former engine by then, and got the lock there at", {EventKind::Granted}},
            // A change of engine tells no role: there nobody takes anybody's place.
            {"(\\S+) took the place of \\S+ at", {EventKind::NodeRole}},
            {"whose place (\\S+) had taken at", {EventKind::NodeRole}},
            {"All data of (\\S+) were deleted at", {EventKind::SettingChanged}},
            {"The work of (\\S+) ha[ds] hung since", {EventKind::WorkHung}},
            {"somebody else ha[ds] all connections of the pool to (\\S+) (?:from|since)", {EventKind::SettingChanged}},
            {"all connections of the pool to (\\S+) (?:are|were) lent (?:from|since)", {EventKind::ServerTold}},
            {"The clock of (\\S+) jumped at", {EventKind::ClockJumped}},
            {"The watchdog of (\\S+) stopped at", {EventKind::WatchdogStopped}},
            {"(\\S+) became master at", {EventKind::RecordDecider}},
        };
        for (const Fact& fact : kFacts) {
            const QRegularExpression sentence(QLatin1String(fact.words) +
                                              QStringLiteral(" (?:(\\d+):)?(\\d+)(?:\\.(\\d+))?"));
            for (auto it = sentence.globalMatch(m_text); it.hasNext();) {
                const auto match = it.next();
                const QString seconds = QString::number(match.captured(2).toInt() * 60 + match.captured(3).toInt());
                if (!befell(fact.kinds, fact.freed, match.captured(1), told(seconds, match.captured(4))))
                    return QStringLiteral("no row says “%1”").arg(match.captured());
            }
        }
        return {};
    }
    bool befell(const std::vector<EventKind>& kinds, bool freed, const QString& name, const Told& when) const {
        for (std::size_t row = 0; row < m_trace.size(); ++row) {
            const Event e = m_trace.at(row);
            if (!when.contains(e.at) || std::ranges::find(kinds, e.kind) == kinds.end()) continue;
            const EntityId whose = freed ? EntityId(e.aux) : e.actor;
            if (actor(whose) == name || m_trace.displayName(m_trace.clientOf(whose)) == name) return true;
        }
        return false;
    }

    /// A lease that a sentence says ended is that of the hold in question, not of an earlier one.
    QString heldBefore() const {
        static const QRegularExpression kEnded(
            QStringLiteral("The (?:lease|session) of (\\S+) ended at (?:(\\d+):)?(\\d+)(?:\\.(\\d+))?"));
        const auto match = kEnded.match(m_text);
        if (!match.hasMatch()) return {};
        const QString seconds = QString::number(match.captured(2).toInt() * 60 + match.captured(3).toInt());
        const Told when = told(seconds, match.captured(4));
        for (const EntityId thread : m_v.actors) {
            if (actor(thread) != match.captured(1)) continue;
            const std::size_t request = requestOf(thread);
            for (std::size_t row = m_trace.size(); row-- > 0;) {
                const Event e = m_trace.at(row);
                const bool ends = e.kind == EventKind::RecordFreed || e.kind == EventKind::RecordHolderGone;
                if (!ends || e.subject != m_v.lock || EntityId(e.aux) != thread || !when.contains(e.at)) continue;
                if (writtenFor(thread, row) < request)
                    return QStringLiteral("%1 is the end of an earlier hold").arg(match.captured());
            }
        }
        return {};
    }
    /// The request of the hold that the thread had last got when it was violated.
    std::size_t requestOf(EntityId thread) const {
        bool granted = false;
        for (std::size_t row = std::min(m_v.row + 1, m_trace.size()); row-- > 0;) {
            const Event e = m_trace.at(row);
            if (e.actor != thread || e.subject != m_v.lock) continue;
            granted = granted || e.kind == EventKind::Granted;
            if (granted && e.kind == EventKind::Requested) return row;
        }
        return 0;
    }
    /// The row that wrote the entry that ends in row `end`: on a server that took over it is that of its copy.
    std::size_t writtenFor(EntityId thread, std::size_t end) const {
        EntityId subject = m_v.lock;
        for (std::size_t row = end; row-- > 0;) {
            const Event e = m_trace.at(row);
            const bool held = e.kind == EventKind::RecordHeld || e.kind == EventKind::RecordHolder;
            if (!held || e.subject != subject || e.actor != thread) continue;
            const EntityId server = subject == m_v.lock ? deciderSince(row) : trace::kNoEntity;
            if (server == trace::kNoEntity) return row;
            for (EntityId copy = 1; copy < m_trace.entityCount(); ++copy)
                if (m_trace.copyOf(copy) == m_v.lock && m_trace.entity(copy).parent == server) subject = copy;
        }
        return 0;
    }
    /// The server that decides from this very instant on.
    EntityId deciderSince(std::size_t row) const {
        for (std::size_t before = row; before-- > 0 && m_trace.at(before).at == m_trace.at(row).at;)
            if (m_trace.at(before).kind == EventKind::RecordDecider && m_trace.at(before).subject == m_v.lock)
                return m_trace.at(before).actor;
        return trace::kNoEntity;
    }

    /// It says more than what happened, and what a token would have done.
    QString cause() const {
        if (m_v.invariant != Invariant::MutualExclusion && m_v.invariant != Invariant::StaleWrite) return {};
        QString rest = m_text;
        rest.remove(verdict::whatHappened(m_v, m_trace));
        static const QRegularExpression kLesson(QStringLiteral("(?:It carried token|Without a fencing token)[^.]*\\."));
        return rest.remove(kLesson).trimmed().isEmpty() ? QStringLiteral("no cause is told") : QString();
    }

    const Violation& m_v;
    const trace::Trace& m_trace;
    QString m_text;
};

} // namespace

class tst_explained_scenarios : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nameTheRightActorsAndInstants_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("recipe");
        for (const QString& id : scenario::builtinScenarios()) {
            const auto scenario = scenario::loadScenario(id);
            if (!scenario) continue; // refused files are another test's business
            for (const recipes::RecipeInfo& recipe : sim::recipesToBeginWith(*scenario)) {
                const QString name = QString::fromLatin1(recipe.id);
                const scenario::Expectation* const promised = scenario->expectationFor(name);
                if (!promised || promised->violates.isEmpty()) continue;
                QTest::addRow("%s with %s", qPrintable(id), recipe.id.constData()) << id << name;
            }
        }
    }
    void nameTheRightActorsAndInstants() {
        QFETCH(QString, id);
        QFETCH(QString, recipe);
        auto scenario = scenario::loadScenario(id);
        QVERIFY(scenario.has_value());
        scenario->recipe = recipe;
        constexpr std::size_t kMost = 4; // of one run: an optimistic recipe has hundreds, all alike
        std::size_t read = 0;
        for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
            const experiment::RunReport report = experiment::run(*scenario, seed);
            const auto& violations = report.verdict.violations;
            for (std::size_t i = 0; i < std::min(violations.size(), kMost); ++i, ++read) {
                const QString complaint = Reader(violations[i], *report.trace).complaint();
                QVERIFY2(complaint.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(complaint)));
            }
        }
        QVERIFY(read >= seeds()); // each of these runs breaks something
    }

    /// Some causes are the whole point of a scenario.
    void nameTheCause_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<Invariant>("invariant");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* id, const char* recipe, Invariant invariant, const char* words) {
            QTest::addRow("%s with %s, %s", id, recipe, words)
                << QString::fromLatin1(id) << QString::fromLatin1(recipe) << invariant << QString::fromLatin1(words);
        };
        row("sql-pool-taken", "sql-lease", Invariant::Progress, "somebody else had all connections of the pool");
        row("sql-pool-exhausted", "sql-advisory", Invariant::Progress,
            "all connections of the pool to sql-1 were lent");
        for (const char* recipe :
             {"zk-ephemeral", "zk-sequential", "zk-mutex", "zk-rw", "sql-for-update", "sql-advisory"})
            row("watchdog-zombie", recipe, Invariant::Progress, "had hung since");
        for (const char* id : {"engine-switch-naive", "engine-switch-kinds-naive"}) {
            row(id, "redis-set", Invariant::MutualExclusion, "Clients were told at");
            row(id, "redis-set", Invariant::StaleWrite, "decides, which knows nothing of the lock of");
        }
        row("memcached-flush", "memcached-lease", Invariant::MutualExclusion,
            "All data of memcached-1 were deleted at");
        row("memcached-flush", "memcached-add", Invariant::StaleWrite, "All data of memcached-1 were deleted at");
        row("museum-split-brain", "redis-set", Invariant::StaleWrite, "from redis-1, whose place redis-2 had taken at");
        row("gc-pause", "zk-mutex", Invariant::StaleWrite, "so the servers gave the lock to");
        row("gc-pause", "etcd-lease", Invariant::MutualExclusion, "so the servers gave the lock to");
        row("gc-pause", "redis-set", Invariant::MutualExclusion, "so the server gave the lock to");
        row("redlock-clock-jump", "redis-redlock", Invariant::MutualExclusion, "so the servers gave the lock to");
    }
    void nameTheCause() {
        QFETCH(QString, id);
        QFETCH(QString, recipe);
        QFETCH(Invariant, invariant);
        QFETCH(QString, words);
        auto scenario = scenario::loadScenario(id);
        QVERIFY(scenario.has_value());
        scenario->recipe = recipe;
        bool told = false;
        for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
            const experiment::RunReport report = experiment::run(*scenario, seed);
            for (const Violation& violation : report.verdict.violations) {
                if (violation.invariant != invariant) continue;
                const QString complaint = Reader(violation, *report.trace).complaint();
                QVERIFY2(complaint.isEmpty(), qPrintable(complaint));
                told = told || verdict::explain(violation, *report.trace).contains(words);
            }
        }
        QVERIFY(told);
    }

    /// All data of a Redis may be deleted by hand, too; nobody freed any lock by force.
    void aFlushOfRedisIsNoForce() {
        auto scenario = scenario::loadScenario(QStringLiteral("gc-pause"));
        QVERIFY(scenario.has_value());
        scenario->recipe = QStringLiteral("redis-set");
        QCOMPARE(scenario->faults.size(), 1u);
        scenario->faults.front().action = scenario::Action::FlushNode;
        scenario->faults.front().target = QStringLiteral("redis-1");
        scenario->faults.front().duration = std::nullopt;
        const experiment::RunReport report = experiment::run(*scenario, 1);
        QVERIFY(!report.verdict.violations.empty());
        const Violation& first = report.verdict.violations.front();
        const QString text = verdict::explain(first, *report.trace);
        QVERIFY2(text.contains(QLatin1String("All data of redis-1 were deleted at")), qPrintable(text));
        const QString complaint = Reader(first, *report.trace).complaint();
        QVERIFY2(complaint.isEmpty(), qPrintable(complaint));
    }
};

QTEST_GUILESS_MAIN(tst_explained_scenarios)
#include "tst_explained_scenarios.moc"
