// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "inspect/make_watcher.h"
#include "ports/url.h"
#include "runtime/event_loop_runtime.h"
#include "servers/commands.h"
#include "servers/password_prompt.h"
#include "servers/signal_inbox.h"
#include "servers/watch_clock.h"
#include "servers/watch_metrics.h"
#include "servers/watch_recording.h"
#include "servers/watched_server.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QTimer>
#include <algorithm>

namespace lockscope::cli {

namespace {

/// One run of `lockscope watch`: all of its servers.
class WatchRun : public QObject {
public:
    /// Precondition: inspect::watchable() is true of each. `metrics` may be nullptr.
    WatchRun(const std::vector<ConnectionUrl>& urls, const WatchPlan& plan, WatchMetrics* metrics) : m_plan(plan) {
        for (const ConnectionUrl& url : urls)
            m_servers.push_back(std::make_unique<WatchedServer>(m_runtime, url, plan, m_clock, metrics));
        connect(&m_signals, &SignalInbox::interrupted, this, [this](int signal) {
            m_interruptedBy = signal;
            m_stop.request_stop();
        });
        constexpr std::chrono::milliseconds kCheckEvery = 200ms; // time alone makes some alerts true
        connect(&m_beat, &QTimer::timeout, this, &WatchRun::beat);
        m_beat.start(kCheckEvery);
    }
    ~WatchRun() override { m_runtime.kill(); }

    int run() {
        if (!m_plan.record.isEmpty()) {
            auto started = WatchRecording::start(m_runtime, m_plan.record, m_plan.bounds);
            if (!started) {
                complain(started.error());
                return kUsage;
            }
            m_recording = std::move(*started);
            for (const auto& server : m_servers)
                server->record(m_recording.get());
        }
        m_runtime.post([this] { m_runtime.spawn([this] { return whole(); }); });
        QCoreApplication::exec();
        return m_status;
    }

private:
    QCoro::Task<> whole() {
        try {
            if (m_plan.once) { // one after the other: each has its lines together
                for (const auto& server : m_servers) {
                    const int status = co_await server->look(m_stop.get_token());
                    m_status = std::max(m_status, status);
                }
                // Deadlocks over several servers show when all of them were looked at.
                if (m_servers.size() > 1 && tellAlerts() && m_plan.fail) m_status = std::max<int>(m_status, kViolated);
            } else {
                std::vector<QCoro::Task<int>> looks;
                looks.reserve(m_servers.size());
                for (const auto& server : m_servers)
                    looks.push_back(server->look(m_stop.get_token()));
                for (auto& look : looks) {
                    const int status = co_await look;
                    m_status = std::max(m_status, status);
                }
            }
        } catch (const Cancelled&) {
            if (m_plan.once) {
                m_status = kSignalBase + m_interruptedBy;
            } else { // Ctrl+C is how a watch ends, or an alert
                m_status = m_failed ? kViolated : kFine;
                for (const auto& server : m_servers)
                    if (const QString cost = server->cost(); !cost.isEmpty()) complain(cost);
            }
        }
        if (m_recording)
            if (const auto done = m_recording->finish(); !done) complain(done.error());
        QCoreApplication::exit();
    }

    /// True: an alert has begun.
    bool tellAlerts() {
        using Rings = inspect::AlertWatch::Rings;
        std::vector<inspect::AlertWatch*> all;
        all.reserve(m_servers.size());
        for (const auto& server : m_servers)
            all.push_back(&server->alerts());
        if (std::ranges::any_of(all, &inspect::AlertWatch::ringsAreDue)) inspect::AlertWatch::findRings(all);
        bool begun = false;
        for (const auto& server : m_servers)
            begun = server->checkAlerts(Rings::Given) || begun;
        return begun;
    }

    void beat() {
        for (const auto& server : m_servers)
            server->tellDelays();
        if (m_plan.once || m_plan.alerts.empty() || !tellAlerts() || !m_plan.fail || m_failed) return;
        m_failed = true;
        m_stop.request_stop();
    }

