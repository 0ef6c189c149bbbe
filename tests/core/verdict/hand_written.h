// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

#include <QTest>

namespace lockscope::verdict {

/// A trace written by hand: one node, one lock, one resource, clients A, B and C; times in milliseconds.
struct HandWritten {
    using EntityId = trace::EntityId;
    using Kind = trace::EventKind;
    using FreedBy = trace::FreedBy;

    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    EntityId node = trace->intern(trace::EntityKind::Node, "redis-1");
    EntityId lock = trace->intern(trace::EntityKind::Lock, "orders", node);
    EntityId stock = trace->intern(trace::EntityKind::Resource, "stock", lock);
    EntityId clientA = client("A"), clientB = client("B"), clientC = client("C");
    EntityId a = thread(clientA), b = thread(clientB), c = thread(clientC);
    EntityId linkA = link(clientA), linkB = link(clientB);

    EntityId client(const QByteArray& name) { return trace->intern(trace::EntityKind::Client, name); }
    EntityId thread(EntityId of, const QByteArray& name = "1") {
        return trace->intern(trace::EntityKind::Thread, name, of);
    }
    EntityId link(EntityId of) { return trace->intern(trace::EntityKind::Link, {}, of, node); }

    void add(int ms, Kind kind, EntityId actor, EntityId subject = 0, std::int64_t value = 0, std::uint32_t aux = 0,
             std::uint8_t flags = 0) {
        trace->append({ms * 1'000'000LL, value, actor, subject, aux, kind, flags});
    }
    static std::int64_t ns(int ms) { return ms < 0 ? -1 : ms * 1'000'000LL; }

    void started() {
        add(0, Kind::NodeStarted, node);
        for (const EntityId each : {clientA, clientB, clientC})
            add(0, Kind::ClientStarted, each);
    }
    void request(int ms, EntityId thread) { add(ms, Kind::Requested, thread, lock, -1); }
    void held(int ms, EntityId owner, int deadline, std::uint32_t holds = 1) {
        add(ms, Kind::RecordHeld, owner, lock, ns(deadline), holds);
    }
    void renewed(int ms, EntityId owner, int deadline, std::uint32_t holds = 1) {
        add(ms, Kind::RecordRenewed, owner, lock, ns(deadline), holds);
    }
    void freed(int ms, FreedBy how, EntityId actor, EntityId owner) {
        add(ms, Kind::RecordFreed, actor, lock, 0, owner, std::uint8_t(how));
    }
    void granted(int ms, EntityId thread, std::int64_t token = 0, std::uint32_t holds = 1) {
        add(ms, Kind::Granted, thread, lock, token, holds);
    }
    void released(int ms, EntityId thread, std::uint32_t left = 0) { add(ms, Kind::Released, thread, lock, 0, left); }
    void write(int ms, EntityId thread, std::int64_t token = 0) { add(ms, Kind::WriteAccepted, thread, stock, token); }
    /// A whole hand-over: request, record and grant at one time.
    void take(int ms, EntityId thread, int deadline, std::int64_t token = 0) {
        request(ms, thread);
        held(ms, thread, deadline);
        granted(ms, thread, token);
    }
    /// Releases and frees.
    void give(int ms, EntityId thread) {
        add(ms, Kind::ReleaseSent, thread, lock);
        freed(ms, FreedBy::Release, thread, thread);
        released(ms, thread);
    }

    Verdict judge(Bounds bounds = {}, bool finished = false) const {
        Judge judge(trace, bounds);
        judge.consume();
        return judge.verdict(finished);
    }
    /// The violations of one invariant.
    std::vector<Violation> violations(Invariant invariant, Bounds bounds = {}) const {
        std::vector<Violation> found = judge(bounds).violations;
        std::erase_if(found, [&](const Violation& v) { return v.invariant != invariant; });
        return found;
    }
};

inline Nanos ms(int n) {
    return std::chrono::milliseconds(n);
}

} // namespace lockscope::verdict
