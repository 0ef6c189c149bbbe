// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/zookeeper/port.h"

namespace lockscope::recipes {

/// Bounds a timed acquisition that waits for an answer: a request in flight ends only with its answer or its
/// connection, and the connection to a hung server lasts long. Stops the holders of its token when the caller stops, or
/// when the time is over and no answer has come for a second. Connecting has its own bounds, also for a single try.
class ZkPatience final : private Alarm {
public:
    /// `giveUpAt` kNever: stops only with the caller.
    ZkPatience(zookeeper::Port& port, Nanos giveUpAt, std::stop_token stop);
    std::stop_token token() const { return m_source.stop_possible() ? m_source.get_token() : m_caller; }
    /// Whether this, and not the caller, stopped them.
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
    Nanos m_since{}; ///< a request sent after this and answered shows that the server is alive
    bool m_connecting = false;
    bool m_over = false;
};

} // namespace lockscope::recipes
