// SPDX-License-Identifier: Apache-2.0
#include "recipes/memcached/memcached_add.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

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
    return info;
}

using memcached::Change;
using memcached::Expiry;

const RecipeInfo& MemcachedAdd::info() const {
    static const RecipeInfo& mine = *findRecipe("memcached-add");
    return mine;
}

Outcome<std::optional<Grant>> MemcachedAdd::acquire(Request request, std::stop_token stop) {
    if (const auto error = memcachedLeaseError(request.lease)) co_return std::unexpected(*error);
    Runtime& runtime = m_lock.port.runtime();
    const Nanos giveUpAt = laterBy(runtime.monotonic(), request.wait);
    const QByteArray value = m_lock.client + ':' + request.thread;
    const auto expiry =
        Expiry(std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(request.lease).count(), 1));
    for (;;) {
        request.steps.at(Step::Add);
        const Nanos askedAt = runtime.monotonic();
        // Not interrupted: what was added then would be known to nobody.
        const auto added = co_await m_lock.port.add(m_lock.name, value, expiry, false);
        if (!added) co_return std::unexpected(lockError(added.error()));
        if (added->outcome == Change::Outcome::Stored) {
            if (stop.stop_requested()) {
                co_await m_lock.port.remove(m_lock.name);
                request.steps.leave();
                throw Cancelled(Cancelled::Why::Stopped);
            }
            request.steps.at(Step::Work);
            co_return Grant{request.thread, value, askedAt, request.lease, 1, 0, request.steps};
        }
        const Nanos now = runtime.monotonic();
        if (now >= giveUpAt) {
            request.steps.leave();
            co_return std::nullopt;
        }
        request.steps.at(Step::Wait);
        const Nanos nap = runtime.random(m_lock.low, m_lock.high);
        co_await runtime.sleep(giveUpAt == kNever ? nap : std::min(nap, giveUpAt - now), stop);
    }
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
