// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "client/blocking/lock_source.h"
#include "client/blocking/loss.h"
#include "client/blocking/meter.h"
#include "lock/lock_exception.h"
#include "lock/lock_mode.h"
#include "runtime/completion.h"
#include "runtime/event_loop_runtime.h"
#include "runtime/service_thread.h"

#include <condition_variable>
#include <set>

namespace lockscope::blocking::detail {

class Service;

using lockscope::detail::modeOf;

/// One lock by name and recipe, shared by all objects of a client that name it. The lock lives on the service's thread.
struct Entry {
    std::unique_ptr<AnyLock> lock;                  ///< service's thread; nullptr once the client is closed
    std::unique_ptr<AnyCondition> condition;        ///< service's thread; made at first use
    QByteArray space, name;                         ///< as in LockWish
    std::vector<std::array<QByteArray, 3>> knownAs; ///< service's thread: its keys in Service::m_entries

    LockOptions options;                         ///< the first object's; all others have equal ones
    int permits = 1;                             ///< a semaphore's number of permits
    const recipes::RecipeInfo* recipe = nullptr; ///< nullptr: a manager's lock, or several locks as one

    /// A thread's hold as other threads may see it.
    struct Seen {
        std::shared_ptr<const HoldView> view;
        std::shared_ptr<const std::atomic<bool>> threadEnded; ///< true once the thread that took it has ended
        Nanos since{};                                        ///< by Service::now(): when it was first granted
        Loss loss = {};                                       ///< of this hold
        bool counted = false;                                 ///< its end was measured
    };
    std::mutex guard; ///< guards `views`, and GuardBox::loss of its holds
    std::map<std::pair<QByteArray, recipes::Mode>, Seen> views;

    std::recursive_mutex calling; ///< guards the listeners; held while they are called
    using Listeners = std::map<std::uint64_t, std::function<void(HoldEvent, const std::string& reason)>>;
    Listeners onEvent, onLost, onSuspended;
    std::uint64_t lastListener = 0;
};

/// A LockGuard that lives on the service's thread.
struct GuardBox {
    LockGuard guard;
    std::shared_ptr<const HoldView> view;
    QByteArray thread; ///< the thread that took it
    QByteArray name;   ///< the lock's name
    const Entry* entry = nullptr;
    Nanos since{};        ///< by Service::now(): when it was granted
    Loss loss = {};       ///< guarded by Entry::guard
    bool counted = false; ///< its end was measured; service's thread only
};

/// A call from another thread; that thread waits here for its end.
struct PendingCall {
    std::mutex lock;
    std::condition_variable changed;
    bool done = false;
    bool interrupted = false;
    std::optional<LockError> error;
    std::stop_source stop; ///< request_stop() on the service's thread only

    void finish() {
        {
            const std::lock_guard held(lock);
            done = true;
        }
        changed.notify_all();
    }
    void wait() {
        std::unique_lock held(lock);
        changed.wait(held, [this] { return done; });
    }
};

/// A thread with a Qt event loop, a runtime and a source of locks. It runs locks for threads that block.
class Service : public std::enable_shared_from_this<Service> {
public:
    /// Throws LockException when `make` returns an error.
    explicit Service(const SourceMaker& make);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    /// The lock for a wish; made if it is the first with its name and recipe. Throws LockException; RefusedException
    /// when that lock exists with other options.
    std::shared_ptr<Entry> entry(const LockWish& wish);
    /// Runs a coroutine on the service's thread and blocks until it ends. Throws LockException, InterruptedException.
    /// From the service's own thread: DeadlockException.
    template <typename T>
    T call(std::function<recipes::Outcome<T>(std::stop_token)> work, std::stop_token stop = {});
    /// Wraps a guard of that lock; the service's thread gives it back when the last reference is gone.
    std::shared_ptr<GuardBox> box(LockGuard guard, QByteArray thread, const Entry& entry);
    /// Counts a measure and tells the process's handler. Service's thread only.
    void measure(LockMeasure::Kind kind, const QByteArray& lock, Nanos duration = {}) {
        m_meter.note({kind, std::string_view(lock.constData(), std::size_t(lock.size())), duration});
    }
    LockTotals totals() const { return m_meter.totals(); }
    /// Time left to a hold: see Mutex::remaining().
    Nanos remaining(const HoldView& hold) const;
    /// Stops the loss tokens of holds that are lost, then calls the listeners of a lock. Service's thread only.
    void hear(Entry& entry, HoldEvent event, const QByteArray& thread, const std::string& reason);
    /// Marks a release whose caller gets its result: while this lives, its failure is not also reported as a warning.
    /// Service's thread only.
    class Heard {
    public:
        Heard(Service& service, const QByteArray& thread) : m_service(service), m_at(service.m_heard.insert(thread)) {}
        ~Heard() { m_service.m_heard.erase(m_at); }
        Heard(const Heard&) = delete;
        Heard& operator=(const Heard&) = delete;

