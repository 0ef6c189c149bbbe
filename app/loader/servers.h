// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "scenario/scenario.h"
#include "session/connection_desk.h"

#include <QStringList>
#include <expected>
#include <functional>
#include <memory>
#include <vector>

namespace lockscope::servers {

/// The functions that work on running servers. They are in their own library (app/servers): the drivers need two dozen
/// other libraries, which take longer to load than the window takes to open. Simulations and recordings need none.
///
/// Program and library are built together from the same sources. The library has its own hidden copy of the code that
/// both need; only the types named here pass between them.
struct Servers {
    /// A session on the servers that these connections lead to, at least one; `workload` is what clients of our own
    /// will do there. Returns at once. The error says what is wrong with an address.
    std::expected<std::unique_ptr<session::Session>, QString> (*open)(
        const std::vector<session::ConnectionWish>& connections, scenario::Scenario workload);
    /// Empty = a server at this address can be looked at; otherwise what is wrong with the address.
    QString (*complaintAbout)(const QString& url);
    /// Tries the address once and calls `done` on this thread with what came of it, as long as the returned object
    /// lives. `good`: its locks can be read. Precondition: complaintAbout(url) is empty.
    std::unique_ptr<QObject> (*tryConnection)(const QString& url,
                                              std::function<void(bool good, const QString& sentence)> done);
    /// The commands `lock`, `watch` and `manager`: they take the words after their name and return the exit status.
    /// `command`: the words behind "--", byte by byte: they need not be text.
    int (*lock)(const QStringList& words, const std::vector<QByteArray>& command);
    int (*watch)(const QStringList& words);
    int (*manager)(const QStringList& words);
};

/// Loads the library when first asked (some 10 ms) and keeps it until the program ends. Errors: a sentence that names
/// the file that is missing or does not fit. Call it on the main thread.
std::expected<const Servers*, QString> load();

} // namespace lockscope::servers
