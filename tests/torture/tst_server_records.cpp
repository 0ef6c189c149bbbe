// SPDX-License-Identifier: Apache-2.0
#include "ruling.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::torture;
using verdict::Invariant;
using verdict::Outcome;

namespace {

const QByteArray kOne = "11111111-1111-4111-8111-111111111111", kOther = "22222222-2222-4222-8222-222222222222";

/// What a server says after MONITOR, at instants in milliseconds.
class Said {
public:
    Said& by(const QByteArray& client, int ms, const QByteArray& command) {
        return line(ms, client == kOne ? "127.0.0.1:41001" : "127.0.0.1:41002", command);
    }
    Said& inScript(int ms, const QByteArray& command) { return line(ms, "lua", command); }
    /// A script's call, with its caller's name, and what it did.
    Said& script(const QByteArray& client, int ms, const QByteArray& effect) {
        return by(client, ms, "evalsha c0ffee 1 torture-0 " + client + ":1").inScript(ms, effect);
    }
    QByteArray text;

private:
    Said& line(int ms, const QByteArray& from, const QByteArray& command) {
        text += "17000000" + QByteArray::number(10 + ms / 1000) + '.' +
                QByteArray::number(ms % 1000).rightJustified(3, '0') + "000 [0 " + from + ']';
        for (const QByteArray& word : command.split(' '))
            text += " \"" + word + '"';
        text += "\r\n";
        return *this;
    }
};

Ruling ruled(const Said& said, Subject subject = {}) {
    subject.observed = true;
    Chronicle chronicle;
    chronicle.lives.resize(2);
    chronicle.lives[0].journal = chronicle.lives[1].journal = QStringLiteral("no-such-file");
    chronicle.lives[0].name = "A";
    chronicle.lives[0].identity = kOne;
    chronicle.lives[1].name = "B";
    chronicle.lives[1].identity = kOther;
    chronicle.wallAhead = std::chrono::seconds(1'700'000'000);
    chronicle.monitored = "+OK\r\n" + said.text;
    return rule(subject, {}, chronicle);
}
Outcome ownership(const Ruling& ruling) {
    return ruling.verdict.outcomes[std::size_t(Invariant::Ownership)];
}

Said taken(const QByteArray& client, int ms) {
    Said said;
    said.script(client, ms, "hincrby torture-0 " + client + ":1 1").inScript(ms, "pexpire torture-0 1000");
    return said;
}

} // namespace

/// Whose a lock was on the server is read from what that says; a judge that never finds anybody guilty proves nothing.
class TestServerRecords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void honestLives() {
        Said said = taken(kOne, 0);
        said.script(kOne, 300, "pexpire torture-0 1000");              // renewed
        said.script(kOther, 400, "exists torture-0");                  // in vain
        said.script(kOne, 500, "hincrby torture-0 " + kOne + ":1 1");  // taken again
        said.script(kOne, 600, "hincrby torture-0 " + kOne + ":1 -1"); // half given back
        said.script(kOne, 700, "hincrby torture-0 " + kOne + ":1 -1").inScript(700, "del torture-0");
        said.text += taken(kOther, 800).text;
        said.script(kOther, 900, "del torture-0");
        const Ruling ruling = ruled(said);
        QVERIFY2(ruling.complaints.isEmpty(), qPrintable(ruling.complaints.join(u'\n')));
        QVERIFY(ownership(ruling) == Outcome::Holds);
        QVERIFY(ruling.records >= 8);
    }
    void aLeaseThatIsOverIsNobodys() {
        Said said = taken(kOne, 0);
        said.text += taken(kOther, 1500).text;
        said.script(kOther, 1600, "del torture-0");
        QVERIFY(ownership(ruled(said)) == Outcome::Holds);
    }
    void plainStrings() {
        Said said;
        said.by(kOne, 0, "set torture-0 " + kOne + ":1:0123456789abcdef nx px 1000");
        said.by(kOther, 100, "set torture-0 " + kOther + ":1:0123456789abcdef nx px 1000"); // in vain
        said.by(kOne, 200, "del torture-0");
        said.by(kOther, 300, "set torture-0 " + kOther + ":1:0123456789abcdef nx px 1000");
        said.by(kOther, 400, "del torture-0");
        const Ruling ruling = ruled(said);
        QVERIFY(ownership(ruling) == Outcome::Holds);
        QCOMPARE(ruling.records, 4);
    }
    void crimes_data() {
        QTest::addColumn<QByteArray>("said");
        const auto after = [](Said more) { return taken(kOne, 0).text + more.text; };
        QTest::newRow("freed by another") << after(Said().script(kOther, 500, "del torture-0"));
        QTest::newRow("renewed by another") << after(Said().script(kOther, 500, "pexpire torture-0 9000"));
        QTest::newRow("overwritten by another")
            << after(Said().script(kOther, 500, "set torture-0 " + kOther + ":1:00 px 1000"));
        QTest::newRow("taken from another") << after(taken(kOther, 500));
        QTest::newRow("late release of the one before")
            << Said()
                   .by(kOne, 0, "set torture-0 " + kOne + ":1:0123456789abcdef nx px 1000")
                   .by(kOther, 1100, "set torture-0 " + kOther + ":1:0123456789abcdef nx px 1000")
                   .by(kOne, 1200, "del torture-0")
                   .text;
    }
    void crimes() {
        QFETCH(QByteArray, said);
        Said words;
        words.text = said;
        const Ruling ruling = ruled(words);
        QVERIFY(ownership(ruling) == Outcome::Violated);
        QVERIFY(!ruling.complaints.filter(QStringLiteral("ownership")).isEmpty());
    }
    void silenceIsNoProof() {
        const Ruling ruling = ruled(Said());
        QVERIFY(ownership(ruling) == Outcome::Unknown);
        QCOMPARE(ruling.complaints.size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestServerRecords)
#include "tst_server_records.moc"
