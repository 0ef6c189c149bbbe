// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "scenario/scenario.h"
#include "session/session.h"

#include <QStringList>
#include <expected>
#include <memory>
#include <vector>

namespace lockscope::servers {

/// What works on running servers. It stands in a library of its own (app/servers), because the drivers bring two dozen
/// libraries along whose loading would take longer than opening the window: simulations and recordings need none of it.
///
/// Both sides are built together from the same sources; the library keeps its own copy of what both need, unseen from
/// outside, and what passes between them are the types that are named here.
struct Servers {
    /// A session on the server that `url` names; `workload` is what clients of our own will do there. Returns at once.
    /// The error says what is wrong with the address.
    std::expected<std::unique_ptr<session::Session>, QString> (*open)(const QString& url, bool changesAllowed,
                                                                      scenario::Scenario workload);
    /// Empty = a server at this address can be looked at; otherwise what is wrong with the address.
    QString (*complaintAbout)(const QString& url);
    /// The commands `lock` and `watch`: they take the words after their name and return the exit status. `command` is
    /// what stands behind "--", byte by byte: it need not be text.
    int (*lock)(const QStringList& words, const std::vector<QByteArray>& command);
    int (*watch)(const QStringList& words);
};

/// Loads the library when first asked (some 10 ms) and keeps it until the program ends. Errors: a sentence that names
/// the file that is missing or does not fit. Call it on the main thread.
std::expected<const Servers*, QString> load();

} // namespace lockscope::servers
