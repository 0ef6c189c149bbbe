// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/zookeeper/driver.h"
#include "sandbox/zookeeper_server.h"
#include "support/live.h"

namespace lockscope::test {

/// The event loop for that long.
inline void pass(std::chrono::milliseconds time) {
    QTest::qWait(int(time.count()));
}

template <typename Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit = 10s) {
    return comesTrue(condition, limit);
}

inline zookeeper::DriverOptions sessionOf(Nanos session) {
    zookeeper::DriverOptions options;
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
