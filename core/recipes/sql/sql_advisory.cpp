// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_advisory.h"

#include "recipes/at_once.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/sql/session_contender.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
const QByteArray kId = QByteArrayLiteral("sql-advisory");
enum class Step : std::uint32_t { Take = 1, Wait, Work, Release };

LockError behindPooler(const QByteArray& name) {
    return {LockError::Kind::NotSupported,
            QCoreApplication::translate(
                "LockError", "The lock “%1” would be a connection's, and a pooler that stands in between may hand the "
                             "server's process on to others with every transaction. Connect to the server itself; or "
                             "write pooler=session in the URL if it gives each connection a process of its own.")
                .arg(QString::fromUtf8(name))};
}

/// A hold of the other kind has a connection of its own, behind which the server would let the same thread wait.
LockError behindItself(const QByteArray& name, Mode wanted) {
    const QString sentence =
        wanted == Mode::Shared
            ? QCoreApplication::translate("LockError", "This thread has “%1” as a writer and would wait for itself "
                                                       "before it could read. Release that hold first.")
            : QCoreApplication::translate("LockError", "This thread reads under “%1” and would wait for itself before "
                                                       "it could write. Release the shared hold first.");
    return {LockError::Kind::NotSupported, sentence.arg(QString::fromUtf8(name))};
}

sql::Sharing sharingOf(Mode mode) {
    return mode == Mode::Shared ? sql::Sharing::Shared : sql::Sharing::Exclusive;
}
} // namespace

RecipeInfo sqlAdvisoryInfo() {
    RecipeInfo info;
    info.id = kId;
    info.backend = "sql";
    info.summary = Text::tr("The server's own named lock, held by a connection; on PostgreSQL also shared");
    info.steps = stepTexts<Step>({
        {Step::Take, Text::tr("GET_LOCK({name}) · pg_advisory_lock(hash of {name})")},
        {Step::Wait, Text::tr("taken → wait in the server's queue")},
        {Step::Work, Text::tr("work, write to the resource; sign of life on the same connection")},
        {Step::Release, Text::tr("RELEASE_LOCK({name}) · pg_advisory_unlock")},
    });
    info.workStep = Step::Work;
    info.heldBy = HeldBy::Connection;
    info.reentrant = true;
    info.shared = true;
    info.layout = "GET_LOCK, pg_advisory_lock";
    info.simulated = true;
    return info;
}

const RecipeInfo& SqlAdvisory::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    static const RecipeInfo& exclusive = *[] { // static locks are given back at exit, and use it
        auto* const without = new RecipeInfo(info);
        without->shared = false; // GET_LOCK knows no shared locks
        return without;
    }();
    return m_lock.port.abilities().sharedNamedLocks ? info : exclusive;
}

/// The server's queue is where a try waits. Stopped or in vain, the try gives its connection away, and with it whatever
/// the server gave it at the last moment.
class SqlAdvisory::Contender final : public SessionContender {
public:
    using Of = SqlAdvisory;
    using Asked = Request;
    Contender(SqlAdvisory& of, Asked asked)
        : SessionContender(of.m_holds[asked.mode], of.m_lock.port, asked, Step::Take, Step::Work), m(of) {}

private:
    /// The server counts one more.
    sql::Answer<bool> askAgain(sql::Session& session) override {
        return session.takeNamed(m.m_key, sharingOf(request.mode), Nanos(0));
    }
    Outcome<Tried<Grant>> take(std::stop_token stop) override {
        request.steps.at(Step::Take);
        auto obtained = co_await obtain(stop);
        if (!obtained) co_return std::unexpected(obtained.error());
        std::shared_ptr<sql::Session> session = std::move(*obtained).share();
        if (session->pooled()) {
            session->giveBack();
            co_return std::unexpected(behindPooler(m.m_lock.name));
        }
        const Nanos askedAt = runtime.monotonic();
        const Nanos left = leftUntil(giveUpAt, askedAt);
        if (left > Nanos(0)) request.steps.at(Step::Wait);
        const auto taken = co_await session->takeNamed(m.m_key, sharingOf(request.mode), left, stop);
        Tried<Grant> tried;
        if (taken && *taken) {
            // The answer may have waited for us until the server died, and somebody else have the lock from its
            // successor.
            if (session->broken()) co_return std::unexpected(brokeBeforeTaken(m.m_lock.name));
            request.steps.at(Step::Work);
            tried.granted = m.m_holds[request.mode].enter(request, std::move(session), askedAt);
            co_return tried;
        }
        const bool exceeded = !taken && taken.error().kind == sql::Error::Kind::WaitExceeded;
        if (taken || (exceeded && left > Nanos(0))) session->giveBack();
        tried.next = Tried<Grant>::Next::AtOnce; // if the server was early
        if (taken || (exceeded && (timeIsOver() || left == Nanos(0)))) co_return tried;
        co_return std::unexpected(sessionError(taken.error(), m.m_lock.name));
    }

    SqlAdvisory& m;
};

Outcome<std::optional<Grant>> SqlAdvisory::acquire(Request request, std::stop_token stop) {
    const auto other = m_holds.find(request.mode == Mode::Shared ? Mode::Exclusive : Mode::Shared);
    if (other != m_holds.end() && other->second.of(request.thread))
        return atOnce(std::unexpected(behindItself(m_lock.name, request.mode)));
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<HoldNews> SqlAdvisory::news(Grant grant, std::stop_token stop) {
    return SessionHolds::news(std::move(grant), m_lock.pingEvery, std::move(stop));
}

Outcome<int> SqlAdvisory::release(Grant grant, std::stop_token) {
    const SessionHolds::Shared hold = SessionHolds::holdOf(grant);
    SessionHolds& holds = m_holds[grant.mode];
    if (!hold || !hold->given()) {
        holds.forget(grant.thread, hold);
        co_return std::unexpected(notSqlOwner(m_lock.name));
    }
    grant.steps.at(Step::Release);
    // Not to be stopped: half of it would be a connection that holds the lock and that nobody has.
    const std::shared_ptr<sql::Session> session = hold->session;
    const auto released = co_await session->releaseNamed(m_key, sharingOf(grant.mode));
    if (released ? !*released : session->broken()) {
        hold->count = 0;
        hold->session.reset(); // whatever it still held is free with it
        holds.forget(grant.thread, hold);
        grant.steps.leave();
        co_return std::unexpected(notSqlOwner(m_lock.name));
    }
    if (!released) hold->spoiled = true; // the last release sees to what the server counts
    if (hold->count > 0) --hold->count;
    if (hold->count == 0) {
        grant.steps.leave();
        holds.forget(grant.thread, hold);
        if (!hold->spoiled) session->giveBack();
        hold->session.reset();
    }
    if (!released) co_return std::unexpected(lockError(released.error()));
    co_return hold->count;
}

Outcome<bool> SqlAdvisory::forceRelease(std::stop_token stop) {
    return outcomeOf(m_lock.port.endNamedHolders(m_key, std::move(stop)));
}

Outcome<bool> SqlAdvisory::isLocked(std::stop_token stop) {
    return outcomeOf(m_lock.port.namedLockHeld(m_key, std::move(stop)));
}

} // namespace lockscope::recipes
