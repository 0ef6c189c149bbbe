// SPDX-License-Identifier: Apache-2.0
#include "inspect/kept_by.h"

#include <algorithm>

namespace lockscope::inspect {

KeptBy keptBy(const QByteArray& format) {
    // ZooKeeper's are made of ephemeral nodes (zookeeper/formats/), those of databases lie in a session's memory.
    static constexpr const char* kSession[] = {
        "curator-mutex",   "curator-rw",    "curator-latch", "curator-semaphore",  "kazoo",     "kazoo-rw",
        "kazoo-semaphore", "go-zookeeper",  "menagerie",     "menagerie-rw",       "zk-recipe", "zk-page",
        "zk-ephemeral",    "zk-sequential", "get-lock",      "mariadb-lock-tables"};
    static constexpr const char* kTransaction[] = {
        "pg-row", "pg-table", "pg-transaction", "innodb-row", "innodb-transaction", "mariadb-table", "qrtz_locks"};
    const auto is = [&](const char* each) { return format == each; };
    // Several libraries' nodes at one path are each ephemeral.
    if (std::ranges::any_of(kSession, is) || format.startsWith("mixed (")) return KeptBy::Session;
    if (format == "pg-advisory") return KeptBy::Either;
    if (std::ranges::any_of(kTransaction, is)) return KeptBy::Transaction;
    return KeptBy::NotTold;
}

} // namespace lockscope::inspect
