// SPDX-License-Identifier: Apache-2.0
#include "recipes/redlock/errands.h"

#include "recipes/redis/redis_recipe.h"
#include "recipes/redis/script.h"

namespace lockscope::recipes {

namespace {
constexpr Nanos kFirstPause = 50ms, kLongestPause = 1s;

constexpr auto compareDelete = script<"compare_delete">;
constexpr auto compareExtend = script<"compare_extend">;
} // namespace

QCoro::Task<> setAt(Stake stake, std::size_t node, QByteArray lease, std::shared_ptr<Ballot> votes) {
    redis::Args command = redis::argsOf("SET", stake.name, stake.value, "NX", "PX", std::move(lease));
    const redis::Result reply = co_await stake.nodes->at(node).call(std::move(command), stake.nodes->closing());
    if (!reply)
        votes->fail(node, reply.error());
    else
        votes->cast(node, reply->isNil() ? Vote::No : Vote::Yes);
}

QCoro::Task<> extendAt(Stake stake, std::size_t node, QByteArray lease, std::shared_ptr<Ballot> votes) {
    std::vector<QByteArray> arguments = redis::argsOf(stake.value, std::move(lease));
    const redis::Result reply = co_await stake.nodes->at(node).eval(compareExtend(), redis::argsOf(stake.name),
                                                                    std::move(arguments), stake.nodes->closing());
    if (reply)
        votes->cast(node, reply->integer == 1 ? Vote::Yes : Vote::No);
    else if (reply.error().wrongType())
        votes->cast(node, Vote::No);
    else
        votes->fail(node, reply.error());
}

QCoro::Task<> undoAt(Stake stake, std::size_t node, std::shared_ptr<Ballot> set, std::shared_ptr<Ballot> votes) {
    Runtime& runtime = stake.nodes->runtime();
    for (Nanos pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
        // By source, not by hash: what is to be undone may be right before us on the same wire, and nothing that is
        // asked of a server that stands still may need a second question.
        redis::Args command = redis::argsOf("EVAL", compareDelete().source(), "1", stake.name, stake.value);
        const redis::Result reply = co_await stake.nodes->at(node).call(std::move(command), stake.nodes->closing());
        if (reply) {
            // Not there yet: on a new connection we may have come before what we are to undo.
            const bool early = reply->integer == 0 && set && set->at(node) == Vote::Pending;
            if (!early) {
                votes->cast(node, reply->integer == 1 ? Vote::Yes : Vote::No);
                co_return;
            }
        } else if (reply.error().wrongType()) {
            votes->cast(node, Vote::No);
            co_return;
        } else {
            votes->fail(node, reply.error());
            // On its way, behind what it is to undo: the server will run both or neither.
            if (reply.error().kind == redis::Error::Kind::CommandTimeout) co_return;
        }
        if (runtime.monotonic() + pause >= stake.endsBy) co_return;
        co_await runtime.sleep(pause, stake.nodes->closing());
        // It turned out meanwhile that there is nothing to undo.
        if (set && set->at(node) == Vote::Failed && !set->doubtful(node)) co_return;
    }
}

QCoro::Task<> forceAt(std::shared_ptr<RedlockNodes> nodes, std::size_t node, QByteArray name,
                      std::shared_ptr<Ballot> votes, std::shared_ptr<Foreign> foreign) {
    redis::Args args = redis::argsOf("text", forcedChannelOf(name));
    const auto freed = co_await forceStringLock(nodes->at(node), name, std::move(args), nodes->closing());
    if (freed) {
        votes->cast(node, *freed ? Vote::Yes : Vote::No);
    } else if (freed.error().kind == LockError::Kind::ForeignFormat) {
        foreign->push_back(freed.error());
        votes->cast(node, Vote::No);
    } else {
        votes->fail(node, freed.error().message);
    }
}

QCoro::Task<> lookAt(std::shared_ptr<RedlockNodes> nodes, std::size_t node, QByteArray name,
                     std::shared_ptr<Ballot> votes, std::shared_ptr<Values> values, std::shared_ptr<Foreign> foreign) {
    const redis::Result reply = co_await nodes->at(node).call(redis::argsOf("GET", name), nodes->closing());
    if (reply) {
        (*values)[node] = reply->text;
        votes->cast(node, reply->isNil() ? Vote::No : Vote::Yes);
    } else if (reply.error().wrongType()) {
        foreign->push_back(lockError(reply.error(), name));
        votes->cast(node, Vote::No);
    } else {
        votes->fail(node, reply.error());
    }
}

QCoro::Task<> askAt(std::shared_ptr<RedlockNodes> nodes, std::size_t node, redis::Args command, redis::Reply yes,
                    std::shared_ptr<Ballot> votes) {
    const redis::Result reply = co_await nodes->at(node).call(std::move(command), nodes->closing());
    if (!reply)
        votes->fail(node, reply.error());
    else
        votes->cast(node, yes.isNil() || *reply == yes ? Vote::Yes : Vote::No);
}

} // namespace lockscope::recipes
