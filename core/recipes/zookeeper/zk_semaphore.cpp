// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_semaphore.h"

#include "recipes/at_once.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

namespace lockscope::recipes {

using zookeeper::ChildList;
using zookeeper::Error;
using zookeeper::Result;
using zookeeper::Session;
using zookeeper::WatchEvent;

namespace {
enum class Step : std::uint32_t { Queue = 1, Turn, Leases, Room, Work, Delete };
/// Tries to see the permits while nobody enters or leaves the front of the queue. Under a rush of contenders no look
/// may ever be undisturbed: then what was seen has to do, since an answer for display may be a little off, but must
/// come.
constexpr int kSettledLooks = 8;
} // namespace

RecipeInfo zkSemaphoreInfo() {
    RecipeInfo info =
        zooKeeperInfo("zk-semaphore", Text::tr("Curator's semaphore: permits are nodes, taken one client at a time"));
    info.steps = stepTexts<Step>({
        {Step::Queue, Text::tr("create {name}/locks/_c_{uuid}-lock- ephemeral sequential")},
        {Step::Turn, Text::tr("wait until ours is the lowest")},
        {Step::Leases, Text::tr("create {name}/leases/_c_{uuid}-lease- ephemeral sequential, for each permit")},
        {Step::Room, Text::tr("more leases than there may be → watch them")},
        {Step::Work, Text::tr("work, write to the resource")},
        {Step::Delete, Text::tr("delete our leases")},
    });
    info.workStep = Step::Work;
    info.fair = true;
    info.exclusive = false;
    info.permits = true;
    info.token = false;
    info.layout = "Curator";
    return info;
}

ZkSemaphore::ZkSemaphore(ZkLock lock)
    : ZkRecipe(std::move(lock), {Step::Queue, Step::Work, Step::Delete}),
      m_locks(m_lock.port, m_lock.path + "/locks"),
      m_leases(m_lock.port, m_lock.path + "/leases") {
}

const RecipeInfo& ZkSemaphore::info() const {
    static const RecipeInfo& mine = *findRecipe("zk-semaphore");
    return mine;
}

Outcome<bool> ZkSemaphore::ownPath(Nanos giveUpAt, std::stop_token stop) {
    ZkQueue above(m_lock.port, m_lock.path);
    const std::expected<std::vector<ZkChild>, LockError> seen = co_await above.look(stop, giveUpAt);
    if (!seen) co_return std::unexpected(seen.error());
    for (const ZkFamily family : familiesOf(*seen)) {
        if (family != ZkFamily::Semaphore) co_return std::unexpected(foreignFormat(m_lock.path, family));
    }
    co_return true;
}

Outcome<ZkTurn> ZkSemaphore::awaitRoom(std::shared_ptr<ZkTicket> place, Tickets leases, Nanos giveUpAt,
                                       std::stop_token stop) {
    zookeeper::Port& port = m_lock.port;
    Runtime& runtime = port.runtime();
    const zookeeper::Watch watch = leases.front()->watch;
    for (;;) {
        if (port.session().generation != place->generation) co_return ZkTurn::Gone;
        const Nanos now = runtime.monotonic();
        const Nanos left = giveUpAt == kNever ? kNever : std::max(Nanos(0), giveUpAt - now);
        if (port.session().state != Session::State::Connected) {
            const Result<void> back = co_await port.connected(left, stop);
            if (!back && runtime.monotonic() >= giveUpAt) co_return ZkTurn::TimedOut;
            if (!back) co_return std::unexpected(lockError(back.error()));
            continue;
        }
        const Result<ChildList> list = co_await port.children(m_leases.path(), watch, stop);
        if (!list && list.error().outcomeUnknown()) continue;
        if (!list && list.error().kind == Error::Kind::NoNode) co_return ZkTurn::Gone;
        if (!list) co_return std::unexpected(lockError(list.error()));
        for (const auto& lease : leases) {
            const QByteArray name = zookeeper::nameOf(lease->path);
            if (std::ranges::find(list->names, name) == list->names.end()) co_return ZkTurn::Gone;
        }
        if (list->names.size() <= static_cast<std::size_t>(m_lock.permits)) co_return ZkTurn::Granted;
        if (now >= giveUpAt) co_return ZkTurn::TimedOut;
        const std::optional<WatchEvent> event = co_await watch.next(runtime, left, stop);
        if (!event) co_return ZkTurn::TimedOut;
    }
}

Outcome<std::optional<Grant>> ZkSemaphore::attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                                   std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    if (!m_known) {
        const std::expected<bool, LockError> ours = co_await ownPath(giveUpAt, stop);
        if (!ours) co_return std::unexpected(ours.error());
        m_known = true;
    }
    if (request.wait == Nanos(0)) { // who only tries does not queue up
        const std::expected<std::vector<ZkChild>, LockError> queue = co_await m_locks.look(stop, giveUpAt);
        if (!queue) co_return std::unexpected(queue.error());
        const std::expected<std::vector<ZkChild>, LockError> taken = co_await m_leases.look(stop, giveUpAt);
        if (!taken) co_return std::unexpected(taken.error());
        const bool room =
            taken->size() + static_cast<std::size_t>(request.permits) <= static_cast<std::size_t>(m_lock.permits);
        if (!room || lowestLock(*queue)) co_return std::nullopt;
    }
    const std::shared_ptr<ZkTicket> place = mine->newTicket();
    const QByteArray prefix = uniquePrefix(runtime, zookeeper::Layout::Curator);
    const QByteArray lockKind = "lock-", leaseKind = "lease-";
    const std::expected<std::vector<ZkChild>, LockError> queue =
        co_await m_locks.join(place, prefix, lockKind, data(request.thread), giveUpAt, stop);
    if (!queue) co_return std::unexpected(queue.error());
    request.steps.at(Step::Turn);
    const std::expected<ZkTurn, LockError> turn =
        co_await m_locks.await(place, *queue, &predecessor, giveUpAt, request.steps, Step::Turn, stop);
    if (!turn) co_return std::unexpected(turn.error());
    mine->again = *turn == ZkTurn::Gone;
    if (*turn != ZkTurn::Granted) co_return std::nullopt;

