// SPDX-License-Identifier: Apache-2.0
// Releases by force: a watcher sees who holds, and a releaser takes the lock from that holder and from no other.
#include "drivers/dial.h"
#include "every_recipe.h"
#include "inspect/make_watcher.h"
#include "inspect/releaser.h"

namespace lockscope::test {

using inspect::Freed;
using inspect::LockRow;

namespace {

/// Recipes whose holder no watcher can see on such a server: nothing there says who it is.
bool nothingShows(const RecipeInfo& recipe, const QByteArray& ground) {
    if (recipe.id == "sql-version") return true;                 // whoever wrote last holds nothing
    return recipe.id == "sql-for-update" && ground == "mariadb"; // InnoDB names a holder while somebody waits for it
}

bool isNamed(const LockRow& row, const QByteArray& name) {
    // PostgreSQL lists a named lock by its number, and a row of a table with the table's name in front.
    return row.name == name || row.name.endsWith(':' + name) || row.format == "pg-advisory";
}

} // namespace

std::optional<LockRow> EveryRecipe::seenHeld() {
    inspect::WatchOptions options;
    const QByteArray backend = m_subject.info->backend;
    if (backend == "memcached" || m_kind.name == "mariadb") options.names.match = {m_name};
    const auto watcher = inspect::makeWatcher(m_runtime, urlOf(m_ground->url()), realDiallers(), std::move(options));
    const inspect::LockReport report = run(watcher.value()->once());
    for (const LockRow& row : report.locks)
        if (row.state == LockRow::State::Held && isNamed(row, m_name)) return row;
    return std::nullopt;
}

void EveryRecipe::isTakenAwayOnlyFromTheHolderThatWasSeen() {
    const ConnectionUrl url = urlOf(m_ground->url());
    if (!inspect::watchable(url) || m_subject.info->id == "redis-multi") return; // several servers, several locks
    const Mode mode = m_subject.mode, rival = m_subject.against();
    Party a = near(), b = far();
    VERIFY_IS(a.take(mode), true);
    const auto first = seenHeld();
    QCOMPARE(first.has_value(), !nothingShows(*m_subject.info, m_kind.name));
    if (!first) {
        (void)a.unlock(mode);
        return;
    }
    const auto releaser = inspect::makeReleaser(m_runtime, url, realDiallers());
    const auto commands = (*releaser)->commands(*first);
    QVERIFY2(commands.has_value(), commands ? "" : qPrintable(commands.error()));
    QVERIFY(!commands->isEmpty());
    VERIFY_IS(run(b.lock->isLocked()), true); // to be shown, they were not sent

    // By the time that the user has said yes, another client has it.
    VERIFY_IS(a.unlock(mode), 0);
    VERIFY_IS(b.take(rival, kLong), true);
    // A value that is only an instant is another holder's, too, when both came in the same millisecond.
    const auto tellsApart = [this](const LockRow& former) {
        const auto now = seenHeld();
        return !now || now->entries != former.entries;
    };
    if (tellsApart(*first)) {
        const auto late = run((*releaser)->free(*first));
        QVERIFY2(late.has_value(), late ? "" : qPrintable(late.error()));
        QVERIFY(*late != Freed::Freed);
    }
    VERIFY_IS(run(a.lock->isLocked()), true);
    VERIFY_IS(b.unlock(rival), 0);

    VERIFY_IS(a.take(mode, kLong), true);
    const auto second = seenHeld();
    QVERIFY(second);
    const auto freed = run((*releaser)->free(*second));
    QVERIFY2(freed.has_value(), freed ? "" : qPrintable(freed.error()));
    QCOMPARE(*freed, Freed::Freed);
    VERIFY_IS(b.take(rival, kLong), true);
    if (tellsApart(*second)) {
        const auto again = run((*releaser)->free(*second));
        QVERIFY2(again.has_value(), again ? "" : qPrintable(again.error()));
        QVERIFY(*again != Freed::Freed);
    }
    VERIFY_IS(b.unlock(rival), 0);
    (void)a.unlock(mode); // it is told of the loss, or finds that it is no owner any more
    VERIFY_FREE();
}

} // namespace lockscope::test
