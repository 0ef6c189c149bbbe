// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/dial.h"
#include "inspect/lock_change.h"
#include "inspect/make_watcher.h"
#include "support/live.h"

namespace lockscope::test {

using inspect::LockChange;
using inspect::LockReport;
using inspect::LockRow;
using inspect::Party;
using inspect::Watcher;

inline std::unique_ptr<Watcher> watcherOf(Runtime& runtime, const QString& url, const QString& match = {}) {
    inspect::WatchOptions options = inspect::watchOptionsOf(urlOf(url));
    if (!match.isEmpty()) options.names = inspect::nameFilterFrom(match, {});
    return *inspect::makeWatcher(runtime, urlOf(url), realDiallers(), std::move(options));
}

inline const LockRow* rowOf(const LockReport& report, const QByteArray& name) {
    for (const LockRow& row : report.locks)
        if (row.name == name) return &row;
    return nullptr;
}

/// The clients of some parties, in order.
inline QByteArrayList clientsOf(const std::vector<Party>& parties) {
    QByteArrayList clients;
    for (const Party& party : parties)
        clients << party.client;
    return clients;
}
inline QByteArrayList waitersOf(const LockRow& row) {
    return row.waiters ? clientsOf(*row.waiters) : QByteArrayList{"not known"};
}

/// A watch that runs until it goes out of scope, and what it has told.
class Watching {
public:
    Watching(Runtime& runtime, const QString& url, const QString& match = {})
        : m_watcher(watcherOf(runtime, url, match)),
          m_task(howCancelled(m_watcher->watch(
              [this](const LockReport& report) {
                  ++reports;
                  if (report.trouble) {
                      ++outages;
                      return;
                  }
                  for (const LockChange& change : changesBetween(m_last, report))
                      happened[change.row.name].push_back(change.what);
                  events.insert(events.end(), report.events.begin(), report.events.end());
                  m_last = report;
              },
              m_stop.get_token()))) {}
    ~Watching() {
        m_stop.request_stop();
        run(std::move(m_task));
    }
    const LockReport& last() const { return m_last; }
    const LockRow* row(const QByteArray& name) const { return rowOf(m_last, name); }
    Watcher& watcher() { return *m_watcher; }
    int reports = 0, outages = 0;
    std::vector<inspect::ServerEvent> events;                     ///< in order
    std::map<QByteArray, std::vector<LockChange::What>> happened; ///< in order, by the lock's name

private:
    std::unique_ptr<Watcher> m_watcher;
    std::stop_source m_stop;
    LockReport m_last;
    QCoro::Task<std::optional<Cancelled::Why>> m_task;
};

} // namespace lockscope::test
