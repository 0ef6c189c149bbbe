// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/service.h"

#include "client/hold_log.h"
#include "lock/listener_call.h"
#include "lock/warning.h"

#include <QCoreApplication>

namespace lockscope::blocking::detail {

namespace {
/// For waits that end, and for saying goodbye to the server.
constexpr Nanos kGoodbye = 2s;

/// Makes a thread's writes before it releases a lock visible to the thread that takes the lock next. The two are
/// ordered by a server only; neither the language nor a thread checker knows of that order when each thread has a
/// client of its own.
void orderWithOtherClients() {
    static std::atomic<unsigned> calls = 0;
    calls.fetch_add(1, std::memory_order_acq_rel);
}

/// Precondition: entry.calling is held.
void tell(Entry::Listeners& listeners, HoldEvent event, const std::string& reason) {
    std::vector<std::uint64_t> there;
    for (const auto& [id, listener] : listeners)
        there.push_back(id);
    for (const std::uint64_t id : there) {
        const auto found = listeners.find(id);
        if (found == listeners.end()) continue; // one before it took it out: what it would use may be gone
        const auto listener = found->second;    // it may take itself out
        lockscope::detail::callListener(listener, event, reason);
    }
}

} // namespace

LockError copiedError() {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "The client of this lock belongs to the process that this one was "
                                                     "copied from (fork): make a new one here.")};
}

LockError closedError() {
    return {LockError::Kind::Unreachable,
            QCoreApplication::translate("LockError", "The client or manager has been closed; make a new one.")};
}

namespace {
quint64 nextNumber() {
    static std::atomic<quint64> last = 0;
    return ++last;
}
} // namespace

QByteArray ownNumber() {
    return QByteArray::number(nextNumber());
}

QByteArray threadNumber() {
    thread_local const quint64 mine = nextNumber(); // of no class: a static guard unlocks when thread locals are gone
    return QByteArray::number(mine);
}

std::shared_ptr<const std::atomic<bool>> threadEnd() {
    thread_local bool gone = false; // of no class, so it outlives the mark: static objects may still take locks then
    struct Mark {
        std::shared_ptr<std::atomic<bool>> ended = std::make_shared<std::atomic<bool>>(false);
        ~Mark() {
            *ended = true;
            gone = true;
        }
    };
    if (gone) return std::make_shared<const std::atomic<bool>>(false);
    thread_local const Mark mark;
    return mark.ended;
}

Service::Service(const SourceMaker& make) {
    const auto pending = std::make_shared<PendingCall>();
    m_thread.put([this, pending, &make] {
        m_threadId = std::this_thread::get_id();
        m_runtime = std::make_unique<EventLoopRuntime>(m_origin);
        auto made = make(*m_runtime);
        if (made) {
            m_source = *std::move(made);
            m_identity = m_source->identity();
        } else {
            pending->error = made.error();
        }
        pending->finish();
    });
    pending->wait();
    if (!pending->error) return;
    close();
    throwLockError(*pending->error);
}

Service::~Service() {
    close();
    if (ofThisProcess()) return;
    // Requests in flight belong to the parent process: this one must neither send nor read anything on its connection.
    (void)m_source.release();
    (void)m_runtime.release();
}

void Service::begin(const std::shared_ptr<PendingCall>& pending, const std::function<QCoro::Task<>()>& work,
                    std::stop_token stop) {
    if (!ofThisProcess()) throwLockError(copiedError());
    if (onOwnThread()) {
        throwLockError({LockError::Kind::Deadlock,
                        QCoreApplication::translate("LockError", "A blocking call from a callback of a lock would wait "
                                                                 "for itself; let another thread make it.")});
    }
    if (m_closed) throwLockError(closedError());
    if (stop.stop_requested()) throw InterruptedException();
    orderWithOtherClients();
    m_thread.put([this, pending, work] { run(pending, work); });
    // Stop requests belong to the runtime's thread.
    const std::stop_callback onStop(stop,
                                    [this, pending] { m_thread.put([pending] { pending->stop.request_stop(); }); });
    pending->wait();
    orderWithOtherClients();
}

void Service::run(const std::shared_ptr<PendingCall>& pending, const std::function<QCoro::Task<>()>& work) {
    if (m_closing) {
        pending->error = closedError();
        pending->finish();
        return;
    }
    m_pending.insert(pending);
    m_runtime->spawn([this, pending, work] { return drive(pending, work); });
}

QCoro::Task<> Service::drive(std::shared_ptr<PendingCall> pending, std::function<QCoro::Task<>()> work) {
    try {
        co_await work();
    } catch (const Cancelled&) {
        pending->interrupted = true;
    } catch (const std::exception& defect) {
        pending->error = LockError{LockError::Kind::OutcomeUnknown, QString::fromUtf8(defect.what())};
    }
    m_pending.erase(pending);
    pending->finish();
    if (m_closing && m_pending.empty()) m_allEnded.complete(true);
}

