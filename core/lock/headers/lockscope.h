// SPDX-License-Identifier: Apache-2.0
// Distributed locks for programs that run on a Qt event loop, as coroutines. For threads that block:
// <lockscope/blocking.h>.
#pragma once
#include "lock/connection.h"
#include "lock/distributed_condition.h"
#include "lock/distributed_mutex.h"
#include "runtime/event_loop_runtime.h"