    request.steps.at(Step::Leases);
    Tickets leases;
    std::vector<Outcome<std::vector<ZkChild>>> joining;
    for (int i = 0; i < request.permits; ++i) {
        leases.push_back(mine->newTicket());
        const QByteArray own = uniquePrefix(runtime, zookeeper::Layout::Curator);
        joining.push_back(m_leases.join(leases.back(), own, leaseKind, data(request.thread), giveUpAt, stop));
    }
    // Look once more, now that our nodes are there: a client that has begun to use the path for something else since
    // the first look is seen by this one, or can see us. The request leaves with the others and takes no time of its
    // own.
    Outcome<bool> looking = ownPath(giveUpAt, stop);
    std::optional<LockError> failure;
    for (auto& one : joining) {
        const std::expected<std::vector<ZkChild>, LockError> joined = co_await std::move(one);
        if (!joined) failure = joined.error();
    }
    const std::expected<bool, LockError> stillOurs = co_await std::move(looking);
    if (!stillOurs) failure = stillOurs.error();
    if (failure) co_return std::unexpected(*failure);
    request.steps.at(Step::Room);
    const std::expected<ZkTurn, LockError> room = co_await awaitRoom(place, leases, giveUpAt, stop);
    if (!room) co_return std::unexpected(room.error());
    mine->again = *room == ZkTurn::Gone;
    if (*room != ZkTurn::Granted) co_return std::nullopt;
    // The next one's turn: before anybody can hear of this grant, and try, and find the queue in use.
    const Tickets done(1, place);
    co_await takeAwayAll(m_lock.port, done);
    mine->again = m_lock.port.session().generation != place->generation; // what it had went with that session
    if (mine->again) co_return std::nullopt;
    co_return granted(request, leases);
}

Outcome<std::optional<Grant>> ZkSemaphore::acquire(Request request, std::stop_token stop) {
    if (request.permits < 1 || request.permits > m_lock.permits) {
        return atOnce(std::unexpected(LockError{
            LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "The semaphore “%1” has %2 permits in all; %3 can not be "
                                                     "taken at once.")
                .arg(QString::fromUtf8(m_lock.path), QString::number(m_lock.permits),
                     QString::number(request.permits))}));
    }
    return tryUntilDecided(std::move(request), std::move(stop));
}

Grant ZkSemaphore::takePart(Grant& grant, int permits) {
    const std::shared_ptr<ZkHold> hold = ownOf<ZkHold>(grant);
    Q_ASSERT(permits > 0 && std::size_t(permits) < hold->nodes.size());
    const auto cut = hold->nodes.end() - permits; // the first node is the hold's own
    const auto part = std::make_shared<ZkHold>();
    part->nodes.assign(cut, hold->nodes.end());
    hold->nodes.erase(cut, hold->nodes.end());
    part->watch = part->nodes.front()->watch;
    Grant taken = grant;
    taken.value = part->nodes.front()->path;
    taken.permits = permits;
    taken.own = part;
    grant.permits -= permits;
    return taken;
}

