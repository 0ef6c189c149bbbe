// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QByteArray>
#include <QString>
#include <expected>

class QCoreApplication;

namespace lockscope::torture {

/// A worker's task.
struct WorkerTask {
    QString url, journal, counters;
    QByteArray client, recipe;
    Nanos origin{}; ///< of the common clock, on std::chrono::steady_clock
    Nanos until{}, lease{};
    int threads = 3;
    std::uint64_t seed = 1;
    bool bounded = false;  ///< nobody asks for a lock without a limit to its wait
    bool heedless = false; ///< nobody looks at its own clock
    bool blocking = false; ///< threads of the system, which block, and not those of an event loop
    bool look = false, sabotage = false;

    Nanos now() const { return std::chrono::steady_clock::now().time_since_epoch() - origin; }
};

/// Reads the task from the command line; an error sentence when there is no such recipe.
std::expected<WorkerTask, QString> readTask(const QCoreApplication& application);

} // namespace lockscope::torture
