// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/signal_count.h"

namespace lockscope {

/// The right to use something alone: a wake-up of a SignalCount that was released once for it. Make it after the
/// wake-up was taken; the destructor passes it on to the next waiter.
class Turn {
public:
    explicit Turn(SignalCount& owner) : m_owner(owner) {}
    ~Turn() { m_owner.release(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    SignalCount& m_owner;
};

} // namespace lockscope
