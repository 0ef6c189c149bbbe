// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/message.h"

#include "trace/joined.h"

namespace lockscope::sim {

namespace {

using trace::joined;
using zookeeper::NodeMode;
using Step = zookeeper::Op::Kind;

QByteArrayView modeText(NodeMode mode) {
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
        return joined({"create", modeText(op.mode), " ", op.path});
    case Step::Remove:
        return joined({"delete ", op.path});
    case Step::Set:
        return joined({"set ", op.path});
    case Step::Check:
        return joined({"check ", op.path});
    }
    return {};
}

} // namespace

QByteArray ZkRequest::text() const {
    if (quiet) return {};
    const QByteArrayView watching = watch ? " -w " : " ";
    switch (kind) {
    case Kind::Create:
    case Kind::Remove:
    case Kind::Set:
        return stepText(ops.front());
    case Kind::Multi: {
        QByteArray text = joined({"multi ", ops.empty() ? QByteArray() : stepText(ops.front())});
        for (std::size_t i = 1; i < ops.size(); ++i)
            text += joined({", ", stepText(ops[i])});
        return text;
    }
    case Kind::Get:
        return joined({"get", watching, path});
    case Kind::Exists:
        return joined({"stat", watching, path});
    case Kind::Children:
        return joined({"ls", watching, path});
    case Kind::Sync:
        return joined({"sync ", path});
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
        return joined({"NodeCreated ", path});
    case Kind::Deleted:
        return joined({"NodeDeleted ", path});
    case Kind::Changed:
        return joined({"NodeDataChanged ", path});
    case Kind::Children:
        return joined({"NodeChildrenChanged ", path});
    }
    return {};
}

} // namespace lockscope::sim
