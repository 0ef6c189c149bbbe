// SPDX-License-Identifier: Apache-2.0
// One process of those that fight for the locks, started, stopped and killed by `torture`. Its threads take turns on
// one event loop, as in a server program.
//
//   torture_worker --url U --client ID --recipe R --journal FILE --counters FOLDER --origin NS --until NS --lease MS
//                  --threads N --seed N [--bounded] [--heedless] [--look | --sabotage]
//
// --bounded: nobody asks for a lock without a limit to its wait. --heedless: nobody looks at its own clock.
// --look: takes every lock once, to see that none was left behind, and ends with 0 when it got all.
// --sabotage: takes none, and frees by force what others hold.
#include "connections.h"
#include "journal.h"
#include "lock/connection.h"
#include "lock/distributed_lock.h"
#include "runtime/event_loop_runtime.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QDir>
#include <cstdio>
#include <random>

using namespace lockscope;
using namespace lockscope::torture;
using recipes::Mode;

namespace {

struct Task {
    QString url, journal, counters;
    QByteArray client, recipe;
    Nanos origin{}, until{}, lease{};
    int threads = 3;
    std::uint64_t seed = 1;
    bool bounded = false, heedless = false, look = false, sabotage = false;
};

int fail(const QString& message) {
    std::fprintf(stderr, "torture_worker: %s\n", qPrintable(message));
    return 1;
}

class Worker {
public:
    Worker(Runtime& runtime, const Task& task)
        : m_runtime(runtime),
          m_task(task),
          m_info(*recipes::findRecipe(task.recipe)),
          m_journal(task.journal),
          m_recorder(m_trace, [&runtime] { return runtime.traceNow(); }),
          m_random(task.seed) {
        m_recorder.onEvent([this](const trace::Event& event) { note(event); });
    }
    JournalWriter& journal() { return m_journal; }

    QCoro::Task<> live() {
        const auto url = parseConnectionUrl(m_task.url);
        if (url) m_connection = makeConnection(m_runtime, *url, m_task.client);
        if (!m_connection) co_return leave(fail(QStringLiteral("no connection to %1").arg(m_task.url)));
        while (!co_await isOpen()) {
            if (m_runtime.monotonic() > m_task.until)
                co_return leave(m_task.look ? fail(QStringLiteral("the server cannot be reached")) : 0);
            co_await m_runtime.sleep(100ms); // it may be on its way back
        }
        if (!makeLocks()) co_return;
        if (m_task.look) {
            co_await look();
            co_return;
        }
        if (m_task.sabotage) {
            co_await sabotage();
            co_return;
        }
        for (int thread = 1; thread <= m_task.threads; ++thread) {
            ++m_busy;
            m_runtime.spawn([this, thread] { return labour(QByteArray::number(thread)); });
        }
        if (m_task.until > m_runtime.monotonic()) co_await m_runtime.sleep(m_task.until - m_runtime.monotonic());
        m_over.request_stop();
    }

private:
    QCoro::Task<bool> isOpen() {
        const auto opened = co_await m_connection->open();
        if (!opened) co_return false;
        const auto prepared = co_await m_connection->prepare();
        co_return prepared.has_value();
    }

    bool makeLocks() {
        const trace::EntityId client = m_trace->intern(trace::EntityKind::Client, "me");
        LockOptions options;
        options.lease = m_task.lease;
        options.watchdog = m_info.watchdog && m_info.heldBy == recipes::HeldBy::Lease ? m_task.lease / 3 : Nanos(0);
        options.token = m_info.token;
        options.honourDeadline = !m_task.heedless;
        options.capacity = m_info.permits ? kPermits : 0;
        for (int i = 0; i < kLocks; ++i) {
            LockSpec spec;
            spec.name = lockName(i, m_task.recipe == "redis-multi");
            spec.permits = m_info.permits ? kPermits : 1;
            auto recipe = m_connection->makeRecipe(m_task.recipe, spec);
            if (!recipe) {
                leave(fail(recipe.error().message));
                return false;
            }
            const LockClient self{m_runtime, m_connection->client(), &m_recorder, client};
            const trace::EntityId entity =
                m_trace->intern(trace::EntityKind::Lock, QByteArray::number(i), trace::kNoEntity);
            m_locks.push_back(std::make_unique<DistributedLock>(self, std::move(*recipe), options, entity));
            m_counters.push_back(
                std::make_unique<Counter>(QDir(m_task.counters).filePath(QStringLiteral("counter-%1").arg(i))));
        }
        return true;
    }

