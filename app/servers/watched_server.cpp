// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/watched_server.h"

#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "drivers/dial.h"
#include "drivers/other_service.h"
#include "inspect/line_name.h"
#include "inspect/look_age.h"
#include "inspect/make_watcher.h"
#include "inspect/row_named.h"
#include "inspect/text.h"
#include "inspect/verbatim.h"
#include "servers/watch_clock.h"
#include "servers/watch_metrics.h"
#include "servers/watch_words.h"
#include "trace/event_words.h"
#include "trace/time_text.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <climits>
#include <utility>

namespace lockscope::cli {

using inspect::LockChange;
using inspect::LockReport;
using inspect::LockRow;

namespace {

/// For scripts: RFC 3339, UTC.
QString timeForScripts(std::int64_t wallMs) {
    return QDateTime::fromMSecsSinceEpoch(wallMs, Qt::UTC).toString(Qt::ISODateWithMs);
}

inspect::WatchOptions optionsFor(const ConnectionUrl& url, const WatchPlan& plan) {
    inspect::WatchOptions options = inspect::watchOptionsOf(url);
    options.names =
        inspect::nameFilterFrom(plan.match.value_or(url.option("match")), plan.ignore.value_or(url.option("ignore")));
    if (plan.strings) options.patterns = inspect::stringPatternsFrom(*plan.strings);
    if (plan.interval) options.shortestPeriod = options.longestPeriod = *plan.interval;
    return options;
}

} // namespace

WatchedServer::WatchedServer(Runtime& runtime, const ConnectionUrl& url, const WatchPlan& plan, WatchClock& clock,
                             WatchMetrics* metrics)
    : m_runtime(runtime),
      m_clock(clock),
      m_url(url),
      m_endpoint(url.display()),
      m_plan(plan),
      m_metrics(metrics),
      m_watcher(*inspect::makeWatcher(runtime, url, realDiallers(), optionsFor(url, plan))),
      m_alerts(plan.alerts),
      m_forced(url) {
    // One connection of a client is another party than its next one on the same server, too, unless a rule joins them.
    if (!plan.headings && plan.sameClient.empty()) return;
    const auto rules = plan.sameClient.empty() ? inspect::usualClientRules() : plan.sameClient;
    const auto who = [rules, server = m_endpoint.toUtf8()](const inspect::Party& party) {
        return inspect::clientKey(party, rules, server);
    };
    m_alerts.joinClients(who, plan.headings ? m_endpoint : QString());
}

QCoro::Task<int> WatchedServer::look(std::stop_token stop) {
    if (const auto opened = co_await m_watcher->open(stop); !opened) {
        complainHere(opened.error().message);
        if (const QString other = co_await otherServiceAt(m_runtime, m_url, stop); !other.isEmpty())
            complainHere(other);
        const bool wrong = opened.error().kind == inspect::WatchTrouble::Kind::WrongUrl;
        // One server of several that is away now is watched for; one alone is most likely a mistake.
        if (wrong || m_plan.once || !m_plan.headings) co_return wrong ? kUsage : kUnreachable;
        m_troubled = true;
    }
    m_began = m_runtime.monotonic();
    m_firstLook = m_began;
    if (m_plan.once) {
        const int status = co_await lookOnce(std::move(stop));
        co_return status;
    }
    co_await m_watcher->watch([this](const LockReport& report) { tell(report); }, std::move(stop));
    co_return kFine;
}

QCoro::Task<int> WatchedServer::lookOnce(std::stop_token stop) {
    const LockReport report = co_await m_watcher->once(std::move(stop), [this](const LockReport& sofar) {
        complain(progressText(sofar));
        m_firstLook.reset(); // the keys that were looked at say how it goes
    });
    m_firstLook.reset();
    if (report.trouble) {
        complainHere(report.trouble->message);
        co_return kUnreachable;
    }
    // Locks may be among the keys that we have no right to read.
    const bool whole = report.complete && report.keysRefused == 0;
    if (m_plan.json) {
        QJsonObject object = inspect::toJson(report, m_endpoint);
        if (!whole) object[QStringLiteral("complete")] = false;
        object[QStringLiteral("load")] = QJsonObject{
            {QStringLiteral("commands"), qint64(report.commands)},
            {QStringLiteral("server_ms"), std::chrono::duration<double, std::milli>(report.serverTime).count()}};
        say(QJsonDocument(object).toJson(QJsonDocument::Compact));
    } else {
        if (m_plan.headings) say(m_endpoint);
        for (const LockRow& row : report.locks)
            say((m_plan.headings ? QStringLiteral("  ") : QString()) + rowText(row));
    }
    tellServers(report);
    for (const inspect::WatchNote& note : report.notes)
        complainHere(textOf(note));
    m_last = report;
    m_alerts.observe(report);
    using Rings = inspect::AlertWatch::Rings;
    if (checkAlerts(m_plan.headings ? Rings::Given : Rings::Own) && m_plan.fail) co_return kViolated;
    const auto isAway = [](const inspect::WatchedServerState& server) { return !server.trouble.isEmpty(); };
    if (!report.complete && std::ranges::any_of(report.servers, isAway))
        complain(tr("a part of %1 could not be read: there may be other locks").arg(m_endpoint));
    else if (!report.complete)
        complain(tr("%1 has more keys than one look goes through: there may be other locks").arg(m_endpoint));
    if (!whole) co_return kUnknown;
    const auto blind = [](const inspect::WatchNote& note) {
        using Kind = inspect::WatchNote::Kind;
        return note.kind == Kind::NamesWanted || note.kind == Kind::RootMissing || note.kind == Kind::TableMissing;
    };
    // The note says what was not looked at, and a script must not take that for "no lock".
    if (report.locks.empty() && std::ranges::any_of(report.notes, blind)) co_return kUnknown;
    if (!m_plan.json && report.locks.empty())
        complain(m_plan.match || m_plan.ignore ? tr("no lock that matches on %1 now").arg(m_endpoint)
                                               : tr("no lock on %1 now").arg(m_endpoint));
    co_return kFine;
}

void WatchedServer::tell(const LockReport& report) {
    m_firstLook.reset();
    const std::vector<inspect::LateRenewal> late = m_alerts.observe(report);
    if (m_metrics) m_metrics->seen(m_endpoint, report);
    if (m_recording)
        m_recording->seen(m_endpoint, report, late, m_alerts.silentFor(report.at),
                          [this](const QByteArray& lock) { return m_forced.has(lock); });
    if (report.trouble) {
        complainHere(report.trouble->message);
        m_troubled = true;
        return;
    }
    if (m_troubled || m_silent) complain(tr("%1 answers again").arg(m_endpoint));
    m_troubled = m_silent = false;
    tellLookedAgain(report);
    tellServers(report);
    tellNotes(report);
    for (const inspect::ServerEvent event : report.events)
        tell(event, report);
    for (const inspect::MemberChange& change : m_members.since(report.servers))
        tell(change, report);
    for (const inspect::LateRenewal& one : late)
        tell(one, report);
    for (LockChange& change : changesBetween(m_last, report)) {
        if (change.what == LockChange::What::Released && m_forced.has(change.row.name))
            change.what = LockChange::What::Forced;
        if (m_metrics) m_metrics->happened(m_endpoint, change.what);
        if (m_plan.renewals || change.what != LockChange::What::Renewed) tell(change, report);
    }
    m_last = report;
}

void WatchedServer::tellServers(const LockReport& report) { // when there are others, or in other roles
    if (std::ranges::equal(report.servers, m_last.servers, inspect::sameServer)) return;
    for (const inspect::WatchedServerState& server : report.servers)
        complainHere(textOf(server));
}

void WatchedServer::tellNotes(const LockReport& report) { // each kind once per connection
    if (report.connections != m_last.connections) m_noted.clear();
    if (!report.complete) return; // counts still grow
    for (const inspect::WatchNote& note : report.notes)
        if (!isGood(note.kind) && m_noted.insert(note.kind).second) complainHere(textOf(note));
}

void WatchedServer::sayAt(std::int64_t wallMs, const QString& word, const QString& text) {
    constexpr int kWordWidth = 20;
    say(m_clock.timeOf(wallMs) + QStringLiteral("  ") +
        (m_plan.headings ? m_endpoint + QStringLiteral("  ") : QString()) +
        word.leftJustified(word.isEmpty() ? 0 : kWordWidth) +
        (word.size() < kWordWidth ? QString() : QStringLiteral("  ")) + text);
}

void WatchedServer::complainHere(const QString& message) const {
    complain(m_plan.headings && !message.contains(m_endpoint) ? m_endpoint + QStringLiteral(": ") + message : message);
}

void WatchedServer::tell(inspect::ServerEvent event, const LockReport& report) {
    if (!m_plan.json) {
        sayAt(report.wallMs, {}, serverEventText(event, report));
        return;
    }
    JsonLine line;
    line.add("change", QByteArray("server"))
        .add("event", QByteArray(nameOf(event)))
        .add("endpoint", m_endpoint)
        .add("observed_at", timeForScripts(report.wallMs));
    if (report.server) line.add("server", toJson(*report.server));
    QJsonArray where;
    for (const QByteArray& address : report.eventsAt)
        where.append(inspect::readable(address));
    if (!where.isEmpty()) line.add("at", QJsonValue(where));
    say(line.toJson());
}

void WatchedServer::tell(const inspect::MemberChange& change, const LockReport& report) {
    if (!m_plan.json) {
        sayAt(report.wallMs, {}, memberText(change));
        return;
    }
    JsonLine line;
    line.add("change", QByteArray("server"))
        .add("event", QByteArray(nameOf(change.what)))
        .add("endpoint", m_endpoint)
        .add("observed_at", timeForScripts(report.wallMs))
        .add("at", QJsonValue(QJsonArray{inspect::readable(change.address)}));
    if (change.what == inspect::MemberChange::What::Slots)
        line.add("from", inspect::readable(change.from)).add("slot_ranges", inspect::readable(change.slots));
    say(line.toJson());
}

void WatchedServer::tell(const inspect::LateRenewal& late, const LockReport& report) {
    const LockRow* row = inspect::rowNamed(report.locks, late.lock);
    if (!row) row = inspect::rowNamed(m_last.locks, late.lock); // its lease has just ended
    if (!row) return;
    const bool stopped = late.what == inspect::LateRenewal::What::Stopped;
    const auto what = stopped ? LockChange::What::RenewalsStopped : LockChange::What::RenewalMissed;
    if (m_metrics) m_metrics->happened(m_endpoint, what);
    if (!m_plan.json) {
        sayAt(report.wallMs, changeWord(what), lateText(late, *row));
        return;
    }
    JsonLine line;
    line.add("change", QByteArray("changed"))
        .add("event", QByteArray(nameOf(what)))
        .add("endpoint", m_endpoint)
        .add("observed_at", timeForScripts(report.wallMs))
        .add("every_ms", qint64(late.pace / 1ms));
    if (stopped) {
        const trace::Event event{.kind = trace::EventKind::RecordRenewalsStopped, .flags = std::uint8_t(late.why)};
        line.add("cause", QByteArray(trace::EventWords(event).all().front()));
    }
    line.add("lock", inspect::toJson(*row));
    say(line.toJson());
}

void WatchedServer::tell(const LockChange& change, const LockReport& report) {
    static constexpr const char* kKinds[] = {"appeared", "changed", "vanished"};
    if (!m_plan.json) {
        sayAt(report.wallMs, changeWord(change.what), changeText(change));
        return;
    }
    JsonLine line;
    line.add("change", QByteArray(kKinds[static_cast<std::size_t>(change.kind)]))
        .add("event", QByteArray(nameOf(change.what)))
        .add("endpoint", m_endpoint)
        .add("observed_at", timeForScripts(report.wallMs))
        .add("lock", inspect::toJson(change.row));
    say(line.toJson());
}

void WatchedServer::tell(const inspect::Alert& alert) {
    const bool raised = alert.state == inspect::Alert::State::Raised;
    const std::int64_t now = m_runtime.wallMs();
    const QString explained = alert.sentence + QLatin1Char(' ') + alert.advice;
    if (!m_plan.json) {
        const QString rule = alert.rule.text;
        sayAt(now, raised ? tr("ALERT") : tr("alert over"),
              raised
                  ? rule + QStringLiteral(": ") + explained
                  : rule + QStringLiteral("  ") + (alert.lock.isEmpty() ? QString() : inspect::lineName(alert.lock)));
        return;
    }
    JsonLine line;
    line.add("change", QByteArray("alert"))
        .add("event", QByteArray(raised ? "raised" : "over"))
        .add("alert", alert.rule.text)
        .add("endpoint", m_endpoint)
        .add("observed_at", timeForScripts(now));
    line.add("name", alert.lock.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(inspect::verbatim(alert.lock)));
    if (raised) line.add("explain", explained);
    say(line.toJson());
}

bool WatchedServer::checkAlerts(inspect::AlertWatch::Rings rings) {
    if (m_plan.alerts.empty()) return false;
    bool begun = false;
    std::set<QString> told; // one deadlock is raised for each of its locks, in equal words
    for (const inspect::Alert& alert : m_alerts.check(m_runtime.monotonic(), rings)) {
        const std::pair rule(alert.rule.text, alert.lock);
        if (alert.state != inspect::Alert::State::Raised) {
            if (m_toldElsewhere.erase(rule) > 0) continue;
        } else if (!told.insert(alert.rule.text + alert.sentence).second) {
            m_toldElsewhere.insert(rule);
            continue;
        }
        tell(alert);
        begun = begun || alert.state == inspect::Alert::State::Raised;
    }
    if (m_metrics) m_metrics->setAlerts(m_endpoint, m_alerts.raised());
    return begun;
}

void WatchedServer::tellDelays() {
    if (!m_plan.once) tellSilence();
    tellFirstLook();
    if (!m_plan.once) tellAge();
}

void WatchedServer::tellFirstLook() {
    constexpr Nanos kPatience = 2s; // of a person who sees nothing
    if (!m_firstLook || m_troubled || m_silent) return;
    const Nanos took = m_runtime.monotonic() - *m_firstLook;
    if (took < std::max(kPatience, 2 * m_firstLookTold)) return;
    m_firstLookTold = took;
    complain(tr("%1: the first look goes on, for %2 by now; %n command(s) were sent", nullptr,
                int(std::min<std::uint64_t>(m_watcher->load().requests, INT_MAX)))
                 .arg(m_endpoint, spanText(std::chrono::floor<std::chrono::seconds>(took))));
}

void WatchedServer::tellAge() {
    if (m_oldTold || m_troubled || m_silent || m_last.connections == 0) return;
    const auto isAway = [](const inspect::WatchedServerState& server) { return !server.trouble.isEmpty(); };
    if (std::ranges::any_of(m_last.servers, isAway)) return; // that was told
    const Nanos now = m_runtime.monotonic(), age = now - m_last.knownUntil();
    const Nanos wanted = 2 * m_plan.interval.value_or(Nanos(0)); // a person may have asked for seldom looks
    if (age <= std::max(inspect::oldAfter(m_last.period), wanted)) return;
    m_oldTold = true;
    const Nanos due = m_last.at + m_last.period - now;
    if (due > Nanos(0))
        //: %1 and %2 are lengths of time.
        tellPause("not-looked-at", age, due,
                  tr("not looked at for %1: a look costs this server much, so the next one is due in %2")
                      .arg(durationText(age), durationText(due)));
    else
        //: %1 is a length of time.
        tellPause("not-looked-at", age, std::nullopt,
                  tr("not looked at for %1: the look that goes on takes long").arg(durationText(age)));
}

void WatchedServer::tellLookedAgain(const LockReport& report) {
    if (!std::exchange(m_oldTold, false)) return;
    const Nanos length = report.at - m_last.knownUntil(); // a look may itself take long
    const QString text = tr("looked at again after %1").arg(durationText(length));
    tellPause("looked-at-again", length, std::nullopt,
              report.hearsOfChanges ? text
                                    : text + QStringLiteral(": ") + tr("what came and went meanwhile was not seen"));
}

void WatchedServer::tellPause(const char* event, Nanos length, std::optional<Nanos> due, const QString& text) {
    if (!m_plan.json) {
        sayAt(m_runtime.wallMs(), {}, text);
        return;
    }
    JsonLine line;
    line.add("change", QByteArray("server"))
        .add("event", QByteArray(event))
        .add("endpoint", m_endpoint)
        .add("observed_at", timeForScripts(m_runtime.wallMs()))
        .add("age_ms", qint64(length / 1ms));
    if (due) line.add("next_look_ms", qint64(*due / 1ms));
    say(line.toJson());
}

void WatchedServer::tellSilence() {
    const auto since = m_watcher->unansweredSince();
    m_alerts.setUnanswered(since);
    const Nanos now = m_runtime.monotonic();
    if (m_troubled || m_silent || !since || now - *since <= inspect::kSilentFrom) return;
    m_silent = true;
    const QString message = tr("%1 has not answered for %2").arg(m_watcher->where(), spanText(inspect::kSilentFrom));
    complainHere(message);
    LockReport nothing; // a gap in the recording
    nothing.at = now;
    nothing.trouble = inspect::WatchTrouble{inspect::WatchTrouble::Kind::Unreachable, {}, message};
    if (m_metrics) m_metrics->seen(m_endpoint, nothing);
    if (!m_recording) return;
    m_recording->seen(m_endpoint, nothing, {}, m_alerts.silentFor(now),
                      [this](const QByteArray& lock) { return m_forced.has(lock); });
}

QString WatchedServer::cost() const {
    if (m_last.commands == 0) return {};
    const QString text = loadText(m_last, m_runtime.monotonic() - m_began);
    return m_plan.headings ? m_endpoint + QStringLiteral(": ") + text : text;
}

} // namespace lockscope::cli
