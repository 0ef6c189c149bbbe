// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_sequential.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

namespace lockscope::recipes {

using Step = ZkQueued::Step;

RecipeInfo zkSequentialInfo() {
    RecipeInfo info =
        zooKeeperInfo("zk-sequential", Text::tr("A queue of numbered ephemeral nodes, each watching the one before"));
    info.steps = stepTexts<Step>({
        {Step::Create, Text::tr("create {name}/lock- ephemeral sequential")},
        {Step::Look, Text::tr("children of {name}: is ours the lowest?")},
        {Step::Watch, Text::tr("watch the next lower one until it is gone")},
        {Step::Work, Text::tr("work, write to the resource")},
        {Step::Delete, Text::tr("delete ours")},
    });
    info.workStep = Step::Work;
    info.fair = true;
    info.condition = true;
    info.layout = "Menagerie";
    return info;
}

const RecipeInfo& ZkSequential::info() const {
    static const RecipeInfo& mine = *findRecipe("zk-sequential");
    return mine;
}

std::optional<LockError> ZkSequential::refusal(const std::vector<ZkChild>& children) const {
    for (const ZkFamily family : familiesOf(children)) {
        if (family != ZkFamily::Menagerie) return foreignFormat(m_lock.path, family);
    }
    return std::nullopt;
}

Outcome<std::optional<Grant>> ZkSequential::attempt(std::shared_ptr<ZkAttempt> mine, Request request, Nanos giveUpAt,
                                                    std::stop_token stop) {
    const std::shared_ptr<ZkTicket> ticket = mine->newTicket();
    if (!m_known || request.wait == Nanos(0)) {
        const std::expected<std::vector<ZkChild>, LockError> seen = co_await m_queue.look(stop, giveUpAt);
        if (!seen) co_return std::unexpected(seen.error());
        if (auto refused = refusal(*seen)) co_return std::unexpected(std::move(*refused));
        m_known = true;
        if (request.wait == Nanos(0) && lowestLock(*seen)) co_return std::nullopt;
    }
    const QByteArray prefix, kind = "lock-";
    const std::expected<std::vector<ZkChild>, LockError> children =
        co_await m_queue.join(ticket, prefix, kind, data(request.thread), giveUpAt, stop);
    if (!children) co_return std::unexpected(children.error());
    request.steps.at(Step::Look);
    if (auto refused = refusal(*children)) co_return std::unexpected(std::move(*refused));
    if (m_queue.isFirst(*ticket, *children, &predecessor)) co_return granted(request, ticket);
    co_return co_await holdWhenFirst(mine, *children, &predecessor, request, giveUpAt, stop);
}

Outcome<std::optional<Grant>> ZkSequential::acquire(Request request, std::stop_token stop) {
    return tryUntilDecided(std::move(request), std::move(stop));
}

Outcome<bool> ZkSequential::forceRelease(std::stop_token stop) {
    const std::expected<std::vector<ZkChild>, LockError> children = co_await m_queue.look(stop);
    if (!children) co_return std::unexpected(children.error());
    if (auto refused = refusal(*children)) co_return std::unexpected(std::move(*refused));
    co_return co_await removeHolder(m_lock, m_lock.path, lowestLock(*children), stop);
}

Outcome<bool> ZkSequential::isLocked(std::stop_token stop) {
    const std::expected<std::vector<ZkChild>, LockError> children = co_await m_queue.look(stop);
    if (!children) co_return std::unexpected(children.error());
    if (auto refused = refusal(*children)) co_return std::unexpected(std::move(*refused));
    co_return lowestLock(*children).has_value(); // a queue's first always holds, or is about to
}

} // namespace lockscope::recipes
