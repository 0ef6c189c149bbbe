// SPDX-License-Identifier: Apache-2.0
// Distributed locks for programs that run on a Qt event loop, as coroutines: needs C++23, Qt 6 and QCoro 6. For threads
// that block, with neither: <lockscope/blocking.h>.
#pragma once
#include <lockscope/log.h>
#include <lockscope/metrics.h>
#include <lockscope/qt/condition.h>
#include <lockscope/qt/connection.h>
#include <lockscope/qt/leader_election.h>
#include <lockscope/qt/locks.h>
#include <lockscope/qt/manager.h>
