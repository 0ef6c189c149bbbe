// SPDX-License-Identifier: Apache-2.0
// Distributed locks for threads that block. For programs that run on a Qt event loop: <lockscope/lockscope.h>.
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
