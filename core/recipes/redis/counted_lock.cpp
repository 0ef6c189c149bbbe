// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/counted_lock.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
/// Also a try that does not wait for others lets an earlier request of its thread come to an answer.
constexpr Nanos kTurn = 3s;

/// When a server will have forgotten a hold whose last message may still be on its way.
Nanos forgottenAt(Runtime& runtime, Nanos lease) {
    return laterBy(runtime.monotonic(), 2 * lease + 10s);
}

LockError noTurn(const QByteArray& name) {
    return {LockError::Kind::Unreachable,
            QCoreApplication::translate("LockError",
                                        "An earlier request of this thread for “%1” has had no answer yet. "
                                        "Nothing was sent; try again.")
                .arg(QString::fromUtf8(name))};
}
Mode otherOf(const Grant& grant) {
    return grant.mode == Mode::Shared ? Mode::Exclusive : Mode::Shared;
}
} // namespace

QCoro::Task<redis::Result> CountedLock::run(Command command, std::stop_token stop) {
    return m_lock.port.eval(*command.script, std::move(command.keys), std::move(command.args), std::move(stop));
}

Outcome<int> CountedLock::settle(HoldAccounts::Account& account, QByteArray thread, Mode mode, Nanos lease,
                                 std::stop_token stop) {
    const int wanted = account.holds;
    // By source, not by hash: a server that stands still may run this when nobody is left to hear that it does not know
    // the script.
    const Command command = keepCommand(thread, mode, lease, wanted);
    redis::Args bySource = redis::evalArgs("EVAL", command.script->source(), command.keys, command.args);
    const redis::Result reply = co_await m_lock.port.call(std::move(bySource), stop);
    // A key of another kind by now holds nothing of ours.
    if (!reply && !reply.error().wrongType()) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    const int left = reply ? static_cast<int>(reply->integer) : -1;
    if (account.holds == wanted) { // the holder may have given more up meanwhile, by its own clock
        account.holds = std::max(left, 0);
        account.unsure = false;
    }
    co_return left;
}

bool CountedLock::otherUnsure(const Grant& grant) const {
    return m_lock.doubts->accounts->isUnsure(keyOf(grant.thread, otherOf(grant)));
}

QCoro::Task<> CountedLock::settleOther(Grant grant, std::stop_token stop) {
    const Mode other = otherOf(grant);
    HoldTurn account(m_lock.port.runtime(), m_lock.doubts->accounts, keyOf(grant.thread, other));
    // If another coroutine has the turn, that one settles the hold.
    if (account.here() && account->unsure) co_await settle(*account, grant.thread, other, grant.lease, stop);
}

class CountedLock::Contender final : public WokenLock::Contender {
public:
    using Of = CountedLock;
    Contender(CountedLock& lock, Request asked) : WokenLock::Contender(lock, std::move(asked)), m(lock) {}
    QCoro::Task<> takeBack() override {
        m_turn.emplace(runtime, m.m_lock.doubts->accounts, key());
        // The coroutine that has the turn first settles an unsure hold.
        if (m_turn->here() && (*m_turn)->unsure) co_await settle();
        m_turn.reset();
    }

private:
    HoldAccounts::Key key() const { return m.keyOf(request.thread, request.mode); }
    Outcome<int> settle() { return m.settle(**m_turn, request.thread, request.mode, request.lease, {}); }

    // Every waiter's frame of every try: what is seldom needed is in frames of its own.
    Outcome<Tried<Grant>> tryOnce(std::stop_token stop) override {
        m_sent = false;
        m_turn.emplace(runtime, m.m_lock.doubts->accounts, key());
        if (!m_turn->here() || (*m_turn)->unsure) {
            const std::expected<void, LockError> begun = co_await begin(stop);
            if (!begun) co_return std::unexpected(begun.error());
        }
        const Nanos askedAt = runtime.monotonic();
        m_sent = true;
        Command command = m.acquireCommand(request);
        const redis::Result reply = co_await m.run(std::move(command), std::move(stop));
        if (!reply || reply->items.size() < 2 || reply->items[0].integer < 0) co_return co_await failed(reply);
        co_return tried(*reply, askedAt);
    }

