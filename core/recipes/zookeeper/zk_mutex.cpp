// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_mutex.h"

#include "recipes/at_once.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

namespace lockscope::recipes {

using zookeeper::Error;
using zookeeper::Layout;
using zookeeper::Result;
using Step = ZkQueued::Step;

RecipeInfo zkMutexInfo() {
    RecipeInfo info = zooKeeperInfo(
        "zk-mutex", Text::tr("Curator's mutex: a fair queue, reentrant, with names that survive a lost reply; "
                             "joins kazoo's, and has its names with layout=kazoo"));
    info.steps = stepTexts<Step>({
        {Step::Create, Text::tr("create {name}/_c_{uuid}-lock- ephemeral sequential")},
        {Step::Look, Text::tr("children of {name}: is ours the lowest?")},
        {Step::Watch, Text::tr("watch the next lower one until it is gone")},
        {Step::Work, Text::tr("work, write to the resource")},
        {Step::Delete, Text::tr("delete ours")},
    });
    info.workStep = Step::Work;
    info.fair = true;
    info.reentrant = true;
    info.condition = true;
    info.layout = "Curator, kazoo";
    return info;
}

namespace {
constexpr qsizetype kMark = 3; ///< of "_c_", which Curator's protected names begin with

/// Both are nodes of one contender with Layout::Both: of one name, and made together, Curator's first.
bool arePair(const ZkChild& curators, const ZkChild& kazoos) {
    constexpr qsizetype kHex = 32, kUuid = 36;
    if (curators.family != ZkFamily::Curator || kazoos.family != ZkFamily::Kazoo) return false;
    if (curators.name.mid(kMark, kUuid).replace("-", "") != kazoos.name.left(kHex)) return false;
    const auto next = static_cast<std::uint32_t>(curators.number().toInt()) + 1; // servers count on from the greatest
    return static_cast<std::uint32_t>(kazoos.number().toInt()) == next;
}

/// The other node of the same contender; nullopt: it has only that one.
std::optional<QByteArray> twinOf(const std::vector<ZkChild>& children, const ZkChild& child) {
    const auto twin = std::ranges::find_if(
        children, [&](const ZkChild& other) { return arePair(child, other) || arePair(other, child); });
    if (twin == children.end()) return std::nullopt;
    return twin->name;
}

/// Contenders with a node of each kind are seen by everybody: they say nothing of whose queue it is.
std::vector<ZkChild> withoutPairs(const std::vector<ZkChild>& children) {
    std::vector<ZkChild> alone;
    std::ranges::copy_if(children, std::back_inserter(alone),
                         [&](const ZkChild& child) { return !twinOf(children, child); });
    return alone;
}

std::optional<LockError> notForBoth(const QByteArray& path, const std::vector<ZkChild>& children) {
    for (const ZkFamily family : familiesOf(children)) {
        if (family != ZkFamily::Curator && family != ZkFamily::GoZooKeeper && family != ZkFamily::Kazoo)
            return foreignFormat(path, family);
    }
    return std::nullopt;
}
} // namespace

const RecipeInfo& ZkMutex::info() const {
    static const RecipeInfo& mine = *findRecipe("zk-mutex");
    return mine;
}

ZkFamily ZkMutex::toldFamily() const {
    return m_lock.layout == Layout::Kazoo ? ZkFamily::Kazoo : ZkFamily::Curator;
}

Outcome<bool> ZkMutex::allOurs(std::vector<ZkChild> children, std::stop_token stop) {
    for (const ZkChild& child : children) {
        if (child.family != ZkFamily::Curator && child.family != ZkFamily::GoZooKeeper) continue;
        const QByteArray path = zookeeper::childOf(m_lock.path, child.name);
        const Result<zookeeper::NodeData> node = co_await m_lock.port.get(path, std::nullopt, stop);
        if (!node && node.error().kind == Error::Kind::NoNode) continue;
        if (!node) co_return std::unexpected(lockError(node.error()));
        if (!node->data.startsWith("lockscope:")) co_return false;
    }
    co_return true;
}

bool ZkMutex::sameFamily(const std::vector<ZkChild>& children) const {
    return std::ranges::all_of(children, [&](const ZkChild& child) { return child.family == m_family; });
}

Outcome<ZkFamily> ZkMutex::familyToJoin(std::vector<ZkChild> children, QByteArray ownName, std::stop_token stop) {
    std::erase_if(children, [&](const ZkChild& child) { return child.name == ownName; });
    children = withoutPairs(children);
    std::set<ZkFamily> there = familiesOf(children);
    if (there.erase(ZkFamily::GoZooKeeper)) there.insert(ZkFamily::Curator); // each sees the other
    for (const ZkFamily family : there) {
        if (family != ZkFamily::Curator && family != ZkFamily::Kazoo && family != ZkFamily::Menagerie)
            co_return std::unexpected(foreignFormat(m_lock.path, family));
    }
    // Where kazoo or Menagerie have been, they come again; an empty queue does not say that they have gone.
    ZkFamily known = m_family.value_or(toldFamily());
    if (there.contains(ZkFamily::Kazoo) && there.contains(ZkFamily::Menagerie)) {
        co_return std::unexpected(foreignFormat(
            m_lock.path, QCoreApplication::translate("LockError", "%1 and %2 do not see each other there:")
                             .arg(familyName(ZkFamily::Kazoo), familyName(ZkFamily::Menagerie))));
    }
    if (there.contains(ZkFamily::Menagerie)) co_return ZkFamily::Menagerie; // Curator sees those as well
    if (there.contains(ZkFamily::Kazoo)) known = ZkFamily::Kazoo;
    if (known != ZkFamily::Kazoo || !there.contains(ZkFamily::Curator)) co_return known;
    // Nodes in Curator's format beside kazoo's, or where kazoo has been: Lockscope's own see kazoo's, Curator's do not.
    const std::expected<bool, LockError> ours = co_await allOurs(children, stop);
    if (!ours) co_return std::unexpected(ours.error());
    if (*ours) co_return ZkFamily::Kazoo;
    if (!there.contains(ZkFamily::Kazoo)) co_return ZkFamily::Curator;
    co_return std::unexpected(
        foreignFormat(m_lock.path, QCoreApplication::translate("LockError", "a mixture of Curator and kazoo")));
}

Outcome<std::optional<Grant>> ZkMutex::attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                               std::stop_token stop) {
    if (m_lock.layout == Layout::Both) {
        auto decided = co_await attemptBoth(mine, std::move(request), giveUpAt, stop);
        co_return decided;
    }
    const std::shared_ptr<ZkTicket> ticket = mine->newTicket();
    // A client configured for kazoo's layout does not stay with another layout it has met: in an empty queue kazoo
    // would not see it.
    if (toldFamily() == ZkFamily::Kazoo && m_family != ZkFamily::Kazoo) m_family.reset();
    // A client that only tries does not join a queue of waiters, and no client joins before it knows which layout the
    // queue has.
    if (!m_family || request.wait == Nanos(0)) {
        const std::expected<std::vector<ZkChild>, LockError> seen = co_await m_queue.look(stop, giveUpAt);
        if (!seen) co_return std::unexpected(seen.error());
        const std::expected<ZkFamily, LockError> family = co_await familyToJoin(*seen, QByteArray(), stop);
        if (!family) co_return std::unexpected(family.error());
        m_family = *family;
        if (request.wait == Nanos(0) && lowestLock(*seen)) co_return std::nullopt;
    }
    const ZkFamily family = *m_family;
    QByteArray prefix, kind = "lock-";
    if (family == ZkFamily::Curator) prefix = uniquePrefix(m_lock.port.runtime(), Layout::Curator);
    if (family == ZkFamily::Kazoo) {
        prefix = uniquePrefix(m_lock.port.runtime(), Layout::Kazoo);
        kind = "__lock__";
    }
    const std::expected<std::vector<ZkChild>, LockError> children =
        co_await m_queue.join(ticket, prefix, kind, data(request.thread), giveUpAt, stop);
    if (!children) co_return std::unexpected(children.error());
    request.steps.at(Step::Look);
    if (!sameFamily(*children)) {
        const std::expected<ZkFamily, LockError> seen =
            co_await familyToJoin(*children, zookeeper::nameOf(ticket->path), stop);
        if (!seen) co_return std::unexpected(seen.error());
        if (*seen != family) { // others came first, in a format in which they would not see us
            m_family = *seen;
            mine->again = true;
            co_return std::nullopt;
        }
    }
    if (m_queue.isFirst(*ticket, *children, &predecessor)) co_return granted(request, ticket);
    co_return co_await holdWhenFirst(mine, *children, &predecessor, request, giveUpAt, stop);
}

