// SPDX-License-Identifier: GPL-3.0-or-later
// The alert desks of a session, while connections and sessions come and go.
#include "fake_session.h"
#include "models/alert_desks.h"

#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using session::AlertDesk;

namespace {

class WatchingSession : public views::testing::FakeSession,
                        public session::AlertSource,
                        public session::ConnectionSource {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::AlertSource lockscope::session::ConnectionSource)
public:
    std::vector<AlertDesk*> alertDesks() override {
        std::vector<AlertDesk*> all;
        for (const auto& desk : desks)
            all.push_back(desk.get());
        return all;
    }
    session::ConnectionDesk* connectionDesk() override { return &connections; }
    /// One connection more, with its desk.
    AlertDesk& connectOne() {
        const auto id = writable().intern(trace::EntityKind::Node, "redis-" + QByteArray::number(int(desks.size())));
        desks.push_back(std::make_unique<AlertDesk>(id));
        std::vector<session::ConnectionFacts> all = connections.all();
        all.emplace_back().id = id;
        connections.take(std::move(all));
        return *desks.back();
    }
    std::vector<std::unique_ptr<AlertDesk>> desks;
    session::ConnectionDesk connections;
};

} // namespace

class AlertDesksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aConnectionThatComesLaterIsFollowed() {
        WatchingSession session;
        AlertDesk& first = session.connectOne();
        ViewContext context;
        context.setSession(&session);
        const AlertDesks desks(&context);
        QCOMPARE(desks.connections(), &session.connections);
        QCOMPARE(desks.all().size(), 1u);
        QCOMPARE(desks.all().front().data(), &first);
        QSignalSpy changed(&desks, &AlertDesks::changed), arranged(&desks, &AlertDesks::arranged);
        AlertDesk& second = session.connectOne();
        QCOMPARE(arranged.count(), 1);
        QCOMPARE(desks.all().size(), 2u);
        QCOMPARE(changed.count(), 0);
        Q_EMIT second.changed();
        Q_EMIT first.changed();
        QCOMPARE(changed.count(), 2); // each desk once
    }

    void theDesksOfAFormerSessionAreLeft() {
        WatchingSession before, after;
        AlertDesk& old = before.connectOne();
        AlertDesk& now = after.connectOne();
        ViewContext context;
        context.setSession(&before);
        const AlertDesks desks(&context);
        std::vector<std::size_t> counts; // as an owner sees them that hears of the session
        connect(&context, &ViewContext::sessionChanged, this, [&] { counts.push_back(desks.all().size()); });
        context.setSession(&after);
        QCOMPARE(counts, std::vector<std::size_t>{1});
        QCOMPARE(desks.all().front().data(), &now);
        QCOMPARE(desks.connections(), &after.connections);
        QSignalSpy changed(&desks, &AlertDesks::changed), arranged(&desks, &AlertDesks::arranged);
        Q_EMIT old.changed();
        before.connectOne();
        QCOMPARE(changed.count() + arranged.count(), 0);
        Q_EMIT now.changed();
        QCOMPARE(changed.count(), 1);
        context.setSession(nullptr);
        QCOMPARE(counts, (std::vector<std::size_t>{1, 0}));
        QVERIFY(desks.all().empty());
        QVERIFY(!desks.connections());
    }
};

QTEST_MAIN(AlertDesksTest)
#include "tst_alert_desks.moc"
