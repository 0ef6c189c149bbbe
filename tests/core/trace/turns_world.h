// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/connection.h"
#include "trace/recorder.h"

namespace lockscope::trace::tests {

/// A watched server with a lock that two clients take in turns, each for a second with a lease of ten, while the other
/// one waits. Two of them that take equal turns have equal traces.
struct TurnsWorld {
    std::shared_ptr<Trace> trace = std::make_shared<Trace>();
    Nanos now{};
    Recorder recorder{trace, [this] { return now; }};
    EntityId shop = internConnection(*trace, "shop", "redis://redis-1:6379");
    EntityId node = trace->intern(EntityKind::Node, "redis-1", shop);
    EntityId lock = trace->intern(EntityKind::Lock, "orders", node);
    EntityId threads[2] = {thread("A"), thread("B")};
    int turns = 0;

    TurnsWorld() {
        trace->setOriginWallMs(1'700'000'000'000);
        recorder.emit(EventKind::NodeStarted, node);
    }
    EntityId thread(const char* client) {
        return trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, client));
    }
    void turn() {
        const EntityId holder = threads[turns % 2], waiter = threads[(turns + 1) % 2];
        now = Nanos(1s) * ++turns;
        if (turns > 1) recorder.emit(EventKind::RecordFreed, waiter, lock, 0, waiter);
        recorder.emit(EventKind::RecordHeld, holder, lock, (now + 10s).count(), 1);
        recorder.emit(EventKind::RecordUnqueued, holder, lock);
        recorder.emit(EventKind::RecordQueued, waiter, lock, 0);
        recorder.emit(EventKind::RecordWaiters, kNoEntity, lock, 1);
        recorder.emit(EventKind::RecordContent, kNoEntity, lock, 0, trace->text("turn " + QByteArray::number(turns)));
        now += 500ms;
        trace->reach(now);
    }
};

} // namespace lockscope::trace::tests