Outcome<std::optional<int>> ZkSemaphore::queueLength(std::stop_token stop) {
    const std::expected<bool, LockError> ours = co_await ownPath(kNever, stop);
    if (!ours) co_return std::unexpected(ours.error());
    const std::expected<std::vector<ZkChild>, LockError> queue = co_await m_locks.look(std::move(stop));
    if (!queue) co_return std::unexpected(queue.error());
    co_return int(queue->size());
}

Outcome<bool> ZkSemaphore::forceRelease(std::stop_token stop) {
    const std::expected<bool, LockError> ours = co_await ownPath(kNever, stop);
    if (!ours) co_return std::unexpected(ours.error());
    const std::expected<std::vector<ZkChild>, LockError> leases = co_await m_leases.look(stop);
    if (!leases) co_return std::unexpected(leases.error());
    bool freed = false;
    for (const ZkChild& lease : *leases) {
        const std::expected<bool, LockError> removed = co_await removeHolder(m_lock, m_leases.path(), lease.name, stop);
        if (!removed) co_return std::unexpected(removed.error());
        freed = freed || *removed;
    }
    co_return freed;
}

Outcome<bool> ZkSemaphore::isLocked(std::stop_token stop) {
    if (!m_known) {
        const std::expected<bool, LockError> ours = co_await ownPath(kNever, stop);
        if (!ours) co_return std::unexpected(ours.error());
    }
    const std::expected<std::vector<ZkChild>, LockError> leases = co_await m_leases.look(stop);
    if (!leases) co_return std::unexpected(leases.error());
    co_return !leases->empty();
}

Outcome<std::vector<HolderInfo>> ZkSemaphore::holders(std::stop_token stop) {
    const std::expected<bool, LockError> ours = co_await ownPath(kNever, stop);
    if (!ours) co_return std::unexpected(ours.error());
    using Looked = std::expected<std::vector<ZkChild>, LockError>;
    Looked leases;
    // The contender whose turn it is waits, and its nodes are no permits yet. They came after its place in the queue.
    std::optional<HolderInfo> waiting;
    for (int tries = 1; tries <= kSettledLooks; ++tries) {
        // The requests leave together.
        auto earlier = m_locks.look(stop), listing = m_leases.look(stop), later = m_locks.look(stop);
        const Looked before = co_await std::move(earlier);
        leases = co_await std::move(listing);
        const Looked after = co_await std::move(later);
        for (const Looked* const one : {&before, &std::as_const(leases), &after})
            if (!*one) co_return std::unexpected(one->error());
        const auto first = lowestLock(*after);
        bool settled = lowestLock(*before) == first; // or one came or went, maybe with nodes among these
        if (first) {
            const std::expected<std::optional<HolderInfo>, LockError> place = co_await m_locks.holderAt(*first, stop);
            if (!place) co_return std::unexpected(place.error());
            waiting = *place;
            settled = settled && waiting;
        } else {
            waiting.reset();
        }
        if (settled) break;
    }
    std::vector<HolderInfo> holders;
    for (const ZkChild& lease : *leases) {
        const std::expected<std::optional<HolderInfo>, LockError> found = co_await m_leases.holderAt(lease.name, stop);
        if (!found) co_return std::unexpected(found.error());
        if (!*found) continue; // it was gone between the two looks
        HolderInfo holder = **found;
        const bool waits = waiting && holder.client == waiting->client && holder.thread == waiting->thread &&
                           holder.token > waiting->token;
        if (waits) continue;
        holder.mode = Mode::Permit;
        holder.permit = lease.name;
        holder.token.reset(); // permits are held side by side: none of them is the latest
        holders.push_back(std::move(holder));
    }
    co_return holders;
}

Outcome<std::optional<int>> ZkSemaphore::permitsFree(std::stop_token stop) {
    const std::expected<std::vector<HolderInfo>, LockError> taken = co_await holders(std::move(stop));
    if (!taken) co_return std::unexpected(taken.error());
    co_return freeOf(m_lock.permits, std::int64_t(taken->size()));
}

} // namespace lockscope::recipes
