// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_advisory.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

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
    return info;
}

const RecipeInfo& SqlAdvisory::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    static const RecipeInfo exclusive = [] {
        RecipeInfo without = info;
        without.shared = false; // GET_LOCK knows no shared locks
        return without;
    }();
    return m_lock.port.abilities().sharedNamedLocks ? info : exclusive;
}

Outcome<std::optional<Grant>> SqlAdvisory::acquire(Request request, std::stop_token stop) {
    const Nanos giveUpAt = laterBy(m_lock.port.runtime().monotonic(), request.wait);
    if (request.held > 0) return acquireAgain(std::move(request), giveUpAt, std::move(stop));
    return acquireAnew(std::move(request), giveUpAt, std::move(stop));
}

Outcome<std::optional<Grant>> SqlAdvisory::acquireAgain(Request request, Nanos giveUpAt, std::stop_token stop) {
    SessionHolds& holds = m_holds[request.mode];
    if (const auto hold = holds.of(request.thread)) {
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        request.steps.at(Step::Take);
        const Nanos askedAt = m_lock.port.runtime().monotonic();
        // Ours already: the server counts one more. Not to be stopped, which it need not be, since it waits for nobody:
        // what the server had counted by then would be one release too few.
        const std::shared_ptr<sql::Session> session = hold->session;
        const auto taken = co_await session->takeNamed(m_key, sharingOf(request.mode), Nanos(0));
        if (taken && *taken && hold->lives()) {
            request.steps.at(Step::Work);
            co_return SessionHolds::again(request, hold, askedAt);
        }
        if (!taken && hold->lives()) co_return std::unexpected(lockError(taken.error()));
        holds.forget(request.thread, hold); // lost, or given up meanwhile
    }
    const auto granted = co_await acquireAnew(request, giveUpAt, stop);
    co_return granted;
}

Outcome<std::optional<Grant>> SqlAdvisory::acquireAnew(Request request, Nanos giveUpAt, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const auto failed = [&request](LockError error) {
        request.steps.leave();
        return std::unexpected(std::move(error));
    };
    request.steps.at(Step::Take);
    std::shared_ptr<sql::Session> session = SessionHolds::idle(m_lock.port);
    if (!session) {
        auto opened = co_await SessionHolds::connect(m_lock.port, stop);
        if (!opened) co_return failed(opened.error());
        session = std::move(*opened).share();
    }
    if (session->pooled()) {
        session->giveBack();
        co_return failed(behindPooler(m_lock.name));
    }
    const Nanos askedAt = runtime.monotonic();
    const Nanos left = leftUntil(giveUpAt, askedAt);
    if (left > Nanos(0)) request.steps.at(Step::Wait);
    // Stopped: the connection goes away with this coroutine, and with it whatever it was given at the last moment.
    const auto taken = co_await session->takeNamed(m_key, sharingOf(request.mode), left, stop);
    if (taken && *taken) {
        // The answer may have waited for us until the server died, and somebody else have the lock from its successor.
        if (session->broken()) co_return failed(brokeBeforeTaken(m_lock.name));
        request.steps.at(Step::Work);
        co_return m_holds[request.mode].enter(request, std::move(session), askedAt);
    }
    const bool timeIsOver = runtime.monotonic() >= giveUpAt || left == Nanos(0);
    const bool notInTime = taken || taken.error().kind == sql::Error::Kind::WaitExceeded;
    if (taken || (notInTime && left > Nanos(0))) session->giveBack();
    if (notInTime && (taken || timeIsOver)) {
        request.steps.leave();
        co_return std::nullopt;
    }
    co_return failed(sessionError(taken.error(), m_lock.name));
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
