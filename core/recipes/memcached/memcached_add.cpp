// SPDX-License-Identifier: Apache-2.0
#include "recipes/memcached/memcached_add.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/waiting.h"

namespace lockscope::recipes {

namespace {
enum class Step : std::uint32_t { Add = 1, Wait, Work, Delete };
} // namespace

RecipeInfo memcachedAddInfo() {
    RecipeInfo info;
    info.id = "memcached-add";
    info.backend = "memcached";
    info.summary = Text::tr("add with an expiry, and a delete that does not look whose lock it is");
    info.steps = stepTexts<Step>({
        {Step::Add, Text::tr("add {name} me {lease}")},
        {Step::Wait, Text::tr("NOT_STORED → wait a little, again 1")},
        {Step::Work, Text::tr("work, write to the resource")},
        {Step::Delete, Text::tr("delete {name}, whoever holds it")},
    });
    info.workStep = Step::Work;
    info.naive = true;
    info.simulated = true;
    return info;
}

using memcached::Change;
using memcached::Expiry;

const RecipeInfo& MemcachedAdd::info() const {
    static const RecipeInfo& mine = *findRecipe("memcached-add");
    return mine;
}

class MemcachedAdd::Contender final : public LockContender {
public:
    using Of = MemcachedAdd;
    using Asked = Request;
    Contender(MemcachedAdd& of, Request asked)
        : LockContender(of.m_lock.port.runtime(), std::move(asked)),
          m_lock(of.m_lock),
          m_value(m_lock.client + ':' + request.thread) {}

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        request.steps.at(Step::Add);
        const auto lease = std::chrono::ceil<std::chrono::seconds>(request.lease).count();
        const Nanos askedAt = runtime.monotonic();
        // Not interrupted: what was added then would be known to nobody.
        const auto added =
            co_await m_lock.port.add(m_lock.name, m_value, Expiry(std::max<std::int64_t>(lease, 1)), false);
        if (!added) co_return std::unexpected(lockError(added.error()));
        Tried<Grant> tried;
        m_added = added->outcome == Change::Outcome::Stored;
        if (!m_added) co_return tried;
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        request.steps.at(Step::Work);
        tried.granted = Grant{request.thread, m_value, askedAt, request.lease, 1, 0, request.steps};
        co_return tried;
    }
    /// The texts that show it end with the error.
    bool mayPass(const LockError&) const override { return false; }
    QCoro::Task<> undo(Then) override {
        if (m_added) co_await m_lock.port.remove(m_lock.name);
    }
    QCoro::Task<> rest(Tried<Grant>, std::stop_token stop) override {
        request.steps.at(Step::Wait);
        return runtime.sleep(within(runtime.random(m_lock.low, m_lock.high)), std::move(stop));
    }

private:
    MemcachedLock& m_lock;
    QByteArray m_value;
    bool m_added = false;
};

Outcome<std::optional<Grant>> MemcachedAdd::acquire(Request request, std::stop_token stop) {
    if (const auto error = memcachedLeaseError(request.lease)) co_return std::unexpected(*error);
    co_return co_await contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<int> MemcachedAdd::release(Grant grant, std::stop_token stop) {
    grant.steps.at(Step::Delete);
    const auto removed = co_await m_lock.port.remove(m_lock.name, stop); // whosever it is: the flaw
    grant.steps.leave();
    if (!removed) co_return std::unexpected(lockError(removed.error()));
    co_return 0;
}

Outcome<bool> MemcachedAdd::forceRelease(std::stop_token stop) {
    return forceMemcachedLock(m_lock, &isMemcachedOwner, std::move(stop));
}

Outcome<bool> MemcachedAdd::isLocked(std::stop_token stop) {
    const auto item = co_await m_lock.port.get(m_lock.name, std::move(stop));
    if (!item) co_return std::unexpected(lockError(item.error()));
    co_return item->has_value();
}

} // namespace lockscope::recipes
