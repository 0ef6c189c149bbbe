// SPDX-License-Identifier: Apache-2.0
// Locks whose backend changes while they are in use: by hand, by configuration, or because it fails.
#pragma once

// Qt's keywords are macros unless QT_NO_KEYWORDS is defined: out of the way of names here, and back for yours.
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
