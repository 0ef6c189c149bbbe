// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/any_lock.h"
#include "runtime/runtime.h"

namespace lockscope::blocking::detail {

/// Which lock somebody wants.
struct LockWish {
    QByteArray space; ///< a manager's namespace; of clients that share a thread, which one's (its number), empty: 0
    QByteArray name;
    recipes::Mode mode = recipes::Mode::Exclusive; ///< what it must offer
    LockOptions options = {};                      ///< a manager's namespace has its own
    int permits = 1;
    struct Part {
        int server = 0; ///< number of its client
        QByteArray name;
        QByteArray recipe;
    };
    std::vector<Part> parts = {}; ///< of several locks as one
};

/// Where the locks of a service come from, one server or several with a manager. Lives on the service's thread, as what
/// it makes does.
class LockSource {
public:
    template <typename T>
    using Outcome = recipes::Outcome<T>;
    struct Made {
        std::unique_ptr<AnyLock> lock;
        QByteArray kind; ///< two locks of a name and a kind are the same one
    };

    virtual ~LockSource() = default;
    virtual QByteArray identity() const = 0;
    /// What is known of that before it is made.
    virtual QByteArray kindOf(const LockWish& wish) const = 0;
    virtual std::expected<Made, LockError> make(const LockWish& wish) = 0;
    /// Of a lock that it has made of such a wish.
    virtual std::unique_ptr<AnyCondition> makeCondition(AnyLock& lock, const QByteArray& space,
                                                        const QByteArray& name) = 0;
    /// What writes the history of its locks; nullptr: nobody does. Of clients that share the thread, the first that has
    /// one.
    virtual trace::Recorder* recorder() = 0;
    /// Says goodbye to the server.
    virtual QCoro::Task<> close() = 0;
};

/// Makes it, on the service's thread; an error when there can be none.
using SourceMaker = std::function<std::expected<std::unique_ptr<LockSource>, LockError>(Runtime&)>;

} // namespace lockscope::blocking::detail
