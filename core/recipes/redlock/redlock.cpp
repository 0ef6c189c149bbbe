// SPDX-License-Identifier: Apache-2.0
#include "recipes/redlock/redlock.h"

#include "recipes/hex_digits.h"
#include "recipes/polling_rests.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/redlock/errands.h"

#include <QCoreApplication>
#include <map>

namespace lockscope::recipes {

namespace {
enum class Step : std::uint32_t { Value = 1, Ask, Count, Work, GiveBack };
} // namespace

RecipeInfo redlockInfo() {
    RecipeInfo info;
    info.id = "redis-redlock";
    info.backend = "redis";
    info.summary = Text::tr("Redlock: a majority of independent masters; held for the lease less what getting it took");
    info.steps = stepTexts<Step>({
        {Step::Value, Text::tr("value := new unique id")},
        {Step::Ask, Text::tr("on all servers at once: SET {name} value NX PX {lease}")},
        {Step::Count, Text::tr("majority, and {lease} − elapsed − drift > 0 → hold that long")},
        {Step::Work, Text::tr("work, write to the resource")},
        {Step::GiveBack, Text::tr("on all servers: script: if value is mine, DEL")},
    });
    info.workStep = Step::Work;
    info.watchdog = true;
    info.layout = "Redlock";
    info.simulated = true;
    return info;
}

const RecipeInfo& Redlock::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-redlock");
    return mine;
}

namespace {

struct Trouble {
    Q_DECLARE_TR_FUNCTIONS(LockError)
};

/// Rounds in a row that no other one promises to better, before it is called an error while waiting: granted too late,
/// or refused by too many servers for good. Servers that are away may come back.
constexpr int kHopelessRounds = 3;
/// A release has time: nobody waits for the rest of its lease.
constexpr Nanos kReleaseLimit = 1s;

QByteArray newValue(Runtime& runtime) { // 32 lower-case hex digits, as node-redlock writes them
    const QByteArray begin = hexDigits(runtime.random());
    return begin + hexDigits(runtime.random());
}

/// "Only 2 of 5 servers answered; 3 are needed. …" with the first complaint.
QString tooFew(const Ballot& votes, std::size_t quorum) {
    QString text = Trouble::tr("Only %1 of %2 servers answered; %3 are needed.")
                       .arg(QString::number(votes.answered()), QString::number(votes.nodes()), QString::number(quorum));
    if (!votes.complaints().isEmpty()) text += u' ' + votes.complaints().join(u' ');
    return text;
}

LockError tooLate(const QByteArray& name) {
    return {LockError::Kind::Unreachable,
            Trouble::tr("The servers granted the lock “%1” so late that too little was left of the lease; it was "
                        "given back. Take a longer lease, or look at why they are slow.")
                .arg(QString::fromUtf8(name))};
}

Nanos wholeMs(Nanos lease) {
    return std::chrono::floor<std::chrono::milliseconds>(lease);
}

std::shared_ptr<Ballot> newBallot(const RedlockNodes& nodes) {
    return std::make_shared<Ballot>(nodes.count(), nodes.quorum());
}

bool decided(const Ballot& votes) {
    return votes.decided();
}

/// On how many nodes the same value stands, of the one that most have.
std::size_t mostAlike(const Ballot& votes, const Values& values) {
    std::map<QByteArray, std::size_t> times;
    std::size_t most = 0;
    for (std::size_t node = 0; node < values.size(); ++node) {
        if (votes.at(node) == Vote::Yes) most = std::max(most, ++times[values[node]]);
    }
    return most;
}

Nanos fullLease(const Grant& grant) {
    return std::get<RedlockLease>(grant.own).whole;
}

} // namespace

/// One try to get a majority.
struct Redlock::Round {
    Stake stake;
    Nanos begun{};
    Nanos lease{};
    std::shared_ptr<Ballot> votes;

    /// Own monotonic clock: until then at least the majority that said yes keeps it.
    Nanos validUntil() const { return begun + lease - drift(lease); }
};

std::shared_ptr<Redlock::Round> Redlock::beginRound(Nanos lease) const {
    Runtime& runtime = m_nodes->runtime();
    auto round = std::make_shared<Round>();
    round->begun = runtime.monotonic();
    round->lease = lease;
    round->votes = newBallot(*m_nodes);
    // A late SET may begin as long as its node is waited for, and a server's clock may be as slow as the drift says.
    round->stake = {m_nodes, m_name, newValue(runtime), round->begun + lease + drift(lease) + kReleaseLimit};
    const QByteArray ms = milliseconds(lease);
    for (std::size_t node = 0; node < m_nodes->count(); ++node)
        runtime.spawn([round, node, ms] { return setAt(round->stake, node, ms, round->votes); });
    return round;
}

