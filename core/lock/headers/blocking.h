// SPDX-License-Identifier: Apache-2.0
// Distributed locks for threads that block. For programs that run on a Qt event loop: <lockscope/lockscope.h>.
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
#include "lock/blocking/client.h"
#include "lock/blocking/condition.h"
#include "lock/blocking/manager.h"
#include "lock/blocking/multi_lock.h"
#include "lock/blocking/mutex.h"
#include "lock/blocking/semaphore.h"
#include "lock/warning.h"
// clang-format on

#pragma pop_macro("slots")
#pragma pop_macro("signals")
#pragma pop_macro("emit")
