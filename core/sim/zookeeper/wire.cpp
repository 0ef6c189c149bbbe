// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/wire.h"

namespace lockscope::sim {

namespace {

using Kind = ZkRequest::Kind;
using Line = std::shared_ptr<ZkLine>;
using zookeeper::CreatedNode;
using zookeeper::Error;
using zookeeper::NodeStat;
using zookeeper::Port;
using zookeeper::Result;

Error refusal(const ZkLine& line, int code, const char* what, const QByteArray& path) {
    return zookeeper::errors::of(code, what, path, line.where);
}

ZkOp stepOf(const ZkLine& line, const zookeeper::Op& op) {
    ZkOp step;
    step.kind = op.kind;
    step.path = line.full(op.path);
    step.data = op.data;
    step.mode = op.mode;
    step.version = op.version;
    step.acl = line.acl();
    return step;
}

ZkRequest changeOf(Kind kind, ZkOp step) {
    ZkRequest request;
    request.kind = kind;
    request.ops.push_back(std::move(step));
    return request;
}

ZkRequest lookOf(const ZkLine& line, Kind kind, const QByteArray& path, bool watch) {
    ZkRequest request;
    request.kind = kind;
    request.path = line.full(path);
    request.watch = watch;
    return request;
}

/// A request whose answer is only worth something if it is no refusal.
Port::Reply<ZkReply> askFor(Line line, ZkLine::Ask ask, std::stop_token stop) {
    const char* const what = ask.what;
    const QByteArray path = ask.path;
    Result<ZkReply> reply = co_await ZkLine::ask(line, std::move(ask), std::move(stop));
    if (reply && reply->code != ZkCode::kOk) co_return std::unexpected(refusal(*line, reply->code, what, path));
    co_return reply;
}

Port::Reply<void> removeNode(Line line, QByteArray path, int version, std::stop_token stop, std::uint64_t generation) {
    ZkOp step;
    step.kind = zookeeper::Op::Kind::Remove;
    step.path = line->full(path);
    step.version = version;
    ZkLine::Ask ask{"delete", path, changeOf(Kind::Remove, std::move(step))};
    ask.generation = generation;
    const Result<ZkReply> reply = co_await askFor(line, std::move(ask), std::move(stop));
    if (!reply) co_return std::unexpected(reply.error());
    co_return Result<void>();
}

// Removes a node whose creator does not wait for it any more.
QCoro::Task<> takeBackNode(Line line, QByteArray path, std::uint64_t generation) {
    for (;;) {
        if (line->stopped()) co_return; // the session is being ended
        const Result<void> removed = co_await removeNode(line, path, -1, {}, generation);
        if (removed ||
            (removed.error().kind != Error::Kind::ConnectionLoss && removed.error().kind != Error::Kind::Unreachable))
            co_return;
    }
}

Port::Reply<CreatedNode> createNode(Line line, QByteArray path, ZkOp step, std::stop_token stop) {
    ZkLine::Ask ask{"create", path, changeOf(Kind::Create, std::move(step))};
    if (ask.request.ops.front().mode == zookeeper::NodeMode::EphemeralSequential) {
        ask.takeBack = [weak = std::weak_ptr(line)](const ZkReply& reply) {
            const Line alive = weak.lock();
            if (!alive || alive->stopped()) return;
            alive->runtime.spawn(
                [alive, made = alive->own(reply.results.front().path), generation = alive->session.generation] {
                    return takeBackNode(alive, made, generation);
                });
        };
    }
    const Result<ZkReply> reply = co_await askFor(line, std::move(ask), std::move(stop));
    if (!reply) co_return std::unexpected(reply.error());
    const ZkOpResult& made = reply->results.front();
    co_return CreatedNode{line->own(made.path), made.stat};
}

// The URL's chroot may be missing as well; it is for whoever uses the URL, so it lasts.
Port::Reply<void> makeChroot(Line line, std::stop_token stop) {
    for (qsizetype end = 0; end >= 0;) {
        end = line->chroot.indexOf('/', end + 1);
        ZkOp step;
        step.kind = zookeeper::Op::Kind::Create;
        step.path = end < 0 ? line->chroot : line->chroot.left(end);
        step.acl = line->acl();
        const QByteArray path = step.path;
        const Result<CreatedNode> made = co_await createNode(line, path, std::move(step), stop);
        if (!made && made.error().kind != Error::Kind::NodeExists) co_return std::unexpected(made.error());
    }
    co_return Result<void>();
}

Port::Reply<CreatedNode> createBelowChroot(Line line, QByteArray path, ZkOp step, std::stop_token stop) {
    Result<CreatedNode> made = co_await createNode(line, path, step, stop);
    const bool top = zookeeper::parentOf(path) == "/" && !line->chroot.isEmpty();
    if (made || made.error().kind != Error::Kind::NoNode || !top) co_return made;
    const Result<void> chroot = co_await makeChroot(line, stop);
    if (!chroot) co_return std::unexpected(chroot.error());
    made = co_await createNode(line, path, step, stop);
    co_return made;
}

Port::Reply<std::vector<QByteArray>> transact(Line line, std::vector<zookeeper::Op> ops, std::stop_token stop) {
    std::vector<QByteArray> made;
    for (const zookeeper::Op& op : ops)
        if (!zookeeper::validPath(op.path)) co_return std::unexpected(zookeeper::errors::badPath(op.path));
    if (ops.empty()) co_return made;
    ZkLine::Ask ask{"multi", ops.front().path, {}};
    ask.request.kind = Kind::Multi;
    for (const zookeeper::Op& op : ops)
        ask.request.ops.push_back(stepOf(*line, op));
    const Result<ZkReply> reply = co_await askFor(line, std::move(ask), std::move(stop));
    if (!reply) co_return std::unexpected(reply.error());
    for (std::size_t i = 0; i < reply->results.size(); ++i) {
        const int code = reply->results[i].code;
        if (code != ZkCode::kOk && code != ZkCode::kRuntimeInconsistency)
            co_return std::unexpected(refusal(*line, code, "multi", ops[i].path));
        if (ops[i].kind == zookeeper::Op::Kind::Create) made.push_back(line->own(reply->results[i].path));
    }
    co_return made;
}

/// A transaction that changes nothing, and that most servers have to agree upon all the same: also when it fails.
Port::Reply<void> agree(Line line, QByteArray path, std::stop_token stop) {
    std::vector<zookeeper::Op> check(1);
    check.front().path = std::move(path);
    const auto done = co_await transact(std::move(line), std::move(check), std::move(stop));
    const bool ofTheNode =
        !done && (done.error().kind == Error::Kind::NoNode || done.error().kind == Error::Kind::NoAuth);
    if (!done && !ofTheNode) co_return std::unexpected(done.error());
    co_return Result<void>();
}

} // namespace

ZkWire::ZkWire(Grounds grounds, ZkLine::Lookup lookup, Runtime& runtime, trace::EntityId client,
               const ConnectionUrl& url, zookeeper::DriverOptions options)
    : m_line(std::make_shared<ZkLine>(grounds, std::move(lookup), runtime, client, url, std::move(options))) {
}

ZkWire::~ZkWire() {
    m_line->stop();
}

Port::Reply<void> ZkWire::connected(Nanos patience, std::stop_token stop) {
    return ZkLine::waitReady(m_line, patience, std::move(stop));
}

Port::Reply<CreatedNode> ZkWire::create(QByteArray path, QByteArray data, zookeeper::NodeMode mode, Nanos ttl,
                                        std::stop_token stop) {
    ZkOp step;
    step.kind = zookeeper::Op::Kind::Create;
    step.path = m_line->full(path);
    step.data = std::move(data);
    step.mode = mode;
    step.ttlMs = std::chrono::duration_cast<std::chrono::milliseconds>(ttl).count();
    step.acl = m_line->acl();
    return createBelowChroot(m_line, std::move(path), std::move(step), std::move(stop));
}

Port::Reply<void> ZkWire::remove(QByteArray path, int version, std::stop_token stop, std::uint64_t generation) {
    return removeNode(m_line, std::move(path), version, std::move(stop), generation);
}

Port::Reply<zookeeper::NodeData> ZkWire::get(QByteArray path, std::optional<zookeeper::Watch> watch,
                                             std::stop_token stop) {
    ZkLine::Ask ask{"get", path, lookOf(*m_line, Kind::Get, path, watch.has_value()), std::move(watch)};
    Result<ZkReply> reply = co_await askFor(m_line, std::move(ask), std::move(stop));
    if (!reply) co_return std::unexpected(reply.error());
    co_return zookeeper::NodeData{std::move(reply->data), reply->stat};
}

Port::Reply<std::optional<NodeStat>> ZkWire::exists(QByteArray path, std::optional<zookeeper::Watch> watch,
                                                    std::stop_token stop) {
    const Line line = m_line;
    ZkLine::Ask ask{"exists", path, lookOf(*line, Kind::Exists, path, watch.has_value()), std::move(watch)};
    const Result<ZkReply> reply = co_await ZkLine::ask(line, std::move(ask), std::move(stop));
    if (!reply) co_return std::unexpected(reply.error());
    std::optional<NodeStat> stat;
    if (reply->code == ZkCode::kOk) stat = reply->stat;
    if (reply->code != ZkCode::kOk && reply->code != ZkCode::kNoNode)
        co_return std::unexpected(refusal(*line, reply->code, "exists", path));
    co_return stat;
}

Port::Reply<zookeeper::ChildList> ZkWire::children(QByteArray path, std::optional<zookeeper::Watch> watch,
                                                   std::stop_token stop) {
    ZkLine::Ask ask{"children", path, lookOf(*m_line, Kind::Children, path, watch.has_value()), std::move(watch)};
    Result<ZkReply> reply = co_await askFor(m_line, std::move(ask), std::move(stop));
    if (!reply) co_return std::unexpected(reply.error());
    co_return zookeeper::ChildList{{reply->names.cbegin(), reply->names.cend()}, reply->stat};
}

Port::Reply<NodeStat> ZkWire::set(QByteArray path, QByteArray data, int version, std::stop_token stop) {
    ZkOp step;
    step.kind = zookeeper::Op::Kind::Set;
    step.path = m_line->full(path);
    step.data = std::move(data);
    step.version = version;
    ZkLine::Ask ask{"set", path, changeOf(Kind::Set, std::move(step))};
    const Result<ZkReply> reply = co_await askFor(m_line, std::move(ask), std::move(stop));
    if (!reply) co_return std::unexpected(reply.error());
    co_return reply->results.front().stat;
}

Port::Reply<std::vector<QByteArray>> ZkWire::multi(std::vector<zookeeper::Op> ops, std::stop_token stop) {
    return transact(m_line, std::move(ops), std::move(stop));
}

Port::Reply<void> ZkWire::sync(QByteArray path, std::stop_token stop) {
    return agree(m_line, std::move(path), std::move(stop));
}

QCoro::Task<> ZkWire::close() {
    return ZkLine::close(m_line);
}

} // namespace lockscope::sim
