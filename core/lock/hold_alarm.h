// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <memory>

namespace lockscope::detail {

struct Hold;
struct LockCore;

/// Calls a function of LockCore at an instant, if the hold still exists then. An alarm rather than a coroutine: most
/// holds end before any of their alarms rings, and ending a coroutine costs more than taking a lock.
class HoldAlarm final : public Alarm {
public:
    using What = void (LockCore::*)(const std::shared_ptr<Hold>&);
    HoldAlarm(Runtime& runtime, std::weak_ptr<LockCore> core, std::weak_ptr<Hold> hold, What what)
        : Alarm(runtime), m_core(std::move(core)), m_hold(std::move(hold)), m_what(what) {}

private:
    void ring() override;
    std::weak_ptr<LockCore> m_core;
    std::weak_ptr<Hold> m_hold;
    What m_what;
};

} // namespace lockscope::detail
