// SPDX-License-Identifier: Apache-2.0
#include "drivers/zookeeper/driver.h"

#include "drivers/zookeeper/request.h"

namespace lockscope::zookeeper {

namespace {

using Table = WatchHub::Table;

NodeStat statOf(const Stat* stat) {
    if (!stat) return {};
    return {stat->czxid,    stat->mzxid,    stat->pzxid,          stat->ctime,      stat->mtime,      stat->version,
            stat->cversion, stat->aversion, stat->ephemeralOwner, stat->dataLength, stat->numChildren};
}

int modeOf(NodeMode mode) {
    switch (mode) {
    case NodeMode::Persistent:
        return ZOO_PERSISTENT;
    case NodeMode::Ephemeral:
        return ZOO_EPHEMERAL;
    case NodeMode::PersistentSequential:
        return ZOO_PERSISTENT_SEQUENTIAL;
    case NodeMode::EphemeralSequential:
        return ZOO_EPHEMERAL_SEQUENTIAL;
    case NodeMode::Container:
        return ZOO_CONTAINER;
    case NodeMode::Ttl:
        return ZOO_PERSISTENT_WITH_TTL;
    case NodeMode::SequentialTtl:
        return ZOO_PERSISTENT_SEQUENTIAL_WITH_TTL;
    }
    return ZOO_PERSISTENT;
}

const ACL_vector* aclOf(const DriverCore& core) {
    static ACL creatorsAndRead[] = {{ZOO_PERM_ALL, ZOO_AUTH_IDS}, {ZOO_PERM_READ, ZOO_ANYONE_ID_UNSAFE}};
    static const ACL_vector readable{2, creatorsAndRead};
    switch (core.options.acl.value_or(core.url.user.isEmpty() ? Acl::Open : Acl::Creator)) {
    case Acl::Creator:
        return &ZOO_CREATOR_ALL_ACL;
    case Acl::Read:
        return &readable;
    case Acl::Open:
        break;
    }
    return &ZOO_OPEN_ACL_UNSAFE;
}

void onVoid(int code, const void* data) {
    const auto request = Request<Nothing>::answered(code, data);
    if (code == ZOK) return request->succeed({});
    request->fail(code);
}

void onCreated(int code, const char* path, const Stat* stat, const void* data) {
    const auto request = Request<CreatedNode>::answered(code, data);
    if (code == ZOK && path) return request->succeed({request->core->own(path), statOf(stat)});
    request->fail(code);
}

void onData(int code, const char* value, int length, const Stat* stat, const void* data) {
    const auto request = Request<NodeData>::answered(code, data);
    if (request->watch) request->core->watches->settled(request->watch, code == ZOK);
    if (code == ZOK) return request->succeed({QByteArray(value, std::max(length, 0)), statOf(stat)});
    request->fail(code);
}

void onExists(int code, const Stat* stat, const void* data) {
    const auto request = Request<std::optional<NodeStat>>::answered(code, data);
    if (request->watch) request->core->watches->settled(request->watch, code == ZOK || code == ZNONODE);
    if (code == ZOK) return request->succeed(statOf(stat));
    if (code == ZNONODE) return request->succeed(std::nullopt);
    request->fail(code);
}

void onSet(int code, const Stat* stat, const void* data) {
    const auto request = Request<NodeStat>::answered(code, data);
    if (code == ZOK) return request->succeed(statOf(stat));
    request->fail(code);
}

void onChildren(int code, const String_vector* names, const Stat* stat, const void* data) {
    const auto request = Request<ChildList>::answered(code, data);
    if (request->watch) request->core->watches->settled(request->watch, code == ZOK);
    if (code != ZOK) return request->fail(code);
    ChildList list{{}, statOf(stat)};
    list.names.reserve(std::size_t(names->count));
    for (int i = 0; i < names->count; ++i)
        list.names.emplace_back(names->data[i]);
    request->succeed(std::move(list));
}

/// A transaction in flight: what the C client reads from and writes to until it answers.
struct Transaction {
    explicit Transaction(std::vector<Op> steps, const DriverCore& core)
        : ops(std::move(steps)), raw(ops.size()), results(ops.size()), buffers(ops.size()) {
        for (std::size_t i = 0; i < ops.size(); ++i) {
            const Op& op = ops[i];
            paths.push_back(core.full(op.path));
            const char* const path = paths.back().constData();
            switch (op.kind) {
            case Op::Kind::Create:
                buffers[i].resize(std::size_t(paths.back().size()) + 16);
                ::zoo_create_op_init(&raw[i], path, op.data.constData(), int(op.data.size()), aclOf(core),
                                     modeOf(op.mode), buffers[i].data(), int(buffers[i].size()));
                break;
            case Op::Kind::Remove:
                ::zoo_delete_op_init(&raw[i], path, op.version);
                break;
            case Op::Kind::Set:
                ::zoo_set_op_init(&raw[i], path, op.data.constData(), int(op.data.size()), op.version, nullptr);
                break;
            case Op::Kind::Check:
                ::zoo_check_op_init(&raw[i], path, op.version);
                break;
            }
        }
    }
    std::vector<Op> ops;
    std::vector<QByteArray> paths;
    std::vector<zoo_op_t> raw;
    std::vector<zoo_op_result_t> results;
    std::vector<std::vector<char>> buffers;
};

// Adds the watch at the moment of sending: only then is it certain which session it belongs to.
template <typename T>
void* watchContext(Request<T>* request, Table table, const std::optional<Watch>& watch) {
    if (!watch) return nullptr;
    request->watch = request->core->watches->add(table, request->path, *watch);
    return Handle::contextOf(request->watch);
}

// The URL's chroot may be missing as well; it is for all users of the URL, so it lasts.
Port::Reply<void> makeChroot(std::shared_ptr<DriverCore> core, std::stop_token stop) {
    for (qsizetype end = 0; end >= 0;) {
        end = core->chroot.indexOf('/', end + 1);
        const QByteArray path = end < 0 ? core->chroot : core->chroot.left(end);
        const auto send = [core, path](zhandle_t* zh, Request<CreatedNode>* request) {
            return ::zoo_acreate2(zh, path.constData(), "", 0, aclOf(*core), ZOO_PERSISTENT, &onCreated, request);
        };
        const Result<CreatedNode> made = co_await ask<CreatedNode>(core, "create", path, kNodeAnswer, send, stop);
        if (!made && made.error().kind != Error::Kind::NodeExists) co_return std::unexpected(made.error());
    }
    co_return Result<void>();
}

Port::Reply<void> removeNode(std::shared_ptr<DriverCore> core, QByteArray path, int version, std::stop_token stop,
                             std::uint64_t generation) {
    const auto send = [core, path, version](zhandle_t* zh, Request<Nothing>* request) {
        return ::zoo_adelete(zh, core->full(path).constData(), version, &onVoid, request);
    };
    return ask<Nothing>(core, "delete", path, kVoidAnswer, send, std::move(stop), {}, generation);
}

// Deletes a node whose creator does not wait for it any more.
QCoro::Task<> takeBackNode(std::shared_ptr<DriverCore> core, QByteArray path, std::uint64_t generation) {
    for (;;) {
        if (core->stopped()) co_return; // the session is being ended
        const Result<void> removed = co_await removeNode(core, path, -1, {}, generation);
        const bool again = !removed && (removed.error().kind == Error::Kind::ConnectionLoss ||
                                        removed.error().kind == Error::Kind::Unreachable);
        if (!again) co_return;
    }
}

template <typename Send>
Port::Reply<CreatedNode> createBelowChroot(std::shared_ptr<DriverCore> core, QByteArray path, Send send,
                                           std::stop_token stop, std::function<void(const CreatedNode&)> takeBack) {
    Result<CreatedNode> made = co_await ask<CreatedNode>(core, "create", path, kNodeAnswer, send, stop, takeBack);
    const bool top = parentOf(path) == "/";
    if (made || made.error().kind != Error::Kind::NoNode || !top || core->chroot.isEmpty()) co_return made;
    const Result<void> chroot = co_await makeChroot(core, stop);
    if (!chroot) co_return std::unexpected(chroot.error());
    made = co_await ask<CreatedNode>(core, "create", path, kNodeAnswer, send, stop, takeBack);
    co_return made;
}

} // namespace

ZooKeeperDriver::ZooKeeperDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options)
    : m_core(std::make_shared<DriverCore>(runtime, url, options)) {
}

