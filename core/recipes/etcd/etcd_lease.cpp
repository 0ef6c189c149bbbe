// SPDX-License-Identifier: Apache-2.0
#include "recipes/etcd/etcd_lease.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/waiting.h"

namespace lockscope::recipes {

using etcd::KeyValue;
using etcd::Operation;
using etcd::Range;
using etcd::Transaction;
using etcd::TransactionResult;
using etcd::WatchEvent;

namespace {
enum class Step : std::uint32_t { Lease = 1, Put, Oldest, Watch, Work, GiveBack };
} // namespace

RecipeInfo etcdLeaseInfo() {
    RecipeInfo info;
    info.id = "etcd-lease";
    info.backend = "etcd";
    info.summary =
        Text::tr("etcd's own mutex: a key under a lease queues by its revision and waits for the next older one");
    info.steps = stepTexts<Step>({
        {Step::Lease, Text::tr("a lease of {lease}, shared by locks that are kept; nobody at {name}, nobody under "
                               "{name}/ → put {name}/lease")},
        {Step::Put, Text::tr("txn: {name} and {name}/lease absent → put it; get the oldest")},
        {Step::Oldest, Text::tr("mine is the oldest → hold")},
        {Step::Watch, Text::tr("else watch the next older until it is deleted; again 3")},
        {Step::Work, Text::tr("work, write to the resource with my revision")},
        {Step::GiveBack, Text::tr("alone: txn {name}/lease is still the one I made → delete; revoke the lease; "
                                  "shared: delete it")},
    });
    info.workStep = Step::Work;
    info.watchdog = true;
    info.token = true;
    info.fair = true;
    info.heldBy = HeldBy::Lease;
    info.layout = "etcd";
    return info;
}

namespace {

/// Between looks beside a watch that may be told late: for as long as the server's tick for those takes, 100 ms. Each
/// doubles the wait, so that nobody waits more than twice as long as without.
constexpr Nanos kFirstGlance = 3ms, kLastGlance = 96ms;

std::chrono::seconds wholeSeconds(Nanos lease) {
    return std::max(std::chrono::ceil<std::chrono::seconds>(lease), std::chrono::seconds(1));
}

bool allDigits(const QByteArray& text) {
    return !text.isEmpty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Range under(const QByteArray& prefix, Range::Order order, int limit) {
    Range range;
    range.key = prefix;
    range.end = etcd::endOfPrefix(prefix);
    range.order = order;
    range.limit = limit;
    return range;
}

Range only(QByteArray key) {
    Range range;
    range.key = std::move(key);
    return range;
}

QString shown(const QByteArray& bytes) {
    return QString::fromUtf8(bytes);
}

} // namespace

struct EtcdLease::Queue {
    bool there = false; ///< our own key is
    std::optional<KeyValue> older;
    std::int64_t revision = 0; ///< of the store when it was looked at
};

std::unique_ptr<Recipe> makeEtcdRecipe(const QByteArray& id, EtcdLock lock) {
    if (id == "etcd-lease") return std::make_unique<EtcdLease>(std::move(lock));
    return nullptr;
}

EtcdLease::EtcdLease(EtcdLock lock)
    : m_lock(std::move(lock)),
      m_prefix(m_lock.name + '/'),
      m_leases(m_lock.leases ? m_lock.leases : std::make_shared<EtcdLeases>(m_lock.port)),
      m_ownLeases(!m_lock.leases) {
    Q_ASSERT(!m_lock.name.isEmpty());
}

EtcdLease::~EtcdLease() {
    if (m_ownLeases) m_leases->end();
}

const RecipeInfo& EtcdLease::info() const {
    static const RecipeInfo& mine = *findRecipe("etcd-lease");
    return mine;
}

LockError EtcdLease::foreign(const KeyValue& key, const QString& what) const {
    return {LockError::Kind::ForeignFormat,
            QCoreApplication::translate("LockError", "The key “%1” is %2, not a lock of this kind: it was left alone. "
                                                     "Use another lock name than “%3”.")
                .arg(shown(key.key), what, shown(m_lock.name))};
}

std::optional<LockError> EtcdLease::complaint(const KeyValue& key) const {
    const QByteArray rest = key.key.mid(m_prefix.size());
    const bool direct = !rest.contains('/');
    const bool ofLock = key.lease != 0 && rest == QByteArray::number(qlonglong(key.lease), 16);
    QString what;
    if (ofLock && key.value.isEmpty()) return std::nullopt;
    if (ofLock)
        what = QCoreApplication::translate("LockError", "an election's candidate");
    else if ((rest.startsWith("read/") || rest.startsWith("write/")) && allDigits(rest.mid(rest.indexOf('/') + 1)))
        what = QCoreApplication::translate("LockError", "a read/write lock");
    else if (direct || key.lease == 0)
        what = QCoreApplication::translate("LockError", "other data");
    else
        return std::nullopt; // a lock below this one: we wait behind it, as etcd's own would
    return foreign(key, what);
}

std::optional<LockError> EtcdLease::complaintOfName(const TransactionResult& result) const {
    if (result.results.empty() || result.results.back().keys.empty()) return std::nullopt;
    const KeyValue& key = result.results.back().keys.front();
    if (key.key != m_lock.name) return std::nullopt;
    return foreign(key, key.value.startsWith("ADDED:") ? QCoreApplication::translate("LockError", "ShedLock's lock")
                                                       : QCoreApplication::translate("LockError", "other data"));
}

etcd::Result<TransactionResult> EtcdLease::guarded(Transaction transaction, StandPtr stand, std::stop_token stop) {
    bool sees = m_seesName;
    if (sees) transaction.ifAll.push_back({m_lock.name, 0});
    for (;;) {
        auto result = co_await m_lock.port.run(transaction, stop);
        const bool unknown = result ? result->repeated : result.error().outcomeUnknown();
        if (stand && unknown) stand->doubtful = true;
        if (sees && !result && result.error().kind == etcd::Error::Kind::Denied) {
            sees = false;
            transaction.ifAll.pop_back();
            continue;
        }
        if (result && !sees) m_seesName = false; // this user may use the lock's keys alone, as etcd's own mutex does
        if (!result || !sees || result->succeeded) co_return result;
        if (!result->results.empty() && !result->results.front().keys.empty()) co_return result; // that is why
        const Range name = only(m_lock.name);
        const auto there = co_await m_lock.port.range(name, stop);
        if (!there) co_return std::unexpected(there.error());
        if (there->keys.empty()) continue; // no longer
        result->results.push_back(*there);
        co_return result;
    }
}

Outcome<std::optional<KeyValue>> EtcdLease::oldest(std::stop_token stop) {
    Transaction look;
    look.then = {Operation::read(under(m_prefix, Range::Order::OldestFirst, 1))};
    const auto found = co_await guarded(std::move(look), nullptr, stop);
    if (!found) co_return std::unexpected(lockError(found.error()));
    if (const auto refused = complaintOfName(*found)) co_return std::unexpected(*refused);
    if (found->results.empty() || found->results.front().keys.empty()) co_return std::nullopt;
    const KeyValue first = found->results.front().keys.front();
    if (const auto refused = complaint(first)) co_return std::unexpected(*refused);
    co_return first;
}

/// A transaction that may put the key. Sent more than once, or without an answer, it may yet do so when it is too late.
Outcome<TransactionResult> EtcdLease::put(StandPtr stand, Transaction transaction) {
    m_leases->touch(*stand);
    const auto result = co_await guarded(std::move(transaction), stand, {});
    if (!result && result.error().kind == etcd::Error::Kind::LeaseNotFound) EtcdLeases::ended(*stand);
    if (!result) co_return std::unexpected(lockError(result.error()));
    if (const auto refused = complaintOfName(*result)) co_return std::unexpected(*refused);
    co_return *result;
}

Outcome<EtcdLease::Entered> EtcdLease::enterAlone(StandPtr stand) {
    Transaction take;
    take.ifAll.push_back({m_prefix, 0, etcd::endOfPrefix(m_prefix)});
    take.then = {Operation::put(stand->key, {}, stand->lease())};
    take.otherwise = {Operation::read(under(m_prefix, Range::Order::OldestFirst, 1))};
    const auto taken = co_await put(stand, std::move(take));
    if (!taken) co_return std::unexpected(taken.error());
    if (taken->succeeded) {
        stand->revision = taken->revision;
        co_return Entered::Held;
    }
    if (taken->results.empty() || taken->results.front().keys.empty()) co_return Entered::Vain;
    const KeyValue first = taken->results.front().keys.front();
    if (first.key == stand->key) { // an earlier try whose answer was lost has made it
        stand->revision = first.createRevision;
        co_return Entered::Held;
    }
    if (const auto refused = complaint(first)) co_return std::unexpected(*refused);
    co_return Entered::Vain;
}

Outcome<EtcdLease::Entered> EtcdLease::enter(StandPtr stand) {
    Transaction join;
    const Operation first = Operation::read(under(m_prefix, Range::Order::OldestFirst, 1));
    join.ifAll.push_back({stand->key, 0});
    join.then = {Operation::put(stand->key, {}, stand->lease()), first};
    join.otherwise = {Operation::read(only(stand->key)), first};
    const auto joined = co_await put(stand, std::move(join));
    if (!joined) co_return std::unexpected(joined.error());
    if (joined->results.size() < 2 || (!joined->succeeded && joined->results[0].keys.empty())) {
        stand->doubtful = true;
        co_return std::unexpected(
            LockError{LockError::Kind::Refused, QStringLiteral("unexpected reply to the transaction")});
    }
    // An earlier try whose answer was lost has made the key; then it says when.
    stand->revision = joined->succeeded ? joined->revision : joined->results[0].keys.front().createRevision;
    const std::vector<KeyValue>& oldestNow = joined->results[1].keys;
    const bool held = !oldestNow.empty() && oldestNow.front().createRevision == stand->revision;
    co_return held ? Entered::Held : Entered::Waits;
}

Outcome<EtcdLease::Queue> EtcdLease::look(StandPtr stand, std::stop_token stop) {
    Range older = under(m_prefix, Range::Order::NewestFirst, 1);
    older.maxCreateRevision = stand->revision - 1;
    Transaction both;
    both.then = {Operation::read(only(stand->key)), Operation::read(older)};
    const auto read = co_await guarded(std::move(both), nullptr, stop);
    if (!read) co_return std::unexpected(lockError(read.error()));
    if (const auto refused = complaintOfName(*read)) co_return std::unexpected(*refused);
    Queue queue;
    if (read->results.size() < 2) co_return queue;
    const std::vector<KeyValue>& own = read->results[0].keys;
    queue.revision = read->revision;
    queue.there = !own.empty() && own.front().createRevision == stand->revision;
    if (!read->results[1].keys.empty()) queue.older = read->results[1].keys.front();
    co_return queue;
}

/// A try takes a place in the queue and waits in line. One that failed keeps its place, as long as that lasts: the next
/// finds what it has put.
class EtcdLease::Contender final : public LockContender {
public:
    using Of = EtcdLease;
    using Asked = Request;
    static constexpr Undo kUndo = Undo::Always;
    Contender(EtcdLease& of, Request asked)
        : LockContender(of.m_lock.port.runtime(), std::move(asked)), m(of), m_leases(*of.m_leases) {}

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        std::expected<Waited, LockError> waited;
        if (m_stand)
            waited = co_await takePlace(stop);
        else
            waited = co_await begin(stop);
        m_failed = !waited;
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        Tried<Grant> tried;
        tried.next = Tried<Grant>::Next::AtOnce;
        if (!waited && (!m_stand || !m_stand->leaseEnded())) co_return std::unexpected(waited.error());
        // A server that answers slowly can answer after the key's time was over, and it was swept away.
        if (!waited || *waited != Waited::Held || EtcdLeases::barred(*m_stand)) co_return tried;
        m_leases.touch(*m_stand);
        Grant& grant = tried.granted.emplace();
        grant.thread = request.thread;
        grant.value = m_stand->key;
        grant.askedAt = m_stand->keptAt();
        grant.lease = m_stand->ttl();
        grant.token = m_stand->revision;
        grant.steps = request.steps;
        grant.steps.at(Step::Work);
        grant.own = std::shared_ptr<const EtcdStand>(m_stand);
        co_return tried;
    }
    QCoro::Task<> undo(Then then) override {
        const bool lasts =
            m_failed && m_stand && !m_stand->leaseEnded() && runtime.monotonic() < m_stand->keptAt() + m_stand->ttl();
        if (then == Then::TheEnd || !lasts) co_await takeBack();
    }
    QCoro::Task<> takeBack() override {
        const std::shared_ptr<EtcdStand> stand = std::exchange(m_stand, nullptr);
        if (!stand) co_return;
        if (stand->shared() && stand->revision == 0 && !stand->doubtful)
            m_leases.left(*stand); // nothing was put
        else
            co_await m_leases.withdraw(*stand);
    }

private:
    /// Takes a lease, and with it the lock, if nobody is there. A look before, or with a lease in hand a transaction
    /// that takes the lock or writes nothing: a try in vain leaves no trace, and foreign data no key of ours.
    Outcome<Waited> begin(std::stop_token stop) {
        request.steps.at(Step::Lease);
        if (!request.kept) {
            const auto before = co_await m.oldest(stop);
            if (!before) co_return std::unexpected(before.error());
            if (*before && timeIsOver()) co_return Waited::TimedOut;
        }
        const auto stood = co_await m_leases.stand(m.m_prefix, wholeSeconds(request.lease), request.kept, stop);
        if (!stood) co_return std::unexpected(stood.error());
        m_stand = std::make_shared<EtcdStand>(*stood);
        if (request.kept) {
            const auto entered = co_await m.enterAlone(m_stand);
            if (!entered) co_return std::unexpected(entered.error());
            if (*entered == Entered::Held) co_return Waited::Held;
            if (timeIsOver() || stop.stop_requested()) co_return Waited::TimedOut;
        }
        co_return co_await takePlace(stop);
    }
    /// Joins the queue, or finds its place there, and waits for its turn.
    Outcome<Waited> takePlace(std::stop_token stop) {
        request.steps.at(Step::Put);
        const auto entered = co_await m.enter(m_stand);
        if (!entered) co_return std::unexpected(entered.error());
        if (*entered == Entered::Held) co_return Waited::Held;
        if (stop.stop_requested()) co_return Waited::TimedOut;
        request.steps.at(Step::Oldest);
        co_return co_await m.waitInLine(m_stand, giveUpAt, request.steps, stop);
    }

