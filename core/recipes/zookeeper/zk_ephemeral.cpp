// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_ephemeral.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/zookeeper/zk_queue.h"

namespace lockscope::recipes {

using zookeeper::CreatedNode;
using zookeeper::Error;
using zookeeper::NodeMode;
using zookeeper::Result;

namespace {
enum class Step : std::uint32_t { Create = 1, Watch, Work, Delete };
} // namespace

RecipeInfo zkEphemeralInfo() {
    RecipeInfo info = zooKeeperInfo("zk-ephemeral", Text::tr("One ephemeral node, and everybody watches it: a herd"));
    info.steps = stepTexts<Step>({
        {Step::Create, Text::tr("create {name} ephemeral")},
        {Step::Watch, Text::tr("there already → watch it; gone → all again 1")},
        {Step::Work, Text::tr("work, write to the resource")},
        {Step::Delete, Text::tr("delete {name}")},
    });
    info.workStep = Step::Work;
    info.naive = true;
    return info;
}

ZkEphemeral::ZkEphemeral(ZkLock lock) : ZkRecipe(std::move(lock), {Step::Create, Step::Work, Step::Delete}) {
}

namespace {
LockError lastingNode(const QByteArray& path, std::optional<ZkFamily> whose) {
    if (whose) return foreignFormat(path, familyName(*whose));
    return foreignFormat(
        path, QCoreApplication::translate("LockError", "somebody who keeps a lasting node at that very path"));
}
} // namespace

const RecipeInfo& ZkEphemeral::info() const {
    static const RecipeInfo& mine = *findRecipe("zk-ephemeral");
    return mine;
}

Outcome<bool> ZkEphemeral::watchHolder(std::shared_ptr<ZkTicket> ticket, bool& ours, std::stop_token stop) {
    const Result<zookeeper::NodeData> node = co_await m_lock.port.get(m_lock.path, ticket->watch, stop);
    if (!node && (node.error().kind == Error::Kind::NoNode || node.error().outcomeUnknown())) co_return false;
    if (!node) co_return std::unexpected(lockError(node.error()));
    if (node->stat.ephemeralOwner == 0 || node->stat.children > 0)
        co_return std::unexpected(lastingNode(m_lock.path, familyOfData(node->data)));
    // After a lost answer it may be our previous session's, and is gone as soon as the server has noticed its end.
    if (node->data == ticket->data && node->stat.ephemeralOwner == m_lock.port.session().id) {
        ours = true;
        ticket->czxid = node->stat.czxid;
        ticket->generation = m_lock.port.session().generation;
    }
    co_return true;
}

Outcome<std::optional<Grant>> ZkEphemeral::attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                                   std::stop_token stop) {
    zookeeper::Port& port = m_lock.port;
    Runtime& runtime = port.runtime();
    const std::shared_ptr<ZkTicket> ticket = mine->newTicket();
    ticket->path = m_lock.path;
    ticket->commonName = true;
    ticket->data = data(request.thread) + ':' + runtime.randomUuid();
    for (;;) {
        request.steps.at(Step::Create);
        if (!port.session().id || port.session().state != zookeeper::Session::State::Connected) {
            const Nanos patience = patienceUntil(port, giveUpAt);
            const Result<void> ready = co_await port.connected(patience, stop);
            if (!ready) co_return std::unexpected(lockError(ready.error()));
        }
        ticket->generation = port.session().generation;
        const bool maybeBefore = std::exchange(ticket->asked, true);
        const Result<CreatedNode> created =
            co_await port.create(m_lock.path, ticket->data, NodeMode::Ephemeral, Nanos(0), stop);
        bool ours = created.has_value();
        if (!created && !created.error().outcomeUnknown()) ticket->asked = maybeBefore;
        if (created) ticket->czxid = created->stat.czxid;
        if (!created && created.error().kind == Error::Kind::NoNode) {
            const Result<void> made = co_await port.makeContainers(zookeeper::parentOf(m_lock.path), stop);
            if (!made && made.error().kind != Error::Kind::ConnectionLoss)
                co_return std::unexpected(lockError(made.error()));
            continue;
        }
        if (!created && created.error().kind != Error::Kind::NodeExists && !created.error().outcomeUnknown())
            co_return std::unexpected(lockError(created.error()));
        bool there = true;
        if (!ours) {
            const std::expected<bool, LockError> seen = co_await watchHolder(ticket, ours, stop);
            if (!seen) co_return std::unexpected(seen.error());
            there = *seen;
        }
        if (ours) {
            ticket->watch.clear(); // so far it told of the holder before, also if a look found what a lost answer told
            ticket->asked = true;
            co_return granted(request, ticket);
        }
        const Nanos now = runtime.monotonic();
        if (now >= giveUpAt) co_return std::nullopt;
        if (!there) continue;
        request.steps.at(Step::Watch);
        const Nanos left = giveUpAt == kNever ? kNever : giveUpAt - now;
        const auto event = co_await ticket->watch.next(runtime, left, stop);
        if (!event) co_return std::nullopt;
    }
}

Outcome<std::optional<Grant>> ZkEphemeral::acquire(Request request, std::stop_token stop) {
    return tryUntilDecided(std::move(request), std::move(stop));
}

Outcome<bool> ZkEphemeral::isLocked(std::stop_token stop) {
    const Result<std::optional<zookeeper::NodeStat>> stat =
        co_await m_lock.port.exists(m_lock.path, std::nullopt, stop);
    if (!stat) co_return std::unexpected(lockError(stat.error()));
    if (!*stat) co_return false;
    if ((*stat)->ephemeralOwner == 0) co_return std::unexpected(lastingNode(m_lock.path, std::nullopt));
    co_return true;
}

Outcome<std::vector<HolderInfo>> ZkEphemeral::holders(std::stop_token stop) {
    const Result<zookeeper::NodeData> node = co_await m_lock.port.get(m_lock.path, std::nullopt, stop);
    if (!node && node.error().kind == Error::Kind::NoNode) co_return std::vector<HolderInfo>();
    if (!node) co_return std::unexpected(lockError(node.error()));
    if (node->stat.ephemeralOwner == 0) co_return std::unexpected(lastingNode(m_lock.path, familyOfData(node->data)));
    HolderInfo holder = makerOf(*node);
    holder.sinceWallMs = node->stat.ctime; // there is no queue: its maker held it from that moment
    co_return std::vector{holder};
}

Outcome<bool> ZkEphemeral::forceRelease(std::stop_token stop) {
    const std::expected<bool, LockError> held = co_await isLocked(stop);
    if (!held) co_return std::unexpected(held.error());
    if (!*held) co_return false;
    const Result<void> removed = co_await m_lock.port.remove(m_lock.path, -1, stop);
    if (!removed && removed.error().kind == Error::Kind::NoNode) co_return false;
    if (!removed) co_return std::unexpected(lockError(removed.error()));
    co_return true;
}

} // namespace lockscope::recipes
