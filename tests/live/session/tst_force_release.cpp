// SPDX-License-Identifier: GPL-3.0-or-later
// A lock is taken from its holder by hand, as a person does it in the window: on each kind of server, by the lock's own
// row of actions.
#include "live/release_log.h"
#include "locks/force_release_dialog.h"
#include "locks/lock_actions.h"
#include "locks/lock_detail_panel.h"
#include "sandbox/etcd_server.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/memcached_server.h"
#include "sandbox/postgres_server.h"
#include "sandbox/redis_masters.h"
#include "sandbox/zookeeper_server.h"
#include "support/lock_user.h"
#include "window/main_window.h"

#include <QAbstractButton>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QToolButton>

using namespace lockscope;
using namespace lockscope::test;

namespace {

constexpr int kSoon = 20'000; ///< milliseconds; a look or two, many times that on a busy machine
constexpr const char* kName = "orders";

/// The window, and the parts of it that a person uses here.
struct Opened {
    explicit Opened(const QString& url) {
        window.resize(1600, 1000);
        window.show();
        window.openConnections({{QStringLiteral("shop"), url, false}});
    }
    session::Session* session() const { return window.session(); }
    std::shared_ptr<const trace::Trace> trace() const { return window.context()->trace(); }
    /// The lock that somebody holds, as it is seen; kNoEntity: none so far.
    trace::EntityId heldLock() const {
        for (const auto& [lock, record] : window.context()->stateToActOn().records)
            if (record.owner != trace::kNoEntity && trace()->copyOf(lock) == trace::kNoEntity) return lock;
        return trace::kNoEntity;
    }
    views::LockActions* actions() const { return window.findChild<views::LockDetailPanel*>()->actions(); }
    QToolButton* button(const char* id) const {
        for (auto* const button : actions()->findChildren<QToolButton*>())
            if (button->defaultAction()->objectName() == QLatin1String(id)) return button;
        return nullptr;
    }
    void allowChanges() const {
        QTest::mouseClick(button("lock.allow"), Qt::LeftButton);
        auto* const box = window.findChild<QMessageBox*>();
        QVERIFY(box);
        for (QAbstractButton* const each : box->buttons())
            if (box->buttonRole(each) == QMessageBox::AcceptRole) each->click();
    }
    views::ForceReleaseDialog* dialog() const { return window.findChild<views::ForceReleaseDialog*>(); }
    QAbstractButton* releaseButton() const {
        for (auto* const button : dialog()->findChildren<QAbstractButton*>())
            if (button->text().contains(QLatin1String("force"))) return button;
        return nullptr;
    }
    QStringList commands() const {
        const QString text = dialog()->findChild<QPlainTextEdit*>()->toPlainText();
        return text.isEmpty() ? QStringList() : text.split(u'\n');
    }
    void typeName(const QString& name) const { QTest::keyClicks(dialog()->findChild<QLineEdit*>(), name); }
    int forced() const {
        int n = 0;
        for (std::size_t i = 0; i < trace()->size(); ++i) {
            const trace::Event event = trace()->at(i);
            n += event.kind == trace::EventKind::RecordFreed &&
                 trace::FreedBy(event.flags & trace::kFreedByMask) == trace::FreedBy::Force;
        }
        return n;
    }

    QTemporaryDir folder;
    app::Settings settings{folder.filePath(QStringLiteral("s.ini"))};
    app::MainWindow window{&settings};
};

QJsonObject lastNoted() {
    QFile file(live::releaseLogPath());
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll().trimmed().split('\n').back()).object();
}

} // namespace

class TestForceRelease : public QObject {
    Q_OBJECT

    EventLoopRuntime m_runtime;
    std::shared_ptr<void> m_server; ///< of the test that runs
    QString m_url, m_watched;

