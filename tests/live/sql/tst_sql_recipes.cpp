// SPDX-License-Identifier: Apache-2.0
#include "live_sql.h"

#include <set>

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;
using Kind = LockError::Kind;

namespace {

/// Work that only comes out right when nobody else does it at the same time.
struct Counter {
    int value = 0;
    int inside = 0;
    int collisions = 0;
};

QCoro::Task<> countUp(Runtime& runtime, Recipe& recipe, Counter& counter, int times, int& failures) {
    for (int i = 0; i < times; ++i) {
        const Request asked = request();
        auto grant = co_await recipe.acquire(asked, {});
        if (!grant || !*grant) {
            ++failures;
            co_return;
        }
        if (++counter.inside > 1) ++counter.collisions;
        const int seen = counter.value;
        co_await runtime.sleep(1ms);
        counter.value = seen + 1;
        --counter.inside;
        const auto left = co_await recipe.release(**grant, {});
        if (!left || *left != 0) ++failures;
    }
}

/// As the contention above, for a recipe that holds no lock: a release that succeeds must be the only one for its
/// version.
QCoro::Task<> countVersions(Runtime& runtime, Recipe& recipe, std::set<std::int64_t>& versions, int times,
                            int& failures) {
    for (int done = 0; done < times;) {
        const Request asked = request();
        auto grant = co_await recipe.acquire(asked, {});
        if (!grant || !*grant) {
            ++failures;
            co_return;
        }
        co_await runtime.sleep(1ms);
        const auto left = co_await recipe.release(**grant, {});
        if (!left && left.error().kind != LockError::Kind::NotOwner) ++failures;
        if (!left) continue;
        if (!versions.insert((*grant)->token).second) ++failures;
        ++done;
    }
}

} // namespace

class TestSqlRecipes : public QObject {
    Q_OBJECT
    /// Nobody holds it, nobody waits, and nothing of a stopped attempt is left.
    void verifyFree(SqlClient& client, Recipe& recipe, const QByteArray& engine) {
        const Granted taken = acquire(recipe, request(3s));
        VERIFY_OK(taken);
        QVERIFY2(taken->has_value(), "somebody still holds it");
        VERIFY_OK(release(recipe, **taken));
        const auto nothingIsLeft = [&](auto* server) {
            const bool none = comesTrue([&] { return locksOnServer(client.driver, server) == 0; }, 3s);
            QVERIFY2(none, clientsOnServer(client.driver, server).constData());
        };
        if (engine == "mariadb") nothingIsLeft(&m_databases.maria);
        if (engine == "postgresql") nothingIsLeft(&m_databases.postgres);
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(startWithTables(m_runtime, m_databases)); }