    /// Takes locks and gives them back until the time is over.
    QCoro::Task<> labour(QByteArray thread) {
        while (!m_over.stop_requested()) {
            const std::size_t number = below(kLocks);
            const LockRequest request = anything(thread);
            std::stop_source stop;
            const std::stop_callback over(m_over.get_token(), [&stop] { stop.request_stop(); });
            Runtime::TimerId interruption = 0;
            if (below(8) == 0)
                interruption = m_runtime.callAt(m_runtime.monotonic() + m_runtime.random(1ms, 60ms),
                                                [stop]() mutable { stop.request_stop(); });
            bool taken = false, troubled = false;
            try {
                const auto result = co_await m_locks[number]->take(request, stop.get_token());
                taken = result && *result;
                troubled = !result;
            } catch (const Cancelled& cancelled) {
                if (cancelled.why() == Cancelled::Why::Killed) throw;
            }
            if (interruption) m_runtime.cancelCall(interruption);
            if (taken) co_await work(number, request);
            const Nanos rest = troubled ? m_runtime.random(20ms, 80ms) : m_runtime.random(100us, 4ms);
            co_await m_runtime.sleep(rest);
        }
        if (--m_busy == 0) co_await depart();
    }

    QCoro::Task<> work(std::size_t number, LockRequest request) {
        DistributedLock& lock = *m_locks[number];
        const Counter& counter = *m_counters[number];
        std::int64_t before = counter.read();
        if (m_info.reentrant && request.mode != Mode::Permit && below(4) == 0) {
            request.wait = kNever;
            const auto inner = co_await lock.take(request);
            // The hold around it may have been lost, and this be a new one: others worked in between.
            if (inner && *inner && lock.holdCount(request.thread, request.mode) < 2) before = counter.read();
        }
        // Who does not look works long enough to be overtaken.
        const Nanos length = m_task.heedless  ? m_runtime.random(80ms, 300ms)
                             : below(12) == 0 ? m_runtime.random(20ms, 80ms)
                                              : m_runtime.random(500us, 10ms);
        co_await m_runtime.sleep(length);
        if (lock.stillMine(request.thread, request.mode)) {
            if (request.mode == Mode::Exclusive) {
                counter.write(before + 1);
                write(Entry::What::Increment, number, {});
            } else if (request.mode == Mode::Shared && counter.read() != before &&
                       lock.stillMine(request.thread, request.mode)) {
                write(Entry::What::Defect, number, "a writer wrote while a reader held the lock");
            }
        }
        // A hold that was lost meanwhile is not among them.
        for (int holds = 1; holds > 0;) {
            holds = lock.holdCount(request.thread, request.mode);
            const auto left = co_await lock.unlock(request.thread, request.mode);
            if (left && *left != holds - 1)
                write(Entry::What::Defect, number,
                      "unlock left " + QByteArray::number(*left) + " holds, not " + QByteArray::number(holds - 1));
            if (!left) break; // lost, or the server is gone: not ours any more
            holds = *left;
        }
        if (!lock.stillMine("no-thread")) co_return;
        write(Entry::What::Defect, number, "a thread that never asked holds the lock");
    }

    LockRequest anything(const QByteArray& thread) {
        LockRequest request;
        request.thread = thread;
        request.mode = m_info.permits                                     ? Mode::Permit
                       : m_info.shared && (!m_info.exclusive || below(2)) ? Mode::Shared
                                                                          : Mode::Exclusive;
        request.permits = request.mode == Mode::Permit ? 1 + int(below(2)) : 1;
        switch (below(m_task.bounded ? 3 : 5)) {
        case 0:
            request.wait = Nanos(0);
            break;
        case 1:
        case 2:
            request.wait = m_runtime.random(20ms, 1500ms);
            break;
        default:
            break;
        }
        return request;
    }