    WatchPlan m_plan;
    SignalInbox m_signals{SignalInbox::Which::Ends};
    EventLoopRuntime m_runtime;
    WatchClock m_clock;
    std::unique_ptr<WatchRecording> m_recording;
    std::vector<std::unique_ptr<WatchedServer>> m_servers;
    std::stop_source m_stop;
    QTimer m_beat;
    bool m_failed = false;
    int m_interruptedBy = 0;
    int m_status = kFine;
};

/// "127.0.0.1:6379": an address, and nothing in it that may be a login.
bool isBareAddress(const QString& text) {
    static const QRegularExpression kAddress(QStringLiteral("^[A-Za-z0-9.-]*[A-Za-z.][A-Za-z0-9.-]*:[0-9]{1,5}$"));
    return kAddress.match(text).hasMatch();
}

std::expected<ConnectionUrl, QString> watchedUrl(const QString& place) {
    auto url = parseConnectionUrl(place);
    if (!url && isBareAddress(place))
        return std::unexpected(tr("“%1” does not say which kind of server it is; write redis://%1").arg(place));
    if (!url) return std::unexpected(url.error());
    if (const auto known = inspect::watchable(*url); !known) return std::unexpected(known.error());
    return *url;
}

/// "200M": a number of bytes with K, M or G; nullopt: it is none.
std::optional<std::int64_t> bytesIn(const QString& text) {
    static const QRegularExpression kBytes(QStringLiteral("^([0-9]{1,9})([KMG])$"));
    const auto parts = kBytes.match(text);
    if (!parts.hasMatch()) return std::nullopt;
    const int shift = parts.captured(2) == QLatin1String("K") ? 10 : parts.captured(2) == QLatin1String("M") ? 20 : 30;
    return parts.captured(1).toLongLong() << shift;
}

std::expected<trace::RecordingBounds, QString> boundsOf(const Arguments& arguments) {
    constexpr std::int64_t kFewestBytes = 1 << 20;
    trace::RecordingBounds bounds;
    for (const char* option : {"keep", "max-bytes"})
        if (arguments.has(option) && !arguments.has("record"))
            return std::unexpected(tr("--%1 bounds a recording: it needs --record FILE").arg(QLatin1String(option)));
    if (const auto text = arguments.value("keep")) {
        const auto keep = durationOf("keep", *text, 1s);
        if (!keep) return std::unexpected(keep.error());
        bounds.keep = *keep;
    }
    if (const auto text = arguments.value("max-bytes")) {
        const auto bytes = bytesIn(*text);
        if (!bytes || *bytes < kFewestBytes)
            return std::unexpected(tr("--max-bytes: “%1” is no size such as 200M; 1M at least").arg(*text));
        bounds.mostBytes = *bytes;
    }
    return bounds;
}

std::expected<WatchPlan, QString> planOf(const Arguments& arguments) {
    WatchPlan plan;
    plan.once = arguments.has("once");
    plan.json = arguments.has("json");
    plan.renewals = arguments.has("renewals");
    plan.fail = arguments.has("fail");
    plan.headings = arguments.places().size() > 1;
    plan.match = arguments.value("match");
    if (plan.match && plan.match->trimmed().isEmpty())
        return std::unexpected(tr("--match: name a lock or a pattern, or leave it out to watch every lock"));
    plan.ignore = arguments.value("ignore");
    plan.strings = arguments.value("string");
    for (const QString& text : arguments.values("alert")) {
        const auto rule = inspect::parseAlertRule(text);
        if (!rule) return std::unexpected(rule.error());
        plan.alerts.push_back(*rule);
    }
    for (const QString& text : arguments.values("same-client")) {
        const auto rule = inspect::parseClientRule(text);
        if (!rule) return std::unexpected(rule.error());
        plan.sameClient.push_back(*rule);
    }
    if (auto bounds = boundsOf(arguments))
        plan.bounds = *bounds;
    else
        return std::unexpected(bounds.error());
    plan.record = arguments.value("record").value_or(QString());
    if (!plan.record.isEmpty() && plan.once)
        return std::unexpected(tr("--record needs a watch that goes on: leave --once out"));
    if (plan.fail && plan.alerts.empty()) return std::unexpected(tr("--fail needs an --alert to fail for"));
    if (const auto text = arguments.value("interval")) {
        const auto interval = durationOf("interval", *text, 50ms);
        if (!interval) return std::unexpected(interval.error());
        plan.interval = *interval;
    }
    return plan;
}

} // namespace

int watch(const QStringList& words) {
    const auto arguments = Arguments::parse(words,
                                            {{QStringLiteral("once"), false},
                                             {QStringLiteral("json"), false},
                                             {QStringLiteral("renewals"), false},
                                             {QStringLiteral("fail"), false},
                                             {QStringLiteral("match")},
                                             {QStringLiteral("ignore")},
                                             {QStringLiteral("string")},
                                             {QStringLiteral("interval")},
                                             {QStringLiteral("metrics")},
                                             {QStringLiteral("record")},
                                             {QStringLiteral("keep")},
                                             {QStringLiteral("max-bytes")},
                                             {QStringLiteral("same-client"), true, true},
                                             {QStringLiteral("alert"), true, true}},
                                            {QStringLiteral("URL…")});
    if (!arguments) return misused("watch", arguments.error());
    const auto plan = planOf(*arguments);
    if (!plan) return misused("watch", plan.error());
    std::vector<ConnectionUrl> urls;
    for (const QString& place : arguments->places()) {
        const auto url = watchedUrl(withAskedPassword(place));
        if (!url) return misused("watch", url.error());
        urls.push_back(*url);
    }
    std::optional<WatchMetrics> metrics;
    if (const auto text = arguments->value("metrics")) {
        if (plan->once) return misused("watch", tr("--metrics needs a watch that goes on: leave --once out"));
        const auto at = MetricsAddress::parse(*text);
        if (!at) return misused("watch", at.error());
        const auto port = metrics.emplace().listen(*at);
        if (!port) {
            complain(port.error());
            return kUnreachable;
        }
        complain(tr("metrics at http://%1:%2/metrics").arg(at->host.toString()).arg(*port));
    }
    return WatchRun(urls, *plan, metrics ? &*metrics : nullptr).run();
}

} // namespace lockscope::cli
