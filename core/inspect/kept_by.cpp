// SPDX-License-Identifier: Apache-2.0
#include "inspect/kept_by.h"

#include "inspect/format_names.h"

#include <algorithm>
#include <span>

namespace lockscope::inspect {

namespace {
/// Locks of a database that nothing but their session's end takes away.
constexpr const char* kOfDatabaseSessions[] = {kAdvisoryLockFormat, kNamedLockFormat, kLockTablesFormat};

bool isOneOf(std::span<const char* const> formats, const QByteArray& format) {
    return std::ranges::any_of(formats, [&](const char* each) { return format == each; });
}
} // namespace

KeptBy keptBy(const QByteArray& format) {
    // ZooKeeper's are made of ephemeral nodes (zookeeper/formats/), those of databases lie in a session's memory.
    static constexpr const char* kSession[] = {"curator-mutex", "curator-rw",   "curator-latch",   "curator-semaphore",
                                               "kazoo",         "kazoo-rw",     "kazoo-semaphore", "go-zookeeper",
                                               "menagerie",     "menagerie-rw", "zk-recipe",       "zk-page",
                                               "zk-ephemeral",  "zk-sequential"};
    static constexpr const char* kTransaction[] = {
        "pg-row", "pg-table", "pg-transaction", "innodb-row", "innodb-transaction", "mariadb-table", kQuartzFormat};
    // Several libraries' nodes at one path are each ephemeral.
    if (isOneOf(kSession, format) || format.startsWith("mixed (")) return KeptBy::Session;
    if (isOneOf(kTransaction, format)) return KeptBy::Transaction;
    if (format == kAdvisoryLockFormat) return KeptBy::Either;
    return isOneOf(kOfDatabaseSessions, format) ? KeptBy::Session : KeptBy::NotTold;
}

EndsWith endsWith(const QByteArray& format) {
    if (isOneOf(kOfDatabaseSessions, format)) return EndsWith::Session;
    return keptBy(format) == KeptBy::Transaction ? EndsWith::Transaction : EndsWith::Nothing;
}

} // namespace lockscope::inspect