namespace {
/// An object of a lock that is there already wants it to be held otherwise; nullopt = it does not. That both name the
/// same recipe, one of them as the usual one, is known by then.
std::optional<LockError> clash(const Entry& there, const LockWish& wish) {
    const LockOptions& old = there.options;
    const LockOptions& now = wish.options;
    QStringList others;
    const auto compare = [&others](const char* name, const auto& one, const auto& other) {
        if (one != other) others += QString::fromLatin1(name);
    };
    compare("lease", old.lease, now.lease);
    compare("watchdog", old.watchdog, now.watchdog);
    compare("token", old.token, now.token);
    compare("maxHold", old.maxHold, now.maxHold);
    compare("minHold", old.minHold, now.minHold);
    compare("permits", there.permits, wish.permits);
    if (others.isEmpty()) return std::nullopt;
    return LockError{LockError::Kind::Refused,
                     QCoreApplication::translate("LockError",
                                                 "This client has the lock “%1” already, with other options (%2): all "
                                                 "objects of one client and name have the same ones.")
                         .arg(QString::fromUtf8(wish.name), others.join(QStringLiteral(", ")))};
}
} // namespace

std::shared_ptr<Entry> Service::entry(const LockWish& wish) {
    std::shared_ptr<Entry> found;
    call<bool>([&, this](std::stop_token) -> recipes::Outcome<bool> {
        const Key asked{wish.space, wish.name, m_source->kindOf(wish)};
        const auto known = m_entries.find(asked);
        if (known != m_entries.end()) found = known->second.lock();
        if (found) {
            if (const auto refusal = clash(*found, wish)) co_return std::unexpected(*refusal);
            co_return true;
        }
        auto made = m_source->make(wish);
        if (!made) co_return std::unexpected(made.error());
        // The usual recipe, and the same by its name: servers could not tell the holds of two such locks apart.
        const Key usual{wish.space, wish.name, made->kind};
        const auto same = m_entries.find(usual);
        if (same != m_entries.end()) found = same->second.lock();
        if (found) {
            if (const auto refusal = clash(*found, wish)) co_return std::unexpected(*refusal);
            note(asked, found);
            co_return true;
        }
        auto* const entry = new Entry;
        entry->options = wish.options;
        entry->permits = wish.permits;
        entry->recipe = recipes::findRecipe(made->kind);
        entry->lock = std::move(made->lock);
        entry->space = wish.space;
        entry->name = wish.name;
        entry->lock->listen([this, entry](HoldEvent event, const QByteArray& thread, const QString& reason) {
            hear(*entry, event, thread, reason.toStdString());
        });
        m_living.insert(entry);
        // Whichever thread lets go of it last, it ends on this one; the service must be there till then. And no longer:
        // what m_entries knows of the entry would keep this function, and that the service, for ever.
        found = std::shared_ptr<Entry>(entry, [service = shared_from_this()](Entry* old) mutable {
            const std::shared_ptr<Service> last = std::move(service);
            Service* const raw = last.get();
            raw->m_thread.put([raw, old] { raw->forget(old); });
        });
        note(asked, found);
        note(usual, found);
        co_return true;
    });
    return found;
}

Nanos Service::remaining(const HoldView& hold) const {
    const Nanos now = this->now();
    if (!hold.stillMineAt(now)) return Nanos(0);
    const Nanos deadline(hold.deadline.load());
    return deadline == kNever ? kNever : std::max(Nanos(0), deadline - now);
}

/// `thread` empty: the client was closed, and all holds end.
void Service::stopLost(Entry& entry, const QByteArray& thread) {
    std::vector<std::stop_source> stopped;
    const Nanos now = this->now();
    {
        const std::lock_guard held(entry.guard);
        const auto end = [&](auto& one, const QByteArray& its) {
            const bool gone = thread.isEmpty() || (its == thread && (!one.view || one.view->lost));
            if (!gone) return;
            if (!std::exchange(one.counted, true)) measure(LockMeasure::Kind::Lost, entry.name, now - one.since);
            if (one.loss.source().stop_possible()) stopped.push_back(one.loss.source());
        };
        for (auto& [key, seen] : entry.views)
            end(seen, key.first);
        for (GuardBox* const box : m_boxes) {
            if (box->entry == &entry && box->guard) end(*box, box->thread);
        }
    }
    for (std::stop_source& source : stopped)
        source.request_stop(); // callbacks may ask the lock
}

