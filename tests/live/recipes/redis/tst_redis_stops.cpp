// SPDX-License-Identifier: Apache-2.0
// A stop request at every single await of an acquisition: it ends at once, and nothing of it is left on the server.
#include "recipe_bench.h"
#include "stopping_port.h"

using namespace lockscope;
using namespace lockscope::test;
using When = StoppingPort::When;

namespace {
const QByteArray kName = "orders";
constexpr int kMostAwaits = 200;

struct HowItEnded {
    std::optional<Cancelled::Why> cancelled;
    std::expected<std::optional<Grant>, LockError> grant;
    bool done = false;
};

QCoro::Task<> watch(recipes::Recipe& recipe, Request request, std::stop_token stop, HowItEnded& ending) {
    try {
        ending.grant = co_await recipe.acquire(request, stop);
    } catch (const Cancelled& cancelled) {
        ending.cancelled = cancelled.why();
    }
    ending.done = true;
}
} // namespace

class TestRedisStops : public QObject {
    Q_OBJECT

    /// A request, and the lock's state when it is made.
    struct Case {
        QByteArray id;
        Mode mode = Mode::Exclusive;
        bool contended = false;
        bool again = false; ///< the thread holds it already
    };
    /// Runs one acquisition with a stop at await number `at`; the message of what is wrong, empty when nothing is.
    /// `beyond`: it ended before that many awaits.
    QString stopOnce(const Case& c, int at, When when, bool& beyond, int& stopped) {
        Process mine(m_runtime, m_server), others(m_runtime, m_server);
        StoppingPort port(mine.driver);
        recipes::RedisLock spec{port, kName, mine.uuid, {4ms, 8ms}, mine.doubts};
        const auto recipe = recipes::makeRedisRecipe(c.id, spec);
        const auto other = others.recipe(c.id, kName);
        Request request = requestFor(*recipe, kNever, 20s);
        request.mode = c.mode;

        std::optional<Grant> held;
        if (c.contended) {
            const auto grant = run(other->acquire(requestFor(*other), {}));
            if (!grant || !*grant) return QStringLiteral("the other did not get it");
            held = **grant;
        }
        std::optional<Grant> before;
        if (c.again) {
            const auto grant = run(recipe->acquire(request, {}));
            if (!grant || !*grant) return QStringLiteral("the first hold was not granted");
            before = **grant;
            request.held = 1;
        }

        std::stop_source source;
        port.stopAt(at, when, source);
        HowItEnded ending;
        m_runtime.spawn([&]() { return watch(*recipe, request, source.get_token(), ending); });
        if (held) { // give it back in the end, so that whoever was not stopped gets on
            QTest::qWait(15);
            run(other->release(*held, {}));
        }
        if (!QTest::qWaitFor([&] { return ending.done; }, 5000)) return QStringLiteral("it does not end");
        beyond = port.operations() < at;
        port.leaveAlone();
        if (ending.cancelled) {
            ++stopped;
            if (*ending.cancelled != Cancelled::Why::Stopped) return QStringLiteral("killed");
        } else if (!ending.grant || !*ending.grant) {
            return ending.grant ? QStringLiteral("neither stopped nor granted") : ending.grant.error().message;
        } else {
            const auto left = run(recipe->release(**ending.grant, {}));
            if (left.value_or(-1) != (c.again ? 1 : 0)) return QStringLiteral("holds are wrong after it was granted");
        }
        if (before) {
            if (!run(recipe->renew(*before, {})).value_or(false)) return QStringLiteral("the first hold is gone");
            if (run(recipe->release(*before, {})).value_or(-1) != 0) return QStringLiteral("a hold is left over");
        }
        const QStringList keys = keysLeft(others.driver);
        if (!keys.isEmpty()) return QStringLiteral("left behind: ") + keys.join(QStringLiteral(", "));
        return {};
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        Process admin(m_runtime, m_server);
        QVERIFY(call(admin.driver, {"FLUSHALL"}));
        QVERIFY(call(admin.driver, {"SCRIPT", "FLUSH"})); // the first round knows EVAL, too
    }

    void nothingIsLeft_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<int>("mode");
        QTest::addColumn<bool>("contended");
        QTest::addColumn<bool>("again");
        for (const QByteArray& id : oneServerRecipes()) {
            const recipes::RecipeInfo& info = *recipes::findRecipe(id);
            const int mode = int(info.exclusive ? Mode::Exclusive : Mode::Permit);
            QTest::addRow("%s, free", id.constData()) << id << mode << false << false;
            QTest::addRow("%s, taken", id.constData()) << id << mode << true << false;
            if (info.reentrant) QTest::addRow("%s, mine", id.constData()) << id << mode << false << true;
            if (!info.shared) continue;
            QTest::addRow("%s, free, to read", id.constData()) << id << int(Mode::Shared) << false << false;
            QTest::addRow("%s, taken, to read", id.constData()) << id << int(Mode::Shared) << true << false;
            QTest::addRow("%s, mine, to read", id.constData()) << id << int(Mode::Shared) << false << true;
        }
    }
    void nothingIsLeft() {
        QFETCH(QByteArray, id);
        QFETCH(int, mode);
        QFETCH(bool, contended);
        QFETCH(bool, again);
        const Case what{id, Mode(mode), contended, again};
        int stopped = 0;
        for (const When when : {When::BeforeSending, When::Sent, When::Answered}) {
            bool beyond = false;
            int at = 1;
            for (; !beyond && at < kMostAwaits; ++at) {
                const QString wrong = stopOnce(what, at, when, beyond, stopped);
                QVERIFY2(wrong.isEmpty(),
                         qPrintable(QStringLiteral("stopped at await %1, %2: %3").arg(at).arg(int(when)).arg(wrong)));
            }
            QVERIFY2(at > 2 && at < kMostAwaits, qPrintable(QString::number(at)));
        }
        QVERIFY(stopped >= 2);
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestRedisStops)
#include "tst_redis_stops.moc"