    /// Precondition: the reply says whether it was granted, and with a second number how many holds, or how long to
    /// rest.
    Tried<Grant> tried(const redis::Reply& reply, Nanos askedAt) {
        Tried<Grant> tried;
        if (reply.items[0].integer == 1)
            tried.granted = granted(reply, askedAt);
        else
            tried.rest = m.restFrom(reply.items[1].integer);
        m_turn.reset();
        return tried;
    }

    /// Waits for the turn, and settles the hold if it is unsure.
    Outcome<void> begin(std::stop_token stop) {
        HoldTurn& account = *m_turn;
        if (!account.here()) {
            const bool come = co_await account.coming(std::max(request.wait, kTurn), stop);
            if (!come) co_return std::unexpected(noTurn(m.m_lock.name));
        }
        if (!account->unsure) co_return std::expected<void, LockError>();
        const auto settled = co_await m.settle(*account, request.thread, request.mode, request.lease, stop);
        if (!settled) co_return std::unexpected(settled.error());
        co_return std::expected<void, LockError>();
    }

    /// The end of a try that got no answer, or one that says nothing of our kind of lock.
    Outcome<Tried<Grant>> failed(const redis::Result& reply) {
        if (reply) {
            const LockError error = co_await foreignFormat(m.m_lock.port, m.m_lock.name);
            m_turn.reset();
            co_return std::unexpected(error);
        }
        const LockError error = co_await explainedError(m.m_lock.port, reply.error(), m.m_lock.name);
        if (!reply.error().outcomeUnknown()) m_turn.reset();
        co_return std::unexpected(error);
    }

    Grant granted(const redis::Reply& reply, Nanos askedAt) {
        HoldTurn& account = *m_turn;
        Grant grant;
        grant.holds = static_cast<int>(reply.items[1].integer);
        // More than there should be: a release that was answered, and that the next master or a server that was started
        // again has never heard of. Nobody would give that hold up, and each one of ours would keep it alive; the next
        // release says how many there should be.
        const bool revived = !account->unsure && grant.holds > account->holds + 1;
        if (revived) {
            grant.holds = account->holds + 1;
            account->unsure = true;
            account->ends = forgottenAt(runtime, request.lease);
        }
        // The first hold: whatever was in doubt when this was on its way is gone, and must not end this one.
        if (grant.holds == 1) {
            account->unsure = revived;
            account->era = nullptr;
        }
        if (!account->era) account->era = std::make_shared<const HoldEra>();
        grant.own = account->era;
        // Still unsure: the holder has given others up meanwhile, by its own clock.
        account->holds = account->unsure ? account->holds + 1 : grant.holds;
        grant.thread = request.thread;
        grant.value = m.field(request.thread);
        grant.askedAt = askedAt;
        grant.lease = request.lease;
        grant.token = reply.items.size() > 2 ? reply.items[2].integer : 0;
        grant.mode = request.mode;
        grant.steps = request.steps;
        grant.steps.at(Step::Hold);
        return grant;
    }

    /// Gives up what the try may have got, and nothing that we had before. An error here leaves a hold that ends by its
    /// lease, or before this thread's next try.
    QCoro::Task<> undoTry(Then then) override {
        if (m_turn && m_sent) {
            (*m_turn)->unsure = true;
            (*m_turn)->ends = forgottenAt(runtime, request.lease);
            if (then == Then::AnotherTry) m.unanswered(request);
            co_await settle();
        }
        m_turn.reset();
    }
    CountedLock& m;
    std::optional<HoldTurn> m_turn; ///< from before a request is sent until its outcome is known, or undone
    bool m_sent = false;
};

