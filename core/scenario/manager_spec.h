// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/duration.h"

#include <QString>
#include <QStringList>
#include <array>
#include <lockscope/switch_mode.h>
#include <map>
#include <optional>

namespace lockscope::scenario {

/// A lock manager over a scenario's servers: on which of them the locks are kept changes while it runs.
struct ManagerSpec {
    /// nullopt: naive, without a manager. Clients use the engine that they were told of last, and holders go on.
    std::optional<SwitchMode> mode = SwitchMode::Drain;
    /// The primary first: two or three. Each is a whole service by its id, or one server of a service of the shape
    /// masters by its own.
    QStringList engines;
    QStringList witnesses;                   ///< as engines: these only keep the record of which engine is in use
    std::map<QString, QString> recipes = {}; ///< by engine; of one that is not here: the scenario's
    Nanos drainFor = 4s;                     ///< how long holders may go on after their engine is left
    Nanos confirmFor = 1s;                   ///< how long a client trusts its latest reading of that record
    bool onFailure = false;                  ///< an engine that fails its health checks is left
    bool isNaive() const { return !mode; }
    friend bool operator==(const ManagerSpec&, const ManagerSpec&) = default;
};
/// All that ManagerSpec::mode can be, and the ways that differ most first.
inline constexpr std::array<std::optional<SwitchMode>, 3> kManagerModes{std::nullopt, SwitchMode::Drain,
                                                                        SwitchMode::Immediate};
QByteArray managerModeId(std::optional<SwitchMode> mode); ///< "drain", "immediate", "naive"
/// The one of kManagerModes with that id; nullptr: none has it.
const std::optional<SwitchMode>* findManagerMode(const QString& id);

} // namespace lockscope::scenario
