// SPDX-License-Identifier: Apache-2.0
#include "inspect/member_change.h"
#include "inspect/server_teller.h"
#include "trace/recorder.h"
#include "trace/redacted.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;

namespace {

using Role = ServerIdentity::Role;
using What = MemberChange::What;

WatchedServerState member(const char* address, Role role) {
    ServerIdentity its;
    its.role = role;
    return {address, its, {}, {}};
}
WatchedServerState away(const char* address) {
    return {address, std::nullopt, doesNotAnswer(), {}};
}
WatchedServerState master(const char* address, const char* slots) {
    ServerIdentity its;
    its.role = Role::Master;
    its.mode = ServerIdentity::Mode::Cluster;
    its.slotRanges = slots;
    its.slots = 1; // known
    return {address, its, {}, {}};
}
QByteArrayList toldIn(const trace::Trace& of) {
    QByteArrayList texts;
    for (std::size_t i = 0; i < of.size(); ++i)
        if (of.at(i).kind == trace::EventKind::ServerTold) texts << of.entity(of.at(i).aux).name;
    return texts;
}
/// It answers, but has no role while a leader is elected.
WatchedServerState electing(const char* address) {
    return {address, std::nullopt, {}, {}};
}

const std::vector<WatchedServerState> kWhole{member("a", Role::Leader), member("b", Role::Follower),
                                             member("c", Role::Follower)};
const std::vector<WatchedServerState> kElecting{away("a"), electing("b"), electing("c")};
const std::vector<WatchedServerState> kWithout{away("a"), member("b", Role::Leader), member("c", Role::Follower)};

} // namespace

class MemberChangeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aDeadLeaderAndItsSuccessorAreNews() {
        MemberNews news;
        QVERIFY(news.since(kWhole).empty()); // nobody knows how it was before
        QVERIFY(news.since(kWhole).empty());
        QVERIFY(news.since(kElecting).empty()); // what came of it is told with the next leader
        QCOMPARE(news.since(kWithout), (std::vector<MemberChange>{{What::Away, "a"}, {What::Leads, "b"}}));
        QVERIFY(news.since(kWithout).empty());
        const std::vector<WatchedServerState> back{member("a", Role::Follower), kWithout[1], kWithout[2]};
        QCOMPARE(news.since(back), (std::vector<MemberChange>{{What::Back, "a"}}));
    }
    void eachEventOfAServerIsReadBackFromTheRecord() {
        for (const ServerEvent what :
             {ServerEvent::Restarted, ServerEvent::FailedOver, ServerEvent::Emptied, ServerEvent::Swapped}) {
            const auto trace = std::make_shared<trace::Trace>();
            trace::Recorder recorder(trace, [] { return Nanos(0); });
            const trace::EntityId node = trace->intern(trace::EntityKind::Node, "shop");
            LockReport report;
            report.events = {what};
            ServerTeller(recorder, node).writeEvents(report, trace->intern(trace::EntityKind::Client, "observer"));
            std::vector<ServerEvent> told;
            for (std::size_t row = 0; row < trace->size(); ++row)
                if (const auto its = serverEventIn(trace->at(row), *trace)) {
                    QCOMPARE(its->server, node);
                    told.push_back(its->what);
                }
            QCOMPARE(told, std::vector<ServerEvent>{what});
        }
    }
    void serversThatAreNoEnsembleHaveNoMembers() {
        MemberNews news;
        const std::vector<WatchedServerState> masters{member("a", Role::Master), member("b", Role::Master)};
        QVERIFY(!isEnsemble(masters));
        QVERIFY(news.since(masters).empty());
        QVERIFY(news.since({away("a"), masters[1]}).empty());
    }
    void slotsThatMoveAreNews() {
        MemberNews news;
        const auto first = master("a", "0-5460"), second = master("b", "5461-16383");
        QVERIFY(news.since({first, second}).empty());
        QVERIFY(news.since({first, second}).empty());
        const std::vector<WatchedServerState> later{master("a", "0-99 101-5400"), master("b", "100 5401-16383")};
        QCOMPARE(news.since(later), (std::vector<MemberChange>{{What::Slots, "b", "100 5401-5460", "a"}}));
        QVERIFY(news.since(later).empty());
        // A master that is gone has none left: another one took its place, which is told as that.
        QVERIFY(news.since({later[0], master("c", "100 5401-16383")}).empty());
    }
    void theRecordSaysWhoTookWhosePlace() {
        const auto trace = std::make_shared<trace::Trace>();
        trace::Recorder recorder(trace, [] { return Nanos(0); });
        ServerTeller teller(recorder, trace->intern(trace::EntityKind::Node, "shop"));
        const trace::EntityId observer = trace->intern(trace::EntityKind::Client, "observer");
        LockReport report;
        report.servers = {master("a", "0-5460"), master("c", "5461-16383")};
        report.events = {ServerEvent::FailedOver};
        report.eventsAt = {"c", "b"};
        QCOMPARE(successionIn(report), (std::optional(std::pair<QByteArray, QByteArray>("c", "b"))));
        teller.writeEvents(report, observer);
        report.events = {ServerEvent::Restarted};
        report.eventsAt = {"a"};
        QVERIFY(!successionIn(report));
        teller.writeEvents(report, observer);
        QCOMPARE(toldIn(*trace), (QByteArrayList{"took-over=c b", "member-restarted=a"}));
        report.eventsAt.clear(); // of one server alone: its name says it
        teller.writeEvents(report, observer);
        QCOMPARE(toldIn(*trace).size(), 2);
    }
    void theRecordHasThemWithoutTheirAddressesWhereItIsRedacted() {
        const auto trace = std::make_shared<trace::Trace>();
        trace::Recorder recorder(trace, [] { return Nanos(0); });
        const trace::EntityId node = trace->intern(trace::EntityKind::Node, "zk");
        ServerTeller teller(recorder, node);
        LockReport report;
        for (const auto& members : {kWhole, kWithout}) {
            report.servers = members;
            teller.write(report);
        }
        const auto told = [](const trace::Trace& of) { return toldIn(of); };
        QVERIFY2(told(*trace).contains("member-away=a"), told(*trace).join(' '));
        QVERIFY2(told(*trace).contains("member-leads=b"), told(*trace).join(' '));
        trace::RedactedCopy redacted(*trace);
        redacted.finish();
        const auto copy = redacted.trace();
        QVERIFY2(!told(*copy).join(' ').contains("=a") && !told(*copy).join(' ').contains("=b"), told(*copy).join(' '));
        QVERIFY2(told(*copy).join(' ').contains("member-away="), told(*copy).join(' '));
    }
};

QTEST_GUILESS_MAIN(MemberChangeTest)
#include "tst_member_change.moc"
