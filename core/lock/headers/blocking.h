// SPDX-License-Identifier: Apache-2.0
// Distributed locks for threads that block. For programs that run on a Qt event loop: <lockscope/lockscope.h>.
#pragma once
#include "lock/blocking/client.h"
#include "lock/blocking/condition.h"
#include "lock/blocking/mutex.h"
#include "lock/blocking/semaphore.h"
