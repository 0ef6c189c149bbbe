// SPDX-License-Identifier: Apache-2.0
#include "recipes/etcd/etcd_lease.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/waiting.h"

namespace lockscope::recipes {

using etcd::KeyValue;
using etcd::Operation;
using etcd::Transaction;
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
        {Step::GiveBack, Text::tr("delete {name}/lease; alone: revoke the lease, too")},
    });
    info.workStep = Step::Work;
    info.watchdog = true;
    info.token = true;
    info.fair = true;
    info.heldBy = HeldBy::Lease;
    info.layout = "etcd";
    info.simulated = true;
    return info;
}

std::unique_ptr<Recipe> makeEtcdRecipe(const QByteArray& id, EtcdLock lock) {
    if (id == "etcd-lease") return std::make_unique<EtcdLease>(std::move(lock));
    return nullptr;
}

EtcdLease::EtcdLease(EtcdLock lock)
    : m_lock(std::move(lock)),
      m_keys(m_lock.port, m_lock.name),
      m_leases(m_lock.leases ? m_lock.leases : std::make_shared<EtcdLeases>(m_lock.port)) {
}

EtcdLease::~EtcdLease() {
    if (!m_lock.leases) m_leases->end();
}

const RecipeInfo& EtcdLease::info() const {
    static const RecipeInfo& mine = *findRecipe("etcd-lease");
    return mine;
}

namespace {

/// Between looks beside a watch that may be told late: for as long as the server's tick for those takes, 100 ms. Each
/// doubles the wait, so that nobody waits more than twice as long as without.
constexpr Nanos kFirstGlance = 3ms, kLastGlance = 96ms;

/// A condition under which our key is put.
enum class PutIf : std::uint8_t { NobodyIsThere, NotThereYet };

} // namespace

/// A try takes a place in the queue and waits in line. One that failed keeps its place, as long as that lasts: the next
/// finds what it has put.
class EtcdLease::Contender final : public LockContender {
public:
    using Of = EtcdLease;
    using Asked = Request;
    static constexpr Undo kUndo = Undo::Always;
    Contender(EtcdLease& of, Request asked)
        : LockContender(of.m_lock.port.runtime(), std::move(asked)),
          m_port(of.m_lock.port),
          m_keys(of.m_keys),
          m_leases(of.m_leases) {}

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        const std::expected<bool, LockError> locked = co_await lock(stop);
        m_failed = !locked;
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        Tried<Grant> tried;
        tried.next = Tried<Grant>::Next::AtOnce;
        if (!locked && (!m_stand || !m_stand->leaseEnded())) co_return std::unexpected(locked.error());
        // A server that answers slowly can answer after the key's time was over, and it was swept away.
        if (!locked || !*locked || m_stand->barred()) co_return tried;
        m_leases->touch(*m_stand);
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
        if (stand) co_await EtcdLeases::withdraw(m_leases, *stand);
    }