Outcome<std::optional<Grant>> ZkMutex::attemptBoth(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                                   std::stop_token stop) {
    const std::shared_ptr<ZkTicket> curators = mine->newTicket(), kazoos = mine->newTicket();
    if (!m_family || request.wait == Nanos(0)) {
        const std::expected<std::vector<ZkChild>, LockError> seen = co_await m_queue.look(stop, giveUpAt);
        if (!seen) co_return std::unexpected(seen.error());
        if (const auto refusal = notForBoth(m_lock.path, *seen)) co_return std::unexpected(*refusal);
        m_family = ZkFamily::Curator;
        if (request.wait == Nanos(0) && lowestLock(*seen)) co_return std::nullopt;
    }
    const QByteArray prefix = uniquePrefix(m_lock.port.runtime(), Layout::Curator);
    kazoos->prefix = prefix.mid(kMark).replace("-", "");
    const std::expected<std::vector<ZkChild>, LockError> children =
        co_await m_queue.join(curators, prefix, "lock-", data(request.thread), giveUpAt, stop, kazoos, "__lock__");
    if (!children) co_return std::unexpected(children.error());
    request.steps.at(Step::Look);
    if (const auto refusal = notForBoth(m_lock.path, *children)) co_return std::unexpected(*refusal);
    if (m_queue.isFirst(*curators, *children, &predecessor)) co_return granted(request, mine->tickets);
    co_return co_await holdWhenFirst(mine, *children, &predecessor, request, giveUpAt, stop);
}

Outcome<std::optional<Grant>> ZkMutex::acquire(Request request, std::stop_token stop) {
    if (auto more = again(request)) return atOnce(std::move(*more));
    return tryUntilDecided(std::move(request), std::move(stop));
}

Outcome<bool> ZkMutex::forceRelease(std::stop_token stop) {
    const std::expected<std::vector<ZkChild>, LockError> children = co_await m_queue.look(stop);
    if (!children) co_return std::unexpected(children.error());
    const std::optional<QByteArray> lowest = lowestLock(*children);
    const std::optional<QByteArray> twin = lowest ? twinOf(*children, readZkChild(*lowest)) : std::nullopt;
    if (twin) { // either would keep somebody out
        const std::expected<bool, LockError> removed = co_await removeHolder(m_lock, m_lock.path, twin, stop);
        if (!removed) co_return std::unexpected(removed.error());
    }
    co_return co_await removeHolder(m_lock, m_lock.path, lowest, stop);
}

Outcome<bool> ZkMutex::isLocked(std::stop_token stop) {
    const std::expected<std::vector<ZkChild>, LockError> children = co_await m_queue.look(stop);
    if (!children) co_return std::unexpected(children.error());
    co_return lowestLock(*children).has_value(); // a queue's first always holds, or is about to
}

} // namespace lockscope::recipes
