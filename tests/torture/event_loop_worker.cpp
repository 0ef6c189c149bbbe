// SPDX-License-Identifier: Apache-2.0
#include "event_loop_worker.h"
#include "client/connect.h"

#include "lock/named_lock.h"

#include <QCoreApplication>
#include <cstdio>

namespace lockscope::torture {

using recipes::Mode;

EventLoopWorker::EventLoopWorker(Runtime& runtime, Fighter& fighter)
    : m_runtime(runtime),
      m_fighter(fighter),
      m_recorder(m_trace, [&runtime] { return runtime.traceNow(); }),
      m_random(fighter.task().seed) {
    m_recorder.onEvent([this](const trace::Event& event) { m_fighter.note(*m_trace, event, Nanos(0)); });
}

QCoro::Task<> EventLoopWorker::live() {
    const WorkerTask& task = m_fighter.task();
    const auto url = parseConnectionUrl(task.url);
    if (url) m_connection = makeConnection(m_runtime, *url, task.client);
    if (!m_connection) co_return leave(fail(QStringLiteral("no connection to %1").arg(task.url)));
    while (!co_await isOpen()) {
        if (m_runtime.monotonic() > task.until)
            co_return leave(task.look ? fail(QStringLiteral("the server cannot be reached")) : 0);
        co_await m_runtime.sleep(100ms); // it may be on its way back
    }
    if (!makeLocks()) co_return;
    if (task.look) {
        co_await look();
        co_return;
    }
    if (task.sabotage) {
        co_await sabotage();
        co_return;
    }
    for (int thread = 1; thread <= task.threads; ++thread) {
        ++m_busy;
        m_runtime.spawn([this, thread] { return labour(QByteArray::number(thread)); });
    }
    if (task.until > m_runtime.monotonic()) co_await m_runtime.sleep(task.until - m_runtime.monotonic());
    m_over.request_stop();
}

QCoro::Task<bool> EventLoopWorker::isOpen() {
    const auto opened = co_await m_connection->open();
    if (!opened) co_return false;
    const auto prepared = co_await m_connection->prepare();
    co_return prepared.has_value();
}

bool EventLoopWorker::makeLocks() {
    m_connection->record(&m_recorder, m_trace->intern(trace::EntityKind::Client, "me"));
    const bool permits = m_fighter.recipe().permits;
    for (int i = 0; i < kLocks; ++i) {
        auto lock = makeLock(*m_connection, m_fighter.nameOf(std::size_t(i)), permits ? Mode::Permit : Mode::Exclusive,
                             m_fighter.options(), permits ? kPermits : 1);
        if (!lock) {
            leave(fail(lock.error().message));
            return false;
        }
        if (!(*lock)->recipe().shared) m_fighter.holdAlone();
        m_locks.push_back(*std::move(lock));
    }
    return true;
}

QCoro::Task<> EventLoopWorker::labour(QByteArray thread) {
    while (!m_over.stop_requested()) {
        const Fighter::Wish wish = m_fighter.anything(m_random);
        LockRequest request;
        request.mode = wish.mode;
        request.permits = wish.permits;
        request.wait = wish.wait;
        request.thread = thread;
        std::stop_source stop;
        const std::stop_callback over(m_over.get_token(), [&stop] { stop.request_stop(); });
        Runtime::TimerId interruption = 0;
        if (wish.interruptAfter != kNever)
            interruption = m_runtime.callAt(m_runtime.monotonic() + wish.interruptAfter,
                                            [stop]() mutable { stop.request_stop(); });
        bool taken = false, troubled = false;
        try {
            const auto result = co_await m_locks[wish.lock]->take(request, stop.get_token());
            taken = result && *result;
            troubled = !result;
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed) throw;
        }
        if (interruption) m_runtime.cancelCall(interruption);
        if (taken) co_await work(wish.lock, request);
        co_await m_runtime.sleep(Fighter::rest(m_random, troubled));
    }
    if (--m_busy == 0) co_await depart();
}

QCoro::Task<> EventLoopWorker::work(std::size_t number, LockRequest request) {
    DistributedLock& lock = *m_locks[number];
    const Counter& counter = m_fighter.counter(number);
    std::int64_t before = counter.read();
    if (m_fighter.takesItTwice(m_random, request.mode)) {
        request.wait = kNever;
        const auto inner = co_await lock.take(request);
        // The hold around it may have been lost, and this be a new one: others worked in between.
        if (inner && *inner && lock.holdCount(request.thread, request.mode) < 2) before = counter.read();
    }
    co_await m_runtime.sleep(m_fighter.work(m_random));
    if (lock.stillMine(request.thread, request.mode)) {
        if (request.mode == Mode::Exclusive)
            m_fighter.increment(number, before);
        else if (request.mode == Mode::Shared && counter.read() != before &&
                 lock.stillMine(request.thread, request.mode))
            m_fighter.defect(number, "a writer wrote while a reader held the lock");
    }
    // A hold that was lost meanwhile is not among them.
    for (int holds = 1; holds > 0;) {
        holds = lock.holdCount(request.thread, request.mode);
        const auto left = co_await lock.unlock(request.thread, request.mode);
        if (!left) break; // lost, or the server is gone: not ours any more
        m_fighter.checkHoldsLeft(number, *left, holds - 1);
        holds = *left;
    }
    if (lock.stillMine("no-thread")) m_fighter.defect(number, "a thread that never asked holds the lock");
}

QCoro::Task<> EventLoopWorker::look() {
    const recipes::RecipeInfo& recipe = m_fighter.recipe();
    for (int i = 0; i < kLocks; ++i) {
        LockRequest request;
        request.mode = recipe.permits ? Mode::Permit : recipe.exclusive ? Mode::Exclusive : Mode::Shared;
        request.permits = recipe.permits ? kPermits : 1;
        request.wait = m_fighter.task().until - m_runtime.monotonic();
        const auto taken = co_await m_locks[std::size_t(i)]->take(request);
        if (!taken || !*taken) {
            const QString why = taken ? QStringLiteral("not in time") : taken.error().message;
            co_return leave(fail(QStringLiteral("lock %1 cannot be had any more: %2").arg(i).arg(why)));
        }
        co_await m_locks[std::size_t(i)]->unlock(request.thread, request.mode);
    }
    co_await depart();
}

QCoro::Task<> EventLoopWorker::sabotage() {
    while (m_runtime.monotonic() < m_fighter.task().until) {
        co_await m_runtime.sleep(m_runtime.random(20ms, 80ms));
        co_await m_locks[below(m_random, kLocks)]->forceUnlock();
    }
    co_await depart();
}

QCoro::Task<> EventLoopWorker::depart() {
    co_await m_connection->close();
    leave(0);
}

void EventLoopWorker::leave(int status) {
    m_runtime.post([status] { QCoreApplication::exit(status); });
}

int EventLoopWorker::fail(const QString& message) {
    std::fprintf(stderr, "torture_worker: %s\n", qPrintable(message));
    return 1;
}

} // namespace lockscope::torture
