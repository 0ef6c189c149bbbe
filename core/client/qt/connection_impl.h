// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "client/identity_claim.h"
#include "connections/connection.h"
#include "runtime/event_loop_runtime.h"

#include <lockscope/qt/connection.h>

namespace lockscope {
class LockGuard;
}

namespace lockscope::qt {

class Hold;

/// Connections that share a runtime. They end together: coroutines of one may still run while another is used.
struct Together {
    EventLoopRuntime runtime;
    std::vector<std::unique_ptr<lockscope::Connection>> connections;
};

struct Connection::Impl : QObject {
    std::shared_ptr<Together> together;
    lockscope::Connection* connection = nullptr; ///< one of them
    std::unique_ptr<IdentityClaim> claim;
};

/// Opens private parts of the public classes to the locks.
struct Inside {
    /// The connection that the library works with.
    static lockscope::Connection& connection(const Connection& connection) { return *connection.m_impl->connection; }
    static Hold hold(LockGuard guard);
};

} // namespace lockscope::qt
