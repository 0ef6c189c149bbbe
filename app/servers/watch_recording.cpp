// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/watch_recording.h"

#include "cli/output.h"
#include "cli/text.h"
#include "inspect/member_nodes.h"
#include "inspect/server_teller.h"
#include "live/live_connection.h"
#include "trace/connection.h"

#include <QFileInfo>
#include <utility>

namespace lockscope::cli {

using trace::EntityKind;
using trace::EventKind;

namespace {

/// As the window names a connection that was given no name.
QByteArray connectionName(const QString& endpoint) {
    const auto url = parseConnectionUrl(endpoint);
    const QString name = url ? live::usualName(*url) : QString();
    return (name.isEmpty() ? endpoint : name).toUtf8();
}

} // namespace

/// One server in the present file.
struct WatchRecording::Server {
    Server(trace::Recorder& to, const QString& endpoint, std::function<bool(const QByteArray&)> forced)
        : recorder(to),
          connection(trace::internConnection(to.trace(), connectionName(endpoint), endpoint.toUtf8())),
          node(to.trace().intern(EntityKind::Node, connectionName(endpoint), connection)),
          observer(to.trace().intern(EntityKind::Client, "lockscope")),
          feed(
              to, node, [this](const inspect::Party& party) { return threadOf(party); }, 30ms),
          copies(
              {to, feed, connection, observer}, [this](const inspect::Party& party) { return threadOf(party); }, 30ms),
          members({to, feed, connection, observer}),
          reports(feed, std::move(forced)),
          teller(to, node) {
        recorder.emit(EventKind::NodeStarted, node);
    }

    trace::EntityId threadOf(const inspect::Party& party) const {
        trace::Trace& trace = recorder.trace();
        return trace.intern(EntityKind::Thread, party.thread.value_or(QByteArray()),
                            trace.intern(EntityKind::Client, party.client, connection));
    }

    void write(const inspect::LockReport& report, const std::vector<inspect::LateRenewal>& late, Nanos silentFor) {
        for (const inspect::LateRenewal& one : late)
            feed.renewalLate(one, report.at);
        if (report.trouble) {
            if (observed)
                recorder.emit(EventKind::ConnectionLost, observer, node, silentFor.count(),
                              recorder.trace().text(report.trouble->message.toUtf8()));
            observed = false;
        } else {
            if (!observed) recorder.emit(EventKind::ConnectionRestored, observer, node);
            observed = true;
            teller.write(report);
        }
        teller.writeEvents(report, observer);
        members.write(report);
        reports.write(report);
        if (!report.trouble)
            for (const inspect::LockRow& row : report.locks)
                members.writeDecider(row);
        copies.write(report);
    }

    trace::Recorder& recorder;
    trace::EntityId connection, node, observer;
    inspect::TraceFeed feed;
    inspect::CopyFeeds copies;
    inspect::MemberNodes members;
    inspect::ReportFeed reports;
    inspect::ServerTeller teller;
    bool observed = true;
};

WatchRecording::WatchRecording(Runtime& runtime, QString path, const trace::RecordingBounds& bounds)
    : m_runtime(runtime), m_path(std::move(path)), m_bounds(bounds) {
}

WatchRecording::~WatchRecording() = default;

std::expected<std::unique_ptr<WatchRecording>, QString> WatchRecording::start(Runtime& runtime, const QString& path,
                                                                              const trace::RecordingBounds& bounds) {
    std::unique_ptr<WatchRecording> recording(new WatchRecording(runtime, path, bounds)); // the constructor is private
    // The recording of a watch that ended, and was started again, is kept until the place is needed.
    if (const QFileInfo former(path); former.isFile() && former.size() > 0)
        if (auto room = trace::makeRoomFor(path); !room) return std::unexpected(room.error());
    if (const auto begun = recording->begin(); !begun) return std::unexpected(begun.error());
    return recording;
}

std::expected<void, QString> WatchRecording::begin() {
    m_servers.clear();
    m_origin = m_runtime.monotonic();
    m_trace = std::make_shared<trace::Trace>();
    m_trace->setOriginWallMs(m_runtime.wallMs());
    m_recorder = std::make_unique<trace::Recorder>(m_trace, [this] { return m_runtime.monotonic() - m_origin; });
    trace::RecordingMeta meta;
    meta.origin = QStringLiteral("lockscope watch");
    auto started = trace::ForgetfulRecording::start(
        m_path, m_trace, meta, [](const trace::RecordingError& error) { complain(error.message); });
    if (!started) return std::unexpected(started.error().message);
    m_recording = std::move(*started);
    return {};
}

WatchRecording::Server& WatchRecording::serverAt(const QString& endpoint,
                                                 const std::function<bool(const QByteArray&)>& forced) {
    auto& server = m_servers[endpoint];
    if (!server) server = std::make_unique<Server>(*m_recorder, endpoint, forced);
    return *server;
}

void WatchRecording::seen(const QString& endpoint, const inspect::LockReport& report,
                          const std::vector<inspect::LateRenewal>& late, Nanos silentFor,
                          const std::function<bool(const QByteArray&)>& forced) {
    if (m_recording && m_isHalfFull(m_path, m_runtime.monotonic() - m_origin, m_bounds)) {
        if (const auto done = finish(); !done) complain(done.error());
        if (const auto room = trace::makeRoomFor(m_path); !room) complain(room.error());
    }
    if (!m_recording) {
        const auto begun = begin();
        if (!begun && !std::exchange(m_failed, true)) complain(begun.error());
        if (!begun) return;
        m_failed = false;
    }
    serverAt(endpoint, forced).write(report, late, silentFor);
    m_trace->reach(m_runtime.monotonic() - m_origin);
}

std::expected<void, QString> WatchRecording::finish() {
    if (!m_recording) return {};
    m_trace->reach(m_runtime.monotonic() - m_origin);
    const auto done = std::exchange(m_recording, nullptr)->finish();
    if (!done) return std::unexpected(done.error().message);
    return {};
}

} // namespace lockscope::cli
