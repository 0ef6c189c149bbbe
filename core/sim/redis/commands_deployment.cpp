// SPDX-License-Identifier: Apache-2.0
// Commands about the deployment that a server is a part of. The code around the engine answers them; a stand-alone
// server answers here.
#include "sim/redis/command.h"
#include "sim/redis/numbers.h"

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

std::optional<Reply> told(Call& call) {
    return call.server.askDeployment(call.by, QByteArray(call.command.name), call.args);
}

Reply role(Call& call) {
    if (auto reply = told(call)) return std::move(*reply);
    std::vector<Reply> items;
    items.push_back(Reply::bulk("master"));
    items.push_back(Reply::number(0));
    items.push_back(emptyArray());
    return Reply::array(std::move(items));
}

Reply info(Call& call) {
    if (auto reply = told(call)) return std::move(*reply);
    return Reply::bulk("# Replication\r\nrole:master\r\nconnected_slaves:0\r\n");
}

Reply wait(Call& call) {
    const auto timeout = parseInteger(call.arg(2));
    const auto replicas = parseInteger(call.arg(1));
    if (call.server.isReplica())
        return error(
            "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is "
            "configured to be writable (which is not the default) writes to replicas are just local and are not "
            "propagated.");
    if (!replicas) return notInteger();
    if (!timeout) return error("ERR timeout is not an integer or out of range");
    if (*timeout < 0) return error("ERR timeout is negative");
    // Without replicas none has acknowledged anything, and waiting would not change it.
    return told(call).value_or(Reply::number(0));
}

/// Commands that only a server in a deployment takes.
Reply elsewhereOnly(Call& call) {
    if (auto reply = told(call)) return std::move(*reply);
    return error("ERR This instance has cluster support disabled");
}

/// Commands that only a server takes that is one of several.
Reply replicaof(Call& call) {
    if (auto reply = told(call)) return std::move(*reply);
    return error("ERR this simulated server stands alone and takes no such command");
}

constexpr unsigned kPlain = kNoScript;
constexpr Command kCommands[] = {
    {"ROLE", role, 1, kPlain},
    {"INFO", info, -1, 0},
    {"WAIT", wait, 3, kPlain},
    {"REPLICAOF", replicaof, 3, kPlain},
    {"SLAVEOF", replicaof, 3, kPlain},
    {"CONFIG", nullptr, -2, kContainer},
    {"CONFIG|REWRITE", replicaof, 2, kPlain},
    {"CLIENT|KILL", replicaof, -3, kPlain},
    {"READONLY", elsewhereOnly, 1, 0},
    {"READWRITE", elsewhereOnly, 1, 0},
    {"ASKING", elsewhereOnly, 1, 0},
    {"CLUSTER", nullptr, -2, kContainer},
    {"CLUSTER|SLOTS", elsewhereOnly, 2, 0},
    {"CLUSTER|NODES", elsewhereOnly, 2, 0},
    {"CLUSTER|INFO", elsewhereOnly, 2, 0},
    {"CLUSTER|MYID", elsewhereOnly, 2, 0},
    {"CLUSTER|KEYSLOT", elsewhereOnly, 3, 0},
    {"CLUSTER|SETSLOT", elsewhereOnly, -4, kPlain},
};

} // namespace

std::span<const Command> deploymentCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