private:
    /// Mutex.Lock of the source. False: the time is over, or the place in the queue was lost.
    Outcome<bool> lock(std::stop_token stop) {
        if (!m_stand) {
            request.steps.at(Step::Lease);
            const auto ttl = std::max(std::chrono::ceil<std::chrono::seconds>(request.lease), std::chrono::seconds(1));
            const auto stand = co_await m_leases->stand(m_keys.prefix(), ttl, request.kept, stop);
            if (!stand) co_return std::unexpected(stand.error());
            m_stand = std::make_shared<EtcdStand>(*stand);
            // Not in the source: so a try in vain puts nothing, and foreign data gets no key of ours.
            const auto alone = co_await tryAcquire(PutIf::NobodyIsThere);
            if (!alone || *alone || timeIsOver() || stop.stop_requested()) co_return alone;
        }
        request.steps.at(Step::Put);
        const auto first = co_await tryAcquire(PutIf::NotThereYet);
        if (!first || *first || stop.stop_requested()) co_return first;
        request.steps.at(Step::Oldest);
        const auto turn = co_await waitDeletes(stop);
        co_return turn;
    }

    /// Mutex.tryAcquire of the source. True: our key is there, and the oldest.
    Outcome<bool> tryAcquire(PutIf condition) {
        m_leases->touch(*m_stand);
        Transaction take;
        take.then = {Operation::put(m_stand->key, {}, m_stand->lease()), m_keys.oldest()};
        if (condition == PutIf::NobodyIsThere) {
            take.ifAll.push_back({m_keys.prefix(), 0, etcd::endOfPrefix(m_keys.prefix())});
        } else {
            take.ifAll.push_back({m_stand->key, 0});
            take.otherwise.push_back(readKey(m_stand->key));
        }
        take.otherwise.push_back(m_keys.oldest());
        const auto taken = co_await m_keys.run(std::move(take), m_stand, {});
        if (!taken) co_return std::unexpected(taken.error());
        const auto& results = taken->results;
        if (taken->succeeded) m_stand->revision = taken->revision;
        // A try before, whose answer was lost, has made it.
        if (!taken->succeeded && !results.empty() && !results.front().keys.empty() &&
            results.front().keys.front().key == m_stand->key)
            m_stand->revision = results.front().keys.front().createRevision;
        const bool joined = condition == PutIf::NobodyIsThere || m_stand->revision != 0;
        if (!joined || results.empty() || results.back().keys.empty()) {
            m_stand->doubtful = true;
            co_return std::unexpected(
                LockError{LockError::Kind::Refused, QStringLiteral("unexpected reply to the transaction")});
        }
        const KeyValue& owner = results.back().keys.front();
        if (owner.createRevision == m_stand->revision) co_return true;
        if (const auto refused = m_keys.complaint(owner)) co_return std::unexpected(*refused);
        co_return false;
    }

    /// waitDeletes of the source: until no older key is there. Keeps the lease meanwhile, and looks for our own key.
    Outcome<bool> waitDeletes(std::stop_token stop) {
        std::optional<etcd::OwnedWatch> watch;
        QByteArray watched;
        std::optional<Nanos> glance; ///< unset: not known yet whether the watch is one that is told late
        for (;;) {
            m_leases->touch(*m_stand);
            Transaction look;
            look.then = {readKey(m_stand->key), m_keys.before(m_stand->revision)};
            const auto seen = co_await m_keys.run(std::move(look), nullptr, stop);
            if (!seen) co_return std::unexpected(seen.error());
            if (seen->results.size() < 2) co_return false;
            const auto &mine = seen->results[0].keys, &older = seen->results[1].keys;
            // Its lease ended, or somebody freed the lock by force.
            if (mine.empty() || mine.front().createRevision != m_stand->revision) co_return false;
            if (older.empty()) { // little of the lease may be left after the wait
                const auto kept = co_await m_leases->keep(*m_stand, stop);
                co_return kept;
            }
            if (const auto refused = m_keys.complaint(older.front())) co_return std::unexpected(*refused);
            if (timeIsOver()) co_return false;
            if (!watch || watched != older.front().key) {
                // From now on, not from the revision of the look: the server serves a watch of the past by a slow tick.
                // The next look finds changes that happen between this look and the watch.
                request.steps.at(Step::Watch);
                watched = older.front().key;
                watch.reset();
                auto started = co_await m_port.watch(watched, true, stop);
                if (!started) co_return std::unexpected(lockError(started.error()));
                watch.emplace(*std::move(started));
                glance.reset();
                continue;
            }
            const Nanos now = runtime.monotonic(), third = m_stand->ttl() / 3;
            const Nanos due = now + third - std::min(now - m_stand->keptAt(), third);
            if (!glance) glance = seen->revision > (*watch)->revision() ? kFirstGlance : kNever;
            const Nanos patience = std::min({giveUpAt, due, laterBy(now, *glance)}) - now;
            glance = *glance < kLastGlance ? *glance * 2 : kNever;
            const auto event = co_await (*watch)->next(std::max(patience, Nanos(0)), stop);
            if (event && event->kind == WatchEvent::Kind::Gap) watch.reset();
            if (event || runtime.monotonic() < due) continue;
            const auto kept = co_await m_leases->keep(*m_stand, stop);
            if (!kept || !*kept) co_return kept;
        }
    }

    etcd::Port& m_port;
    EtcdKeys& m_keys;
    const std::shared_ptr<EtcdLeases> m_leases;
    std::shared_ptr<EtcdStand> m_stand; ///< our place in the queue, from before its key is put
    bool m_failed = false;
};

Outcome<std::optional<Grant>> EtcdLease::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<bool> EtcdLease::renew(Grant grant, std::stop_token stop) {
    return m_leases->renew(*ownOf<const EtcdStand>(grant), std::move(stop));
}

Outcome<int> EtcdLease::release(Grant grant, std::stop_token stop) {
    grant.steps.at(Step::GiveBack);
    const auto left = co_await m_leases->giveUp(*ownOf<const EtcdStand>(grant), stop);
    grant.steps.leave();
    if (!left) co_return std::unexpected(left.error());
    if (*left) co_return 0;
    co_return std::unexpected(
        LockError{LockError::Kind::NotOwner,
                  QCoreApplication::translate("LockError",
                                              "The lock “%1” is no longer ours: its lease ended or somebody freed it.")
                      .arg(QString::fromUtf8(m_lock.name))});
}

void EtcdLease::abandoned(const Grant& grant) {
    // By its own clock over: whatever the server still keeps of it only makes others wait.
    m_leases->abandon(*ownOf<const EtcdStand>(grant));
}

} // namespace lockscope::recipes
