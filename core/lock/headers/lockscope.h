// SPDX-License-Identifier: Apache-2.0
// Distributed locks for programs that run on a Qt event loop, as coroutines. For threads that block:
// <lockscope/blocking.h>; for backends that change while locks are in use: <lockscope/manager.h>.
#pragma once

// Qt defines its keywords as macros unless QT_NO_KEYWORDS is set: they are hidden for these headers, then restored.
#include <QObject>
#pragma push_macro("emit")
#pragma push_macro("signals")
#pragma push_macro("slots")
#undef emit
#undef signals
#undef slots

// clang-format off
#include "lock/connect.h"
#include "lock/distributed_condition.h"
#include "lock/distributed_multi_lock.h"
#include "lock/distributed_mutex.h"
#include "lock/warning.h"
#include "runtime/event_loop_runtime.h"
// clang-format on

#pragma pop_macro("slots")
#pragma pop_macro("signals")
#pragma pop_macro("emit")
