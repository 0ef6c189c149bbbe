// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QStringList>
#include <vector>

namespace lockscope::inspect {

struct WatchedServerState;

/// A server in words, as far as it tells of itself.
struct ServerLine {
    QString address = {};
    QString role = {};  ///< "master"; empty: it has none, or nobody knows
    QString state = {}; ///< the rest, or why it is not known; may be empty
    /// The parts that there are, with dots between them.
    QString text() const;
    friend bool operator==(const ServerLine&, const ServerLine&) = default;
};

/// Address, role, slots, run id, replicas and how far they are behind, persistence and eviction of a server of several.
ServerLine lineOf(const WatchedServerState& server);
/// Their texts.
QStringList textsOf(const std::vector<ServerLine>& servers);
/// Several parts of a line, with dots between them; empty ones have none.
QString joinedParts(const QStringList& parts);

} // namespace lockscope::inspect