Outcome<std::optional<Grant>> CountedLock::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<bool> CountedLock::renew(Grant grant, std::stop_token stop) {
    // The server's hold may by now be a later one of the same thread.
    if (m_lock.doubts->accounts->isOver(keyOf(grant.thread, grant.mode), ownOf<const HoldEra>(grant))) co_return false;
    const Command command = renewCommand(grant);
    const redis::Result reply = co_await run(command, stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    const HoldAccounts::Key key = keyOf(grant.thread, grant.mode);
    if (reply->integer != 1 && !m_lock.doubts->accounts->isOver(key, ownOf<const HoldEra>(grant)))
        m_lock.doubts->accounts->nothingHeld(key);
    co_return reply->integer == 1;
}

void CountedLock::abandoned(const Grant& grant) {
    const HoldAccounts::Key key = keyOf(grant.thread, grant.mode);
    if (m_lock.doubts->accounts->isOver(key, ownOf<const HoldEra>(grant))) return;
    m_lock.doubts->accounts->giveUp(key, grant.holds, forgottenAt(m_lock.port.runtime(), grant.lease));
}

Outcome<int> CountedLock::countDown(const Grant& grant, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    HoldTurn account(runtime, m_lock.doubts->accounts, keyOf(grant.thread, grant.mode));
    if (!account.here()) co_await account.coming(kNever, stop);
    const auto era = ownOf<const HoldEra>(grant);
    if (era && account->era != era) co_return -1; // what the server has is a later hold of the same thread
    const int before = account->holds;
    if (account->unsure) { // how many there are now is not known: say how many there should be
        account->holds = std::max(before - 1, 0);
        co_return co_await settle(*account, grant.thread, grant.mode, grant.lease, stop);
    }
    const Command command = keepCommand(grant.thread, grant.mode, grant.lease, std::nullopt);
    const auto answer = co_await unlessStopped(run(command, stop));
    if (!answer || !*answer) {
        account->holds = std::max(account->holds - 1, 0);
        account->unsure = true;
        account->ends = forgottenAt(runtime, grant.lease);
        if (!answer) throw Cancelled(Cancelled::Why::Stopped);
        co_return std::unexpected(lockError(answer->error(), m_lock.name));
    }
    const redis::Reply& reply = **answer;
    const bool freed = reply.items.size() == 2; // and others were told
    const int left = freed ? 0 : static_cast<int>(reply.integer);
    // The holder may have given more up meanwhile, by its own clock: then it is still unsure.
    account->holds = account->unsure ? std::max(account->holds - 1, 0) : std::max(left, 0);
    if (left <= 0) account->unsure = false;
    if (freed) gaveUp(grant.thread, reply.items[1].integer);
    co_return left;
}

Outcome<int> CountedLock::release(Grant grant, std::stop_token stop) {
    grant.steps.at(Step::Release);
    const std::expected<int, LockError> left = co_await countDown(grant, stop);
    if (left && *left > 0)
        grant.steps.at(Step::Hold);
    else
        grant.steps.leave();
    if (left && *left < 0) co_return std::unexpected(notOwner(m_lock.name));
    co_return left;
}

Outcome<bool> CountedLock::forceRelease(std::stop_token stop) {
    const Command command = forceCommand();
    const redis::Result reply = co_await run(command, stop);
    if (!reply) {
        const LockError error = co_await explainedError(m_lock.port, reply.error(), m_lock.name);
        co_return std::unexpected(error);
    }
    if (reply->integer < 0) {
        const LockError error = co_await foreignFormat(m_lock.port, m_lock.name);
        co_return std::unexpected(error);
    }
    co_return reply->integer == 1;
}

Outcome<bool> CountedLock::isLocked(std::stop_token stop) {
    return keyIsThere(m_lock.port, m_lock.name, "hash", std::move(stop));
}

Outcome<std::vector<HolderInfo>> CountedLock::holders(std::stop_token stop) {
    const redis::Result hash = co_await m_lock.port.call(redis::argsOf("HGETALL", m_lock.name), stop);
    if (!hash) co_return std::unexpected(lockError(hash.error(), m_lock.name));
    std::vector<HolderInfo> holders;
    if (hash->items.empty()) co_return holders;
    const auto left = co_await keyLeft(m_lock.port, m_lock.name, stop);
    if (!left) co_return std::unexpected(left.error());
    std::optional<std::int64_t> token;
    if (const QByteArray key = counter(); !key.isEmpty()) {
        const auto now = co_await counterNow(m_lock.port, key, stop);
        if (!now) co_return std::unexpected(now.error());
        token = *now;
    }
    const bool readWrite =
        std::ranges::any_of(hash->items, [](const redis::Reply& item) { return item.text == "mode"; });
    for (std::size_t i = 0; i + 1 < hash->items.size(); i += 2) {
        QByteArray field = hash->items[i].text;
        if (field == "mode") continue;
        const bool writes = !readWrite || field.endsWith(":write");
        if (readWrite && writes) field.chop(6);
        HolderInfo& holder = holders.emplace_back(HolderInfo::of(field));
        holder.mode = writes ? Mode::Exclusive : Mode::Shared;
        holder.left = *left; // of several readers the longest
        holder.token = token;
    }
    co_return holders;
}

} // namespace lockscope::recipes
