// SPDX-License-Identifier: GPL-3.0-or-later
#include "alerts/alert_rules_dialog.h"
#include "alerts/alerts_strip.h"
#include "locks/locks_panel.h"
#include "own_redis.h"
#include "trace/recording.h"
#include "window/main_window.h"
#include "window/window_alerts.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTreeView>

using namespace lockscope;
using namespace lockscope::test;
using Kind = inspect::AlertRule::Kind;
using views::AlertsModel;

namespace {

constexpr const char* kToken = "redisson_lock_token:{for-ever}"; ///< the counter of its fencing tokens

/// The window with settings of its own, connected to a server.
struct Opened {
    app::Settings settings;
    app::MainWindow window{&settings};
    Opened(const QString& file, const QString& url) : settings(file) {
        window.resize(1600, 1000);
        window.show();
        window.openUrl(url, false);
    }
    views::AlertsStrip* strip() const { return window.alerts()->strip(); }
    AlertsModel* alerts() const { return strip()->model(); }
    QString cell(int row, int column) const { return alerts()->index(row, column).data().toString(); }
    QString all() const {
        QStringList rows;
        for (int row = 0; row < alerts()->rowCount(); ++row)
            rows << cell(row, AlertsModel::LockColumn) + QStringLiteral(": ") + cell(row, AlertsModel::SentenceColumn);
        return rows.join(u'\n');
    }
    QString firstLock() const {
        const QAbstractItemModel* const table = window.findChild<views::LocksPanel*>()->view()->model();
        return table->index(0, 0).data().toString();
    }
};

} // namespace

class TestLiveAlerts : public QObject {
    Q_OBJECT

    OwnRedis m_redis;
    QTemporaryDir m_folder;
    /// A hash without an end may be anything; the counter of tokens beside it says that it is a lock.
    void lockForEver() {
        m_redis.ask({"SET", kToken, "7"});
        m_redis.ask({"HSET", "for-ever", "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:9", "1"});
    }
    QString file() const { return m_folder.filePath(QStringLiteral("s.ini")); }

private Q_SLOTS:
    void init() { VERIFY_EMPTY(m_redis.startAnew()); }
    void cleanup() {
        m_redis.end();
        QFile::remove(file());
    }