ZooKeeperDriver::~ZooKeeperDriver() {
    m_core->stop();
}

Runtime& ZooKeeperDriver::runtime() {
    return m_core->runtime;
}

const Session& ZooKeeperDriver::session() const {
    return m_core->session;
}

void ZooKeeperDriver::watchSession(const Watch& watch) {
    m_core->watches->addSession(watch);
}

Port::Reply<void> ZooKeeperDriver::connected(Nanos patience, std::stop_token stop) {
    return DriverCore::waitReady(m_core, patience, std::move(stop));
}

Port::Reply<CreatedNode> ZooKeeperDriver::create(QByteArray path, QByteArray data, NodeMode mode, Nanos ttl,
                                                 std::stop_token stop) {
    std::function<void(const CreatedNode&)> takeBack;
    if (mode == NodeMode::EphemeralSequential) {
        takeBack = [weak = std::weak_ptr(m_core)](const CreatedNode& node) {
            const auto core = weak.lock();
            if (!core || core->stopped()) return;
            // From a coroutine of its own: this may be inside the C client.
            core->runtime.post([core, path = node.path, generation = core->session.generation] {
                core->runtime.spawn([core, path, generation] { return takeBackNode(core, path, generation); });
            });
        };
    }
    const auto send = [core = m_core, path, data, mode, ttl](zhandle_t* zh, Request<CreatedNode>* request) {
        const QByteArray full = core->full(path);
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(ttl).count();
        if (mode == NodeMode::Ttl || mode == NodeMode::SequentialTtl) {
            return ::zoo_acreate2_ttl(zh, full.constData(), data.constData(), int(data.size()), aclOf(*core),
                                      modeOf(mode), ms, &onCreated, request);
        }
        return ::zoo_acreate2(zh, full.constData(), data.constData(), int(data.size()), aclOf(*core), modeOf(mode),
                              &onCreated, request);
    };
    if (m_core->chroot.isEmpty())
        return ask<CreatedNode>(m_core, "create", std::move(path), kNodeAnswer, send, std::move(stop),
                                std::move(takeBack));
    return createBelowChroot(m_core, std::move(path), send, std::move(stop), std::move(takeBack));
}

