// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_mutex.h"

#include <QCoreApplication>

namespace lockscope::recipes {

using zookeeper::Error;
using zookeeper::Layout;
using zookeeper::Result;

const RecipeInfo& ZkMutex::info() const {
    return *findRecipe("zk-mutex");
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
    const std::shared_ptr<ZkTicket> ticket = mine->newTicket();
    // Who was told of kazoo does not keep to what else it has met: kazoo would not see it in an empty queue.
    if (toldFamily() == ZkFamily::Kazoo && m_family != ZkFamily::Kazoo) m_family.reset();
    // Who only tries does not queue up where others do; nor does anybody before knowing whose queue it is.
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
    request.steps.at(2);
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

Outcome<std::optional<Grant>> ZkMutex::acquire(Request request, std::stop_token stop) {
    if (auto more = again(request)) return atOnce(std::move(*more));
    return tryUntilDecided(std::move(request), std::move(stop));
}

Outcome<bool> ZkMutex::forceRelease(std::stop_token stop) {
    const std::expected<std::vector<ZkChild>, LockError> children = co_await m_queue.look(stop);
    if (!children) co_return std::unexpected(children.error());
    co_return co_await removeHolder(m_lock, m_lock.path, lowestLock(*children), stop);
}

Outcome<bool> ZkMutex::isLocked(std::stop_token stop) {
    const std::expected<std::vector<ZkChild>, LockError> children = co_await m_queue.look(stop);
    if (!children) co_return std::unexpected(children.error());
    co_return lowestLock(*children).has_value(); // a queue's first always holds, or is about to
}

} // namespace lockscope::recipes
