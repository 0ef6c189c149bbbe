// SPDX-License-Identifier: Apache-2.0
#include "drivers/etcd/driver.h"

#include "drivers/etcd/members.h"
#include "ports/etcd/codec.h"
#include "ports/etcd/errors.h"

#include <QUrl>

namespace lockscope::etcd {

namespace {

enum class Does : std::uint8_t { Change, Read };

/// A request, and what its answer says, once it has come.
template <typename T>
Result<T> askFor(std::shared_ptr<Members> members, const char* path, QByteArray body,
                 codec::Read<T> (*read)(const QByteArray&), std::stop_token stop, Does does = Does::Change) {
    HttpRequest request{path, std::move(body), {}};
    const auto answer = co_await Members::ask(members, std::move(request), std::move(stop));
    if (!answer) {
        Error error = answer.error();
        error.sent = error.sent && does == Does::Change;
        co_return std::unexpected(error);
    }
    auto result = read(answer->body);
    if (!result) {
        Error error = errors::garbage(result.error(), answer->where);
        error.sent = does == Does::Change;
        co_return std::unexpected(error);
    }
    if constexpr (requires { result->repeated; }) result->repeated = answer->repeated;
    co_return *std::move(result);
}

/// Asks a member for what it has applied, at the first of its addresses. Without an answer that stays unknown, and also
/// where another server answers: the usual address, "http://localhost:2379", is the member's from its own machine only.
QCoro::Task<> askApplied(std::shared_ptr<Members> members, std::uint64_t id, Member& member, std::stop_token stop) {
    constexpr Nanos kPatience = 1s; // a member that is slower than this tells nothing about its lag
    const QUrl url(member.urls.empty() ? QString() : QString::fromUtf8(member.urls.front()));
    if (url.host().isEmpty() || url.port() <= 0) co_return;
    const Endpoint at{url.host(), std::uint16_t(url.port())};
    HttpRequest request{"/v3/maintenance/status", "{}", {}};
    const auto answer = co_await Members::askAt(members, at, std::move(request), kPatience, std::move(stop));
    if (!answer) co_return;
    const auto state = codec::memberState(answer->body);
    if (state && state->id == id) member.applied = state->applied;
}

} // namespace

EtcdDriver::EtcdDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options)
    : m_members(std::make_shared<Members>(runtime, url, options)) {
}

EtcdDriver::~EtcdDriver() {
    m_members->shutDown();
}

Runtime& EtcdDriver::runtime() {
    return m_members->runtime();
}

std::uint64_t EtcdDriver::requestsSent() const {
    return m_members->sent();
}

QString EtcdDriver::where() const {
    return m_members->where();
}

Result<LeaseState> EtcdDriver::grantLease(std::int64_t id, std::chrono::seconds ttl, std::stop_token stop) {
    const std::shared_ptr<Members> members = m_members;
    auto granted = co_await askFor(members, "/v3/lease/grant", codec::grant(id, ttl), &codec::leaseState, stop);
    if (granted) granted->granted = granted->ttl;
    if (granted || granted.error().kind != Error::Kind::LeaseExists) co_return granted;
    // The number is the caller's own and random: an earlier try has made it.
    auto there = co_await askFor(members, "/v3/lease/timetolive", codec::lease(id), &codec::leaseState, stop);
    co_return there;
}

Result<LeaseState> EtcdDriver::keepAlive(std::int64_t id, std::stop_token stop) {
    return askFor(m_members, "/v3/lease/keepalive", codec::lease(id), &codec::leaseState, std::move(stop));
}

Result<bool> EtcdDriver::revokeLease(std::int64_t id, std::stop_token stop) {
    const std::shared_ptr<Members> members = m_members;
    const auto revoked = co_await askFor(members, "/v3/lease/revoke", codec::lease(id), &codec::revision, stop);
    if (revoked) co_return true;
    if (revoked.error().kind == Error::Kind::LeaseNotFound) co_return false;
    co_return std::unexpected(revoked.error());
}

Result<LeaseState> EtcdDriver::timeToLive(std::int64_t id, std::stop_token stop) {
    return askFor(m_members, "/v3/lease/timetolive", codec::lease(id), &codec::leaseState, std::move(stop), Does::Read);
}

Result<RangeResult> EtcdDriver::range(Range range, std::stop_token stop) {
    return askFor(m_members, "/v3/kv/range", codec::range(range), &codec::rangeResult, std::move(stop), Does::Read);
}

