// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "client/blocking/history.h"
#include "client/blocking/meter.h"
#include "client/identity_claim.h"
#include "connections/connection.h"
#include "runtime/event_loop_runtime.h"

#include <QThread>
#include <lockscope/qt/connection.h>
#include <set>

namespace lockscope {
class LockManager;
} // namespace lockscope

namespace lockscope::qt {

class LockUse;
class Manager;

/// The part that connections beside one another share.
struct Ground {
    std::vector<std::unique_ptr<blocking::detail::HistoryWriter>> writers; ///< outlive coroutines of the runtime
    EventLoopRuntime runtime;

    /// Refused when connections of another runtime write the history, or have written it.
    std::expected<blocking::detail::HistoryWriter*, LockError> writerOf(const std::shared_ptr<History>& history);
};

/// A connection or a manager, with the identity that it claims: as long as a lock made over it is there, so is the
/// claim.
struct Backing : QObject {
    std::shared_ptr<Ground> ground; ///< outlives what uses it
    std::unique_ptr<IdentityClaim> claim;
    blocking::detail::Meter meter;
    std::set<const LockUse*> uses; ///< the locks over it

    /// Outlives the locks over it.
    EventLoopRuntime& runtime() const { return ground->runtime; }
    /// By the runtime's monotonic clock.
    Nanos now() const { return runtime().monotonic(); }
    /// Adds to the totals, and tells the process's handler.
    void measure(LockMeasure::Kind kind, const QByteArray& lock, Nanos duration = {}) {
        meter.note({kind, {lock.constData(), std::size_t(lock.size())}, duration});
    }

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
};

} // namespace lockscope::qt
