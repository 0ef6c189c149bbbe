// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

namespace lockscope {

/// Says where others can wake a waiter, for as long as it waits: `place` is nullptr again afterwards, however the wait
/// ends. The place must outlive it.
class WaitsHere {
public:
    WaitsHere(Waiter*& place, Waiter& waiter) : m_place(place) { m_place = &waiter; }
    ~WaitsHere() { m_place = nullptr; }
    WaitsHere(const WaitsHere&) = delete;
    WaitsHere& operator=(const WaitsHere&) = delete;

private:
    Waiter*& m_place;
};

} // namespace lockscope
