// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/alert_watch.h"
#include "inspect/make_watcher.h"
#include "inspect/report_feed.h"
#include "inspect/trace_feed.h"
#include "trace/recorder.h"
#include "watching.h"

#include <set>

namespace lockscope::test {

/// A watch as Watching, which also keeps the servers' events, and applies an alert.
struct GroupWatch {
    GroupWatch(Runtime& runtime, const QString& url, inspect::WatchOptions options = {})
        : recorder(trace, [&runtime] { return runtime.monotonic(); }),
          watcher(*inspect::makeWatcher(runtime, urlOf(url), realDiallers(), std::move(options))),
          task(howCancelled(watcher->watch(
              [this](const LockReport& report) {
                  for (inspect::LateRenewal& one : alerts.observe(report))
                      late.push_back(std::move(one));
                  toTrace.write(report);
                  if (report.trouble) {
                      ++outages;
                      return;
                  }
                  events.insert(events.end(), report.events.begin(), report.events.end());
                  inParts = report.lookedAgain.has_value();
                  if (inParts) again.insert(report.lookedAgain->begin(), report.lookedAgain->end());
                  for (const LockChange& change : changesBetween(last, report)) {
                      happened[change.row.name].push_back(change.what);
                      if (inParts && change.what != LockChange::What::Renewed &&
                          !std::ranges::binary_search(*report.lookedAgain, change.row.name))
                          untold = change.row.name;
                  }
                  last = report;
              },
              stop.get_token()))) {}
    ~GroupWatch() {
        stop.request_stop();
        run(std::move(task));
    }
    const LockRow* row(const QByteArray& name) const { return rowOf(last, name); }
    bool saw(const QByteArray& name, LockChange::What what) const {
        const auto all = happened.find(name);
        return all != happened.end() && std::ranges::find(all->second, what) != all->second.end();
    }
    /// The number of rows of that kind in the trace.
    int told(trace::EventKind kind) const {
        int count = 0;
        for (std::size_t i = 0; i < trace->size(); ++i)
            count += trace->at(i).kind == kind;
        return count;
    }
    int outages = 0;
    bool inParts = false;       ///< the last report says which locks were looked at again
    std::set<QByteArray> again; ///< those
    QByteArray untold;          ///< a lock that has changed without its report having said so
    std::vector<inspect::ServerEvent> events;
    std::map<QByteArray, std::vector<LockChange::What>> happened;
    std::vector<inspect::LateRenewal> late;
    inspect::AlertWatch alerts{{*inspect::parseAlertRule(QStringLiteral("failed-over"))}};
    LockReport last;
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    trace::Recorder recorder;
    inspect::TraceFeed feed{
        recorder, trace->intern(trace::EntityKind::Node, "redis"),
        [this](const Party& party) { return trace->intern(trace::EntityKind::Client, party.client); },
        1s}; ///< a key that moves to another server is on its way for a moment
    inspect::ReportFeed toTrace{feed};
    std::stop_source stop;
    std::unique_ptr<Watcher> watcher;
    QCoro::Task<std::optional<Cancelled::Why>> task;
};

} // namespace lockscope::test
