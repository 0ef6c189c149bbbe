// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/any_lock.h"
#include "runtime/runtime.h"

namespace lockscope::blocking::detail {

/// The lock that a caller asks for.
struct LockWish {
    /// A manager's namespace; among clients that share a thread, the client's number as text (empty: 0).
    QByteArray space;
    QByteArray name;
    recipes::Mode mode = recipes::Mode::Exclusive; ///< a mode that the recipe must offer
    LockOptions options = {};                      ///< ignored with a manager: its namespace has its own
    int permits = 1;
    struct Part {
        int server = 0; ///< Client::number()
        QByteArray name;
        QByteArray recipe;
    };
    std::vector<Part> parts = {}; ///< a MultiLock's parts; empty for any other lock
};

/// The source of a service's locks: the connections of one or more clients, or a manager. It and its locks live on the
/// service's thread.
class LockSource {
public:
    template <typename T>
    using Outcome = recipes::Outcome<T>;
    struct Made {
        std::unique_ptr<AnyLock> lock;
        QByteArray kind; ///< equal name and equal kind: the same lock
    };

    virtual ~LockSource() = default;
    /// HoldOptions::honourDeadline of the locks that a client makes from now on; false only for tests.
    bool honoursDeadlines = true;
    virtual QByteArray identity() const = 0;
    /// The kind to look up before the lock is made; the made lock's own kind may differ (a recipe's id).
    virtual QByteArray kindOf(const LockWish& wish) const = 0;
    virtual std::expected<Made, LockError> make(const LockWish& wish) = 0;
    /// The condition of a lock that this source made from such a wish.
    virtual std::unique_ptr<AnyCondition> makeCondition(AnyLock& lock, const QByteArray& space,
                                                        const QByteArray& name) = 0;
    /// The recorder of the locks' history; nullptr: none. With several clients on one thread: the first client's that
    /// has one.
    virtual trace::Recorder* recorder() = 0;
    /// Closes the connections to the servers.
    virtual QCoro::Task<> close() = 0;
};

/// Makes the source, on the service's thread; an error when that is not possible.
using SourceMaker = std::function<std::expected<std::unique_ptr<LockSource>, LockError>(Runtime&)>;

} // namespace lockscope::blocking::detail
