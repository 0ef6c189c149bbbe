// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <functional>

namespace lockscope::sim {

/// Calls a function at an instant of a simulated client's clock: when the process goes on, if it is paused by then.
class CallAlarm final : public Alarm {
public:
    /// `call` may destroy this object.
    CallAlarm(Runtime& runtime, std::function<void()> call) : Alarm(runtime), m_call(std::move(call)) {}

private:
    void ring() override {
        const std::function<void()> call = m_call;
        call();
    }
    std::function<void()> m_call;
};

} // namespace lockscope::sim
