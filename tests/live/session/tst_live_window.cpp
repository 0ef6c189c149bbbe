// SPDX-License-Identifier: GPL-3.0-or-later
#include "drivers/redis/driver.h"
#include "locks/locks_panel.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/redis_server.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/work_area.h"

#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

using namespace lockscope;

namespace {

/// The window with settings of its own.
struct Opened {
    QTemporaryDir folder;
    app::Settings settings{folder.filePath(QStringLiteral("s.ini"))};
    app::MainWindow window{&settings};
    Opened() {
        window.resize(1600, 1000);
        window.show();
    }
    session::Session* session() const { return window.context()->session(); }
    /// Every word that can be read in the table's place.
    QString words() const {
        QStringList all;
        for (const QLabel* label : window.findChild<views::LocksPanel*>()->findChildren<QLabel*>())
            if (label->isVisible()) all << label->text();
        return all.join(u' ');
    }
};

} // namespace

class TestLiveWindow : public QObject {
    Q_OBJECT

    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;

    redis::Reply ask(redis::Args args) {
        redis::RedisDriver driver(m_runtime, *parseConnectionUrl(m_server->url()));
        std::optional<redis::Result> result;
        m_runtime.spawn([&]() -> QCoro::Task<> { result = co_await driver.call(args); });
        if (!QTest::qWaitFor([&] { return result.has_value(); }, 10'000) || !*result)
            return redis::Reply::error("no reply");
        return **result;
    }

private Q_SLOTS:
    void init() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        std::optional<bool> started;
        m_runtime.spawn([&]() -> QCoro::Task<> { started = (co_await m_server->start()).has_value(); });
        QTRY_VERIFY_WITH_TIMEOUT(started.has_value(), 20'000);
        QVERIFY(*started);
    }
    void cleanup() { m_server.reset(); }

    void anEmptyServerIsSaidToBeEmpty() {
        Opened it;
        it.window.openUrl(m_server->url(), false);
        QCOMPARE(it.window.work()->layout(), app::Layout::Monitor);
        QVERIFY(!it.window.work()->controls()->isVisible()); // nothing in it could be used
        QCOMPARE(it.settings.layout(), app::Layout::Teach);  // which is still the one that was chosen
        QTRY_VERIFY2_WITH_TIMEOUT(it.words().contains(QLatin1String("No lock on this server")), qPrintable(it.words()),
                                  10'000);
        QVERIFY2(!it.window.windowTitle().contains(QLatin1String("CHANGES")), qPrintable(it.window.windowTitle()));
    }

    void allowedChangesCannotBeOverlooked() {
        Opened it;
        it.window.openUrl(m_server->url(), true);
        QVERIFY2(it.window.windowTitle().startsWith(QLatin1String("CHANGES ALLOWED")),
                 qPrintable(it.window.windowTitle()));
    }

    void aServerThatWasNeverReachedIsNotLost() {
        const QString url = m_server->url();
        m_server.reset();
        Opened it;
        it.window.openUrl(url, false);
        QTRY_VERIFY_WITH_TIMEOUT(it.session()->health().level == session::Health::Level::Bad, 10'000);
        const session::Health health = it.session()->health();
        QVERIFY2(health.brief.endsWith(QLatin1String("not reached")), qPrintable(health.brief));
        QVERIFY2(!health.text.contains(QLatin1String("lost")), qPrintable(health.text));
        QTRY_COMPARE(it.window.messages()->message(), health.text); // whole, where it can be read
        QTRY_VERIFY(it.words().contains(QLatin1String("cannot be seen")));
    }

    void namesOfOthersAreShownAsTheyAre() {
        ask({"SET", QByteArray("h:<b>bold</b>\nlock\u202e"), "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c", "PX", "60000"});
        ask({"HSET", "orders\\x1b", "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57", "2"});
        ask({"PEXPIRE", "orders\\x1b", "60000"});
        Opened it;
        it.window.openUrl(m_server->url(), false);
        const auto* model = it.window.findChild<views::LocksPanel*>()->findChild<QTreeView*>()->model();
        const auto names = [&] {
            QStringList all;
            for (int row = 0; row < model->rowCount(); ++row)
                all << model->index(row, 0).data().toString();
            all.sort();
            return all;
        };
        QTRY_VERIFY2_WITH_TIMEOUT(names().contains(QStringLiteral("orders\\\\x1b")), qPrintable(names().join(u' ')),
                                  10'000);
        for (const QString& name : names())
            QVERIFY(!name.contains(u'\n') && !name.contains(QChar(0x202e)));
    }
};

QTEST_MAIN(TestLiveWindow)
#include "tst_live_window.moc"
