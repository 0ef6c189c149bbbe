// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "client/identity_claim.h"
#include "connections/connection.h"
#include "runtime/event_loop_runtime.h"

#include <QThread>
#include <lockscope/qt/connection.h>

namespace lockscope {
class LockGuard;
class LockManager;
} // namespace lockscope

namespace lockscope::qt {

class Hold;
class Manager;

/// A connection or a manager, with the identity that it claims: as long as a lock made over it is there, so is the
/// claim. Connections beside one another share the runtime, and nothing else.
struct Backing : QObject {
    std::shared_ptr<EventLoopRuntime> runtime; ///< outlives what uses it
    std::unique_ptr<IdentityClaim> claim;

    /// One that ends with its last owner.
    template <typename T>
    static std::shared_ptr<T> make() {
        return std::shared_ptr<T>(new T, [](T* backing) {
            backing->claim.reset(); // no lock is left that could take another client's hold for its own
            // The last owner may be a coroutine: it ends in a call of the runtime, which has to come back first.
            if (QThread::currentThread()->loopLevel() > 0 || Reactor::ofThisThread()->passing())
                backing->deleteLater();
            else
                delete backing;
        });
    }
};

struct Connection::Impl final : Backing {
    std::unique_ptr<lockscope::Connection> connection;
};

/// Opens private parts of the public classes to each other.
struct Inside {
    /// The connection that the library works with.
    static lockscope::Connection& connection(const Connection& connection) { return *connection.m_impl->connection; }
    static std::shared_ptr<Backing> backing(const Connection& connection) { return connection.m_impl; }
    static LockManager& manager(const Manager& manager);
    static std::shared_ptr<Backing> backing(const Manager& manager);
    static Hold hold(LockGuard guard);
};

} // namespace lockscope::qt
