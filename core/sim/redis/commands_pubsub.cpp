// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/command.h"
#include "sim/redis/glob.h"

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

Reply confirmation(const char* kind, Reply channel, const Session& session) {
    std::vector<Reply> items;
    items.push_back(Reply::bulk(kind));
    items.push_back(std::move(channel));
    items.push_back(Reply::number(session.subscriptions()));
    return Reply::array(std::move(items));
}

/// Several replies on the wire become one array of them.
Reply bundled(std::vector<Reply> replies) {
    return replies.size() == 1 ? std::move(replies[0]) : Reply::array(std::move(replies));
}

Reply subscribeTo(Call& call, const char* kind, bool pattern) {
    std::vector<Reply> replies;
    for (int i = 1; i < call.argc(); ++i) {
        call.server.subscribe(call.session, call.arg(i), pattern);
        replies.push_back(confirmation(kind, Reply::bulk(call.arg(i)), call.session));
    }
    return bundled(std::move(replies));
}

Reply unsubscribeFrom(Call& call, const char* kind, bool pattern) {
    std::vector<QByteArray> names(call.args.begin() + 1, call.args.end());
    if (names.empty()) names = pattern ? call.session.patterns : call.session.channels;
    std::vector<Reply> replies;
    for (const QByteArray& name : names) {
        call.server.unsubscribe(call.session, name, pattern);
        replies.push_back(confirmation(kind, Reply::bulk(name), call.session));
    }
    if (replies.empty()) return confirmation(kind, Reply::nil(), call.session);
    return bundled(std::move(replies));
}

Reply subscribe(Call& call) {
    return subscribeTo(call, "subscribe", false);
}

Reply psubscribe(Call& call) {
    return subscribeTo(call, "psubscribe", true);
}

Reply unsubscribe(Call& call) {
    return unsubscribeFrom(call, "unsubscribe", false);
}

Reply punsubscribe(Call& call) {
    return unsubscribeFrom(call, "punsubscribe", true);
}

Reply publish(Call& call) {
    return Reply::number(call.server.publish(call.arg(1), call.arg(2)));
}

Reply pubsubChannels(Call& call) {
    if (call.argc() > 3)
        return Reply::error(oneLine("ERR unknown subcommand or wrong number of arguments for '" + printed(call.arg(1)) +
                                    "'. Try PUBSUB HELP."));
    std::vector<Reply> names;
    for (const auto& topic : Server::inOrder(call.server.channels()))
        if (call.argc() == 2 || globMatches(call.arg(2), topic->first)) names.push_back(Reply::bulk(topic->first));
    return Reply::array(std::move(names));
}

Reply pubsubNumsub(Call& call) {
    const auto& channels = call.server.channels();
    std::vector<Reply> counts;
    for (int i = 2; i < call.argc(); ++i) {
        const auto it = channels.find(call.arg(i));
        counts.push_back(Reply::bulk(call.arg(i)));
        counts.push_back(Reply::number(it == channels.end() ? 0 : std::int64_t(it->second.subscribers.size())));
    }
    return Reply::array(std::move(counts));
}

Reply pubsubNumpat(Call& call) {
    return Reply::number(std::int64_t(call.server.patterns().size()));
}

constexpr unsigned kSubscribing = kNoScript | kWhileSubscribed;
constexpr Command kCommands[] = {
    {"SUBSCRIBE", subscribe, -2, kSubscribing},
    {"UNSUBSCRIBE", unsubscribe, -1, kSubscribing},
    {"PSUBSCRIBE", psubscribe, -2, kSubscribing},
    {"PUNSUBSCRIBE", punsubscribe, -1, kSubscribing},
    {"PUBLISH", publish, 3, kTells},
    {"PUBSUB", nullptr, -2, kContainer},
    {"PUBSUB|CHANNELS", pubsubChannels, -2, 0},
    {"PUBSUB|NUMSUB", pubsubNumsub, -2, 0},
    {"PUBSUB|NUMPAT", pubsubNumpat, 2, 0},
};

} // namespace

std::span<const Command> pubsubCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