    void eightClientsCountExactly_data() {
        recipeRows({"sql-row", "sql-lease", "sql-for-update", "sql-advisory", "sql-version"});
    }
    void eightClientsCountExactly() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const QByteArray name = freshName();
        const bool polls = id == "sql-row" || id == "sql-lease";
        const int times = polls ? 2 : 6;
        std::vector<std::unique_ptr<SqlClient>> clients;
        std::vector<std::unique_ptr<Recipe>> recipes;
        Counter counter;
        std::set<std::int64_t> versions;
        int failures = 0;
        int running = 8;
        for (int i = 0; i < 8; ++i) {
            clients.push_back(std::make_unique<SqlClient>(m_runtime, m_databases.url(engine)));
            recipes.push_back(clients.back()->recipe(id, name));
            Recipe& recipe = *recipes.back();
            m_runtime.spawn([&, times]() -> QCoro::Task<> {
                if (recipe.info().id == "sql-version")
                    co_await countVersions(m_runtime, recipe, versions, times, failures);
                else
                    co_await countUp(m_runtime, recipe, counter, times, failures);
                --running;
            });
        }
        QVERIFY(comesTrue([&] { return running == 0; }, 20s));
        QCOMPARE(failures, 0);
        if (id == "sql-version") {
            QCOMPARE(versions.size(), std::size_t(8 * times));
            QCOMPARE(*versions.rbegin() - *versions.begin() + 1, std::int64_t(8 * times)); // none was skipped
            return;
        }
        QCOMPARE(counter.collisions, 0);
        QCOMPARE(counter.value, 8 * times);
    }

    void whatCameTrueIsNotAskedAgain() {
        // A connection that is just being opened is a client at work for a moment: the next look would see it.
        int looks = 0;
        QVERIFY(comesTrue([&] { return ++looks == 2; }));
        QCOMPARE(looks, 2);
    }

    void waitersForADeletedRowGoOn() {
        SqlClient holder(m_runtime, m_databases.url("mariadb")), admin(m_runtime, m_databases.url("mariadb"));
        const QByteArray name = freshName();
        auto opened = run(holder.driver.textSession());
        VERIFY_OK(opened);
        const std::shared_ptr<sql::DriverSession> deleting = std::move(*opened).share();
        VERIFY_OK(acquire(*holder.recipe("sql-row", name), request(0s)));
        deleting->begin();
        sql::Statement erase;
        erase.text = "DELETE FROM " + holder.tables.locks + " WHERE name = ?";
        erase.values = valuesOf(name);
        const sql::Result erased = run(deleting->execute(erase));
        VERIFY_OK(erased);
        QCOMPARE(erased->affected, std::int64_t(1));
        // All of them wait to share what is being deleted, and then each wants it alone.
        constexpr int kWaiters = 4;
        std::vector<std::unique_ptr<SqlClient>> clients;
        std::vector<std::unique_ptr<Recipe>> recipes;
        int running = kWaiters;
        QStringList errors;
        for (int i = 0; i < kWaiters; ++i) {
            clients.push_back(std::make_unique<SqlClient>(m_runtime, m_databases.url("mariadb")));
            recipes.push_back(clients.back()->recipe("sql-row", name));
            m_runtime.spawn([&running, &errors, &recipe = *recipes.back()]() -> QCoro::Task<> {
                const Request asked = request();
                const auto grant = co_await recipe.acquire(asked, {});
                if (!grant) errors << grant.error().message;
                if (grant && *grant) {
                    const auto left = co_await recipe.release(**grant, {});
                    if (!left) errors << left.error().message;
                }
                --running;
            });
        }
        QVERIFY(comesTrue([&] {
            return number(admin.driver, "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE "
                                        "VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS'") == kWaiters;
        }));
        VERIFY_OK(run(deleting->commit()));
        QVERIFY(comesTrue([&] { return running == 0; }, 20s));
        QVERIFY2(errors.isEmpty(), qPrintable(errors.join(u'\n')));
    }

    void triesAndTimedTries_data() { allThatAreHeld(); }
    void triesAndTimedTries() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Granted grant = acquire(*ours, request(0s));
        VERIFY_OK(grant);
        QVERIFY(grant->has_value());
        QCOMPARE((*grant)->holds, 1);

        auto begun = std::chrono::steady_clock::now();
        Granted refused = acquire(*theirs, request(0s));
        VERIFY_OK(refused);
        QVERIFY(!refused->has_value());
        QVERIFY(std::chrono::steady_clock::now() - begun < 2500ms);

        begun = std::chrono::steady_clock::now();
        refused = acquire(*theirs, request(200ms));
        const auto took = std::chrono::steady_clock::now() - begun;
        VERIFY_OK(refused);
        QVERIFY(!refused->has_value());
        QVERIFY(took >= 200ms);
        QVERIFY(took < 2500ms);

        const auto waiting = beside(theirs->acquire(request(10s), {}));
        QTest::qWait(120);
        QVERIFY(!waiting->done);
        VERIFY_OK(release(*ours, **grant));
        QVERIFY(ends(waiting, 8000ms));
        VERIFY_OK(*waiting->result);
        QVERIFY((*waiting->result)->has_value());
        VERIFY_OK(release(*theirs, ***waiting->result));
        verifyFree(a, *ours, engine);
    }

    void whoDidNotGetItStandsNowhere_data() { allThatAreHeld(); }
    void whoDidNotGetItStandsNowhere() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Granted grant = acquire(*ours, request(0s));
        VERIFY_OK(grant);
        for (const Nanos wait : {Nanos(0s), Nanos(50ms)}) {
            auto trace = std::make_shared<trace::Trace>();
            trace::Recorder recorder(trace, [] { return Nanos(0); });
            std::vector<std::uint32_t> steps;
            recorder.onEvent([&](const trace::Event& event) {
                if (event.kind == trace::EventKind::Step) steps.push_back(event.aux);
            });
            recipes::Request asked = request(wait);
            asked.steps.recorder = &recorder;
            asked.steps.thread = trace->intern(trace::EntityKind::Thread, "1");
            const Granted refused = acquire(*theirs, asked);
            VERIFY_OK(refused);
            QVERIFY(!refused->has_value());
            QVERIFY(steps.size() > 1);
            QCOMPARE(steps.back(), 0U);
        }
        VERIFY_OK(release(*ours, **grant));
    }

    void stoppedWaitersLeaveNothing_data() { allThatAreHeld(); }
    void stoppedWaitersLeaveNothing() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Granted grant = acquire(*ours, request());
        std::stop_source stop;
        const auto waiting = beside(theirs->acquire(request(), stop.get_token()));
        QTest::qWait(120);
        QVERIFY(!waiting->done);
        stop.request_stop();
        QVERIFY(ends(waiting, 3000ms));
        QCOMPARE(waiting->cancelled, std::optional(Cancelled::Why::Stopped));
        VERIFY_OK(release(*ours, **grant));
        verifyFree(a, *ours, engine);
    }

    void stoppedAtAnyMomentNothingIsLeft_data() { allThatAreHeld(); }
    void stoppedAtAnyMomentNothingIsLeft() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        int stopped = 0;
        for (int round = 0; round < 24; ++round) {
            if (round % 6 == 5) b.driver.closeIdle(); // the stop falls into connecting
            std::stop_source stop;
            const Nanos after = std::chrono::microseconds(round * round * 10);
            const auto attempt = beside(theirs->acquire(request(), stop.get_token()));
            m_runtime.callAt(m_runtime.monotonic() + after, [stop]() mutable { stop.request_stop(); });
            if (round % 3 == 0) stop.request_stop();
            QVERIFY(ends(attempt, 4000ms));
            if (attempt->cancelled) {
                ++stopped;
            } else {
                VERIFY_OK(*attempt->result);
                VERIFY_OK(release(*theirs, ***attempt->result));
            }
            const Granted next = acquire(*ours, request(2s));
            VERIFY_OK(next);
            QVERIFY2(next->has_value(), "a stopped attempt still holds the lock");
            VERIFY_OK(release(*ours, **next));
        }
        QVERIFY(stopped > 0);
        verifyFree(a, *ours, engine);
    }

    void threadsReenter_data() { recipeRows({"sql-lease", "sql-for-update", "sql-advisory"}); }
    void threadsReenter() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Granted first = acquire(*ours, request());
        const Granted second = acquire(*ours, request(0s, 30s, "1", 1));
        VERIFY_OK(second);
        QVERIFY(second->has_value());
        QCOMPARE((*second)->holds, 2);
        QCOMPARE((*second)->token, (*first)->token);
        const Granted third = acquire(*ours, request(0s, 30s, "1", 2));
        QCOMPARE((*third)->holds, 3);
        const Granted otherThread = acquire(*ours, request(0s, 30s, "2", 0));
        VERIFY_OK(otherThread);
        QVERIFY(!otherThread->has_value());

        Grant grant = **third;
        for (int left = 2; left >= 0; --left) {
            const Granted refused = acquire(*theirs, request(0s));
            QVERIFY(!refused->has_value());
            const auto released = release(*ours, grant);
            VERIFY_OK(released);
            QCOMPARE(*released, left);
            grant.holds = left;
        }
        verifyFree(b, *theirs, engine);
    }

    void onlyTheOwnerReleases_data() { recipeRows({"sql-lease", "sql-for-update", "sql-advisory"}); }
    void onlyTheOwnerReleases() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Granted old = acquire(*theirs, request());
        VERIFY_OK(release(*theirs, **old));
        const Granted grant = acquire(*ours, request());
        const auto wrong = release(*theirs, **old); // it was theirs once
        QVERIFY(!wrong);
        QVERIFY2(wrong.error().kind == Kind::NotOwner, qPrintable(wrong.error().message));
        QVERIFY(!acquire(*theirs, request(0s)).value().has_value());
        VERIFY_OK(release(*ours, **grant));
        verifyFree(a, *ours, engine);
    }

    void theVersionDecides_data() { recipeRows({"sql-version"}); }
    void theVersionDecides() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Granted one = acquire(*ours, request(0s));
        const Granted two = acquire(*theirs, request(0s));
        QVERIFY(one->has_value() && two->has_value()); // nobody is kept out
        verifyLocked(*theirs, false);
        QVERIFY((*one)->token > 0);
        QCOMPARE((*two)->token, (*one)->token);
        VERIFY_OK(release(*theirs, **two));
        const auto late = release(*ours, **one);
        QVERIFY(!late);
        QVERIFY2(late.error().kind == Kind::NotOwner, qPrintable(late.error().message));
        const Granted again = acquire(*ours, request(0s));
        QCOMPARE((*again)->token, (*one)->token + 1);
        QVERIFY(run(theirs->forceRelease({})).value());
        QVERIFY(release(*ours, **again).error().kind == Kind::NotOwner);
        const Granted last = acquire(*ours, request(0s));
        VERIFY_OK(release(*ours, **last));
    }

    void otherRecipesRowsAreLeftAlone_data() { recipeRows({"sql-row", "sql-lease", "sql-for-update", "sql-version"}); }
    void otherRecipesRowsAreLeftAlone() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        if (engine == "sqlite" && id == "sql-for-update") return;
        SqlClient client(m_runtime, m_databases.url(engine));
        for (const QByteArray other : {"sql-row", "sql-lease", "sql-version"}) {
            if (other == id) continue;
            const QByteArray name = freshName();
            const auto theirs = client.recipe(other, name), ours = client.recipe(id, name);
            const Granted grant = acquire(*theirs, request(0s));
            QVERIFY(grant->has_value());
            const Granted refused = acquire(*ours, request(0s));
            QVERIFY(!refused);
            QVERIFY2(refused.error().kind == Kind::ForeignFormat, qPrintable(refused.error().message));
            QVERIFY(refused.error().message.contains(QString::fromUtf8(other)));
            if (id == "sql-version") QVERIFY(!run(ours->isLocked({})).value()); // which does not look
            if (id != "sql-version") QVERIFY(run(ours->isLocked({})).error().kind == Kind::ForeignFormat);
            VERIFY_OK(release(*theirs, **grant));
        }
    }

    void missingTablesAreTold_data() { recipeRows({"sql-row", "sql-lease", "sql-for-update", "sql-version"}); }
    void missingTablesAreTold() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient client(m_runtime, m_databases.url(engine), QStringLiteral("never_made"));
        const auto recipe = client.recipe(id, "x");
        const Granted refused = acquire(*recipe, request());
        QVERIFY(!refused);
        QVERIFY2(refused.error().kind == Kind::NotPrepared, qPrintable(refused.error().message));
        if (id != "sql-version") QVERIFY(run(recipe->isLocked({})).error().kind == Kind::NotPrepared);
    }

    void namesAreTakenToTheByte_data() { allThatAreHeld(); }
    void namesAreTakenToTheByte() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient client(m_runtime, m_databases.url(engine));
        const QByteArray base = freshName();
        const QByteArrayList names{base,          base.toUpper(),   base + ' ',
                                   base + "é",    base + "e\u0301", base + "锁🔒",
                                   base + "'\"`", base + "\\'%_?",  QByteArray(150, 'x') + base};
        std::vector<std::unique_ptr<Recipe>> recipes;
        std::vector<Grant> grants;
        for (const QByteArray& name : names) {
            recipes.push_back(client.recipe(id, name));
            const Granted grant = acquire(*recipes.back(), request(0s));
            VERIFY_OK(grant);
            QVERIFY2(grant->has_value(), name.constData());
            grants.push_back(**grant);
        }
        for (std::size_t i = 0; i < grants.size(); ++i)
            VERIFY_OK(release(*recipes[i], grants[i]));
    }

    void pairsAskNoMoreThanTheyNeed_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<int>("statements");
        QTest::newRow("sql-row") << QByteArray("sql-row") << 2;
        QTest::newRow("sql-lease") << QByteArray("sql-lease") << 2;
        QTest::newRow("sql-for-update") << QByteArray("sql-for-update") << 3; // in two round trips
        QTest::newRow("sql-version") << QByteArray("sql-version") << 2;
        QTest::newRow("sql-advisory") << QByteArray("sql-advisory") << 2;
    }
    void pairsAskNoMoreThanTheyNeed() {
        QFETCH(QByteArray, id);
        QFETCH(int, statements);
        SqlClient client(m_runtime, m_databases.url("mariadb")), admin(m_runtime, m_databases.url("mariadb"));
        const auto recipe = client.recipe(id, freshName());
        const auto pairs = [&](int count) {
            for (int i = 0; i < count; ++i) {
                const Granted grant = acquire(*recipe, request());
                VERIFY_OK(grant);
                VERIFY_OK(release(*recipe, **grant));
            }
        };
        const QByteArray asked =
            "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'QUESTIONS'";
        pairs(2); // makes the row, and prepares
        // The server counts everybody's, and clients of the test before say goodbye in their own time: that only adds.
        // A statement too many in a pair shows in every round.
        constexpr int kRounds = 50;
        const qint64 needed = qint64(20) * statements;
        qint64 least = std::numeric_limits<qint64>::max();
        for (int round = 0; round < kRounds && least > needed; ++round) {
            const qint64 before = number(admin.driver, asked);
            pairs(20);
            least = std::min(least, number(admin.driver, asked) - before - 1);
        }
        QCOMPARE(least, needed);
    }

    void readersShareOnPostgreSql() {
        SqlClient a(m_runtime, m_databases.url("postgresql")), b(m_runtime, m_databases.url("postgresql"));
        const QByteArray name = freshName();
        const auto ours = a.recipe("sql-advisory", name), theirs = b.recipe("sql-advisory", name);
        Request shared = request(0s);
        shared.mode = Mode::Shared;
        const Granted one = acquire(*ours, shared), two = acquire(*theirs, shared);
        QVERIFY(one->has_value() && two->has_value());
        Request writer = request(300ms, 30s, "2");
        QVERIFY(!acquire(*theirs, writer).value().has_value());
        VERIFY_OK(release(*ours, **one));
        QVERIFY(!acquire(*ours, writer).value().has_value());
        // The reader itself would wait for its own hold, and so would a writer that reads.
        writer.thread = shared.thread;
        QCOMPARE(acquire(*theirs, writer).error().kind, LockError::Kind::NotSupported);
        writer.thread = "2";
        VERIFY_OK(release(*theirs, **two));
        const Granted alone = acquire(*ours, writer);
        QVERIFY(alone->has_value());
        QVERIFY(!acquire(*theirs, shared).value().has_value());
        shared.thread = writer.thread;
        QCOMPARE(acquire(*ours, shared).error().kind, LockError::Kind::NotSupported);
        VERIFY_OK(release(*ours, **alone));
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlRecipes)
#include "tst_sql_recipes.moc"