Port::Reply<void> ZooKeeperDriver::remove(QByteArray path, int version, std::stop_token stop,
                                          std::uint64_t generation) {
    return removeNode(m_core, std::move(path), version, std::move(stop), generation);
}

Port::Reply<NodeData> ZooKeeperDriver::get(QByteArray path, std::optional<Watch> watch, std::stop_token stop) {
    const auto send = [core = m_core, path, watch](zhandle_t* zh, Request<NodeData>* request) {
        void* const context = watchContext(request, Table::Data, watch);
        return ::zoo_awget(zh, core->full(path).constData(), context ? &Handle::onWatch : nullptr, context, &onData,
                           request);
    };
    return ask<NodeData>(m_core, "get", std::move(path), kNodeAnswer, send, std::move(stop));
}

Port::Reply<std::optional<NodeStat>> ZooKeeperDriver::exists(QByteArray path, std::optional<Watch> watch,
                                                             std::stop_token stop) {
    const auto send = [core = m_core, path, watch](zhandle_t* zh, Request<std::optional<NodeStat>>* request) {
        void* const context = watchContext(request, Table::Existence, watch);
        return ::zoo_awexists(zh, core->full(path).constData(), context ? &Handle::onWatch : nullptr, context,
                              &onExists, request);
    };
    return ask<std::optional<NodeStat>>(m_core, "exists", std::move(path), kStatAnswer, send, std::move(stop));
}

