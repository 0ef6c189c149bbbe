// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"

namespace lockscope::recipes {

/// The independent masters of a Redlock, and the lifetime of requests in flight to them: a late answer is put right in
/// the background while this is open. Single-threaded, as its ports are.
class RedlockNodes {
public:
    /// Precondition: at least one port; all share one runtime and outlive this object, or its close().
    explicit RedlockNodes(std::vector<redis::Port*> ports) : m_ports(std::move(ports)) {
        Q_ASSERT(!m_ports.empty());
        Q_ASSERT(std::ranges::all_of(m_ports, [this](redis::Port* port) { return &port->runtime() == &runtime(); }));
    }
    ~RedlockNodes() { close(); }
    RedlockNodes(const RedlockNodes&) = delete;
    RedlockNodes& operator=(const RedlockNodes&) = delete;

    /// The runtime of all nodes; the number of nodes.
    Runtime& runtime() const { return m_ports.front()->runtime(); }
    std::size_t count() const { return m_ports.size(); }
    /// More than half of the nodes.
    std::size_t quorum() const { return m_ports.size() / 2 + 1; }
    redis::Port& at(std::size_t node) const { return *m_ports[node]; }

    /// Ends requests in flight; the ports are not used any more.
    void close() { m_closing.request_stop(); }
    std::stop_token closing() const { return m_closing.get_token(); }

private:
    std::vector<redis::Port*> m_ports;
    std::stop_source m_closing;
};

} // namespace lockscope::recipes