    void aLockThatNeverExpiresIsAnAlertEverywhere() {
        m_redis.ask({"HSET", "a-good-one", "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57", "1"});
        m_redis.ask({"PEXPIRE", "a-good-one", "3000000"});
        Opened it(file(), m_redis->url());
        QTRY_COMPARE_WITH_TIMEOUT(it.firstLock(), QStringLiteral("a-good-one"), 10'000);
        QVERIFY(it.strip()->isVisible());
        QCOMPARE(it.alerts()->rowCount(), 0);
        lockForEver();
        QTRY_COMPARE_WITH_TIMEOUT(it.alerts()->rowCount(), 1, 10'000);
        QVERIFY2(it.all().startsWith(QStringLiteral("for-ever: “for-ever” is held by")), qPrintable(it.all()));
        QVERIFY(!it.cell(0, AlertsModel::AdviceColumn).isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(it.firstLock(), QStringLiteral("for-ever"), 10'000); // the worst one first
        m_redis.ask({"DEL", "for-ever", kToken});
        QTRY_COMPARE_WITH_TIMEOUT(it.alerts()->rowCount(), 0, 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(it.firstLock(), QStringLiteral("a-good-one"), 10'000);
    }

    void aRecordingHasTheAlertsThatWereToldLive() {
        lockForEver();
        Opened it(file(), m_redis->url());
        QTRY_COMPARE_WITH_TIMEOUT(it.alerts()->rowCount(), 1, 10'000);
        const QString path = m_folder.filePath(QStringLiteral("night.lockscope"));
        const std::shared_ptr<const trace::Trace> trace = it.window.session()->trace();
        QVERIFY(trace::saveRecording(path, trace, it.window.session()->recordingMeta()).has_value());
        const QString sentence = it.cell(0, AlertsModel::SentenceColumn);
        it.window.openFile(path);
        QTRY_VERIFY_WITH_TIMEOUT(!it.window.session()->abilities().live, 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(it.alerts()->rowCount(), 1, 10'000); // at its end, where it opens
        QCOMPARE(it.cell(0, AlertsModel::LockColumn), QStringLiteral("for-ever"));
        QCOMPARE(it.cell(0, AlertsModel::SentenceColumn), sentence);
        QVERIFY(it.strip()->isVisible());
        it.window.context()->setPlayhead(Nanos(1)); // nothing had been seen by then
        QCOMPARE(it.alerts()->rowCount(), 0);
    }

    void aHolderThatStopsRenewingIsLate() {
        const auto renew = [this] { m_redis.ask({"PEXPIRE", "job", "20000"}); };
        m_redis.ask({"HSET", "job", "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57", "1"});
        renew();
        Opened it(file(), m_redis->url());
        QTRY_COMPARE_WITH_TIMEOUT(it.firstLock(), QStringLiteral("job"), 10'000);
        QElapsedTimer since;
        since.start();
        // The server's own clock counts leases, so the pace that the rule learns is real time: about a second.
        for (int i = 0; i < 4; ++i) {
            QTest::qWait(1000);
            renew();
        }
        QCOMPARE(it.alerts()->rowCount(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(it.alerts()->rowCount(), 1, 10'000);
        QVERIFY2(it.all().contains(QLatin1String("is late by")), qPrintable(it.all()));
        const auto trace = it.window.context()->trace();
        const auto told = [&](trace::EventKind kind) {
            int count = 0;
            for (std::size_t row = 0; row < trace->size(); ++row)
                count += trace->kindAt(row) == kind;
            return count;
        };
        QCOMPARE(told(trace::EventKind::RecordRenewalMissed), 1);
        QTRY_COMPARE_WITH_TIMEOUT(told(trace::EventKind::RecordRenewalsStopped), 1, 10'000);
        renew();
        QTRY_COMPARE_WITH_TIMEOUT(it.alerts()->rowCount(), 0, 10'000);
    }

    void aServerThatGoesAwayIsOneAlertAndNotOnePerLock() {
        lockForEver();
        Opened it(file(), m_redis->url());
        it.window.alerts()->strip()->model()->desk()->setRules({*inspect::parseAlertRule(u"unreachable>500ms"_qs)});
        QTRY_COMPARE_WITH_TIMEOUT(it.firstLock(), QStringLiteral("for-ever"), 10'000);
        m_redis.end();
        QTRY_VERIFY_WITH_TIMEOUT(it.all().contains(QLatin1String("could not be read")), 10'000);
        QVERIFY2(it.alerts()->rowCount() == 1, qPrintable(it.all()));
    }

    /// Its locks may be gone with it: nothing is told of them in the present.
    void whatStoodBeforeItWentAwayIsToldAsThat() {
        lockForEver();
        Opened it(file(), m_redis->url());
        QTRY_COMPARE_WITH_TIMEOUT(it.alerts()->rowCount(), 1, 10'000);
        QVERIFY2(!it.all().contains(QLatin1String("last seen")), qPrintable(it.all()));
        m_redis.end();
        QTRY_VERIFY_WITH_TIMEOUT(it.all().contains(QLatin1String("for-ever: When last seen, at ")), 10'000);
        bool toldWhy = false; // instead of what to do with a lock that may not be there
        for (int row = 0; row < it.alerts()->rowCount(); ++row)
            toldWhy = toldWhy || it.cell(row, AlertsModel::AdviceColumn).contains(QLatin1String("cannot be seen now"));
        QVERIFY2(toldWhy, qPrintable(it.all()));
    }

    void rulesAndMutesAreKeptForTheConnection() {
        lockForEver();
        {
            Opened it(file(), m_redis->url());
            QTRY_COMPARE_WITH_TIMEOUT(it.alerts()->rowCount(), 1, 10'000);
            it.window.alerts()->askForRules();
            auto* const dialog = it.window.findChild<views::AlertRulesDialog*>();
            QVERIFY(dialog);
            dialog->switchOf(Kind::Held)->setChecked(true);
            dialog->fieldOf(Kind::Held)->setText(QStringLiteral("1s"));
            dialog->accept();
            QTRY_COMPARE_WITH_TIMEOUT(it.alerts()->rowCount(), 2, 10'000);
            it.alerts()->desk()->setMutes({{Kind::NoExpiry, "for-ever", 0}});
            QTRY_COMPARE_WITH_TIMEOUT(it.alerts()->rowCount(), 1, 10'000);
        }
        Opened again(file(), m_redis->url());
        QTRY_COMPARE_WITH_TIMEOUT(again.alerts()->rowCount(), 1, 10'000);
        QVERIFY2(again.all().contains(QLatin1String("for at least")), qPrintable(again.all()));
        QTRY_COMPARE_WITH_TIMEOUT(again.alerts()->desk()->muted(), 1u, 10'000);
        QVERIFY(again.alerts()->desk()->rules().size() > inspect::usualAlertRules().size());
        QFile kept(file());
        again.settings.sync();
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QVERIFY(kept.readAll().contains("held>1s"));
    }

    void aMuteIsALineOfText() {
        const std::vector<inspect::AlertMute> mutes{{std::nullopt, "a b*/ü\x01", 5},
                                                    {Kind::RenewalLate, std::nullopt, 0},
                                                    {Kind::Unreachable, QByteArray(), 7}};
        for (const inspect::AlertMute& mute : mutes)
            QCOMPARE(app::parseMute(app::muteText(mute)).value(), mute);
        for (const char* wrong : {"", "* *", "held * x", "helt * 0", "* * -1"})
            QVERIFY(!app::parseMute(QString::fromLatin1(wrong)));
    }

    void alertsThatBeginTogetherAreOneMessage() {
        QStringList titles, texts;
        app::AlertNotifier notifier([&](const QString& title, const QString& text) {
            titles << title;
            texts << text;
        });
        const auto alert = [](const char* rule, const QByteArray& lock) {
            return inspect::Alert{inspect::Alert::State::Raised,
                                  *inspect::parseAlertRule(QString::fromLatin1(rule)),
                                  lock,
                                  QStringLiteral("So."),
                                  QStringLiteral("Do."),
                                  {}};
        };
        notifier.tell(alert("dead-waiters>0", "a")); // a note is not worth it
        notifier.tell(alert("no-expiry", "b"));
        notifier.tell(alert("token-back", "c"));
        QTRY_COMPARE(titles.size(), 1);
        QVERIFY2(titles.front().startsWith(QLatin1String("token went back: c, and 1")), qPrintable(titles.front()));
        QVERIFY2(texts.front().endsWith(QLatin1String(": b")), qPrintable(texts.front())); // the other one by its name
        notifier.tell(alert("no-expiry", "b"));
        notifier.forget();
        // Nothing tells that a message will not come; it gathers for less than this.
        QTest::qWait(700);
        QCOMPARE(titles.size(), 1);
    }
};

QTEST_MAIN(TestLiveAlerts)
#include "tst_live_alerts.moc"