QCoro::Task<> Redlock::withdraw(std::shared_ptr<Round> round, Then then) {
    Runtime& runtime = m_nodes->runtime();
    const auto undone = newBallot(*m_nodes);
    std::vector<std::size_t> waitFor;
    for (std::size_t node = 0; node < m_nodes->count(); ++node) {
        const Vote vote = round->votes->at(node);
        // Not there: the key is somebody else's, or it is certain that nothing was sent.
        if (vote == Vote::No || (vote == Vote::Failed && !round->votes->doubtful(node))) continue;
        if (then == Then::TheEnd || vote == Vote::Yes) waitFor.push_back(node);
        const auto set = round->votes;
        const Stake stake = round->stake;
        runtime.spawn([stake, node, set, undone] { return undoAt(stake, node, set, undone); });
    }
    const Ballot::Condition allUndone = [waitFor](const Ballot& votes) {
        return std::ranges::none_of(waitFor, [&](std::size_t node) { return votes.at(node) == Vote::Pending; });
    };
    co_await Ballot::wait(undone, runtime, allUndone, perNode(round->lease), {});
}

/// A try is a round.
class Redlock::Contender final : public LockContender {
public:
    using Of = Redlock;
    using Asked = Request;
    static constexpr Undo kUndo = Undo::Always;
    Contender(Redlock& of, Request asked)
        : LockContender(of.m_nodes->runtime(), std::move(asked)),
          m(of),
          m_lease(wholeMs(request.lease)),
          m_rests(of.m_options.longestRest) {}

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        request.steps.at(Step::Value);
        request.steps.at(Step::Ask);
        m_round = m.beginRound(m_lease);
        co_await Ballot::wait(m_round->votes, runtime, decided, m.perNode(m_lease), stop);
        const Ballot& votes = *m_round->votes;
        Tried<Grant> tried;
        if (votes.carried() && m_round->validUntil() - runtime.monotonic() >= leastRest(m_lease)) {
            request.steps.at(Step::Count);
            Grant& grant = tried.granted.emplace();
            grant.thread = request.thread;
            grant.value = m_round->stake.value;
            grant.askedAt = m_round->begun;
            grant.lease = m_lease - drift(m_lease);
            grant.steps = request.steps;
            grant.own = RedlockLease{m_lease};
            co_return tried;
        }
        m_hopeless = votes.carried() || votes.hopeless() ? m_hopeless + 1 : 0;
        if (votes.carried()) {
            tried.failure = tooLate(m.m_name);
            if (m_hopeless == kHopelessRounds) co_return std::unexpected(*tried.failure);
        } else if (votes.answered() < m.m_nodes->quorum()) {
            co_return std::unexpected(LockError{LockError::Kind::Unreachable, tooFew(votes, m.m_nodes->quorum())});
        }
        co_return tried; // another client has it, or we have it too late
    }
    bool mayPass(const LockError&) const override { return m_hopeless < kHopelessRounds; }
    QCoro::Task<> undo(Then then) override {
        request.steps.at(Step::GiveBack);
        return m.withdraw(m_round, then);
    }
    QCoro::Task<> rest(Tried<Grant>, std::stop_token stop) override {
        return runtime.sleep(within(m_rests.next(runtime)), std::move(stop));
    }

private:
    Redlock& m;
    Nanos m_lease;
    PollingRests m_rests;
    int m_hopeless = 0; ///< rounds in a row
    std::shared_ptr<Round> m_round;
};

