// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/message.h"

namespace lockscope::sim {

namespace {

using zookeeper::NodeMode;
using Step = zookeeper::Op::Kind;

QByteArray modeText(NodeMode mode) {
    switch (mode) {
    case NodeMode::Persistent:
        return "";
    case NodeMode::Ephemeral:
        return " -e";
    case NodeMode::PersistentSequential:
        return " -s";
    case NodeMode::EphemeralSequential:
        return " -e -s";
    case NodeMode::Container:
        return " -c";
    case NodeMode::Ttl:
        return " -t";
    case NodeMode::SequentialTtl:
        return " -t -s";
    }
    return "";
}

QByteArray stepText(const ZkOp& op) {
    switch (op.kind) {
    case Step::Create:
        return "create" + modeText(op.mode) + ' ' + op.path;
    case Step::Remove:
        return "delete " + op.path;
    case Step::Set:
        return "set " + op.path;
    case Step::Check:
        return "check " + op.path;
    }
    return {};
}

} // namespace

QByteArray ZkRequest::text() const {
    if (quiet) return {};
    const QByteArray watching = watch ? " -w " : " ";
    switch (kind) {
    case Kind::Create:
    case Kind::Remove:
    case Kind::Set:
        return stepText(ops.front());
    case Kind::Multi: {
        QByteArrayList steps;
        for (const ZkOp& op : ops)
            steps += stepText(op);
        return "multi " + steps.join(", ");
    }
    case Kind::Get:
        return "get" + watching + path;
    case Kind::Exists:
        return "stat" + watching + path;
    case Kind::Children:
        return "ls" + watching + path;
    case Kind::Sync:
        return "sync " + path;
    case Kind::Rewatch:
        return "setWatches";
    case Kind::EndSession:
        return "close";
    case Kind::Ping:
    case Kind::Login:
        break;
    }
    return {};
}

QByteArray ZkEvent::text() const {
    switch (kind) {
    case Kind::Created:
        return "NodeCreated " + path;
    case Kind::Deleted:
        return "NodeDeleted " + path;
    case Kind::Changed:
        return "NodeDataChanged " + path;
    case Kind::Children:
        return "NodeChildrenChanged " + path;
    }
    return {};
}

} // namespace lockscope::sim
