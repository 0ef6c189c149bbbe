// SPDX-License-Identifier: Apache-2.0
// One process of those that fight for the locks, started, stopped and killed by `torture`.
//
//   torture_worker --url U --client ID --recipe R --journal FILE --counters FOLDER --origin NS --until NS --lease MS
//                  --threads N --seed N [--bounded] [--heedless] [--blocking | --look | --sabotage]
//
// --bounded: nobody asks for a lock without a limit to its wait. --heedless: nobody looks at its own clock.
// --blocking: its threads are the system's, and block. Otherwise they take turns on an event loop.
// --look: takes every lock once, to see that none was left behind, and ends with 0 when it got all.
// --sabotage: takes none, and frees by force what others hold.
#include "blocking_worker.h"
#include "connections.h"
#include "event_loop_worker.h"
#include "runtime/event_loop_runtime.h"

#include <QCoreApplication>
#include <cstdio>

using namespace lockscope;
using namespace lockscope::torture;

namespace {

int liveOnEventLoop(Fighter& fighter, std::chrono::steady_clock::time_point origin) {
    EventLoopRuntime runtime{origin};
    EventLoopWorker worker(runtime, fighter);
    runtime.spawn([&worker] { return worker.live(); });
    const int status = QCoreApplication::exec();
    runtime.kill();
    return status;
}

int fail(const QString& message) {
    std::fprintf(stderr, "torture_worker: %s\n", qPrintable(message));
    return 1;
}

} // namespace

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const auto task = readTask(application);
    if (!task) return fail(task.error());
    Fighter fighter(*task);
    if (!fighter.journal().valid()) return fail(QStringLiteral("%1 cannot be written").arg(task->journal));
    const std::chrono::steady_clock::time_point origin(task->origin);
    noteConnections(fighter.journal(), origin);
    try {
        return task->blocking ? liveBlocking(fighter) : liveOnEventLoop(fighter, origin);
    } catch (const std::exception& defect) {
        return fail(QString::fromUtf8(defect.what()));
    }
}