Outcome<std::optional<Grant>> Redlock::acquire(Request request, std::stop_token stop) {
    const Nanos lease = wholeMs(request.lease);
    if (lease - drift(lease) < leastRest(lease)) {
        co_return std::unexpected(LockError{
            LockError::Kind::Refused,
            Trouble::tr("A lease of %1 ms is too short for several servers: nothing would be left of it after "
                        "what their clocks may drift.")
                .arg(lease / 1ms)});
    }
    co_return co_await contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<bool> Redlock::renew(Grant grant, std::stop_token stop) {
    Runtime& runtime = m_nodes->runtime();
    // A hold that is only to be asked about wants no more than what is left of it.
    const Nanos lease = std::min(fullLease(grant), grant.lease + drift(fullLease(grant)));
    const QByteArray ms = milliseconds(lease);
    const Stake stake{m_nodes, m_name, grant.value, runtime.monotonic() + lease + drift(lease)};
    const auto votes = newBallot(*m_nodes);
    for (std::size_t node = 0; node < m_nodes->count(); ++node)
        runtime.spawn([stake, node, ms, votes] { return extendAt(stake, node, ms, votes); });
    co_await Ballot::wait(votes, runtime, decided, perNode(lease), stop);
    if (votes->carried()) co_return true;
    if (votes->count(Vote::No) <= m_nodes->count() - m_nodes->quorum()) {
        co_return std::unexpected(
            LockError{LockError::Kind::OutcomeUnknown, tooFew(*votes, m_nodes->quorum())}); // may still be ours
    }
    // Lost: a minority that still has it would only stand in others' way.
    const auto undone = newBallot(*m_nodes);
    for (std::size_t node = 0; node < m_nodes->count(); ++node)
        runtime.spawn([stake, node, undone] { return undoAt(stake, node, nullptr, undone); });
    co_return false;
}

CallList::Registration Redlock::onReconnect(CallList::Callback ask) {
    const auto all = std::make_shared<std::vector<CallList::Registration>>();
    for (std::size_t node = 0; node < m_nodes->count(); ++node)
        all->push_back(m_nodes->at(node).onReconnect(ask));
    return all;
}

Outcome<void> Redlock::listen(Grant, CallList::Callback ask, std::stop_token stop) {
    std::vector<Outcome<void>> all;
    for (std::size_t node = 0; node < m_nodes->count(); ++node)
        all.push_back(listenForForce(m_nodes->at(node), forcedChannelOf(m_name), ask, stop));
    const std::expected<void, LockError> ended = co_await untilAllEnd(std::move(all));
    co_return ended;
}

Outcome<int> Redlock::release(Grant grant, std::stop_token stop) {
    Runtime& runtime = m_nodes->runtime();
    grant.steps.at(Step::GiveBack);
    const Nanos lease = fullLease(grant);
    // Renewals may have moved its end; one lease from now is later than any of them.
    const Stake stake{m_nodes, m_name, grant.value, runtime.monotonic() + lease + drift(lease)};
    const auto undone = newBallot(*m_nodes);
    for (std::size_t node = 0; node < m_nodes->count(); ++node)
        runtime.spawn([stake, node, undone] { return undoAt(stake, node, nullptr, undone); });
    co_await Ballot::wait(undone, runtime, decided, std::max(perNode(lease), kReleaseLimit), stop);
    grant.steps.leave();
    if (undone->count(Vote::No) >= m_nodes->quorum()) co_return std::unexpected(notOwner(m_name));
    if (undone->answered() >= m_nodes->quorum()) co_return 0; // no majority can have it any more
    co_return std::unexpected(LockError{
        LockError::Kind::OutcomeUnknown,
        tooFew(*undone, m_nodes->quorum()) + u' ' +
            Trouble::tr("The lock is free there when its lease ends, in %1 ms at the latest.").arg(lease / 1ms)});
}

Outcome<bool> Redlock::forceRelease(std::stop_token stop) {
    Runtime& runtime = m_nodes->runtime();
    const auto nodes = m_nodes;
    const auto freed = newBallot(*m_nodes);
    const auto foreign = std::make_shared<Foreign>();
    for (std::size_t node = 0; node < m_nodes->count(); ++node)
        runtime.spawn(
            [nodes, node, name = m_name, freed, foreign] { return forceAt(nodes, node, name, freed, foreign); });
    const Ballot::Condition all = [](const Ballot& votes) { return votes.count(Vote::Pending) == 0; };
    co_await Ballot::wait(freed, runtime, all, kReleaseLimit, std::move(stop));
    if (foreign->size() > nodes->count() - nodes->quorum()) co_return std::unexpected(foreign->front());
    if (freed->answered() < nodes->quorum())
        co_return std::unexpected(LockError{LockError::Kind::OutcomeUnknown, tooFew(*freed, nodes->quorum())});
    co_return freed->count(Vote::Yes) > 0;
}

Outcome<bool> Redlock::isLocked(std::stop_token stop) {
    Runtime& runtime = m_nodes->runtime();
    const auto nodes = m_nodes;
    const auto votes = newBallot(*m_nodes);
    const auto values = std::make_shared<Values>(nodes->count());
    const auto foreign = std::make_shared<Foreign>();
    for (std::size_t node = 0; node < nodes->count(); ++node)
        runtime.spawn([nodes, node, name = m_name, votes, values, foreign] {
            return lookAt(nodes, node, name, votes, values, foreign);
        });
    const std::size_t quorum = nodes->quorum();
    const Ballot::Condition clear = [values, foreign, quorum](const Ballot& all) {
        const std::size_t silent = all.nodes() - all.answered(), minority = all.nodes() - quorum;
        const std::size_t most = mostAlike(all, *values);
        // Free only when what is still to come can not be so much of others' data either that nobody can take it.
        const bool free = most + silent < quorum && foreign->size() + silent <= minority;
        return most >= quorum || free || all.count(Vote::Pending) == 0;
    };
    co_await Ballot::wait(votes, runtime, clear, kReleaseLimit, std::move(stop));
    if (foreign->size() > nodes->count() - quorum) co_return std::unexpected(foreign->front());
    if (votes->answered() < quorum)
        co_return std::unexpected(LockError{LockError::Kind::Unreachable, tooFew(*votes, quorum)});
    const std::size_t most = mostAlike(*votes, *values);
    co_return most + nodes->count() - votes->answered() >= quorum;
}

Outcome<void> Redlock::reach(std::shared_ptr<RedlockNodes> nodes, Nanos timeout, std::stop_token stop) {
    Runtime& runtime = nodes->runtime();
    const auto votes = newBallot(*nodes);
    const redis::Args command = redis::argsOf("PING");
    for (std::size_t node = 0; node < nodes->count(); ++node)
        runtime.spawn(
            [nodes, node, command, votes] { return askAt(nodes, node, command, redis::Reply::nil(), votes); });
    co_await Ballot::wait(votes, runtime, decided, timeout, std::move(stop));
    if (votes->carried()) co_return {};
    co_return std::unexpected(LockError{LockError::Kind::Unreachable, tooFew(*votes, nodes->quorum())});
}

} // namespace lockscope::recipes
