// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/zookeeper/driver.h"
#include "sandbox/zookeeper_server.h"
#include "support/live.h"

#include <QDir>
#include <QFile>

namespace lockscope::test {

/// The event loop for that long.
inline void pass(std::chrono::milliseconds time) {
    QTest::qWait(int(time.count()));
}

template <typename Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit = 10s) {
    return comesTrue(condition, limit);
}

/// Stops a server and returns when each of its threads stands still: a signal reaches them one after the other.
inline void pauseWholly(sandbox::ZooKeeperServer& server) {
    server.pause();
    const QString tasks = QStringLiteral("/proc/%1/task").arg(server.process().pid());
    const auto still = [&] {
        const QStringList threads = QDir(tasks).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        return std::ranges::all_of(threads, [&](const QString& thread) {
            QFile file(tasks + u'/' + thread + QStringLiteral("/stat"));
            if (!file.open(QIODevice::ReadOnly)) return true; // it has ended
            const QByteArray line = file.readAll();
            return line.mid(line.lastIndexOf(')') + 2, 1) == "T";
        });
    };
    QVERIFY(eventually(still));
}

inline zookeeper::DriverOptions sessionOf(Nanos session) {
    zookeeper::DriverOptions options;
    options.session = session;
    return options;
}

/// The options that a URL has, and a session of that length.
inline zookeeper::DriverOptions optionsOf(const QString& url, Nanos session) {
    zookeeper::DriverOptions options = zookeeper::urlOptions(urlOf(url)).value().driver;
    options.session = session;
    return options;
}

/// The names of a node's children, sorted; a missing node has none.
inline std::vector<QByteArray> childrenOf(zookeeper::Port& port, const QByteArray& path) {
    auto list = run(port.children(path));
    if (!list) return {};
    std::ranges::sort(list->names);
    return list->names;
}

} // namespace lockscope::test
