// SPDX-License-Identifier: Apache-2.0
#include "inspect/zookeeper/tree.h"

#include "inspect/zookeeper/formats.h"

#include <algorithm>

namespace lockscope::inspect {

using zookeeper::Error;

namespace {

constexpr std::size_t kMostNodes = 200'000;  // some hundred megabytes
constexpr std::size_t kMostWatched = 50'000; // each costs the server memory
constexpr std::size_t kMostMembers = 256;    // contenders of one queue that are read, in its order
constexpr std::int32_t kLongestData = 512;   // bytes of a lock's node
constexpr std::size_t kExamples = 3;

constexpr char kKazooQueue[] = "-__lock__"; // behind the path of kazoo's semaphore

/// The path of kazoo's semaphore whose queue the node is; any other path as it is.
QByteArray withoutQueue(const QByteArray& path) {
    return path.endsWith(kKazooQueue) ? path.chopped(qsizetype(qstrlen(kKazooQueue))) : path;
}

bool isMember(const recipes::ZkChild& child) {
    return child.family != recipes::ZkFamily::Unknown && !child.number().isEmpty();
}

} // namespace

ZkTree::ZkTree(zookeeper::Reader& reader) : m_reader(reader) {
    want("/", true);
}

void ZkTree::doubtEverything() {
    for (auto& [path, node] : m_nodes) {
        node.members.clear();
        if (path != "/") want(path, true);
    }
    want("/", true); // read first: it tells of a loss of data before anything seems to be gone
    m_leftOut = 0;
}

void ZkTree::hear(const zookeeper::WatchEvent& event) {
    using Kind = zookeeper::WatchEvent::Kind;
    switch (event.kind) {
    case Kind::Created:
    case Kind::Changed:
    case Kind::Children:
        want(event.path, true);
        return;
    case Kind::Deleted:
        forget(event.path);
        want(zookeeper::parentOf(event.path), true);
        return;
    case Kind::Suspended:
    case Kind::Lost:
        doubtEverything();
        return;
    case Kind::Session:
        return;
    }
}

void ZkTree::want(const QByteArray& path, bool first) {
    if (!m_isDue.insert(path).second) return;
    if (first)
        m_due.push_front(path);
    else
        m_due.push_back(path);
}

bool ZkTree::hasRoom() const {
    return m_nodes.size() + m_due.size() < kMostNodes;
}

// A row may need its node's children, of a semaphore theirs, and of kazoo's semaphore the queue beside it.
void ZkTree::touch(const QByteArray& path) {
    QByteArray at = path;
    for (int i = 0; i < 3; ++i) {
        if (const auto node = m_nodes.find(at); node != m_nodes.end()) node->second.stale = true;
        if (const auto node = m_nodes.find(withoutQueue(at)); node != m_nodes.end()) node->second.stale = true;
        if (at == "/") return;
        at = zookeeper::parentOf(at);
    }
}

void ZkTree::forget(const QByteArray& path) {
    if (path == "/") return;
    touch(path);
    m_nodes.erase(path);
    const QByteArray below = path + '/';
    auto end = m_nodes.lower_bound(below);
    while (end != m_nodes.end() && end->first.startsWith(below))
        ++end;
    m_nodes.erase(m_nodes.lower_bound(below), end);
}

QCoro::Task<std::optional<Error>> ZkTree::read(std::size_t most, std::stop_token stop) {
    // Sent together, so that the way to the server is gone once for all of them.
    std::vector<QCoro::Task<std::optional<Error>>> visits;
    while (!m_due.empty() && visits.size() < most) {
        const QByteArray path = m_due.front();
        m_due.pop_front();
        m_isDue.erase(path);
        visits.push_back(visit(path, stop));
    }
    std::optional<Error> failed;
    std::exception_ptr cancelled;
    for (QCoro::Task<std::optional<Error>>& one : visits) {
        try {
            auto error = co_await one;
            if (error && !failed) failed = std::move(error);
        } catch (const Cancelled&) {
            cancelled = std::current_exception();
        }
    }
    if (cancelled) std::rethrow_exception(cancelled);
    co_return failed;
}

QCoro::Task<std::optional<Error>> ZkTree::visit(QByteArray path, std::stop_token stop) {
    std::optional<zookeeper::Watch> watch;
    if (m_nodes.size() < kMostWatched) watch = m_watch;
    ++m_requests;
    auto list = co_await m_reader.children(path, watch, stop);
    if (!list && list.error().kind == Error::Kind::NoNode) {
        forget(path);
        co_return std::nullopt;
    }
    if (!list && list.error().kind == Error::Kind::NoAuth) {
        m_nodes[path].refused = true;
        co_return std::nullopt;
    }
    if (!list) {
        want(path, true); // the next read tries again
        co_return list.error();
    }
    take(path, std::move(*list));
    auto error = co_await readData(path, stop);
    if (!error) error = co_await readMembers(path, stop);
    touch(path);
    co_return error;
}

void ZkTree::take(const QByteArray& path, zookeeper::ChildList list) {
    Node& node = m_nodes[path];
    node.refused = false;
    // Numbers of transactions only grow, unless the servers have forgotten some.
    if (list.stat.pzxid < node.stat.pzxid || list.stat.czxid < node.stat.czxid) m_wentBack = true;
    m_newest = std::max({m_newest, list.stat.pzxid, list.stat.czxid, list.stat.mzxid});
    node.stat = list.stat;
    std::ranges::sort(list.names);
    std::vector<QByteArray> gone;
    std::ranges::set_difference(node.names, list.names, std::back_inserter(gone));
    node.names = std::move(list.names);
    for (const QByteArray& name : gone) {
        if (const auto member = node.members.find(name); member != node.members.end()) {
            node.heldFromStart.erase(member->second.stat.czxid);
            node.members.erase(member);
        }
        forget(zookeeper::childOf(path, name));
    }
    for (const QByteArray& name : node.names) {
        const QByteArray child = zookeeper::childOf(path, name);
        // The server's own nodes are no locks.
        if (child == "/zookeeper" || isMember(recipes::readZkChild(name)) || m_nodes.contains(child)) continue;
        if (hasRoom())
            want(child, isKazooPermit(name)); // first: its lock is not told before
        else
            ++m_leftOut;
    }
}

QCoro::Task<std::optional<Error>> ZkTree::readData(QByteArray path, std::stop_token stop) {
    const auto there = m_nodes.find(path);
    if (there == m_nodes.end()) co_return std::nullopt;
    const auto& names = there->second.names;
    const bool queue =
        std::ranges::any_of(names, [](const QByteArray& name) { return isMember(recipes::readZkChild(name)); });
    const std::int32_t length = there->second.stat.dataLength;
    there->second.data.reset();
    if (queue || length <= 0 || length > kLongestData) co_return std::nullopt;
    std::optional<zookeeper::Watch> watch;
    if (m_nodes.size() < kMostWatched) watch = m_watch;
    ++m_requests;
    auto data = co_await m_reader.get(path, watch, stop);
    const auto node = m_nodes.find(path); // it may have been forgotten meanwhile
    if (data && node != m_nodes.end()) {
        node->second.stat = data->stat;
        node->second.data = std::move(data->data);
    }
    const bool aboutIt = data || data.error().kind == Error::Kind::NoNode || data.error().kind == Error::Kind::NoAuth;
    if (aboutIt) co_return std::nullopt;
    co_return data.error();
}

QCoro::Task<std::optional<Error>> ZkTree::readMembers(QByteArray path, std::stop_token stop) {
    const auto there = m_nodes.find(path);
    if (there == m_nodes.end()) co_return std::nullopt;
    std::vector<std::pair<QByteArray, QCoro::Task<zookeeper::Result<zookeeper::NodeData>>>> reads;
    std::size_t at = 0;
    for (const recipes::ZkChild& child : recipes::readZkChildren(there->second.names)) {
        if (!isMember(child)) continue;
        if (at++ == kMostMembers) break;
        if (there->second.members.contains(child.name)) continue;
        ++m_requests;
        reads.emplace_back(child.name, m_reader.get(zookeeper::childOf(path, child.name), {}, stop));
    }
    std::optional<Error> failed;
    std::exception_ptr cancelled;
    for (auto& [name, read] : reads) {
        try {
            auto data = co_await read;
            const auto node = m_nodes.find(path);
            if (data && node != m_nodes.end()) {
                if (data->data.size() > kLongestData) data->data.truncate(kLongestData);
                node->second.members[name] = std::move(*data);
            } else if (!data && data.error().kind != Error::Kind::NoNode && data.error().kind != Error::Kind::NoAuth) {
                failed = data.error();
            }
        } catch (const Cancelled&) {
            cancelled = std::current_exception();
        }
    }
    if (cancelled) std::rethrow_exception(cancelled);
    co_return failed;
}

SeenNode ZkTree::seen(const QByteArray& path, const Node& node, std::int64_t wallMs) const {
    SeenNode seen;
    seen.path = path;
    seen.stat = node.stat;
    seen.data = node.data;
    seen.wallMs = wallMs;
    for (recipes::ZkChild& name : recipes::readZkChildren(node.names)) {
        SeenChild child{std::move(name), {}, {}};
        if (const auto member = node.members.find(child.name.name); member != node.members.end()) {
            child.stat = member->second.stat;
            child.data = member->second.data;
        } else if (const auto own = m_nodes.find(zookeeper::childOf(path, child.name.name));
                   own != m_nodes.end() && !own->second.refused) {
            child.stat = own->second.stat;
            child.data = own->second.data.value_or(QByteArray());
        }
        child.heldFromStart = child.stat && node.heldFromStart.contains(child.stat->czxid);
        seen.children.push_back(std::move(child));
    }
    return seen;
}

// Later comers hide that a holder had nobody before it when it came (zkHolder()).
void ZkTree::keepStarts(const std::vector<LockRow>& rows) {
    for (const LockRow& row : rows) {
        for (const Entry& entry : row.entries) {
            const auto parent = m_nodes.find(zookeeper::parentOf(entry.at));
            if (parent != m_nodes.end() && parent->second.stat.pzxid == entry.born)
                parent->second.heldFromStart.insert(entry.born);
        }
    }
}

bool ZkTree::awaitsPermit(const SeenNode& semaphore) const {
    return std::ranges::any_of(semaphore.children, [&](const SeenChild& permit) {
        return !permit.stat && m_isDue.contains(zookeeper::childOf(semaphore.path, permit.name.name));
    });
}

std::vector<LockRow> ZkTree::rows(std::int64_t wallMs) {
    std::vector<LockRow> all;
    std::set<QByteArray> locks;  // paths of rows: what is below one belongs to it
    std::set<QByteArray> queues; // of semaphores, whose rows have the waiters
    for (auto& [path, node] : m_nodes) {
        // A node below a lock belongs to it: its permits, the queue of its semaphore.
        const bool below = path != "/" && locks.contains(zookeeper::parentOf(path));
        const bool lease = path.endsWith("/locks") || path.endsWith("/leases");
        if (node.refused || queues.contains(path) || (below && (lease || node.names.empty()))) continue;
        const bool ends = std::ranges::any_of(node.rows, [](const LockRow& row) { return row.ttlMs.has_value(); });
        if (node.stale || ends) {
            SeenNode whole = seen(path, node, wallMs);
            std::optional<SeenNode> places, leases, queue;
            const auto nodeAt = [&](const QByteArray& place) -> std::optional<SeenNode> {
                const auto there = m_nodes.find(place);
                if (there == m_nodes.end()) return std::nullopt;
                return seen(place, there->second, wallMs);
            };
            if (std::ranges::find(node.names, QByteArray("leases")) != node.names.end()) {
                places = nodeAt(zookeeper::childOf(path, "locks"));
                leases = nodeAt(zookeeper::childOf(path, "leases"));
            }
            if (node.data) queue = nodeAt(path + kKazooQueue);
            whole.locks = places ? &*places : nullptr;
            whole.queue = queue ? &*queue : nullptr;
            whole.leases = leases ? &*leases : nullptr;
            std::vector<LockRow> rows = readInOrder(zookeeperFormats(), whole);
            if (!rows.empty() && rows.front().format == "kazoo-semaphore" && awaitsPermit(whole)) {
                // Until the session of a permit is known, its name would stand for the holder, and then seem to change
                // hands. So what was told before is told again.
                locks.insert(path);
                queues.insert(path + kKazooQueue);
                std::ranges::copy(node.rows, std::back_inserter(all));
                continue;
            }
            node.rows = std::move(rows);
            keepStarts(node.rows);
            node.stale = false;
        }
        if (node.rows.empty()) continue;
        locks.insert(path);
        if (node.rows.front().format == "kazoo-semaphore") queues.insert(path + kKazooQueue);
        std::ranges::copy(node.rows, std::back_inserter(all));
    }
    return all;
}

std::int64_t ZkTree::refused() const {
    return std::ranges::count_if(m_nodes, [](const auto& node) { return node.second.refused; });
}

std::vector<QByteArray> ZkTree::refusedExamples() const {
    std::vector<QByteArray> examples;
    for (const auto& [path, node] : m_nodes) {
        if (!node.refused) continue;
        examples.push_back(path);
        if (examples.size() == kExamples) break;
    }
    return examples;
}

} // namespace lockscope::inspect
