// SPDX-License-Identifier: Apache-2.0
#include "session/redacted_session.h"

#include "session/redacted_live_session.h"
#include "session/redacted_recording.h"
#include "trace/redacted.h"

#include <QTimer>
#include <algorithm>

namespace lockscope::session {

using trace::EntityId;
using trace::EntityKind;

namespace {
constexpr std::size_t kRows = 50'000;     ///< copied in one go: a few milliseconds
const QByteArray kHidden("\xe2\x80\xa6"); // …

/// Whether a trace has all the entities that a judgement speaks of.
bool speaksOf(const verdict::Verdict& verdict, const trace::Trace& trace) {
    const std::size_t names = trace.entityCount();
    const auto has = [names](EntityId id) { return id < names; };
    return verdict.rows <= trace.size() && std::ranges::all_of(verdict.violations, [&](const verdict::Violation& one) {
               return has(one.lock) && has(one.resource) && std::ranges::all_of(one.actors, has) &&
                      std::ranges::all_of(one.wanted, has);
           });
}
} // namespace

/// The redacted copy, and the trace that it is of.
class RedactedSession::Copy {
public:
    explicit Copy(std::shared_ptr<const trace::Trace> of) : m_of(std::move(of)), redacted(*m_of) {}

private:
    std::shared_ptr<const trace::Trace> m_of;

public:
    trace::RedactedCopy redacted;
    QTimer more; ///< runs while there are rows that are not copied yet
};

RedactedSession::RedactedSession(Session& of) : m_of(of), m_verdict(std::make_shared<verdict::Verdict>()) {
    takeTrace();
    connect(&of, &Session::advanced, this, &RedactedSession::follow);
    connect(&of, &Session::traceReplaced, this, [this] {
        m_verdict = std::make_shared<verdict::Verdict>();
        takeTrace();
        Q_EMIT traceReplaced();
    });
    connect(&of, &Session::verdictChanged, this, &RedactedSession::follow);
    connect(&of, &Session::milestoneReached, this, &Session::milestoneReached);
    connect(&of, &Session::futureReplaced, this, &Session::futureReplaced);
    connect(&of, &Session::healthChanged, this, &Session::healthChanged);
    connect(&of, &Session::scenarioChanged, this, &Session::scenarioChanged);
    connect(&of, &Session::ownLoadChanged, this, &Session::ownLoadChanged);
    connect(&of, &Session::complained, this, [this] {
        Q_EMIT complained(tr("Something could not be done. The reason has names in it: show names to read it."));
    });
}

RedactedSession::~RedactedSession() = default;

void RedactedSession::takeTrace() {
    m_copy = std::make_unique<Copy>(m_of.trace());
    m_copy->more.setInterval(0);
    connect(&m_copy->more, &QTimer::timeout, this, &RedactedSession::follow);
    follow();
}

void RedactedSession::follow() {
    if (m_copy->redacted.advance(kRows))
        m_copy->more.stop();
    else
        m_copy->more.start();
    copied();
    takeVerdict();
    Q_EMIT advanced();
}

void RedactedSession::takeVerdict() {
    auto judged = m_of.verdict();
    if (judged == m_verdict || !speaksOf(*judged, *trace())) return;
    m_verdict = std::move(judged);
    Q_EMIT verdictChanged();
}

std::shared_ptr<const trace::Trace> RedactedSession::trace() const {
    return m_copy->redacted.trace();
}

QByteArray RedactedSession::aliasOf(EntityKind kind, const QByteArray& name) const {
    const QByteArray alias = m_copy->redacted.aliasOf(kind, name);
    return alias.isEmpty() && !name.isEmpty() ? kHidden : alias;
}

QByteArray RedactedSession::nameBehind(EntityKind kind, const QByteArray& alias) const {
    return m_copy->redacted.nameBehind(kind, alias);
}

Abilities RedactedSession::abilities() const {
    Abilities can;
    can.live = m_of.abilities().live;
    return can;
}

std::expected<void, QString> RedactedSession::allows(scenario::Action, scenario::TargetKind) const {
    return std::unexpected(tr("Names are hidden: show them before you change anything."));
}

QString RedactedSession::title() const {
    return tr("Names hidden");
}

Health RedactedSession::health() const {
    return {m_of.health().level, tr("Recording · names hidden")};
}

scenario::Scenario RedactedSession::scenario() const {
    const scenario::Scenario whole = m_of.scenario();
    scenario::Scenario shown;
    shown.recipe = whole.recipe;
    shown.lock = whole.lock;
    shown.lock.name = QString::fromUtf8(aliasOf(EntityKind::Lock, whole.lock.name.toUtf8()));
    for (const scenario::NamedLock& each : whole.moreLocks) {
        shown.moreLocks.push_back(each);
        QString& name = shown.moreLocks.back().settings.name;
        name = QString::fromUtf8(aliasOf(EntityKind::Lock, name.toUtf8()));
    }
    shown.resource.tokenCheck = whole.resource.tokenCheck;
    shown.until = whole.until;
    return shown;
}

void RedactedSession::retell(inspect::Alert& alert) const {
    alert.lock = aliasOf(EntityKind::Lock, alert.lock);
    alert.sentence = alert.lock.isEmpty()
                         ? tr("The server raises the alert “%1”.").arg(alert.rule.text)
                         : tr("“%1” raises the alert “%2”.").arg(QString::fromUtf8(alert.lock), alert.rule.text);
    alert.advice = tr("Show names to read what happened and what to do.");
}

void RedactedSession::advanceToNext(Milestone milestone, Nanos from) {
    m_of.advanceToNext(milestone, from);
}

void RedactedSession::apply(scenario::Fault fault, Nanos) {
    Q_EMIT complained(allows(fault.action, scenario::targetKind(fault.action)).error());
}

void RedactedSession::restart(std::uint64_t, ByHand) {
    Q_EMIT complained(allows(scenario::Action::Set, scenario::TargetKind::Nothing).error());
}

std::unique_ptr<RedactedSession> withoutNames(Session& of) {
    if (connectionDeskOf(&of)) return std::make_unique<RedactedLiveSession>(of);
    if (qobject_cast<AlertSource*>(&of)) return std::make_unique<RedactedRecording>(of);
    return std::unique_ptr<RedactedSession>(new RedactedSession(of)); // the constructor is not public
}

} // namespace lockscope::session
