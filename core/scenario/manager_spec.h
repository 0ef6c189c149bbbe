// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/duration.h"

#include <QString>
#include <QStringList>
#include <map>

namespace lockscope::scenario {

/// A lock manager over a scenario's servers: on which of them the locks are kept changes while it runs.
struct ManagerSpec {
    enum class Mode : std::uint8_t {
        Drain,     ///< holders may finish; nothing is granted on the new engine before
        Immediate, ///< holders are told of the loss at once
        Naive,     ///< no manager: clients use the engine that they were told of last, and holders go on
    };
    Mode mode = Mode::Drain;
    /// The primary first: two or three. Each is a whole service by its id, or one server of a service of the shape
    /// masters by its own.
    QStringList engines;
    QStringList witnesses;                   ///< as engines: these only keep the record of which engine is in use
    std::map<QString, QString> recipes = {}; ///< by engine; of one that is not here: the scenario's
    Nanos drainFor = 4s;                     ///< how long holders may go on after their engine is left
    Nanos confirmFor = 1s;                   ///< how long a client trusts its latest reading of that record
    bool onFailure = false;                  ///< an engine that fails its health checks is left
    friend bool operator==(const ManagerSpec&, const ManagerSpec&) = default;
};
QByteArray managerModeId(ManagerSpec::Mode mode); ///< "drain", "immediate", "naive"

} // namespace lockscope::scenario
