// SPDX-License-Identifier: Apache-2.0
#include "recipes/memcached/memcached_lease.h"

#include "recipes/hex_digits.h"
#include "recipes/polling_rests.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/token_start.h"
#include "recipes/waiting.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::recipes {

using memcached::Change;
using memcached::Expiry;

namespace {
enum class Step : std::uint32_t { Value = 1, Add, Hold, Work, Expire };
} // namespace

RecipeInfo memcachedLeaseInfo() {
    RecipeInfo info;
    info.id = "memcached-lease";
    info.backend = "memcached";
    info.summary = Text::tr("add with a unique value; renewal and release compare its version by cas");
    info.steps = stepTexts<Step>({
        {Step::Value, Text::tr("value := new unique id")},
        {Step::Add, Text::tr("add {name} value {lease}; gets {name} → version; taken → wait a little, again")},
        {Step::Hold, Text::tr("STORED → hold until sent + {lease}; watchdog: cas {lease}")},
        {Step::Work, Text::tr("work, write to the resource with the version")},
        {Step::Expire, Text::tr("cas {name} version, expiring at once")},
    });
    info.workStep = Step::Work;
    info.watchdog = true;
    info.token = true;
    info.simulated = true;
    return info;
}

namespace {

Expiry expiryOf(Nanos lease) {
    return Expiry(std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(lease).count(), 1)) + 1;
}

/// "<client>:<thread>:<16 hex digits>".
bool isOurs(QByteArrayView value) {
    if (value.size() <= kHexDigits + 1 || value[value.size() - kHexDigits - 1] != ':') return false;
    const auto isHex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return std::ranges::all_of(value.last(kHexDigits), isHex) && isMemcachedOwner(value.chopped(kHexDigits + 1));
}

} // namespace

/// Our item's latest known state. Shared by all copies of a grant, because renewals change it.
struct MemcachedHold {
    std::optional<memcached::Mark> mark;
};

const RecipeInfo& MemcachedLease::info() const {
    static const RecipeInfo& mine = *findRecipe("memcached-lease");
    return mine;
}

Outcome<bool> MemcachedLease::withdraw(QByteArray value, Nanos lease) {
    // Our add may or may not have run: if it did, undo it.
    const Nanos until = laterBy(m_lock.port.runtime().monotonic(), laterBy(lease, 2s));
    auto undone = co_await change(std::make_shared<MemcachedHold>(), value, kMemcachedAtOnce, {});
    if (!undone) m_leftBehind.note(value, until);
    co_return undone;
}

QCoro::Task<> MemcachedLease::undoLeftBehind() {
    return m_leftBehind.undoWith(m_lock.port.runtime(), [this](QByteArray old) -> QCoro::Task<bool> {
        const auto undone = co_await change(std::make_shared<MemcachedHold>(), old, kMemcachedAtOnce, {});
        co_return undone.has_value();
    });
}

Outcome<bool> MemcachedLease::change(std::shared_ptr<MemcachedHold> own, QByteArray value, Expiry expiry,
                                     std::stop_token stop) {
    for (int look = 0; look < kMemcachedLooks; ++look) {
        if (!own->mark) {
            const auto item = co_await m_lock.port.get(m_lock.name, stop);
            if (!item) co_return std::unexpected(lockError(item.error()));
            if (!item->has_value() || (*item)->value != value) co_return false;
            own->mark = (*item)->mark;
        }
        const memcached::Mark meant = *std::exchange(own->mark, std::nullopt); // not known until we hear of it again
        const bool stays = expiry != kMemcachedAtOnce;                         // then we need its new number
        const auto done = co_await m_lock.port.compareAndSet(m_lock.name, value, expiry, meant, stays, stop);
        if (!done) co_return std::unexpected(lockError(done.error()));
        if (done->item && done->item->value == value) own->mark = done->item->mark;
        if (done->outcome == Change::Outcome::Stored) co_return true;
        if (done->outcome == Change::Outcome::Gone) co_return false;
        if (done->item && !own->mark) co_return false; // somebody else's
    }
    co_return std::unexpected(memcachedUnsteady(m_lock.name));
}

