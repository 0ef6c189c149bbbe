// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <memory>

namespace lockscope::detail {

struct Hold;
struct LockCore;

/// When something is to be done about a hold, if it is still there then. An alarm and no coroutine: most holds end
/// before any of theirs, and to end a coroutine costs more than to take a lock.
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
