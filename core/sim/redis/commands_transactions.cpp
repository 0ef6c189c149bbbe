// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/command.h"

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

Reply multi(Call& call) {
    if (call.session.inMulti) return error("ERR MULTI calls can not be nested");
    call.session.inMulti = true;
    return ok();
}

Reply discard(Call& call) {
    if (!call.session.inMulti) return error("ERR DISCARD without MULTI");
    call.server.leaveMulti(call.session);
    return ok();
}

bool watchedKeyIsGone(Call& call) {
    return std::any_of(call.session.watched.begin(), call.session.watched.end(), [&](const Session::Watched& watched) {
        const Entry* entry = call.server.database(watched.db).find(watched.key);
        return !watched.wasExpired && entry && call.server.pastDeadline(*entry);
    });
}

Reply exec(Call& call) {
    Session& session = call.session;
    if (!session.inMulti) return error("ERR EXEC without MULTI");
    const bool broken = session.brokenMulti;
    const bool changed = session.watchedChanged || watchedKeyIsGone(call);
    const std::vector<QueuedCommand> queue = std::move(session.queue);
    call.server.leaveMulti(call.session);
    if (broken) return error("EXECABORT Transaction discarded because of previous errors.");
    if (changed) return Reply::nil();
    std::vector<Reply> replies;
    replies.reserve(queue.size());
    for (const QueuedCommand& queued : queue)
        replies.push_back(call.server.run(*queued.command, session, queued.args, call.by));
    return Reply::array(std::move(replies));
}

Reply watch(Call& call) {
    if (call.session.inMulti) return error("ERR WATCH inside MULTI is not allowed");
    for (int i = 1; i < call.argc(); ++i)
        call.server.watch(call.session, call.arg(i));
    return ok();
}

Reply unwatch(Call& call) {
    call.server.unwatch(call.session);
    return ok();
}

constexpr Command kCommands[] = {
    {"MULTI", multi, 1, kNoScript | kNotQueued},
    {"EXEC", exec, 1, kNoScript | kNotQueued | kWraps},
    {"DISCARD", discard, 1, kNoScript | kNotQueued},
    {"WATCH", watch, -2, kNoScript | kNotQueued},
    {"UNWATCH", unwatch, 1, kNoScript},
};

} // namespace

std::span<const Command> transactionCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
