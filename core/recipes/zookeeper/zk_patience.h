// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/zookeeper/port.h"

namespace lockscope::recipes {

/// The end of a timed acquisition that waits for an answer: a request in flight ends only with its answer or its
/// connection, and the connection to a server that hangs lasts long. Stops what has its token with the caller, or when
/// the time is over and nothing has been answered since for a second; connecting, for those who only try as well, has
/// its own bounds.
class ZkPatience final : private Alarm {
public:
    /// `giveUpAt` kNever: only with the caller.
    ZkPatience(zookeeper::Port& port, Nanos giveUpAt, std::stop_token stop);
    std::stop_token token() const { return m_source.stop_possible() ? m_source.get_token() : m_caller; }
    /// It was this, and not the caller, that stopped them.
    bool over() const { return m_over && !m_caller.stop_requested(); }

private:
    struct Forward {
        std::stop_source source;
        void operator()() const { source.request_stop(); }
    };
    void ring() override;
    zookeeper::Port& m_port;
    std::stop_token m_caller;
    std::stop_source m_source{std::nostopstate};
    std::optional<std::stop_callback<Forward>> m_forward;
    Nanos m_since{}; ///< what is sent from then on and answered shows that the server goes on
    bool m_connecting = false;
    bool m_over = false;
};

/// Ends a coroutine that catches Cancelled in order to tidy up: `co_await`s can not stand in a handler.
struct ZkInterruption {
    bool stopped = false;
    /// To be called in the handler.
    void caught(const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw cancelled;
        stopped = true;
    }
    void goOn() const {
        if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    }
};

} // namespace lockscope::recipes
