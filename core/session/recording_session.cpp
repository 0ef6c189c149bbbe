// SPDX-License-Identifier: Apache-2.0
#include "session/recording_session.h"

#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "session/milestones.h"
#include "trace/connection.h"

#include <QElapsedTimer>
#include <QFileInfo>

namespace lockscope::session {

namespace {
constexpr std::int64_t kJudgeEveryMs = 200; ///< while reading: the verdict is news, not every row of it
}

RecordingSession::RecordingSession(const QString& path, QObject* parent)
    : Session(parent),
      m_path(path),
      m_trace(std::make_shared<trace::Trace>()),
      m_verdict(std::make_shared<verdict::Verdict>()) {
    m_health = {Health::Level::Working, tr("Recording · %1 · reading").arg(title())};
    m_reader = std::make_unique<trace::RecordingReader>(path);
    m_trace = m_reader->trace();
    m_thread.put([this, stop = m_stop.get_token()] { read(stop); });
}

RecordingSession::~RecordingSession() {
    m_stop.request_stop();
    m_searchStop.request_stop();
}

void RecordingSession::read(const std::stop_token& stop) {
    const auto meta = m_reader->open();
    if (!meta) {
        m_inbox.put([this, message = meta.error().message] { refused(message); });
        return;
    }
    m_inbox.put([this, meta = *meta] { opened(meta); });
    verdict::Judge judge(m_reader->trace(), boundsFor(*meta));
    QElapsedTimer sinceJudged;
    sinceJudged.start();
    const auto publish = [&](bool all) {
        judge.consume();
        m_inbox.put([this, verdict = std::make_shared<const verdict::Verdict>(judge.verdict(all))] {
            m_verdict = verdict;
            Q_EMIT verdictChanged();
        });
    };
    const auto done = m_reader->load(
        [&](trace::RecordingReader::Progress at) {
            if (sinceJudged.elapsed() >= kJudgeEveryMs) {
                publish(false);
                sinceJudged.restart();
            }
            m_inbox.put([this, at] {
                Q_EMIT advanced();
                Q_EMIT progress(at.rows, at.total);
            });
        },
        stop);
    publish(true);
    m_inbox.put([this, message = done ? QString() : done.error().message] { finished(message); });
}

QString RecordingSession::title() const {
    return QFileInfo(m_path).fileName();
}

void RecordingSession::opened(const trace::RecordingMeta& meta) {
    m_meta = meta;
    if (meta.scenario.isEmpty()) {
        m_scenario.workload.clients = 0; // somebody's servers were watched, and nobody of ours was there
    } else if (auto scenario = scenario::recordedScenario(meta.scenario)) {
        m_scenario = *std::move(scenario);
    }
    if (!meta.recipe.isEmpty()) m_scenario.recipe = meta.recipe;
    addDesks();
    if (!m_alerts.empty()) Q_EMIT traceReplaced(); // views look for desks when a session's trace is new
    Q_EMIT scenarioChanged();
}

void RecordingSession::refused(const QString& message) {
    m_loading = false;
    m_health = {Health::Level::Bad, tr("Recording · %1 · cannot be read").arg(title())};
    Q_EMIT healthChanged();
    Q_EMIT loaded();
    Q_EMIT unreadable(message);
}

void RecordingSession::finished(const QString& damage) {
    // Without an event nothing is known of any lock, not even that it is free.
    if (!damage.isEmpty() && m_trace->size() == 0) return refused(damage);
    m_loading = false;
    if (damage.isEmpty()) {
        const QString whole = m_meta.finished
                                  ? tr("Recording · %1").arg(title())
                                  : tr("Recording · %1 · it was cut off; all but its last second is here").arg(title());
        m_health = {Health::Level::Good, whole};
    } else {
        m_health = {Health::Level::Bad, tr("Recording · %1 · not whole").arg(title())};
        Q_EMIT complained(tr("%1 To keep what is shown, save it under another name.").arg(damage));
    }
    findAlerts();
    Q_EMIT healthChanged();
    Q_EMIT advanced();
    Q_EMIT loaded();
}

void RecordingSession::addDesks() {
    for (trace::EntityId id = 1; id < m_trace->entityCount(); ++id) {
        if (!trace::isConnection(*m_trace, id)) continue;
        AlertDesk* const desk = m_alerts.emplace_back(std::make_unique<AlertDesk>(id)).get();
        desk->tellHistory({}); // from now on it follows the playhead
        connect(desk, &AlertDesk::wishesChanged, this, [this] {
            if (!m_loading) findAlerts();
        });
    }
}

std::vector<AlertDesk*> RecordingSession::alertDesks() {
    std::vector<AlertDesk*> all;
    for (const auto& desk : m_alerts)
        all.push_back(desk.get());
    return all;
}

void RecordingSession::findAlerts() {
    std::vector<inspect::JudgedConnection> wanted;
    for (const auto& desk : m_alerts)
        wanted.push_back({desk->connection(), desk->rules()});
    if (wanted.empty() || wanted == m_judged) return;
    m_judged = wanted;
    m_finding = true;
    m_searchStop.request_stop();
    m_searchStop = std::stop_source();
    m_thread.put([this, wanted = std::move(wanted), number = ++m_search, stop = m_searchStop.get_token()] {
        auto found = inspect::alertsIn(*m_trace, wanted, stop);
        if (stop.stop_requested()) return;
        m_inbox.put([this, number, found = std::move(found)] {
            if (number == m_search) takeAlerts(found);
        });
    });
}

void RecordingSession::takeAlerts(const std::vector<std::vector<inspect::PastAlert>>& found) {
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::vector<AlertDesk::Span> spans;
        for (const inspect::PastAlert& past : found[i])
            spans.push_back({past.alert.rule, past.alert.lock, past.alert.sentence, past.alert.advice, past.alert.since,
                             past.until, false});
        m_alerts[i]->tellHistory(std::move(spans));
    }
    m_finding = false;
    Q_EMIT alertsFound();
}

void RecordingSession::advanceToNext(Milestone milestone, Nanos from) {
    const auto at = nextMilestone(*m_trace, *m_verdict, milestone, from);
    Q_EMIT milestoneReached(at.has_value(), at.value_or(m_trace->reached()));
}

std::expected<void, QString> RecordingSession::allows(scenario::Action, scenario::TargetKind) const {
    return std::unexpected(tr("A recording cannot be changed. Open its scenario to try something else with it."));
}

void RecordingSession::apply(scenario::Fault fault, Nanos) {
    Q_EMIT complained(allows(fault.action, scenario::targetKind(fault.action)).error());
}

void RecordingSession::restart(std::uint64_t, ByHand) {
    Q_EMIT complained(tr("A recording has one course only. Open its scenario to run it with another seed."));
}

} // namespace lockscope::session
