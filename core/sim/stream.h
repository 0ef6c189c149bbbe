// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/server.h"

namespace lockscope::sim {

/// One direction of a connection between two servers: delivers what was written, in order. While the link is severed
/// it tries again and again, as TCP does. Data leaves the writer's machine even after the writing process died, unless
/// the machine loses its power.
class Stream {
public:
    using Work = Server::Work;
    /// All arguments must outlive the stream. Data given to it is delivered even if the stream is destroyed.
    Stream(Grounds grounds, Server& from, Server& to);

    /// `work` is done at the other end. `lag`: how long it stays on this machine before it leaves. `what`: as in
    /// tellMessage(); nullptr, it is not worth a row.
    void write(Work work, Nanos lag = Nanos(0), const char* what = nullptr);
    /// Nothing more is delivered: the other end has closed the connection.
    void drop();

private:
    struct Unsent {
        Nanos leaves; ///< no sooner than then
        Work work;
        const char* what;
        bool failed = false; ///< a try was told of that came to nothing
    };
    struct State {
        Grounds grounds;
        Server& from;
        Server& to;
        std::deque<Unsent> unsent;
        std::uint64_t crashes;
        bool armed = false;
        bool dropped = false;
        Network::Link* link = nullptr; ///< from the first message on
    };
    struct Wake;
    static void pump(const std::shared_ptr<State>& state);
    static void arm(const std::shared_ptr<State>& state, Nanos at);
    std::shared_ptr<State> m_state;
};

} // namespace lockscope::sim
