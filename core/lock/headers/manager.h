// SPDX-License-Identifier: Apache-2.0
// Locks whose backend can change while they are in use: by hand, by a new configuration, or when it fails.
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
#include "lock/manager/lock_manager.h"
#include "runtime/event_loop_runtime.h"
// clang-format on

#pragma pop_macro("slots")
#pragma pop_macro("signals")
#pragma pop_macro("emit")
