// SPDX-License-Identifier: Apache-2.0
#include "inspect/zookeeper/queue_rows.h"

#include "inspect/party_about.h"
#include "recipes/recipe.h"
#include "trace/digits.h"
#include "trace/joined.h"

#include <algorithm>
#include <map>

namespace lockscope::inspect {

using recipes::ZkFamily;

namespace {

constexpr std::size_t kMostRawNames = 64;
constexpr char kRevoked[] = "__REVOKE__"; // Curator's: somebody has asked the holder to release the lock

bool isContender(const SeenChild& child, Contenders contenders = Contenders::KnownFamilies) {
    if (child.name.number().isEmpty() || child.name.family == ZkFamily::Condition) return false;
    return contenders == Contenders::Numbered || child.name.family != ZkFamily::Unknown;
}

/// The families whose names contain "lock-", by which Curator and go-zookeeper sort all children.
bool hasLockInName(ZkFamily family) {
    return family == ZkFamily::Curator || family == ZkFamily::GoZooKeeper || family == ZkFamily::Menagerie ||
           family == ZkFamily::ZkPage;
}

/// Whether a library counts the children of another one as contenders: most look for names of their own kind only, and
/// then take the lock beside its holder. A library that is not known is taken to see all.
bool sees(ZkFamily looks, ZkFamily other) {
    if (looks == other) return true;
    switch (looks) {
    case ZkFamily::Curator:
        return hasLockInName(other);
    case ZkFamily::GoZooKeeper:
        return hasLockInName(other) || other == ZkFamily::Kazoo;
    case ZkFamily::Kazoo: // its writers have the names of its mutex
    case ZkFamily::KazooReadWrite:
        return other == ZkFamily::Kazoo || other == ZkFamily::KazooReadWrite;
    case ZkFamily::Menagerie:
    case ZkFamily::MenagerieReadWrite:
    case ZkFamily::ReadWrite:
    case ZkFamily::Latch:
        return false;
    default:
        return true;
    }
}

std::int64_t sessionOf(const SeenChild& child) {
    return child.stat ? child.stat->ephemeralOwner : 0;
}

// Curator lets a writer read at once: its reader's node has the writer's own number, or, before 5.5, a later one.
bool readsBesideItself(const SeenChild& reader, const SeenChild& writer) {
    return reader.name.number() == writer.name.number() ||
           (sessionOf(reader) != 0 && sessionOf(reader) == sessionOf(writer));
}

QByteArray sessionText(std::int64_t session) {
    return trace::joined({"session 0x", trace::digitsOf(std::uint64_t(session), 16)});
}

RawKey rawNode(const QByteArray& path, const zookeeper::NodeStat* stat, const QByteArray& data) {
    const bool ephemeral = stat && stat->ephemeralOwner != 0;
    return {path, ephemeral ? "ephemeral node" : "node", {}, RawValue::ofText(data)};
}

} // namespace

std::set<ZkFamily> SeenNode::families() const {
    std::set<ZkFamily> all;
    for (const SeenChild& child : children)
        if (isContender(child)) all.insert(child.name.family);
    return all;
}

QByteArray zkLockName(const QByteArray& path) {
    return path.startsWith('/') ? path.sliced(1) : path;
}

LockRow zkRow(const SeenNode& node, const char* format) {
    LockRow row;
    row.name = zkLockName(node.path);
    row.backend = "zookeeper";
    row.format = format;
    return row;
}

Party zkParty(const SeenChild& child, const char* mode) {
    Party party;
    if (party.mode != mode) party.mode = mode;
    if (const QByteArray ours = recipes::zkOwnerIn(child.data); !ours.isEmpty()) {
        const recipes::HolderInfo who = recipes::HolderInfo::of(ours);
        party.client = who.client;
        if (!who.thread.isEmpty()) party.thread = who.thread;
        if (child.stat) party.about = sessionText(child.stat->ephemeralOwner);
    } else if (child.stat && child.stat->ephemeralOwner != 0) {
        party.client = sessionText(child.stat->ephemeralOwner);
        party.about = child.data == kRevoked ? QByteArray(kAskedToGiveUp) : child.data;
    } else {
        party.client = child.name.name; // no session keeps it: its name is all that there is
        party.about = child.data;
    }
    if (child.stat) {
        party.sinceWallMs = child.stat->ctime;
        party.neverExpires = child.stat->ephemeralOwner == 0;
    }
    return party;
}

Party zkHolder(const SeenNode& parent, const SeenChild& child, const char* mode) {
    Party party = zkParty(child, mode);
    const bool isLastChange = child.stat && child.stat->czxid == parent.stat.pzxid;
    if (!isLastChange && !child.heldFromStart) party.sinceWallMs.reset();
    return party;
}

void addEntry(LockRow& row, const SeenNode& parent, const SeenChild& holder) {
    if (holder.stat) row.entries.push_back({zookeeper::childOf(parent.path, holder.name.name), {}, holder.stat->czxid});
}

LockRow zkQueueRow(const SeenNode& node, const char* format, Contenders contenders) {
    LockRow row = zkRow(node, format);
    std::vector<const SeenChild*> writers;
    std::vector<Party> waiters;
    waiters.reserve(node.children.size());
    struct Own {
        ZkFamily family = ZkFamily::Unknown; ///< of its first node
        bool holds = false;
    };
    std::map<std::pair<std::int64_t, QByteArray>, Own> own;
    std::set<ZkFamily> before; // this one
    std::int64_t waiting = 0;
    for (const SeenChild& child : node.children) {
        if (!isContender(child, contenders)) continue;
        const bool writes = child.name.writes;
        // Lockscope's clients see every library that they share a queue with; nothing is said of a node not read.
        const bool ours = !recipes::zkOwnerIn(child.data).isEmpty();
        const auto seen = [&](ZkFamily other) { return ours || !child.stat || sees(child.name.family, other); };
        if (ours) { // with layout=both a client has two nodes, one for each library that looks
            const auto [twin, fresh] = own.try_emplace({sessionOf(child), child.data}, Own{child.name.family, false});
            if (!fresh && twin->second.family != child.name.family) {
                before.insert(child.name.family);
                if (twin->second.holds) addEntry(row, node, child);
                continue;
            }
        }
        const bool blocked =
            writes ? std::ranges::any_of(before, seen) : std::ranges::any_of(writers, [&](const SeenChild* writer) {
                if (!seen(writer->name.family)) return false;
                const bool holds =
                    writer == writers.front() && !row.holders.empty() && row.holders.front().mode != "shared";
                return !holds || !readsBesideItself(child, *writer);
            });
        const char* mode = writes ? "exclusive" : "shared";
        if (writes) writers.push_back(&child);
        before.insert(child.name.family);
        if (blocked) {
            Party party = zkParty(child, mode);
            party.position = int(waiting++);
            waiters.push_back(std::move(party));
            continue;
        }
        Party party = zkHolder(node, child, mode);
        if (row.holders.empty() && child.stat) row.token = child.stat->czxid;
        row.neverExpires = row.neverExpires || party.neverExpires;
        addEntry(row, node, child);
        if (ours) own[{sessionOf(child), child.data}].holds = true;
        row.holders.push_back(std::move(party));
    }
    row.state = row.holders.empty() ? LockRow::State::Free : LockRow::State::Held;
    if (!row.holders.empty()) row.mode = row.holders.front().mode;
    row.waiterCount = waiting;
    row.waiters = std::move(waiters);
    addRaw(row, node, contenders);
    return row;
}

void addRaw(LockRow& row, const SeenNode& node, Contenders contenders) {
    if (node.children.empty()) {
        row.raw.push_back(rawNode(node.path, &node.stat, node.data.value_or(QByteArray())));
        return;
    }
    const std::size_t named = std::min(node.children.size(), kMostRawNames);
    RawValue::List names;
    names.reserve(named);
    for (std::size_t i = 0; i < named; ++i)
        names.push_back(node.children[i].name.name);
    RawKey parent{node.path, "node with children", {}, RawValue::ofList(std::move(names))};
    parent.more = std::int64_t(node.children.size() - named);
    row.raw.push_back(std::move(parent));
    for (const SeenChild& child : node.children) {
        if (row.raw.size() > row.holders.size() || row.raw.size() > 8) break;
        if (!isContender(child, contenders)) continue;
        const zookeeper::NodeStat* stat = child.stat ? &*child.stat : nullptr;
        row.raw.push_back(rawNode(zookeeper::childOf(node.path, child.name.name), stat, child.data));
    }
}

} // namespace lockscope::inspect
