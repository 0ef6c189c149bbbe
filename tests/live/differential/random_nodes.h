// SPDX-License-Identifier: Apache-2.0
// Random requests to a ZooKeeper, over few paths, so that they meet.
#pragma once
#include "sim/zookeeper/message.h"
#include "two_sides.h"

namespace lockscope::differential {

class RandomNodes : public Dice {
public:
    /// All paths are below `base`.
    RandomNodes(std::uint64_t seed, QByteArray base) : Dice(seed), m_base(std::move(base)) {}

    /// A sequential node has been made.
    void made(const QByteArray& path) {
        m_numbered.push_back(path);
        if (m_numbered.size() > kRemembered) m_numbered.erase(m_numbered.begin());
    }

    sim::ZkRequest next() {
        sim::ZkRequest request;
        const std::uint64_t what = below(100);
        if (what < 34) return change(Kind::Create, creation());
        if (what < 46) return change(Kind::Remove, step(Step::Remove));
        if (what < 56) return change(Kind::Set, step(Step::Set));
        if (what < 66) {
            request.kind = Kind::Multi;
            for (std::uint64_t steps = 1 + below(4); steps > 0; --steps)
                request.ops.push_back(anyStep());
            return request;
        }
        if (what < 68) {
            request.kind = Kind::Sync;
            request.path = m_base;
            return request;
        }
        if (what < 69) {
            request.kind = Kind::Ping;
            return request;
        }
        static constexpr std::array kLooks = {Kind::Get, Kind::Exists, Kind::Children};
        request.kind = kLooks[below(3)];
        request.path = path();
        request.watch = chance(2);
        return request;
    }

private:
    using Kind = sim::ZkRequest::Kind;
    using Step = zookeeper::Op::Kind;
    using Mode = zookeeper::NodeMode;
    static constexpr std::size_t kRemembered = 12;

    static sim::ZkRequest change(Kind kind, sim::ZkOp op) {
        sim::ZkRequest request;
        request.kind = kind;
        request.ops.push_back(std::move(op));
        return request;
    }
    QByteArray path() {
        static constexpr std::array kPaths = {"/l",   "/l/a", "/l/b", "/l/a/deep", "/e", "/e/below",
                                              "/x/y", "/x",   "/c",   "/c/d",      "/t", ""};
        if (!m_numbered.empty() && chance(4)) return m_numbered[below(m_numbered.size())];
        if (chance(40)) return odd();
        return m_base + kPaths[below(kPaths.size())];
    }
    /// Paths that no node can have.
    QByteArray odd() {
        static constexpr std::array kOdd = {"//b", "/../b", "/l/", "/l/.", "/l//"};
        return chance(4) ? QByteArray("relative") : m_base + kOdd[below(kOdd.size())];
    }
    int version() { return chance(2) ? -1 : int(below(3)); }
    sim::ZkOp step(Step kind) {
        sim::ZkOp op;
        op.kind = kind;
        op.path = path();
        op.version = version();
        if (kind == Step::Set) op.data = QByteArray::number(quint64(below(1000)));
        return op;
    }
    sim::ZkOp creation() {
        sim::ZkOp op = step(Step::Create);
        op.data = QByteArray(qsizetype(below(6)), 'd');
        static constexpr std::array kModes = {Mode::Persistent,          Mode::Ephemeral, Mode::PersistentSequential,
                                              Mode::EphemeralSequential, Mode::Container, Mode::Ttl,
                                              Mode::SequentialTtl};
        op.mode = kModes[below(kModes.size())];
        const bool numbered = op.mode == Mode::PersistentSequential || op.mode == Mode::EphemeralSequential ||
                              op.mode == Mode::SequentialTtl;
        if (numbered) op.path = m_base + (chance(4) ? "/q-" : "/l/c-");
        if (op.mode == Mode::Ttl || op.mode == Mode::SequentialTtl) op.ttlMs = kDay;
        if (chance(8)) op.acl = {sim::ZkAclLine{31, "auth", ""}};
        if (chance(16)) op.acl = {sim::ZkAclLine{int(below(32)), "world", "anyone"}};
        return op;
    }
    sim::ZkOp anyStep() {
        const std::uint64_t what = below(10);
        if (what >= 5) return step(what < 7 ? Step::Remove : what < 9 ? Step::Set : Step::Check);
        sim::ZkOp op = creation();
        // Transactions make those by other requests.
        if (op.mode == Mode::Container || op.mode == Mode::Ttl) op.mode = Mode::Persistent;
        if (op.mode == Mode::SequentialTtl) op.mode = Mode::PersistentSequential;
        return op;
    }

    static constexpr std::int64_t kDay = 86'400'000; ///< ms
    QByteArray m_base;
    std::vector<QByteArray> m_numbered;
};

} // namespace lockscope::differential