    private:
        Service& m_service;
        std::multiset<QByteArray>::iterator m_at;
    };
    /// Ends all waits and disconnects; later calls fail. Any thread but the service's own. In a forked child it does
    /// nothing: the connection is the parent's.
    void close();
    bool closed() const { return m_closed; }
    /// close(), then ends the thread; called when the application object is destroyed.
    void end();
    /// True in the process that made this service. A forked child has neither the thread nor a right to the connection.
    bool ofThisProcess() const { return m_thread.ofThisProcess(); }
    /// Now, by the clock of HoldView::deadline.
    Nanos now() const { return std::chrono::steady_clock::now() - m_origin; }
    /// The instant at which that clock is 0.
    std::chrono::steady_clock::time_point origin() const { return m_origin; }
    LockSource& source() { return *m_source; } ///< service's thread only
    Runtime& runtime() { return *m_runtime; }  ///< service's thread only
    /// How many names (keys) the live locks have together; service's thread only.
    std::size_t namesKnown() const { return m_entries.size(); }
    bool onOwnThread() const { return std::this_thread::get_id() == m_threadId; }
    const QByteArray& identity() const { return m_identity; }

private:
    using Key = std::array<QByteArray, 3>; ///< namespace, name, kind
    void stopLost(Entry& entry, const QByteArray& thread);
    void note(const Key& key, const std::shared_ptr<Entry>& entry);
    void forget(Entry* entry);
    QCoro::Task<> giveBackLeft(std::shared_ptr<Entry> entry);
    void run(const std::shared_ptr<PendingCall>& pending, const std::function<QCoro::Task<>()>& work);
    void begin(const std::shared_ptr<PendingCall>& pending, const std::function<QCoro::Task<>()>& work,
               std::stop_token stop);
    QCoro::Task<> drive(std::shared_ptr<PendingCall> pending, std::function<QCoro::Task<>()> work);
    QCoro::Task<> goodbye(std::shared_ptr<PendingCall> ended);

    std::chrono::steady_clock::time_point m_origin = std::chrono::steady_clock::now();
    QByteArray m_identity;
    std::thread::id m_threadId;
    Meter m_meter;
    std::atomic<bool> m_closed = false;
    /// Finished when close() is done; other callers of close() wait for it.
    const std::shared_ptr<PendingCall> m_gone = std::make_shared<PendingCall>();
    // Service's thread only.
    std::unique_ptr<EventLoopRuntime> m_runtime;
    std::unique_ptr<LockSource> m_source;
    /// Locks by name and kind: the kind that was asked for, and the kind that was made. Entries vanish with their
    /// locks, because a program may use any number of names.
    std::map<Key, std::weak_ptr<Entry>> m_entries;
    std::set<Entry*> m_living;
    std::set<GuardBox*> m_boxes;
    std::multiset<QByteArray> m_heard; ///< threads with a release in progress: see Heard
    std::set<std::shared_ptr<PendingCall>> m_pending;
    bool m_closing = false;
    Completion<bool> m_allEnded;
    ServiceThread m_thread{"lockscope-locks"}; ///< last member: its work uses the others
};

template <typename T>
T Service::call(std::function<recipes::Outcome<T>(std::stop_token)> work, std::stop_token stop) {
    const auto pending = std::make_shared<PendingCall>();
    const auto result = std::make_shared<std::optional<T>>();
    // Lives in this function's frame; the function waits for its end.
    const auto whole = [&work, pending, result]() -> QCoro::Task<> {
        auto outcome = co_await work(pending->stop.get_token());
        if (outcome)
            result->emplace(*std::move(outcome));
        else
            pending->error = outcome.error();
    };
    begin(pending, whole, std::move(stop));
    if (pending->interrupted) throw InterruptedException();
    if (pending->error) throwLockError(*pending->error);
    return *std::move(*result);
}

/// Runs a coroutine without a value: as Service::call.
inline void callFor(Service& service, const std::function<recipes::Outcome<void>(std::stop_token)>& work,
                    std::stop_token stop = {}) {
    service.call<bool>(
        [&](std::stop_token stopped) -> recipes::Outcome<bool> {
            const auto done = co_await work(stopped);
            if (!done) co_return std::unexpected(done.error());
            co_return true;
        },
        std::move(stop));
}

/// A service that ends with its last owner or with the application object, whichever is first.
std::shared_ptr<Service> startService(const SourceMaker& make);
/// Service::close(). On the service's own thread it starts closing and returns at once.
void closeService(const std::shared_ptr<Service>& service);

/// The error of a call after its client was closed.
LockError closedError();
/// The error of a call in a forked child, of a client that its parent made.
LockError copiedError();

/// A number that identifies the calling thread; never used for two threads of a process.
QByteArray threadNumber();
/// A number for a hold that belongs to no thread; another one at each call.
QByteArray ownNumber();
/// A flag that becomes true when the calling thread has ended.
std::shared_ptr<const std::atomic<bool>> threadEnd();

} // namespace lockscope::blocking::detail
