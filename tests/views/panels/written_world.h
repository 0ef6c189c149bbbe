// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "fake_session.h"
#include "models/view_context.h"

namespace lockscope::views::testing {

/// A world whose trace a test writes in few words, and the context of the views that look at it.
struct WrittenWorld {
    FakeSession session;
    ViewContext context;

    trace::Trace& trace() { return session.writable(); }
    /// The client's first thread.
    trace::EntityId thread(const QByteArray& client) {
        return trace().intern(trace::EntityKind::Thread, "1", trace().intern(trace::EntityKind::Client, client));
    }
    trace::EntityId lock(const QByteArray& name) { return trace().intern(trace::EntityKind::Lock, name); }
    void add(Nanos at, trace::EventKind kind, trace::EntityId actor, trace::EntityId subject = 0,
             std::int64_t value = 0, std::uint32_t aux = 0) {
        trace().append({at.count(), value, actor, subject, aux, kind});
    }
    /// Waits for as long as it takes.
    void asks(Nanos at, trace::EntityId thread, trace::EntityId lock) {
        add(at, trace::EventKind::Requested, thread, lock, -1);
    }
    void isGranted(Nanos at, trace::EntityId thread, trace::EntityId lock) {
        add(at, trace::EventKind::Granted, thread, lock, 0, 1);
    }
};

} // namespace lockscope::views::testing