    EtcdLease& m;
    EtcdLeases& m_leases;
    std::shared_ptr<EtcdStand> m_stand; ///< our place in the queue, from before its key is put
    bool m_failed = false;
};

Outcome<std::optional<Grant>> EtcdLease::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<EtcdLease::Waited> EtcdLease::waitInLine(StandPtr stand, Nanos giveUpAt, Steps steps, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    std::optional<etcd::OwnedWatch> watch;
    QByteArray watched;
    std::optional<Nanos> glance; ///< unset: not known yet whether the watch is one that is told late
    for (;;) {
        m_leases->touch(*stand);
        const std::expected<Queue, LockError> queue = co_await look(stand, stop);
        if (!queue) co_return std::unexpected(queue.error());
        if (!queue->there) co_return Waited::PlaceLost; // its lease ended, or somebody freed the lock by force
        if (!queue->older) {
            // Little of the lease may be left after the wait.
            const std::expected<bool, LockError> kept = co_await m_leases->keep(*stand, stop);
            if (!kept) co_return std::unexpected(kept.error());
            co_return *kept ? Waited::Held : Waited::PlaceLost;
        }
        if (const auto refused = complaint(*queue->older)) co_return std::unexpected(*refused);
        const Nanos now = runtime.monotonic();
        if (now >= giveUpAt) co_return Waited::TimedOut;
        if (!watch || watched != queue->older->key) {
            // From now on, not from the revision of the look: the server serves a watch of the past by a slow tick.
            // The next look finds changes that happen between this look and the watch.
            steps.at(Step::Watch);
            watched = queue->older->key;
            watch.reset();
            auto started = co_await m_lock.port.watch(watched, true, stop);
            if (!started) co_return std::unexpected(lockError(started.error()));
            watch.emplace(*std::move(started));
            glance.reset();
            continue;
        }
        const Nanos due = now + stand->ttl() / 3 - std::min(now - stand->keptAt(), stand->ttl() / 3);
        if (!glance) glance = queue->revision > (*watch)->revision() ? kFirstGlance : kNever;
        const Nanos patience = std::min({giveUpAt, due, laterBy(now, *glance)}) - now;
        glance = *glance < kLastGlance ? *glance * 2 : kNever;
        const std::optional<WatchEvent> event = co_await (*watch)->next(std::max(patience, Nanos(0)), stop);
        if (event && event->kind == WatchEvent::Kind::Gap) watch.reset();
        if (event || runtime.monotonic() < due) continue;
        const std::expected<bool, LockError> kept = co_await m_leases->keep(*stand, stop);
        if (!kept) co_return std::unexpected(kept.error());
        if (!*kept) co_return Waited::PlaceLost;
    }
}

Outcome<bool> EtcdLease::renew(Grant grant, std::stop_token stop) {
    return m_leases->renew(*ownOf<const EtcdStand>(grant), std::move(stop));
}

CallList::Registration EtcdLease::onReconnect(CallList::Callback ask) {
    return m_leases->reconnects().add(std::move(ask));
}

Outcome<void> EtcdLease::listen(Grant grant, CallList::Callback ask, std::stop_token stop) {
    constexpr Nanos kShortestPause = 50ms, kLongestPause = 150ms;
    Runtime& runtime = m_lock.port.runtime();
    const std::shared_ptr<EtcdLeases> leases = m_leases;
    const EtcdLeases::Listener listener(*leases);
    if (!listener.allowed()) co_return {};
    for (bool again = false;; again = true) {
        auto watch = co_await m_lock.port.watch(grant.value, true, stop);
        if (!watch && !passes(lockError(watch.error()))) co_return std::unexpected(lockError(watch.error()));
        // Members that were away may have forgotten what hangs on this connection's leases.
        if (watch && again) leases->back();
        bool stands = watch.has_value();
        while (stands) {
            ask();
            const std::optional<WatchEvent> event = co_await (*watch)->next(kNever, stop);
            stands = event && event->kind != WatchEvent::Kind::Gap;
        }
        co_await runtime.sleep(runtime.random(kShortestPause, kLongestPause), stop);
    }
}

Outcome<int> EtcdLease::release(Grant grant, std::stop_token stop) {
    grant.steps.at(Step::GiveBack);
    const EtcdStand stand = *ownOf<const EtcdStand>(grant);
    std::expected<bool, LockError> left;
    if (stand.shared())
        left = co_await m_leases->giveUp(stand, stop);
    else
        left = co_await leaveAlone(stand, stop);
    grant.steps.leave();
    if (!left) co_return std::unexpected(left.error());
    if (*left) co_return 0;
    co_return std::unexpected(
        LockError{LockError::Kind::NotOwner,
                  QCoreApplication::translate("LockError",
                                              "The lock “%1” is no longer ours: its lease ended or somebody freed it.")
                      .arg(shown(m_lock.name))});
}

/// The key first, which says whether it was there; then its lease.
Outcome<bool> EtcdLease::leaveAlone(EtcdStand stand, std::stop_token stop) {
    Transaction leave;
    leave.ifAll.push_back({stand.key, stand.revision});
    leave.then.push_back(Operation::remove(stand.key));
    const auto left = co_await m_lock.port.run(std::move(leave), stop);
    if (!left) co_return std::unexpected(lockError(left.error()));
    co_await m_leases->withdraw(stand);
    co_return left->succeeded || left->repeated; // after a lost answer the key may be gone by our own first try
}

void EtcdLease::abandoned(const Grant& grant) {
    // By its own clock over: whatever the server still keeps of it only makes others wait.
    m_leases->abandon(*ownOf<const EtcdStand>(grant));
}

bool EtcdLease::isOurs(const KeyValue& key) const {
    return key.key == m_prefix + QByteArray::number(qlonglong(key.lease), 16);
}

Outcome<bool> EtcdLease::forceRelease(std::stop_token stop) {
    for (;;) {
        const auto holder = co_await oldest(stop);
        if (!holder) co_return std::unexpected(holder.error());
        if (!*holder || !isOurs(**holder)) co_return false;
        Transaction remove;
        remove.ifAll.push_back({(*holder)->key, (*holder)->createRevision});
        remove.then.push_back(Operation::remove((*holder)->key));
        const auto removed = co_await m_lock.port.run(std::move(remove), stop);
        if (!removed) co_return std::unexpected(lockError(removed.error()));
        if (removed->succeeded || removed->repeated) co_return true;
        // Released just now: the next one in the queue is the holder.
    }
}

Outcome<bool> EtcdLease::isLocked(std::stop_token stop) {
    const auto holder = co_await oldest(std::move(stop));
    if (!holder) co_return std::unexpected(holder.error());
    co_return holder->has_value() && isOurs(**holder);
}

Outcome<std::vector<HolderInfo>> EtcdLease::holders(std::stop_token stop) {
    const auto first = co_await oldest(std::move(stop));
    if (!first) co_return std::unexpected(first.error());
    if (!first->has_value() || !isOurs(**first)) co_return std::vector<HolderInfo>();
    HolderInfo holder;
    holder.client = QByteArray::number(qlonglong((*first)->lease), 16);
    holder.token = (*first)->createRevision;
    co_return std::vector{holder};
}

} // namespace lockscope::recipes
