// SPDX-License-Identifier: Apache-2.0
#include "ports/redis/errors.h"
#include "ports/redis/port.h"
#include "runtime/event_loop_runtime.h"

#include <QTest>
#include <deque>

using namespace lockscope;
using namespace lockscope::redis;

namespace {

/// Answers from a list and remembers what it was asked.
class ScriptedPort : public Port {
public:
    Runtime& runtime() override { return m_runtime; }
    QCoro::Task<Result> call(Args args, std::stop_token) override {
        asked.push_back(std::move(args));
        Result answer = std::move(answers.front());
        answers.pop_front();
        co_return answer;
    }
    QCoro::Task<std::expected<OwnedSubscription, Error>> subscribe(QByteArray, std::stop_token) override {
        co_return std::unexpected(Error{});
    }
    std::deque<Result> answers;
    std::vector<Args> asked;

private:
    EventLoopRuntime m_runtime;
};

Result refused(const char* code) {
    return std::unexpected(Error{Error::Kind::Refused, code, {}});
}

} // namespace

class TestRedisScript : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void hashIsWhatTheServerComputes() {
        // From the documentation of EVALSHA's protocol: SHA-1 of the bytes sent.
        const Script script("one", "return 1");
        QCOMPARE(script.sha1(), QByteArray("e0e1f9fabfc9d4800c877a703b823ac0578ff8db"));
    }
    void loadLeavesOutTheLeadingComments() {
        const Script script = Script::load("commented");
        QCOMPARE(script.name(), QByteArray("commented"));
        QVERIFY2(script.source().startsWith("local value"), script.source());
        QVERIFY(script.source().contains("this comment is inside"));
        QCOMPARE(script.sha1().size(), 40);
    }
    void evalSendsTheHashAndNothingElseWhenTheServerKnowsIt() {
        ScriptedPort port;
        port.answers.push_back(Reply::number(7));
        const Script script("one", "return 1");
        const Result result = QCoro::waitFor(port.eval(script, {"a", "b"}, {"x"}));
        QCOMPARE(result->integer, 7);
        QCOMPARE(port.asked, (std::vector<Args>{{"EVALSHA", script.sha1(), "2", "a", "b", "x"}}));
    }
    void evalSendsTheSourceWhenTheServerForgot() {
        ScriptedPort port;
        port.answers.push_back(refused("NOSCRIPT"));
        port.answers.push_back(Reply::nil());
        const Script script("one", "return 1");
        const Result result = QCoro::waitFor(port.eval(script, {"a"}, {"x", "y"}));
        QVERIFY(result->isNil());
        QCOMPARE(port.asked.size(), 2u);
        QCOMPARE(port.asked[1], (Args{"EVAL", "return 1", "1", "a", "x", "y"}));
    }
    void evalPassesOtherErrorsOn() {
        ScriptedPort port;
        port.answers.push_back(refused("WRONGTYPE"));
        const Result result = QCoro::waitFor(port.eval(Script("one", "return 1"), {}, {}));
        QVERIFY(!result);
        QCOMPARE(result.error().code, QByteArray("WRONGTYPE"));
        QCOMPARE(port.asked.size(), 1u);
    }
    void whatOlderServersWrapIsUnwrapped_data() {
        QTest::addColumn<QByteArray>("reply");
        QTest::addColumn<QByteArray>("code");
        const QByteArray kind = "WRONGTYPE Operation against a key holding the wrong kind of value";
        QTest::newRow("7") << kind + " script: e0e1, on @user_script:7." << QByteArray("WRONGTYPE");
        QTest::newRow("6") << "ERR Error running script (call to f_e0e1): @user_script:7: " + kind
                           << QByteArray("WRONGTYPE");
        QTest::newRow("6, its own check") << QByteArray("ERR Error running script (call to f_e0e1): @user_script:7: "
                                                        "@user_script: 7: -READONLY You can't write against a replica.")
                                          << QByteArray("READONLY");
        QTest::newRow("a mistake in the script")
            << QByteArray("ERR Error running script (call to f_e0e1): @user_script:7: attempt to index a nil value")
            << QByteArray("ERR");
        QTest::newRow("no script") << QByteArray("ERR unknown command 'a'") << QByteArray("ERR");
    }
    void whatOlderServersWrapIsUnwrapped() {
        QFETCH(QByteArray, reply);
        QFETCH(QByteArray, code);
        QCOMPARE(errors::refused(reply, QStringLiteral("redis://a")).code, code);
    }
    void evalDoesNotRepeatWhatMayHaveRun() {
        ScriptedPort port;
        port.answers.push_back(std::unexpected(Error{Error::Kind::Disconnected, "NOSCRIPT", {}}));
        const Result result = QCoro::waitFor(port.eval(Script("one", "return 1"), {}, {}));
        QVERIFY(result.error().outcomeUnknown());
        QCOMPARE(port.asked.size(), 1u);
    }
};

QTEST_GUILESS_MAIN(TestRedisScript)
#include "tst_redis_script.moc"