Result<std::vector<RangeResult>> EtcdDriver::ranges(std::vector<Range> ranges, std::stop_token stop) {
    Q_ASSERT(!ranges.empty() && ranges.size() <= kMostTogether);
    const std::size_t asked = ranges.size();
    Transaction reads; // etcd reads one without changes as it reads a range: nothing is written to its log
    for (Range& each : ranges)
        reads.then.push_back(Operation::read(std::move(each)));
    const std::shared_ptr<Members> members = m_members;
    auto read =
        co_await askFor(members, "/v3/kv/txn", codec::transaction(reads), &codec::transactionResult, stop, Does::Read);
    if (!read) co_return std::unexpected(read.error());
    if (read->results.size() != asked)
        co_return std::unexpected(errors::garbage(
            QStringLiteral("%1 answers to %2 reads").arg(read->results.size()).arg(asked), members->where()));
    co_return std::move(read->results);
}

Result<MemberList> EtcdDriver::members(std::stop_token stop) {
    const std::shared_ptr<Members> members = m_members;
    const auto state =
        co_await askFor(members, "/v3/maintenance/status", QByteArray("{}"), &codec::memberState, stop, Does::Read);
    if (!state) co_return std::unexpected(state.error());
    const auto all =
        co_await askFor(members, "/v3/cluster/member/list", QByteArray("{}"), &codec::memberList, stop, Does::Read);
    if (!all) co_return std::unexpected(all.error());
    MemberList list;
    list.version = state->version;
    list.term = state->term;
    std::size_t leader = all->size();
    for (const auto& [id, member] : *all) {
        if (state->leader != 0 && id == state->leader) leader = list.members.size();
        list.members.push_back(member);
    }
    const bool led = leader < list.members.size();
    if (led) list.members[leader].leads = true;
    if (list.members.size() == 1) co_return list; // nobody can be behind, or dead
    const auto askOne = [&](std::size_t i) { return askApplied(members, (*all)[i].first, list.members[i], stop); };
    if (led) co_await askOne(leader); // first, so that nobody seems to be ahead of it
    std::vector<QCoro::Task<>> others;
    for (std::size_t i = 0; i < list.members.size(); ++i)
        if (i != leader) others.push_back(askOne(i));
    std::exception_ptr cancelled;
    for (QCoro::Task<>& other : others) {
        try {
            co_await other;
        } catch (const Cancelled&) {
            cancelled = std::current_exception(); // the others refer to the list
        }
    }
    if (cancelled) std::rethrow_exception(cancelled);
    co_return list;
}

Result<TransactionResult> EtcdDriver::run(Transaction transaction, std::stop_token stop) {
    return askFor(m_members, "/v3/kv/txn", codec::transaction(transaction), &codec::transactionResult, std::move(stop));
}

Result<Removal> EtcdDriver::remove(QByteArray key, std::stop_token stop) {
    return askFor(m_members, "/v3/kv/deleterange", codec::deleteRange(key, {}), &codec::removal, std::move(stop));
}

Result<std::int64_t> EtcdDriver::deleteRange(QByteArray key, QByteArray end, std::stop_token stop) {
    return askFor(m_members, "/v3/kv/deleterange", codec::deleteRange(key, end), &codec::deleted, std::move(stop));
}

Result<std::int64_t> EtcdDriver::put(QByteArray key, QByteArray value, std::int64_t lease, std::stop_token stop) {
    return askFor(m_members, "/v3/kv/put", codec::put(key, value, lease), &codec::revision, std::move(stop));
}

Result<OwnedWatch> EtcdDriver::watch(QByteArray key, bool deletionsOnly, std::stop_token stop) {
    return Members::watch(m_members, codec::watch(key, {}, deletionsOnly), std::move(stop));
}

Result<OwnedWatch> EtcdDriver::watchRange(QByteArray key, QByteArray end, std::stop_token stop) {
    return Members::watch(m_members, codec::watch(key, end, false), std::move(stop));
}

Result<std::int64_t> EtcdDriver::open(std::stop_token stop) {
    const std::shared_ptr<Members> members = m_members; // the driver may go meanwhile
    Range nothing;
    nothing.key = QByteArray(1, '\0');
    nothing.limit = 1;
    const auto read = co_await range(std::move(nothing), std::move(stop));
    if (read) co_return read->revision;
    // A user who may not read that key is connected all the same.
    if (read.error().kind == Error::Kind::Denied) co_return 0;
    co_return std::unexpected(errors::notReached(read.error(), members->where()));
}

} // namespace lockscope::etcd
