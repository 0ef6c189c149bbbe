// SPDX-License-Identifier: Apache-2.0
#include "drivers/dial.h"
#include "inspect/kept_by.h"
#include "inspect/releaser.h"
#include "watching.h"
#include "zookeeper_peer.h"

#include <QDir>
#include <QElapsedTimer>

using namespace lockscope;
using namespace lockscope::test;
using zookeeper::NodeMode;
using What = inspect::LockChange::What;

/// A watched ZooKeeper: what the watcher says of locks of ours and of kazoo's, against what the server itself says.
class TestZooKeeperWatcher : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<Peer> kazoo(const QByteArray& path, const char* kind = "Lock") {
        const QStringList arguments{QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/live/interop/kazoo/kazoo_peer.py"),
                                    m_server.url().section(u'/', 2), QString::fromLatin1(path),
                                    QString::fromLatin1(kind)};
        auto peer = std::make_unique<Peer>(QStringLiteral("/usr/bin/python3"), arguments);
        if (peer->hear() != "ready") return nullptr;
        return peer;
    }
    /// The sessions of a node's children in the order of their numbers, as the server tells.
    QByteArrayList sessionsBelow(const QByteArray& path) {
        std::vector<std::pair<QByteArray, QByteArray>> byNumber;
        for (const QByteArray& child : childrenOf(m_own->driver, path)) {
            const auto node = run(m_own->driver.get(path + '/' + child));
            if (!node) continue;
            byNumber.emplace_back(child.last(10),
                                  "session 0x" + QByteArray::number(qulonglong(node->stat.ephemeralOwner), 16));
        }
        std::ranges::sort(byNumber);
        QByteArrayList sessions;
        for (const auto& [number, session] : byNumber)
            sessions << session;
        return sessions;
    }
    LockReport look() {
        const auto watcher = watcherOf(m_runtime, m_server.url());
        return run(watcher->once());
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        m_own = std::make_unique<Client>(m_runtime, m_server, "test");
    }
    void cleanup() {
        m_server.resume();
        // Nodes of one test are not the next one's.
        for (const QByteArray& child : childrenOf(m_own->driver, "/"))
            if (child != "zookeeper") removeAll('/' + child);
    }

    void anEmptyServerHasNoLocks() {
        const LockReport report = look();
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        QVERIFY(report.complete && report.locks.empty());
    }

    /// It says so, and sees the locks once the root is made.
    void aRootThatIsNotThereYet() {
        Watching watch(m_runtime, m_server.url() + QStringLiteral("/notyet"));
        const auto missing = [&] {
            const auto& notes = watch.last().notes;
            return std::ranges::find(notes, inspect::WatchNote::Kind::RootMissing, &inspect::WatchNote::kind) !=
                   notes.end();
        };
        QVERIFY(eventually(missing));
        VERIFY_OK(run(m_own->driver.makePath("/notyet", NodeMode::Persistent)));
        QVERIFY(eventually([&] { return watch.last().complete && !missing(); }));
    }

    /// Nothing happens on it, and nothing comes from it: only its silence to a question tells the two apart.
    void aServerThatStandsStillIsNoticedBeforeItsSessionEnds() {
        Watching watch(m_runtime, m_server.url());
        QVERIFY(eventually([&] { return watch.last().complete; }));
        QElapsedTimer still;
        still.start();
        m_server.pause();
        const auto silent = [&] {
            const auto since = watch.watcher().unansweredSince();
            return since && m_runtime.monotonic() - *since > inspect::kSilentFrom;
        };
        const bool noticed = eventually(silent);
        const qint64 after = still.elapsed();
        m_server.resume();
        QVERIFY(noticed);
        QVERIFY2(after < 5'000, qPrintable(QString::number(after)));
        QVERIFY(eventually([&] { return !watch.watcher().unansweredSince(); }));
        QCOMPARE(watch.outages, 0); // the session lived on
    }

    void aQueueOfKazooIsTheServersOwn() {
        const auto first = kazoo("/jobs/nightly"), second = kazoo("/jobs/nightly"), third = kazoo("/jobs/nightly");
        QVERIFY(first && second && third);
        QVERIFY(first->ask("acquire 5").startsWith("acquired"));
        second->tell("acquire 60");
        QVERIFY(eventually([&] { return childrenOf(m_own->driver, "/jobs/nightly").size() == 2; }));
        third->tell("acquire 60");
        QVERIFY(eventually([&] { return childrenOf(m_own->driver, "/jobs/nightly").size() == 3; }));

        const LockReport report = look();
        const LockRow* row = rowOf(report, "jobs/nightly");
        QVERIFY(row);
        QCOMPARE(row->format, QByteArray("kazoo"));
        QCOMPARE(row->backend, QByteArray("zookeeper"));
        QVERIFY(row->state == LockRow::State::Held);
        // The server says where each session's client is.
        QVERIFY(row->waiters->front().about.contains("127.0.0.1:"));
        QCOMPARE(report.servers.size(), 1u);
        QVERIFY(report.servers.front().identity);
        QCOMPARE(report.servers.front().identity->role, inspect::ServerIdentity::Role::Alone);
        QVERIFY(!report.servers.front().identity->version.isEmpty());
        QCOMPARE(clientsOf(row->holders) + waitersOf(*row), sessionsBelow("/jobs/nightly"));
        QCOMPARE(row->holders.size(), 1u);
        QCOMPARE(*row->waiterCount, 2);
        QVERIFY(row->holders.front().about.startsWith("kazoo, 127.0.0.1:")); // its identifier, and where it is
        QVERIFY(!row->ttlMs && !row->neverExpires); // a session has no end that anybody can read
        QVERIFY(inspect::keptBy(row->format) == inspect::KeptBy::Session);
        QCOMPARE(report.locks.size(), 1u);
    }

    /// A login that may read the nodes, and nothing else, sees the lock; one that may not says that it does not know.
    void theRightToReadSuffices() {
        const auto of = [&](const QString& login, const QString& acl = {}) {
            return QStringLiteral("zookeeper://%1@").arg(login) + m_server.url().section(u'/', 2) + acl;
        };
        for (const bool open : {true, false}) {
            const QByteArray name = open ? "open" : "closed";
            Client ann(m_runtime, of(QStringLiteral("ann:secret"), open ? QStringLiteral("?acl=read") : QString()),
                       "ann");
            const auto held = ann.recipe("zk-mutex", name), wanted = ann.recipe("zk-mutex", name);
            const auto grant = take(*held);
            VERIFY_OK(grant);
            const auto waiting = begin(m_runtime, *wanted, request(kNever, "2"));
            QVERIFY(eventually([&] { return childrenOf(ann.driver, '/' + name).size() == 2; }));
            const auto watcher = watcherOf(m_runtime, of(QStringLiteral("bob:other")));
            const LockReport report = run(watcher->once());
            const LockRow* const row = rowOf(report, name);
            if (open) {
                QVERIFY(row);
                QCOMPARE(clientsOf(row->holders), QByteArrayList{"ann"});
                QCOMPARE(waitersOf(*row), QByteArrayList{"ann"});
            } else {
                QVERIFY(!row || row->holders.empty());
                QVERIFY(!report.notes.empty());
            }
            VERIFY_OK(run(held->release(**grant, {})));
            QVERIFY(eventually([&] { return waiting->done; }));
            VERIFY_OK(run(wanted->release(**waiting->taken, {})));
        }
    }

    void ourOwnLocksNameTheirClientAndThread() {
        Client a(m_runtime, m_server, "a-client"), b(m_runtime, m_server, "b-client");
        const auto held = a.recipe("zk-mutex", "orders"), wanted = b.recipe("zk-mutex", "orders");
        const auto grant = take(*held);
        VERIFY_OK(grant);
        const auto waiting = begin(m_runtime, *wanted);
        QVERIFY(eventually([&] { return childrenOf(m_own->driver, "/orders").size() == 2; }));
        const LockReport report = look();
        const LockRow* row = rowOf(report, "orders");
        QVERIFY(row);
        QCOMPARE(row->format, QByteArray("curator-mutex"));
        QVERIFY(inspect::keptBy(row->format) == inspect::KeptBy::Session);
        QCOMPARE(clientsOf(row->holders), QByteArrayList{"a-client"});
        QCOMPARE(row->holders.front().thread.value_or("?"), QByteArray("1"));
        QCOMPARE(waitersOf(*row), QByteArrayList{"b-client"});
        QCOMPARE(row->token, std::optional<std::int64_t>((*grant)->token)); // the holder's own fencing token
        VERIFY_OK(run(held->release(**grant, {})));
        QVERIFY(eventually([&] { return waiting->done; }));
    }

    /// A node's time is when its maker asked: told as the beginning of a hold only of one that was seen to have had
    /// nobody before it.
    void whoWaitedHoldsSinceTheHandOver() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const auto held = a.recipe("zk-mutex", "since"), wanted = b.recipe("zk-mutex", "since");
        const auto grant = take(*held);
        VERIFY_OK(grant);
        Watching watch(m_runtime, m_server.url());
        const auto sinceOf = [&](const QByteArray& holder) -> std::optional<std::int64_t> {
            const LockRow* const row = rowOf(watch.last(), "since");
            const bool holds = row && clientsOf(row->holders) == QByteArrayList{holder};
            return holds ? row->holders.front().sinceWallMs.value_or(0) : std::optional<std::int64_t>();
        };
        QVERIFY(eventually([&] { return sinceOf("a").has_value(); }));
        const std::int64_t told = *sinceOf("a");
        QVERIFY(told > 0);
        const auto waiting = begin(m_runtime, *wanted);
        QVERIFY(eventually([&] {
            const LockRow* const row = rowOf(watch.last(), "since");
            return row && waitersOf(*row) == QByteArrayList{"b"};
        }));
        QCOMPARE(sinceOf("a"), std::optional(told)); // remembered
        const LockReport late = look();
        QVERIFY(rowOf(late, "since") && !rowOf(late, "since")->holders.front().sinceWallMs); // it came too late to know
        const auto holders = run(held->holders({}));
        VERIFY_OK(holders);
        QVERIFY(!holders->front().sinceWallMs);
        VERIFY_OK(run(held->release(**grant, {})));
        QVERIFY(eventually([&] { return sinceOf("b").has_value(); }));
        QCOMPARE(*sinceOf("b"), 0); // it asked earlier
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(run(wanted->release(**waiting->taken, {})));
    }

    void readersAndWriters() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b"), c(m_runtime, m_server, "c");
        const auto readA = a.recipe("zk-rw", "shared"), readB = b.recipe("zk-rw", "shared"),
                   write = c.recipe("zk-rw", "shared");
        VERIFY_OK(take(*readA, request(5s, "1", Mode::Shared)));
        VERIFY_OK(take(*readB, request(5s, "1", Mode::Shared)));
        std::stop_source stop;
        const auto waiting = begin(m_runtime, *write, request(), stop.get_token());
        QVERIFY(eventually([&] { return childrenOf(m_own->driver, "/shared").size() == 3; }));
        const LockReport report = look();
        const LockRow* row = rowOf(report, "shared");
        QVERIFY(row);
        QCOMPARE(row->format, QByteArray("curator-rw"));
        QCOMPARE(row->mode, QByteArray("shared"));
        QCOMPARE(clientsOf(row->holders), (QByteArrayList{"a", "b"}));
        QCOMPARE(waitersOf(*row), QByteArrayList{"c"});
        QVERIFY(!waiting->done);
        stop.request_stop();
        QVERIFY(eventually([&] { return waiting->done; }));
    }

    void permitsOfASemaphore_data() {
        QTest::addColumn<QByteArrayList>("counters");
        QTest::newRow("alone") << QByteArrayList();
        QTest::newRow("with Curator's counters") << QByteArrayList{"/pool/most", "/pool-most"};
    }
    void permitsOfASemaphore() {
        QFETCH(QByteArrayList, counters);
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b"), c(m_runtime, m_server, "c");
        const auto one = a.recipe("zk-semaphore", "pool", 2), two = b.recipe("zk-semaphore", "pool", 2),
                   three = c.recipe("zk-semaphore", "pool", 2);
        VERIFY_OK(take(*one, request(5s, "1", Mode::Permit)));
        VERIFY_OK(take(*two, request(5s, "1", Mode::Permit)));
        std::stop_source stop;
        const auto waiting = begin(m_runtime, *three, request(60s, "1", Mode::Permit), stop.get_token());
        QVERIFY(eventually([&] { return childrenOf(m_own->driver, "/pool/locks").size() == 1; }));
        QVERIFY(eventually([&] { return childrenOf(m_own->driver, "/pool/leases").size() == 3; }));
        for (const QByteArray& path : counters) // a SharedCount is four bytes, a DistributedAtomicLong eight
            VERIFY_OK(run(m_own->driver.create(
                path, path.contains('-') ? QByteArray("\0\0\0\0\0\0\0\2", 8) : QByteArray("\0\0\0\2", 4),
                NodeMode::Persistent)));
        const LockReport report = look();
        const LockRow* row = rowOf(report, "pool");
        QVERIFY(row);
        QCOMPARE(row->format, QByteArray("curator-semaphore"));
        QCOMPARE(row->mode, QByteArray("permit"));
        QCOMPARE(clientsOf(row->holders), (QByteArrayList{"a", "b"}));
        QCOMPARE(waitersOf(*row), QByteArrayList{"c"});
        QCOMPARE(report.locks.size(), 1u); // `locks` and `leases` are no locks of their own
        QVERIFY(!waiting->done);
        stop.request_stop();
        QVERIFY(eventually([&] { return waiting->done; }));
    }

    void otherLayouts() {
        const auto make = [&](const QByteArray& path, const QByteArray& data, NodeMode mode) {
            const QByteArray parent = zookeeper::parentOf(path);
            if (parent != "/") VERIFY_OK(run(m_own->driver.makePath(parent, NodeMode::Persistent)));
            VERIFY_OK(run(m_own->driver.create(path, data, mode)));
        };
        const QByteArray session = "session 0x" + QByteArray::number(qulonglong(m_own->driver.session().id), 16);
        make("/go/_c_0123456789abcdef0123456789abcdef-lock-", "", NodeMode::EphemeralSequential);
        make("/menagerie/lock-", "", NodeMode::EphemeralSequential);
        make("/recipe/x-72057594037927936-", "", NodeMode::EphemeralSequential);
        make("/latch/_c_01234567-89ab-cdef-0123-456789abcdef-latch-", "me", NodeMode::EphemeralSequential);
        make("/mixed/_c_01234567-89ab-cdef-0123-456789abcdef-lock-", "", NodeMode::EphemeralSequential);
        make("/mixed/0123456789abcdef0123456789abcdef__lock__", "", NodeMode::EphemeralSequential);
        make("/kazoo-rw/0123456789abcdef0123456789abcdef__rlock__", "", NodeMode::EphemeralSequential);
        make("/kazoo-rw/1123456789abcdef0123456789abcdef__rlock__", "", NodeMode::EphemeralSequential);
        make("/kazoo-rw/2123456789abcdef0123456789abcdef__lock__", "", NodeMode::EphemeralSequential);
        make("/menagerie-rw/writeLock-", "", NodeMode::EphemeralSequential);
        make("/menagerie-rw/readLock-", "", NodeMode::EphemeralSequential);
        make("/page/guid-lock-", "", NodeMode::EphemeralSequential);
        make("/page-rw/guid-read-", "", NodeMode::EphemeralSequential);
        make("/page-rw/read-", "", NodeMode::EphemeralSequential);
        make("/page-rw/write-", "", NodeMode::EphemeralSequential);
        for (int i = 0; i < 3; ++i)
            make("/own/ticket-", "", NodeMode::EphemeralSequential);
        make("/kazoo-semaphore", "3", NodeMode::Persistent);
        make("/kazoo-semaphore/0123456789abcdef0123456789abcdef", "who", NodeMode::Ephemeral);
        make("/kazoo-semaphore-__lock__/1123456789abcdef0123456789abcdef__lock__", "next",
             NodeMode::EphemeralSequential);
        make("/shedlock/report", "2999-01-01T00:00:00.000Z", NodeMode::Persistent);
        make("/shedlock/over", "2001-01-01T00:00:00.000Z", NodeMode::Persistent);
        make("/leased", "", NodeMode::Persistent);
        make("/leased/lease_holder", R"({"version": 1, "holder": "me", "end": "2999-01-01T00:00:00"})",
             NodeMode::Persistent);
        make("/member", "somebody", NodeMode::Ephemeral);
        make("/plain/data", "a value", NodeMode::Persistent);

        const LockReport report = look();
        const std::map<QByteArray, QByteArray> formats{{"go", "go-zookeeper"},
                                                       {"menagerie", "menagerie"},
                                                       {"recipe", "zk-recipe"},
                                                       {"latch", "curator-latch"},
                                                       {"mixed", "mixed (Curator, kazoo)"},
                                                       {"kazoo-rw", "kazoo-rw"},
                                                       {"menagerie-rw", "menagerie-rw"},
                                                       {"page", "zk-page"},
                                                       {"page-rw", "zk-page"},
                                                       {"own", "zk-sequential"},
                                                       {"kazoo-semaphore", "kazoo-semaphore"},
                                                       {"shedlock/report", "shedlock-zk"},
                                                       {"shedlock/over", "shedlock-zk"},
                                                       {"leased", "kazoo-lease"},
                                                       {"member", "zk-ephemeral"}};
        QCOMPARE(report.locks.size(), formats.size());
        for (const auto& [name, format] : formats) {
            const LockRow* row = rowOf(report, name);
            QVERIFY2(row, name.constData());
            QCOMPARE(row->format, format);
        }
        QCOMPARE(clientsOf(rowOf(report, "go")->holders), QByteArrayList{session});
        QCOMPARE(clientsOf(rowOf(report, "leased")->holders), QByteArrayList{"me"});
        QCOMPARE(rowOf(report, "kazoo-semaphore")->permitsFree, std::optional<std::int64_t>(2));
        // Its queue beside it is no lock of its own.
        QCOMPARE(waitersOf(*rowOf(report, "kazoo-semaphore")), QByteArrayList{session});
        struct Queue {
            const char* name;
            std::size_t holders;
            std::int64_t waiters;
            const char* mode;
        };
        for (const Queue& queue :
             {Queue{"kazoo-rw", 2, 1, "shared"}, Queue{"menagerie-rw", 1, 1, "exclusive"},
              Queue{"page", 1, 0, "exclusive"}, Queue{"page-rw", 2, 1, "shared"}, Queue{"own", 1, 2, "exclusive"}}) {
            const LockRow& row = *rowOf(report, queue.name);
            QVERIFY2(row.holders.size() == queue.holders && row.waiterCount == queue.waiters, queue.name);
            QCOMPARE(row.mode, QByteArray(queue.mode));
        }
        QVERIFY(rowOf(report, "own")->certainty == inspect::Certainty::Guess);
        QVERIFY(inspect::keptBy("zk-sequential") == inspect::KeptBy::Session);
        QVERIFY(rowOf(report, "shedlock/report")->ttlMs.value_or(0) > 0);
        QVERIFY(rowOf(report, "shedlock/over")->state == LockRow::State::Free);
        QVERIFY(rowOf(report, "member")->certainty == inspect::Certainty::Guess);
        QVERIFY(rowOf(report, "mixed")->certainty == inspect::Certainty::Likely);
    }

    /// ShedLock's and kazoo's leases are contents of nodes that stay: each is taken away only as it was seen.
    void leasesInNodesAreTakenAwayAsTheyWereSeen_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("held");
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("shedlock") << QByteArray("/shedlock/report") << QByteArray("2999-01-01T00:00:00.000Z")
                                  << QByteArray("shedlock/report");
        QTest::newRow("kazoo") << QByteArray("/leased/lease_holder")
                               << QByteArray(R"({"version": 1, "holder": "me", "end": "2999-01-01T00:00:00"})")
                               << QByteArray("leased");
    }
    void leasesInNodesAreTakenAwayAsTheyWereSeen() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, held);
        QFETCH(QByteArray, name);
        VERIFY_OK(run(m_own->driver.makePath(zookeeper::parentOf(path), NodeMode::Persistent)));
        VERIFY_OK(run(m_own->driver.create(path, held, NodeMode::Persistent)));
        const LockReport report = look();
        QVERIFY(rowOf(report, name) && rowOf(report, name)->state == LockRow::State::Held);
        const LockRow seen = *rowOf(report, name);
        const auto releaser = inspect::makeReleaser(m_runtime, urlOf(m_server.url()), realDiallers());
        QVERIFY(releaser);
        const auto lines = (*releaser)->commands(seen);
        QVERIFY2(lines && lines->join('\n').contains(path), lines ? "" : qPrintable(lines.error()));
        // The same content, written again: a later hold.
        VERIFY_OK(run(m_own->driver.set(path, held)));
        QVERIFY(run((*releaser)->free(seen)) == inspect::Freed::HeldByAnother);
        const LockReport later = look();
        QVERIFY(rowOf(later, name)->state == LockRow::State::Held);
        QVERIFY(run((*releaser)->free(*rowOf(later, name))) == inspect::Freed::Freed);
        const LockReport after = look();
        const LockRow* const row = rowOf(after, name);
        QVERIFY(!row || row->state == LockRow::State::Free);
        // ShedLock's clients expect their node to stay.
        QCOMPARE(run(m_own->driver.exists(path)).value().has_value(), path.startsWith("/shedlock"));
    }

    void changesAreToldAtOnceAndAnUnchangingServerIsAskedOnlyWhetherItAnswers() {
        Watching watch(m_runtime, m_server.url());
        QVERIFY(eventually([&] { return watch.last().complete; }));
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const auto one = a.recipe("zk-mutex", "stock"), two = b.recipe("zk-mutex", "stock");
        const auto grant = take(*one);
        VERIFY_OK(grant);
        const Nanos taken = m_runtime.monotonic();
        QVERIFY(eventually([&] { return watch.row("stock") && !watch.row("stock")->holders.empty(); }));
        QVERIFY(m_runtime.monotonic() - taken < 1s);
        QCOMPARE(clientsOf(watch.row("stock")->holders), QByteArrayList{"a"});
        const auto waiting = begin(m_runtime, *two);
        QVERIFY(eventually([&] { return watch.row("stock") && watch.row("stock")->waiterCount == 1; }));

        const std::uint64_t asked = watch.watcher().load().requests;
        const int reports = watch.reports;
        QVERIFY(eventually([&] { return watch.reports >= reports + 2; }));
        // A look at what has not changed is one question: whether the server answers. One more may be on its way.
        const std::uint64_t since = watch.watcher().load().requests - asked, looks(watch.reports - reports);
        QVERIFY2(since >= 1 && since <= looks + 1, qPrintable(QStringLiteral("%1 for %2").arg(since).arg(looks)));

        VERIFY_OK(run(one->release(**grant, {})));
        QVERIFY(eventually(
            [&] { return watch.row("stock") && clientsOf(watch.row("stock")->holders) == QByteArrayList{"b"}; }));
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(run(two->release(**waiting->taken, {})));
        QVERIFY(eventually([&] { return !watch.row("stock"); }));
        const std::vector<What>& happened = watch.happened["stock"];
        QVERIFY(happened.front() == What::Taken && happened.back() == What::Released);
        QVERIFY(std::ranges::find(happened, What::ChangedHands) != happened.end());
    }

    void aServerThatComesBackIsReadAgain() {
        VERIFY_OK(run(m_own->driver.makePath("/before", NodeMode::Persistent)));
        VERIFY_OK(run(m_own->driver.create("/before/lock-", {}, NodeMode::PersistentSequential)));
        Watching watch(m_runtime, m_server.url());
        QVERIFY(eventually([&] { return watch.row("before"); }));
        QVERIFY(watch.row("before")->neverExpires); // no session keeps it
        m_server.kill();
        QVERIFY(eventually([&] { return watch.outages == 1; }, 30s));
        QVERIFY(watch.watcher().status().state == inspect::WatchStatus::State::Retrying);
        VERIFY_STARTED(m_server);
        QVERIFY(
            eventually([&] { return watch.watcher().status().state == inspect::WatchStatus::State::Connected; }, 30s));
        VERIFY_OK(run(m_own->driver.makePath("/after", NodeMode::Persistent)));
        VERIFY_OK(run(m_own->driver.create("/after/lock-", {}, NodeMode::EphemeralSequential)));
        QVERIFY(eventually([&] { return watch.row("after") && watch.row("before"); }, 30s));
        QVERIFY(watch.events.empty()); // it has all of its data
    }

    void aServerWithoutItsDataIsEmptied() {
        ZooKeeperServer server(m_runtime);
        VERIFY_STARTED(server);
        const auto own = std::make_unique<Client>(m_runtime, server, "own");
        VERIFY_OK(run(own->driver.makePath("/orders", NodeMode::Persistent)));
        VERIFY_OK(run(own->driver.create("/orders/lock-", {}, NodeMode::PersistentSequential)));
        Watching watch(m_runtime, server.url());
        QVERIFY(eventually([&] { return watch.row("orders"); }));
        server.kill();
        QVERIFY(eventually([&] { return !server.running(); }));
        QVERIFY(QDir(server.workspace().file(QStringLiteral("data"))).removeRecursively());
        VERIFY_STARTED(server);
        QVERIFY(eventually([&] { return !watch.events.empty(); }, 60s));
        QCOMPARE(watch.events, std::vector{inspect::ServerEvent::Emptied});
        QVERIFY(!watch.row("orders"));
        QCOMPARE(watch.happened["orders"].back(), What::Lost); // and nobody's release
    }

    void namesAreChosen() {
        for (const char* path : {"/orders", "/stock"}) {
            VERIFY_OK(run(m_own->driver.makePath(path, NodeMode::Persistent)));
            VERIFY_OK(run(m_own->driver.create(QByteArray(path) + "/lock-", {}, NodeMode::EphemeralSequential)));
        }
        const auto watcher = watcherOf(m_runtime, m_server.url(), QStringLiteral("ord*"));
        const LockReport report = run(watcher->once());
        QCOMPARE(report.locks.size(), 1u);
        QCOMPARE(report.locks.front().name, QByteArray("orders"));
    }

private:
    void removeAll(const QByteArray& path) {
        for (const QByteArray& child : childrenOf(m_own->driver, path))
            removeAll(path + '/' + child);
        (void)run(m_own->driver.remove(path));
    }

    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
    std::unique_ptr<Client> m_own; ///< asks the server what there is
};

QTEST_GUILESS_MAIN(TestZooKeeperWatcher)
#include "tst_zookeeper_watcher.moc"
