// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/blocking/lock_source.h"
#include "lock/lock_exception.h"
#include "runtime/completion.h"
#include "runtime/event_loop_runtime.h"
#include "runtime/service_thread.h"

#include <condition_variable>
#include <set>

namespace lockscope::blocking::detail {

class Service;

/// One lock by name and recipe, shared by all objects of a client that name it. Its lock lives on the service's thread.
struct Entry {
    std::unique_ptr<AnyLock> lock;                  ///< service's thread; nullptr once the client is closed
    std::unique_ptr<AnyCondition> condition;        ///< the same
    QByteArray space, name;                         ///< as LockWish has them
    std::vector<std::array<QByteArray, 3>> knownAs; ///< the same: its keys in the service's list

    LockOptions options; ///< of its first object; the others have the same
    int permits = 1;     ///< the same

    /// A thread's hold, as any thread may see it.
    struct Seen {
        std::shared_ptr<const HoldView> view;
        std::shared_ptr<const std::atomic<bool>> threadEnded; ///< of the thread that took it
    };
    std::mutex guard; ///< of what follows
    std::map<std::pair<QByteArray, recipes::Mode>, Seen> views;

    std::recursive_mutex calling; ///< of what follows; held while listeners are called: after its end none is
    using Listeners = std::map<std::uint64_t, std::function<void(HoldEvent, const std::string& reason)>>;
    Listeners onEvent, onLost, onSuspended;
    std::uint64_t lastListener = 0;
};

/// A guard that lives on the service's thread.
struct GuardBox {
    LockGuard guard;
    std::shared_ptr<const HoldView> view;
    QByteArray thread; ///< that took it
    QByteArray name;   ///< of its lock
};

/// A call from another thread, and the place where that waits for its end.
struct PendingCall {
    std::mutex lock;
    std::condition_variable changed;
    bool done = false;
    bool interrupted = false;
    std::optional<LockError> error;
    std::stop_source stop; ///< stopped on the service's thread only

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

/// A thread of its own with a Qt event loop, a runtime and a source of locks on it, that locks for threads which block.
class Service : public std::enable_shared_from_this<Service> {
public:
    /// Throws LockException when there can be no such source.
    explicit Service(const SourceMaker& make);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    /// The lock of that name; made when it is the first of its name and recipe. Throws LockException; RefusedException
    /// when there is one with other options.
    std::shared_ptr<Entry> entry(const LockWish& wish);
    /// Runs a coroutine on the service's thread and blocks until it has ended. Throws LockException,
    /// InterruptedException. Not to be called on the service's thread.
    template <typename T>
    T call(std::function<recipes::Outcome<T>(std::stop_token)> work, std::stop_token stop = {});
    /// A guard, to be given back by the service's thread when nobody refers to it any more.
    std::shared_ptr<GuardBox> box(LockGuard guard, std::shared_ptr<const HoldView> view, QByteArray thread,
                                  QByteArray name);
    /// Tells the listeners of a lock. On the service's thread.
    void hear(Entry& entry, HoldEvent event, const QByteArray& thread, const std::string& reason);
    /// Of a release whose caller hears what becomes of it: while this lives, nobody else need be told of its failure.
    /// On the service's thread.
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
    /// Ends all waits and disconnects; nothing works afterwards. Any thread but the service's own. In a copy of the
    /// process it does nothing: the connection is the other one's.
    void close();
    /// close(), and the thread ends; for when the application object goes away.
    void end();
    /// This process made it. A copy (fork) of that has neither the thread nor a right to the connection.
    bool ofThisProcess() const { return m_thread.ofThisProcess(); }
    /// Now on the clock that HoldView::deadline is of.
    Nanos now() const { return std::chrono::steady_clock::now() - m_origin; }
    /// What that clock counts from.
    std::chrono::steady_clock::time_point origin() const { return m_origin; }
    LockSource& source() { return *m_source; } ///< on the service's thread
    Runtime& runtime() { return *m_runtime; }  ///< the same
    /// By how many names the locks that there are, are known; on the service's thread.
    std::size_t namesKnown() const { return m_entries.size(); }
    bool onOwnThread() const { return std::this_thread::get_id() == m_threadId; }
    const QByteArray& identity() const { return m_identity; }

private:
    using Key = std::array<QByteArray, 3>; ///< namespace, name, kind
    void note(const Key& key, const std::shared_ptr<Entry>& entry);
    void forget(Entry* entry);
    void run(const std::shared_ptr<PendingCall>& pending, const std::function<QCoro::Task<>()>& work);
    void begin(const std::shared_ptr<PendingCall>& pending, const std::function<QCoro::Task<>()>& work,
               std::stop_token stop);
    QCoro::Task<> drive(std::shared_ptr<PendingCall> pending, std::function<QCoro::Task<>()> work);
    QCoro::Task<> goodbye(std::shared_ptr<PendingCall> ended);

    std::chrono::steady_clock::time_point m_origin = std::chrono::steady_clock::now();
    QByteArray m_identity;
    std::thread::id m_threadId;
    std::atomic<bool> m_closed = false;
    const std::shared_ptr<PendingCall> m_gone = std::make_shared<PendingCall>(); ///< what m_closed is about
    // On the service's thread only.
    std::unique_ptr<EventLoopRuntime> m_runtime;
    std::unique_ptr<LockSource> m_source;
    /// By name and kind, as asked for and as it came to be.
    /// Nothing is kept of locks that are gone: names may be as many as there are orders in a shop.
    std::map<Key, std::weak_ptr<Entry>> m_entries;
    std::set<Entry*> m_living;
    std::set<GuardBox*> m_boxes;
    std::multiset<QByteArray> m_heard; ///< threads: see Heard
    std::set<std::shared_ptr<PendingCall>> m_pending;
    bool m_closing = false;
    Completion<bool> m_allEnded;
    ServiceThread m_thread{"lockscope-locks"}; ///< last: its work uses the rest
};

template <typename T>
T Service::call(std::function<recipes::Outcome<T>(std::stop_token)> work, std::stop_token stop) {
    const auto pending = std::make_shared<PendingCall>();
    const auto result = std::make_shared<std::optional<T>>();
    // Lives in the frame of this function, which waits for its end.
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

/// A service that ends with its last owner, or with the application object, whichever goes first.
std::shared_ptr<Service> startService(const SourceMaker& make);
/// Service::close(), also on its own thread: there it begins that, and does not wait.
void closeService(const std::shared_ptr<Service>& service);

/// What a call gets after its client was closed.
LockError closedError();

/// The number that stands for the calling thread: another for each thread that ever was.
QByteArray threadNumber();
/// A number that stands for no thread, another one each time.
QByteArray ownNumber();
/// Becomes true when the calling thread has ended.
std::shared_ptr<const std::atomic<bool>> threadEnd();

} // namespace lockscope::blocking::detail