Port::Reply<ChildList> ZooKeeperDriver::children(QByteArray path, std::optional<Watch> watch, std::stop_token stop) {
    const auto send = [core = m_core, path, watch](zhandle_t* zh, Request<ChildList>* request) {
        void* const context = watchContext(request, Table::Children, watch);
        return ::zoo_awget_children2(zh, core->full(path).constData(), context ? &Handle::onWatch : nullptr, context,
                                     &onChildren, request);
    };
    return ask<ChildList>(m_core, "children", std::move(path), kNodeAnswer, send, std::move(stop));
}

Port::Reply<NodeStat> ZooKeeperDriver::set(QByteArray path, QByteArray data, int version, std::stop_token stop) {
    const auto send = [core = m_core, path, data, version](zhandle_t* zh, Request<NodeStat>* request) {
        return ::zoo_aset(zh, core->full(path).constData(), data.constData(), int(data.size()), version, &onSet,
                          request);
    };
    return ask<NodeStat>(m_core, "set", std::move(path), kStatAnswer, send, std::move(stop));
}

namespace {
Port::Reply<std::vector<QByteArray>> transact(std::shared_ptr<DriverCore> core, std::vector<Op> ops,
                                              std::stop_token stop) {
    for (const Op& op : ops) {
        if (!validPath(op.path)) co_return std::unexpected(errors::badPath(op.path));
    }
    if (ops.empty()) co_return std::vector<QByteArray>();
    const auto transaction = std::make_shared<Transaction>(std::move(ops), *core);
    // The request keeps the transaction for the C client, also when nobody waits for it any more.
    const auto send = [core, transaction](zhandle_t* zh, Request<Nothing>* request) {
        request->takeBack = [transaction](const Nothing&) {};
        return ::zoo_amulti(zh, int(transaction->raw.size()), transaction->raw.data(), transaction->results.data(),
                            &onVoid, request);
    };
    const QByteArray path = transaction->ops.front().path;
    const Result<void> done = co_await ask<Nothing>(core, "multi", path, kVoidAnswer, send, std::move(stop));
    if (!done) {
        for (std::size_t i = 0; i < transaction->ops.size(); ++i) {
            const int code = transaction->results[i].err;
            const bool culprit = code == done.error().code && code != ZOK;
            if (culprit) co_return std::unexpected(errors::of(code, "multi", transaction->ops[i].path, core->where));
        }
        co_return std::unexpected(done.error());
    }
    std::vector<QByteArray> made;
    for (std::size_t i = 0; i < transaction->ops.size(); ++i) {
        if (transaction->ops[i].kind == Op::Kind::Create) made.push_back(core->own(transaction->buffers[i].data()));
    }
    co_return made;
}
} // namespace

Port::Reply<std::vector<QByteArray>> ZooKeeperDriver::multi(std::vector<Op> ops, std::stop_token stop) {
    return transact(m_core, std::move(ops), std::move(stop));
}

namespace {
/// A transaction that changes nothing, and that most servers have to agree upon all the same: also when it fails.
Port::Reply<void> agree(std::shared_ptr<DriverCore> core, QByteArray path, std::stop_token stop) {
    std::vector<Op> check(1);
    check.front().path = std::move(path);
    const auto done = co_await transact(std::move(core), std::move(check), std::move(stop));
    using Kind = Error::Kind;
    const bool ofTheNode = !done && (done.error().kind == Kind::NoNode || done.error().kind == Kind::NoAuth);
    if (!done && !ofTheNode) co_return std::unexpected(done.error());
    co_return Result<void>();
}
} // namespace

Port::Reply<void> ZooKeeperDriver::sync(QByteArray path, std::stop_token stop) {
    return agree(m_core, std::move(path), std::move(stop));
}

QCoro::Task<> ZooKeeperDriver::close() {
    return DriverCore::close(m_core);
}

QString ZooKeeperDriver::where() const {
    return m_core->where;
}

std::uint64_t ZooKeeperDriver::requestsSent() const {
    return m_core->sent;
}

} // namespace lockscope::zookeeper
