// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/call_queue.h"
#include "runtime/reactor.h"
#include "runtime/runtime.h"

#include <QObject>
#include <QTimer>
#include <random>

namespace lockscope {

/// A process in real time, on the Qt event loop of the thread that made it.
class EventLoopRuntime final : public Runtime, private Reactor::Job {
public:
    /// Monotonic and trace time both count from `origin`; clients of one world share it.
    explicit EventLoopRuntime(std::chrono::steady_clock::time_point origin = std::chrono::steady_clock::now());
    ~EventLoopRuntime() override;

    Nanos monotonic() const override { return std::chrono::steady_clock::now() - m_origin; }
    std::int64_t wallMs() const override;
    Nanos traceTimeOf(Nanos monotonic) const override { return monotonic; }
    Nanos traceNow() const override { return monotonic(); }
    using Runtime::random;
    std::uint64_t random() override { return m_random(); }
    TimerId callAt(Nanos monotonic, Callback callback) override;
    void cancelCall(TimerId id) override;
    void post(Callback callback) override;
    Nanos sometime(Nanos earliest, Nanos latest) override;

    /// Sets this client's wall clock: `offset` is added to the machine's.
    void setWallOffset(Nanos offset) { m_wallOffset = offset; }

    /// Resumes this process's coroutines; callbacks of drivers open a Reactor::Pass with it.
    const std::shared_ptr<Reactor>& reactor();

private:
    void wantTurn() override;
    void run() override;
    void arm();
    void fire();

    std::chrono::steady_clock::time_point m_origin;
    std::mt19937_64 m_random;
    Nanos m_wallOffset{};
    std::shared_ptr<Reactor> m_reactor; ///< the reactor of the first thread that uses this object
    bool m_turnWanted = false;
    QObject m_context; ///< receiver of posted calls: destroyed with it, they never run
    QTimer m_timer;    ///< set for the earliest call
    Nanos m_armedFor = kNever;
    CallQueue m_calls;
};

} // namespace lockscope