void Service::hear(Entry& entry, HoldEvent event, const QByteArray& thread, const std::string& reason) {
    if (event == HoldEvent::Lost) stopLost(entry, thread);
    if (event == HoldEvent::Renewed) measure(LockMeasure::Kind::Renewed, entry.name);
    if (event == HoldEvent::Suspended) measure(LockMeasure::Kind::Suspended, entry.name);
    lockscope::detail::writeDown(event, entry.name, QString::fromStdString(reason));
    const std::lock_guard held(entry.calling);
    if (event == HoldEvent::ReleaseFailed && entry.onEvent.empty() && !m_heard.contains(thread))
        lockscope::detail::warn(lockscope::detail::notGivenBack(entry.name, QString::fromStdString(reason)));
    tell(entry.onEvent, event, reason);
    if (event == HoldEvent::Lost) tell(entry.onLost, event, reason);
    if (event == HoldEvent::Suspended) tell(entry.onSuspended, event, reason);
}

void Service::note(const Key& key, const std::shared_ptr<Entry>& entry) {
    m_entries[key] = entry;
    entry->knownAs.push_back(key);
}

void Service::forget(Entry* entry) {
    for (const Key& key : entry->knownAs) {
        const auto known = m_entries.find(key);
        // The entry may be another caller's by now, who came before this letter.
        if (known != m_entries.end() && known->second.expired()) m_entries.erase(known);
    }
    const std::shared_ptr<Entry> whole(entry, [this](Entry* old) {
        m_living.erase(old);
        delete old;
    });
    if (m_closing || !entry->lock || !entry->lock->isHeld()) return;
    // Nobody could ever unlock it, and a session would keep it as long as the client lives.
    lockscope::detail::warn(QCoreApplication::translate("Lock",
                                                        "the last object of the lock “%1” was destroyed while a "
                                                        "thread held it: it is given back")
                                .arg(QString::fromUtf8(entry->name)));
    run(std::make_shared<PendingCall>(), [this, whole] { return giveBackLeft(whole); });
}

QCoro::Task<> Service::giveBackLeft(std::shared_ptr<Entry> entry) {
    for (const auto& [key, seen] : std::map(entry->views)) { // no other thread knows the entry any more
        const auto& [thread, mode] = key;
        while (entry->lock && entry->lock->holdCount(thread, mode) > 0) {
            const auto left = co_await entry->lock->unlock(thread, mode);
            if (!left || *left == 0) measure(endOf(left.has_value()), entry->name, now() - seen.since);
            if (!left) break;
        }
    }
}

std::shared_ptr<GuardBox> Service::box(LockGuard guard, QByteArray thread, const Entry& entry) {
    auto view = guard.view();
    auto* const made = new GuardBox{std::move(guard), std::move(view), std::move(thread), entry.name, &entry, now()};
    m_boxes.insert(made);
    return {made, [service = shared_from_this()](GuardBox* box) {
                Service* const raw = service.get();
                raw->m_thread.put([raw, box] {
                    raw->m_boxes.erase(box);
                    delete box;
                });
            }};
}

QCoro::Task<> Service::goodbye(std::shared_ptr<PendingCall> ended) {
    if (!m_pending.empty()) {
        for (const auto& pending : std::set(m_pending))
            pending->stop.request_stop();
        co_await m_allEnded.wait(*m_runtime, kGoodbye);
    }
    // Locks still held are left to end with their lease or session, as when a process ends.
    for (Entry* const entry : m_living) {
        const bool anyHeld = entry->lock && entry->lock->isHeld();
        entry->condition.reset();
        entry->lock.reset();
        if (anyHeld) hear(*entry, HoldEvent::Lost, {}, closedError().message.toStdString());
    }
    for (GuardBox* const box : m_boxes)
        box->guard = LockGuard();
    const Completion<bool> closed;
    m_runtime->spawn([source = m_source.get(), closed]() -> QCoro::Task<> {
        co_await source->close();
        closed.complete(true);
    });
    co_await closed.wait(*m_runtime, kGoodbye);
    ended->finish();
}

void Service::end() {
    close();
    m_thread.end();
}

void Service::close() {
    if (!ofThisProcess()) return;
    if (m_closed.exchange(true)) { // what comes after this call must not find the other one at work
        m_gone->wait();
        return;
    }
    const auto ended = std::make_shared<PendingCall>();
    m_thread.put([this, ended] {
        m_closing = true;
        if (!m_source) {
            ended->finish();
            return;
        }
        m_runtime->spawn([this, ended] { return goodbye(ended); });
    });
    ended->wait();
    m_thread.put([this, gone = m_gone] {
        if (m_runtime) m_runtime->kill();
        m_source.reset();
        m_runtime.reset();
        gone->finish();
    });
    m_gone->wait();
}

} // namespace lockscope::blocking::detail