    template <typename Server, typename... Args>
    QString begin(Args... args) {
        auto server = std::make_shared<Server>(m_runtime, args...);
        const QString error = start(*server);
        m_url = m_watched = error.isEmpty() ? server->url() : QString();
        m_server = std::move(server);
        return error;
    }
    QString begin(const QByteArray& kind) {
        if (kind == "zookeeper") return begin<sandbox::ZooKeeperServer>();
        if (kind == "etcd") return begin<sandbox::EtcdServer>();
        if (kind == "redlock") return begin<sandbox::RedisMasters>(3);
        if (kind == "mariadb") {
            sandbox::SqlServerOptions options; // with the plugin that lists who has named locks
            options.extraArguments = {QStringLiteral("--plugin-load-add=metadata_lock_info")};
            return begin<sandbox::MariaDbServer>(options);
        }
        if (kind == "postgresql") return begin<sandbox::PostgresServer>();
        const QString error = begin<sandbox::MemcachedServer>();
        m_watched += QStringLiteral("?match=%1").arg(QLatin1String(kName)); // it lists no keys
        return error;
    }
    static void kinds() {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("recipe");
        const auto row = [](const char* kind, const char* recipe) {
            QTest::addRow("%s, %s", kind, recipe) << QByteArray(kind) << QByteArray(recipe);
        };
        row("zookeeper", "zk-mutex");
        row("etcd", "etcd-lease");
        row("memcached", "memcached-lease");
        row("redlock", "redis-redlock");
        row("mariadb", "sql-lease");
        row("mariadb", "sql-advisory");
        row("postgresql", "sql-lease");
        row("postgresql", "sql-advisory");
    }
    /// Opens the question about the lock that is held.
    void ask(Opened& it, trace::EntityId& lock) {
        QTRY_VERIFY_WITH_TIMEOUT((lock = it.heldLock()) != trace::kNoEntity, kSoon);
        it.window.context()->select(lock);
        QTRY_VERIFY2_WITH_TIMEOUT(it.actions()->refusal().contains(QLatin1String("read-only")),
                                  qPrintable(it.actions()->refusal()), kSoon);
        QVERIFY(!it.button("lock.force")->isEnabled());
        it.allowChanges();
        QTRY_VERIFY2_WITH_TIMEOUT(it.button("lock.force")->isEnabled(), qPrintable(it.actions()->refusal()), kSoon);
        QTRY_VERIFY(!it.button("lock.allow")->isVisible());
        QTest::mouseClick(it.button("lock.force"), Qt::LeftButton);
        QVERIFY(it.dialog());
        QTRY_VERIFY_WITH_TIMEOUT(!it.commands().isEmpty(), kSoon);
    }

private Q_SLOTS:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QFile::remove(live::releaseLogPath());
    }
    void cleanup() { m_server.reset(); }

    void aLockIsTakenFromItsHolder_data() { kinds(); }
    void aLockIsTakenFromItsHolder() {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, recipe);
        VERIFY_EMPTY(begin(kind));
        const LockOptions options = unrenewed(600s);
        LockUser holder(m_url, recipe, kName, options), next(m_url, recipe, kName, options);
        VERIFY_OK(run(holder.connection->prepare()));
        QVERIFY(holder.take());
        QVERIFY(!next.take());
        Opened it(m_watched);
        trace::EntityId lock = trace::kNoEntity;
        ask(it, lock);
        if (QTest::currentTestFailed()) return;
        const QString name = it.trace()->displayName(lock);
        if (kind != "postgresql" || recipe != "sql-advisory") // these are numbers
            QVERIFY2(name.contains(QLatin1String(kName)), qPrintable(name));
        QVERIFY(!it.releaseButton()->isEnabled()); // the name is not typed yet
        it.typeName(name.chopped(1));
        QVERIFY(!it.releaseButton()->isEnabled());
        it.typeName(name.last(1));
        QVERIFY(it.releaseButton()->isEnabled());
        const QStringList shown = it.commands();
        // Databases free a session's lock by its end, and the user is told what else ends.
        const QString consequence = it.dialog()->findChild<QLabel*>(QStringLiteral("consequence"))->text();
        QVERIFY2(consequence.contains(QLatin1String("the whole session")) == (recipe == "sql-advisory"),
                 qPrintable(consequence));
        QVERIFY2(it.dialog()->findChild<QPlainTextEdit*>()->lineWrapMode() != QPlainTextEdit::NoWrap,
                 "a command is out of sight");
        QVERIFY(!next.take()); // so far nothing was sent
        QTest::mouseClick(it.releaseButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(it.forced(), 1, kSoon); // a line in the recording
        QVERIFY(comesTrue([&] { return next.take(); }, std::chrono::milliseconds(kSoon)));
        const QJsonObject noted = lastNoted();
        QCOMPARE(noted[u"result"].toString(), live::kFreedResult);
        QCOMPARE(noted[u"lock"][u"name"].toString(), name);
        QCOMPARE(noted[u"server"].toString(), urlOf(m_watched).display());
        // A script has several lines.
        QCOMPARE(noted[u"commands"].toVariant().toStringList().join(u'\n'), shown.join(u'\n'));
    }

    void aHolderThatCameMeanwhileKeepsIt_data() { kinds(); }
    void aHolderThatCameMeanwhileKeepsIt() {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, recipe);
        VERIFY_EMPTY(begin(kind));
        const LockOptions options = unrenewed(600s);
        LockUser holder(m_url, recipe, kName, options), second(m_url, recipe, kName, options),
            third(m_url, recipe, kName, options);
        VERIFY_OK(run(holder.connection->prepare()));
        QVERIFY(holder.take());
        Opened it(m_watched);
        trace::EntityId lock = trace::kNoEntity;
        ask(it, lock);
        if (QTest::currentTestFailed()) return;
        it.typeName(it.trace()->displayName(lock));
        VERIFY_OK(run(holder.lock->unlock()));
        QVERIFY(comesTrue([&] { return second.take(); }, std::chrono::milliseconds(kSoon)));
        QSignalSpy complained(it.session(), &session::Session::complained);
        QTest::mouseClick(it.releaseButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!complained.isEmpty(), kSoon);
        QVERIFY(!third.take());
        QCOMPARE(it.forced(), 0);
    }
};

QTEST_MAIN(TestForceRelease)
#include "tst_force_release.moc"
