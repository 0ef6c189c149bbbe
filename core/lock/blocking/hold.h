// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lockscope::blocking {

namespace detail {
class Handle;
class Service;
struct Entry;
struct GuardBox;
} // namespace detail

/// One hold of a lock, or some permits of a semaphore, that belong to this object and not to a thread: any thread may
/// give it back, when this goes or sooner by release(). Movable; empty when nothing was taken. It may outlive the lock
/// object that it came from. One object is not for several threads at once.
class [[nodiscard]] Hold {
public:
    Hold() = default;
    Hold(Hold&&) noexcept = default;
    /// What this one held before is given back, as by its destructor.
    Hold& operator=(Hold&& other) noexcept;
    /// release(); what goes wrong is told to the handler of onWarning().
    ~Hold();

    /// True from its grant until release(): also when it was lost meanwhile.
    explicit operator bool() const { return m_box != nullptr; }
    /// False once lost or past the own deadline; looks at the clock, not at the server.
    bool stillMine() const;
    /// What is left by the own clock, unless it is renewed; 0 when empty, or lost, kNever when nothing ends it. Does
    /// not ask the server.
    Nanos remaining() const;
    /// The fencing token, to send with each write; 0 = none, as of permits, of a MultiLock and of an empty one.
    std::int64_t token() const;
    /// Of a MultiLock: the tokens of its parts, in their order; of others the one that token() is. Asks the service
    /// thread. Empty of an empty one.
    std::vector<std::int64_t> tokens() const;
    /// Gives it back. Throws NotOwnerException when it was lost. This is empty afterwards.
    void release();

private:
    friend class detail::Handle;
    std::shared_ptr<detail::Entry> m_entry; ///< goes last: what the lock object is gone from still gives back
    std::shared_ptr<detail::Service> m_service;
    std::shared_ptr<detail::GuardBox> m_box;
};

} // namespace lockscope::blocking
