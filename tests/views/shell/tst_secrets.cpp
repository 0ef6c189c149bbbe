// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/secret_keeper.h"
#include "window/settings.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <map>

using namespace lockscope;
using namespace lockscope::app;
using views::ConnectDialog;

namespace {

/// Stands in for the desktop's store, and answers from the event loop as that does.
class StandInStore final : public SecretStore {
public:
    struct Contents {
        std::map<QString, QString> secrets;
        bool locked = false;
    };
    explicit StandInStore(Contents& contents) : m_contents(contents) {}

    void read(const QString& name, QObject* caller, Read done) override {
        later(caller, [this, name, done = std::move(done)] {
            const auto found = m_contents.secrets.find(name);
            if (m_contents.locked) return done(Answer::Failed, QString());
            if (found == m_contents.secrets.end()) return done(Answer::Missing, QString());
            done(Answer::Done, found->second);
        });
    }
    void write(const QString& name, const QString& secret, QObject* caller, Done done) override {
        later(caller, [this, name, secret, done = std::move(done)] {
            if (!m_contents.locked) m_contents.secrets[name] = secret;
            done(m_contents.locked ? Answer::Failed : Answer::Done);
        });
    }
    void erase(const QString& name, QObject* caller, Done done) override {
        later(caller, [this, name, done = std::move(done)] {
            if (m_contents.locked) return done(Answer::Failed);
            done(m_contents.secrets.erase(name) > 0 ? Answer::Done : Answer::Missing);
        });
    }

private:
    static void later(QObject* caller, std::function<void()> call) { QTimer::singleShot(0, caller, std::move(call)); }
    Contents& m_contents;
};

const QString kShop = QStringLiteral("shop");
const QString kUrl = QStringLiteral("redis://ann:s3cret@h:1");
const QString kClean = QStringLiteral("redis://ann@h:1");

} // namespace

class TestSecrets : public QObject {
    Q_OBJECT

    static QString fine(const QString&) { return {}; }
    static QComboBox* savedOf(const ConnectDialog& dialog) {
        for (QComboBox* one : dialog.findChildren<QComboBox*>())
            if (!one->isEditable()) return one;
        return nullptr;
    }

private Q_SLOTS:
    void aPasswordIsKeptAndRecalled() {
        StandInStore::Contents store;
        SecretKeeper keeper(std::make_unique<StandInStore>(store));
        QSignalSpy notKept(&keeper, &SecretKeeper::notKept);
        keeper.keep(kShop, kUrl);
        QVERIFY(store.secrets.empty()); // later: the window does not wait
        QTRY_COMPARE(store.secrets.size(), 1u);
        ConnectDialog dialog(fine, {});
        dialog.setSaved({{kShop, kClean, false}});
        keeper.serve(dialog);
        savedOf(dialog)->setCurrentIndex(1);
        QCOMPARE(dialog.url(), kClean);
        QTRY_COMPARE(dialog.url(), kUrl);
        QVERIFY(notKept.isEmpty());
    }
    void aPasswordOfAnotherServerIsNotUsed() {
        StandInStore::Contents store;
        store.secrets[kShop] = QStringLiteral("redis://ann:s3cret@elsewhere:1");
        SecretKeeper keeper(std::make_unique<StandInStore>(store));
        ConnectDialog dialog(fine, {});
        dialog.setSaved({{kShop, kClean, false}});
        keeper.serve(dialog);
        bool answered = false;
        savedOf(dialog)->setCurrentIndex(1);
        QTimer::singleShot(0, &dialog, [&answered] { answered = true; }); // behind the store's answer
        QTRY_VERIFY(answered);
        QCOMPARE(dialog.url(), kClean);
    }
    void anAddressWithoutPasswordKeepsTheOneThatIsThere() {
        StandInStore::Contents store;
        const QString url = QStringLiteral("redis://:s3cret@h:1");
        store.secrets[kShop] = url;
        SecretKeeper keeper(std::make_unique<StandInStore>(store));
        keeper.keep(kShop, QStringLiteral("redis://h:1")); // connected before the store had told it
        keeper.keep(QStringLiteral("last"), QStringLiteral("redis://ann:other@h:2"));
        QTRY_VERIFY(store.secrets.contains(QStringLiteral("last"))); // behind the first
        QCOMPARE(store.secrets[kShop], url);
    }
    void theAddressOfASavedConnectionChoosesIt() {
        StandInStore::Contents store;
        store.secrets[kShop] = kUrl;
        SecretKeeper keeper(std::make_unique<StandInStore>(store));
        ConnectDialog dialog(fine, {});
        dialog.setSaved({{kShop, kClean, false}});
        keeper.serve(dialog);
        QVERIFY(!dialog.chooseSaved(QStringLiteral("redis://other:1")));
        QVERIFY(dialog.chooseSaved(kClean));
        QCOMPARE(dialog.name(), kShop);
        QTRY_COMPARE(dialog.url(), kUrl);
    }
    void whatIsForgottenOrHasNoPasswordIsErased() {
        StandInStore::Contents store;
        store.secrets = {{kShop, kUrl}, {QStringLiteral("jobs"), QStringLiteral("etcd://a:b@h:2")}};
        SecretKeeper keeper(std::make_unique<StandInStore>(store));
        keeper.keep(QStringLiteral("jobs"), QStringLiteral("etcd://h:2"));
        QTRY_COMPARE(store.secrets.size(), 1u);
        ConnectDialog dialog(fine, {});
        dialog.setSaved({{kShop, kClean, false}});
        keeper.serve(dialog);
        savedOf(dialog)->setCurrentIndex(1);
        for (QPushButton* one : dialog.findChildren<QPushButton*>())
            if (one->text() == QLatin1String("&Forget")) one->click();
        QTRY_VERIFY(store.secrets.empty());
    }
    void withoutAStoreItSaysSo() {
        StandInStore::Contents store;
        store.locked = true;
        SecretKeeper keeper(std::make_unique<StandInStore>(store));
        QSignalSpy notKept(&keeper, &SecretKeeper::notKept);
        keeper.keep(kShop, kUrl);
        QTRY_COMPARE(notKept.count(), 1);
        QCOMPARE(notKept.front().front().toString(), kShop);
        ConnectDialog dialog(fine, {});
        keeper.serve(dialog);
        const auto says = [&dialog] {
            for (const QLabel* label : dialog.findChildren<QLabel*>())
                if (label->text().contains(QLatin1String("has no secret store"))) return true;
            return false;
        };
        QVERIFY(!says());
        QTRY_VERIFY(says());
    }
    void aDialogueThatIsGoneGetsNoAnswer() {
        StandInStore::Contents store;
        store.secrets[kShop] = kUrl;
        SecretKeeper keeper(std::make_unique<StandInStore>(store));
        {
            ConnectDialog dialog(fine, {});
            dialog.setSaved({{kShop, kClean, false}});
            keeper.serve(dialog);
            savedOf(dialog)->setCurrentIndex(1);
        }
        bool over = false;
        QTimer::singleShot(0, this, [&over] { over = true; });
        QTRY_VERIFY(over);
    }
    void settingsHaveNoPassword() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("settings.ini"));
        {
            Settings settings(path);
            settings.saveConnection({kShop, kUrl, false});
            settings.addRecentConnection(kUrl);
        }
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray written = file.readAll();
        QVERIFY(written.contains("ann@h"));
        QVERIFY(!written.contains("s3cret"));
    }
};

QTEST_MAIN(TestSecrets)
#include "tst_secrets.moc"
