// SPDX-License-Identifier: Apache-2.0
// Distributed locks for threads that block: all headers that a program without Qt needs, but <lockscope/manager.h> for
// backends that change while locks are in use. Needs C++20 and no other library. For programs that run on a Qt event
// loop: <lockscope/lockscope.h>.
#pragma once
#include <lockscope/client.h>
#include <lockscope/condition.h>
#include <lockscope/leader_election.h>
#include <lockscope/log.h>
#include <lockscope/metrics.h>
#include <lockscope/multi_lock.h>
#include <lockscope/mutex.h>
#include <lockscope/semaphore.h>
#include <lockscope/shared_mutex.h>