    QCoro::Task<> look() {
        for (int i = 0; i < kLocks; ++i) {
            LockRequest request;
            request.mode = m_info.permits ? Mode::Permit : m_info.exclusive ? Mode::Exclusive : Mode::Shared;
            request.permits = m_info.permits ? kPermits : 1;
            request.wait = m_task.until - m_runtime.monotonic();
            const auto taken = co_await m_locks[std::size_t(i)]->take(request);
            if (!taken || !*taken) {
                const QString why = taken ? QStringLiteral("not in time") : taken.error().message;
                co_return leave(fail(QStringLiteral("lock %1 cannot be had any more: %2").arg(i).arg(why)));
            }
            co_await m_locks[std::size_t(i)]->unlock(request.thread, request.mode);
        }
        co_await depart();
    }

    QCoro::Task<> sabotage() {
        while (m_runtime.monotonic() < m_task.until) {
            co_await m_runtime.sleep(m_runtime.random(20ms, 80ms));
            co_await m_locks[below(kLocks)]->forceUnlock();
        }
        co_await depart();
    }

    QCoro::Task<> depart() {
        co_await m_connection->close();
        leave(0);
    }
    void leave(int status) {
        m_runtime.post([status] { QCoreApplication::exit(status); });
    }

    std::size_t below(std::size_t n) { return m_random() % n; }

    void note(const trace::Event& event) {
        Entry entry;
        entry.event = event;
        if (trace::auxIsEntity(event.kind)) {
            entry.text = m_trace->entity(event.aux).name;
            entry.event.aux = 0;
        }
        entry.event.actor = event.actor == trace::kNoEntity ? 0 : m_trace->entity(event.actor).name.toUInt();
        entry.event.subject = m_trace->entity(event.subject).name.toUInt();
        m_journal.write(entry);
    }
    void write(Entry::What what, std::size_t lock, const QByteArray& text) {
        Entry entry;
        entry.what = what;
        entry.event.at = m_runtime.traceNow().count();
        entry.event.subject = trace::EntityId(lock);
        entry.text = text;
        m_journal.write(entry);
    }

    Runtime& m_runtime;
    const Task& m_task;
    const recipes::RecipeInfo& m_info;
    JournalWriter m_journal;
    std::shared_ptr<trace::Trace> m_trace = std::make_shared<trace::Trace>();
    trace::Recorder m_recorder;
    std::mt19937_64 m_random;
    std::unique_ptr<Connection> m_connection;
    std::vector<std::unique_ptr<Counter>> m_counters;
    std::vector<std::unique_ptr<DistributedLock>> m_locks;
    std::stop_source m_over;
    int m_busy = 0;
};

} // namespace

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    for (const char* name :
         {"url", "client", "recipe", "journal", "counters", "origin", "until", "lease", "threads", "seed"}) {
        const QString id = QString::fromLatin1(name);
        parser.addOption(QCommandLineOption(id, {}, id));
    }
    for (const char* name : {"bounded", "heedless", "look", "sabotage"})
        parser.addOption(QCommandLineOption(QString::fromLatin1(name)));
    parser.process(application);
    const auto value = [&](const char* name) { return parser.value(QLatin1String(name)); };
    Task task;
    task.url = value("url");
    task.client = value("client").toUtf8();
    task.recipe = value("recipe").toUtf8();
    task.journal = value("journal");
    task.counters = value("counters");
    task.origin = Nanos(value("origin").toLongLong());
    task.until = Nanos(value("until").toLongLong());
    task.lease = std::chrono::milliseconds(value("lease").toLongLong());
    task.threads = value("threads").toInt();
    task.seed = value("seed").toULongLong();
    task.bounded = parser.isSet(QStringLiteral("bounded"));
    task.heedless = parser.isSet(QStringLiteral("heedless"));
    task.look = parser.isSet(QStringLiteral("look"));
    task.sabotage = parser.isSet(QStringLiteral("sabotage"));
    if (!recipes::findRecipe(task.recipe)) return fail(QStringLiteral("no recipe %1").arg(value("recipe")));

    EventLoopRuntime runtime{std::chrono::steady_clock::time_point(task.origin)};
    Worker worker(runtime, task);
    if (!worker.journal().valid()) return fail(QStringLiteral("%1 cannot be written").arg(task.journal));
    noteConnections(worker.journal(), std::chrono::steady_clock::time_point(task.origin));
    runtime.spawn([&worker] { return worker.live(); });
    const int status = QCoreApplication::exec();
    runtime.kill();
    return status;
}