class MemcachedLease::Contender final : public LockContender {
public:
    using Of = MemcachedLease;
    using Asked = Request;
    Contender(MemcachedLease& of, Request asked)
        : LockContender(of.m_lock.port.runtime(), std::move(asked)), m(of), m_lock(of.m_lock), m_rests(m_lock.high) {
        request.steps.at(Step::Value);
        m_value = m_lock.client + ':' + request.thread + ':' + hexDigits(runtime.random());
    }

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        request.steps.at(Step::Add);
        if (!m.m_leftBehind.empty()) co_await m.undoLeftBehind();
        m_mayStand = true;
        const Nanos askedAt = runtime.monotonic();
        // Not interrupted: an add that nobody waits for could still run after its own undoing.
        const auto added = co_await m_lock.port.add(m_lock.name, m_value, expiryOf(request.lease), true);
        if (!added) co_return std::unexpected(lockError(added.error()));
        m_mayStand = added->outcome == Change::Outcome::Stored;
        Tried<Grant> tried;
        if (!m_mayStand) {
            if (added->outcome == Change::Outcome::Taken && added->item && !isOurs(added->item->value))
                co_return std::unexpected(memcachedForeign(m_lock.name));
            co_return tried;
        }
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        const bool ours = added->item && added->item->value == m_value;
        if (ours && added->item->mark.unique == 0) {
            co_await m_lock.port.remove(m_lock.name); // nobody has such a lock there
            co_return std::unexpected(memcachedWithoutCas());
        }
        if (ours) {
            request.steps.at(Step::Hold);
            Grant& grant = tried.granted.emplace();
            grant.thread = request.thread;
            grant.value = m_value;
            grant.askedAt = askedAt;
            grant.lease = request.lease;
            grant.token = tokenStart(added->item->mark.runBegan) + std::int64_t(added->item->mark.unique);
            grant.steps = request.steps;
            const auto own = std::make_shared<MemcachedHold>();
            own->mark = added->item->mark;
            grant.own = own;
            co_return tried;
        }
        // Not seen: taken away between the two commands, by force or for want of memory, or the server had none left
        // to tell of it.
        const auto undone = co_await m.withdraw(m_value, request.lease);
        m_mayStand = false;
        if (!undone) co_return std::unexpected(undone.error());
        co_return tried;
    }
    QCoro::Task<> undo(Then) override {
        if (m_mayStand) co_await m.withdraw(m_value, request.lease);
    }
    QCoro::Task<> rest(Tried<Grant>, std::stop_token stop) override {
        return runtime.sleep(within(m_rests.next(runtime)), std::move(stop));
    }

private:
    MemcachedLease& m;
    MemcachedLock& m_lock;
    PollingRests m_rests;
    QByteArray m_value;
    bool m_mayStand = false; ///< the latest add may have run
};

Outcome<std::optional<Grant>> MemcachedLease::acquire(Request request, std::stop_token stop) {
    if (const auto error = memcachedLeaseError(request.lease)) co_return std::unexpected(*error);
    co_return co_await contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<bool> MemcachedLease::renew(Grant grant, std::stop_token stop) {
    if (const auto error = memcachedLeaseError(grant.lease)) co_return std::unexpected(*error);
    const auto own = ownOf<MemcachedHold>(grant);
    co_return co_await change(own, grant.value, expiryOf(grant.lease), std::move(stop));
}

Outcome<int> MemcachedLease::release(Grant grant, std::stop_token stop) {
    grant.steps.at(Step::Expire);
    const auto own = ownOf<MemcachedHold>(grant);
    const auto gone = co_await change(own, grant.value, kMemcachedAtOnce, std::move(stop));
    grant.steps.leave();
    if (!gone) co_return std::unexpected(gone.error());
    if (*gone) co_return 0;
    co_return std::unexpected(
        LockError{LockError::Kind::NotOwner,
                  QCoreApplication::translate("LockError",
                                              "The lock “%1” is no longer ours: its lease ended or somebody freed it.")
                      .arg(QString::fromUtf8(m_lock.name))});
}

Outcome<bool> MemcachedLease::forceRelease(std::stop_token stop) {
    return forceMemcachedLock(m_lock, &isOurs, std::move(stop));
}

Outcome<bool> MemcachedLease::isLocked(std::stop_token stop) {
    const auto item = co_await m_lock.port.get(m_lock.name, std::move(stop));
    if (!item) co_return std::unexpected(lockError(item.error()));
    co_return item->has_value();
}

Outcome<std::vector<HolderInfo>> MemcachedLease::holders(std::stop_token stop) {
    const auto item = co_await m_lock.port.get(m_lock.name, std::move(stop));
    if (!item) co_return std::unexpected(lockError(item.error()));
    if (!item->has_value()) co_return std::vector<HolderInfo>();
    if (!isOurs((*item)->value)) co_return std::unexpected(memcachedForeign(m_lock.name));
    // Not its token: renewals have changed the item's number since. Nor its end, which memcached does not tell.
    co_return std::vector{HolderInfo::of((*item)->value.chopped(kHexDigits + 1))};
}

} // namespace lockscope::recipes
