// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/client.h>
#include <lockscope/manager.h>

namespace lockscope {
struct ManagerConfig;
}

namespace lockscope::blocking::detail {

/// Opens private parts of the public classes to the library's own code and its tests.
struct Access {
    /// The service thread that keeps the client's locks.
    static const std::shared_ptr<Service>& service(const Client& client) { return client.m_service; }
    static const std::shared_ptr<Service>& service(const Manager& manager) { return manager.m_service; }
    /// The client's number among the clients of its service thread, from 0.
    static int number(const Client& client) { return client.m_number; }
    /// The trace that a history is written into; nullptr without a history.
    static std::shared_ptr<trace::Trace> trace(const std::shared_ptr<History>& history) {
        return history ? history->m_trace : nullptr;
    }
    /// Whether a client writes the history, or has written it.
    static std::atomic<bool>& claimed(History& history) { return history.m_claimed; }
    /// A history that is written into that trace.
    static std::shared_ptr<History> history(std::shared_ptr<trace::Trace> trace) {
        return std::shared_ptr<History>(new History(std::move(trace)));
    }
    /// As Manager's constructor and Manager::reload(), for a configuration that was not read from JSON.
    static Manager manager(const ManagerConfig& config, const ManagerOptions& options = {});
    static void reload(Manager& manager, const ManagerConfig& config);
};

} // namespace lockscope::blocking::detail
