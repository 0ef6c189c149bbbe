// SPDX-License-Identifier: GPL-3.0-or-later
// The window that hides names: nobody's name is left in anything that can be read, and nothing else is lost.
#include "events/events_panel.h"
#include "locks/locks_panel.h"
#include "own_redis.h"
#include "shown_words.h"
#include "trace/recording.h"
#include "window/action_registry.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/name_hider.h"
#include "window/session_recorder.h"
#include "window/sharer.h"
#include "window/window_alerts.h"
#include "window/work_area.h"

#include <QDialog>
#include <QDockWidget>
#include <QTemporaryDir>
#include <QTreeView>

using namespace lockscope;
using namespace lockscope::test;

namespace {

const QByteArray kHolder = "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57";
const QByteArray kWaiter = "5b8ad3c1-8a7e-4b1d-b5a5-27f0f7f4a611:3";

struct Opened {
    explicit Opened(const QTemporaryDir& folder) : settings(folder.filePath(QStringLiteral("s.ini"))) {
        window.resize(1600, 1000);
        window.show();
    }
    QAbstractItemModel* locks() { return window.findChild<views::LocksPanel*>()->view()->model(); }
    QAction* action() { return window.registry()->find(QStringLiteral("view.hide-names")); }
    app::Settings settings;
    app::MainWindow window{&settings};
};

} // namespace

class TestHiddenNames : public QObject {
    Q_OBJECT
    OwnRedis m_redis;

    /// Parts of every name that there is.
    QStringList marks() const {
        return {QStringLiteral("zq"), QStringLiteral("0f6ef1c2"), QStringLiteral("5b8ad3c1"),
                QStringLiteral("127.0.0.1"), QString::number(m_redis->port())};
    }
    /// The words in the picture that a person would save.
    static QString savedPicture(const app::MainWindow& window) {
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        views::writeSvg(window.sharer()->picture(), QSize(1600, 900), buffer);
        return wordsOf(buffer.data());
    }
    /// Looks at each dock, and at whatever can be selected.
    void nobodyIsNamedAnywhere(Opened& it, ShownWords& words) {
        const trace::Trace& trace = *it.window.context()->trace();
        for (const QDockWidget* const dock : it.window.findChildren<QDockWidget*>()) {
            const_cast<QDockWidget*>(dock)->show();
            const_cast<QDockWidget*>(dock)->raise();
            QCOMPARE(words.firstWith(marks()), QString());
        }
        for (trace::EntityId id = 1; id < trace.entityCount(); ++id) {
            const trace::EntityKind kind = trace.entity(id).kind;
            if (kind == trace::EntityKind::Text || kind == trace::EntityKind::None) continue;
            it.window.context()->select(id);
            QCoreApplication::processEvents(); // views show what is selected at the next turn
            QCOMPARE(words.firstWith(marks()), QString());
        }
    }
    void watch(Opened& it) {
        it.window.openConnections({{QStringLiteral("zq-shop"), m_redis->url(), true},
                                   {QStringLiteral("zq-jobs"), m_redis->url() + QStringLiteral("/1"), false}});
    }

private Q_SLOTS:
    void init() {
        VERIFY_EMPTY(m_redis.startAnew());
        m_redis.ask({"HSET", "zq-orders", kHolder, "1"}); // without an end: that raises an alert
        m_redis.ask({"RPUSH", "redisson_lock_queue:{zq-orders}", kWaiter});
        m_redis.ask({"ZADD", "redisson_lock_timeout:{zq-orders}", "99999999999999", kWaiter});
        m_redis.ask({"SET", "lock:zq-stock", "3b241101-e2bb-4255-8caf-4136c566a962", "PX", "600000"});
    }
    void cleanup() { m_redis.end(); }

