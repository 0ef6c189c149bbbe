// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/port.h"

namespace lockscope::recipes {

/// The independent masters that a Redlock asks, and the life of what is still under way to them: an answer that comes
/// late is put right in the background, as long as this is open. Single-threaded, as its ports are.
class RedlockNodes {
public:
    /// Precondition: at least one, all of one runtime, and all outlive this or its close().
    explicit RedlockNodes(std::vector<redis::Port*> ports) : m_ports(std::move(ports)) { Q_ASSERT(!m_ports.empty()); }
    ~RedlockNodes() { close(); }
    RedlockNodes(const RedlockNodes&) = delete;
    RedlockNodes& operator=(const RedlockNodes&) = delete;

    /// That of all nodes; how many there are.
    Runtime& runtime() const { return m_ports.front()->runtime(); }
    std::size_t count() const { return m_ports.size(); }
    /// More than half.
    std::size_t quorum() const { return m_ports.size() / 2 + 1; }
    redis::Port& at(std::size_t node) const { return *m_ports[node]; }

    /// Ends what is under way; the ports are not touched any more.
    void close() { m_closing.request_stop(); }
    std::stop_token closing() const { return m_closing.get_token(); }

private:
    std::vector<redis::Port*> m_ports;
    std::stop_source m_closing;
};

} // namespace lockscope::recipes