    void nobodysNameCanBeRead() {
        const QTemporaryDir folder;
        Opened it(folder);
        watch(it);
        ShownWords words(it.window);
        QTRY_COMPARE_WITH_TIMEOUT(it.locks()->rowCount(), 2, 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(
            words.all().filter(QStringLiteral("zq-orders")).filter(QStringLiteral("nothing ends")).size() > 0, 20'000);
        for (const QString& mark : marks())
            QVERIFY2(!words.firstWith({mark}).isEmpty(), qPrintable(mark)); // else this test proves nothing

        QVERIFY(savedPicture(it.window).contains(QLatin1String("zq-orders")));

        it.action()->trigger();
        QVERIFY(it.window.names()->isOn());
        QTRY_COMPARE_WITH_TIMEOUT(words.firstWith(marks()), QString(), 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(it.locks()->rowCount(), 2, 10'000);
        QVERIFY(words.all().contains(QStringLiteral("lock-1")));
        const QString picture = savedPicture(it.window);
        QVERIFY(picture.contains(QLatin1String("lock-1")));
        for (const QString& mark : marks())
            QVERIFY2(!picture.contains(mark), qPrintable(mark));
        QVERIFY2(it.window.windowTitle().startsWith(QLatin1String("CHANGES ALLOWED")),
                 qPrintable(it.window.windowTitle())); // that stays true
        nobodyIsNamedAnywhere(it, words);
        if (QTest::currentTestFailed()) return;
        // Later news have no names either.
        m_redis.ask({"HSET", "zq-later", kHolder, "1"});
        QTRY_COMPARE_WITH_TIMEOUT(it.locks()->rowCount(), 3, 20'000);
        QCOMPARE(words.firstWith(marks()), QString());
        m_redis.end();
        QTRY_VERIFY_WITH_TIMEOUT(it.window.context()->session()->health().level == session::Health::Level::Bad, 20'000);
        QTRY_VERIFY(!it.window.messages()->message().isEmpty());
        QCOMPARE(words.firstWith({u"zq"_qs, u"127.0.0.1"_qs}), QString());
    }

    void dialogsNameNobodyEither() {
        const QTemporaryDir folder;
        Opened it(folder);
        it.settings.saveConnection({QStringLiteral("zq-saved"), m_redis->url(), false});
        watch(it);
        QTRY_COMPARE_WITH_TIMEOUT(it.locks()->rowCount(), 2, 20'000);
        const auto wordsOfDialog = [&it](const std::function<void()>& open) {
            open();
            const auto dialogs = it.window.findChildren<QDialog*>();
            QString all;
            for (QDialog* const dialog : dialogs) {
                ShownWords words(*dialog);
                all += words.all().join(u'\n');
                for (const QComboBox* const box : dialog->findChildren<QComboBox*>())
                    for (int i = 0; i < box->count(); ++i)
                        all += box->itemText(i) + u'\n';
                delete dialog;
            }
            return all;
        };
        const auto connectTo = [&it] { it.window.askForUrl(); };
        const auto askForRules = [&it] { it.window.alerts()->askForRules(); };
        const QString port = QString::number(m_redis->port());
        QVERIFY(wordsOfDialog(connectTo).contains(u"zq-saved"_qs));
        QVERIFY(wordsOfDialog(askForRules).contains(u"zq-shop"_qs)); // the name that it was connected under
        it.action()->trigger();
        for (const auto& open : {std::function<void()>(connectTo), std::function<void()>(askForRules)}) {
            const QString words = wordsOfDialog(open);
            QVERIFY(!words.isEmpty());
            for (const QString& mark : {u"zq"_qs, port})
                QVERIFY2(!words.contains(mark), qPrintable(words));
        }
    }

    void theyComeBackAtTheSameInstant() {
        const QTemporaryDir folder;
        {
            Opened it(folder);
            watch(it);
            QTRY_COMPARE_WITH_TIMEOUT(it.locks()->rowCount(), 2, 20'000);
            const QString file = folder.filePath(QStringLiteral("run.lockscope"));
            QVERIFY(it.window.recorder()->start(file));
            views::ViewContext* const context = it.window.context();
            const trace::EntityId lock = context->entities(trace::EntityKind::Lock).front();
            context->select(lock);
            const Nanos before = context->playhead();
            it.action()->trigger();
            QCOMPARE(context->selection(), lock);
            QVERIFY(context->playhead() >= before);
            QVERIFY(!context->session()->abilities().forceRelease); // a name would have to be typed
            QVERIFY(it.window.recorder()->isRecording());           // of the true session
            it.action()->trigger();
            QCOMPARE(context->selection(), lock);
            QVERIFY(context->trace()->entity(lock).name.contains("zq"));
            it.action()->trigger();
            it.window.recorder()->stop();
            const auto recorded = trace::loadRecording(file);
            QVERIFY(recorded);
            QVERIFY(recorded->trace->entity(lock).name.contains("zq"));
        }
        // The choice is kept, and holds for recordings.
        Opened again(folder);
        QVERIFY(again.action()->isChecked());
        again.window.openFile(folder.filePath(QStringLiteral("run.lockscope")));
        QTRY_COMPARE_WITH_TIMEOUT(again.locks()->rowCount(), 2, 20'000);
        ShownWords words(again.window);
        QTRY_COMPARE(words.firstWith(marks()), QString());
    }

    void aRecordingThatIsOpenedThenNamesNobody() {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("zq-night.lockscope"));
        {
            Opened it(folder);
            watch(it);
            QTRY_COMPARE_WITH_TIMEOUT(it.locks()->rowCount(), 2, 20'000);
            QVERIFY(it.window.recorder()->start(file));
            m_redis.ask({"HSET", "zq-later", kHolder, "1"});
            QTRY_COMPARE_WITH_TIMEOUT(it.locks()->rowCount(), 3, 20'000);
            it.window.recorder()->stop();
        }
        Opened it(folder);
        it.window.openFile(file);
        ShownWords words(it.window);
        QTRY_VERIFY_WITH_TIMEOUT(!words.firstWith({QStringLiteral("zq-later")}).isEmpty(), 20'000);
        it.window.openScenario(QStringLiteral("gc-pause"));
        it.action()->trigger();
        QVERIFY(it.window.names()->isOn());
        it.window.openFile(file); // the first thing with names since then
        QTRY_COMPARE_WITH_TIMEOUT(it.locks()->rowCount(), 3, 20'000);
        QTRY_COMPARE(words.firstWith(marks()), QString());
        nobodyIsNamedAnywhere(it, words);
        if (QTest::currentTestFailed()) return;
        const QString picture = savedPicture(it.window);
        QVERIFY(picture.contains(QLatin1String("lock-1")));
        for (const QString& mark : marks())
            QVERIFY2(!picture.contains(mark), qPrintable(mark));
        QVERIFY(!it.window.windowTitle().contains(QLatin1String("zq"))); // the file's own name, too
    }

    void aSimulationHasNothingToHide() {
        const QTemporaryDir folder;
        Opened it(folder);
        it.action()->trigger();
        it.window.openScenario(QStringLiteral("gc-pause"));
        QCOMPARE(it.window.context()->session(), it.window.session());
    }
};

QTEST_MAIN(TestHiddenNames)
#include "tst_hidden_names.moc"
