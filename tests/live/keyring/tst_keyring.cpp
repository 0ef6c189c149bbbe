// SPDX-License-Identifier: GPL-3.0-or-later
// Passwords of saved connections in a real keyring: GNOME's, on a session bus of our own.
#include "own_keyring.h"
#include "window/secret_keeper.h"

#include <QPushButton>
#include <QSignalSpy>

using namespace lockscope;
using namespace lockscope::app;
using Answer = SecretStore::Answer;

namespace {
const QString kShop = QStringLiteral("shop · 店");
const QString kUrl = QStringLiteral("redis://ann:s3cret-päss@h:1");
const QString kClean = QStringLiteral("redis://ann@h:1");
} // namespace

class TestKeyring : public QObject {
    Q_OBJECT
    test::OwnKeyring m_keyring;

    static QString fine(const QString&) { return {}; }
    /// The secret that the program reads under that name, or why there is none.
    QString kept(const QString& name) {
        QString secret;
        bool answered = false;
        const auto store = desktopSecrets();
        store->read(name, this, [&](Answer answer, const QString& text) {
            secret = answer == Answer::Done ? text : answer == Answer::Missing ? u"missing"_qs : u"failed"_qs;
            answered = true;
        });
        return QTest::qWaitFor([&] { return answered; }, 10'000) ? secret : QStringLiteral("no answer");
    }

private Q_SLOTS:
    void initTestCase() {
        const QString wrong = m_keyring.start();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void aPasswordIsSavedReadAndForgotten() {
        QCOMPARE(kept(kShop), QStringLiteral("missing"));
        SecretKeeper keeper(desktopSecrets());
        QSignalSpy notKept(&keeper, &SecretKeeper::notKept);
        keeper.keep(kShop, kUrl);
        QTRY_COMPARE_WITH_TIMEOUT(QString::fromUtf8(m_keyring.secret(kShop)), kUrl, 10'000);
        QVERIFY(notKept.isEmpty());
        QVERIFY(!m_keyring.onDisk().isEmpty() && !m_keyring.onDisk().contains("s3cret")); // it is encrypted

        views::ConnectDialog dialog(fine, {});
        dialog.setSaved({{kShop, kClean, false}});
        keeper.serve(dialog);
        QVERIFY(dialog.chooseSaved(kClean));
        QTRY_COMPARE_WITH_TIMEOUT(dialog.url(), kUrl, 10'000);

        for (QPushButton* one : dialog.findChildren<QPushButton*>())
            if (one->text() == QLatin1String("&Forget")) one->click();
        QTRY_COMPARE_WITH_TIMEOUT(m_keyring.secret(kShop), QByteArray(), 10'000);
        QCOMPARE(kept(kShop), QStringLiteral("missing"));
    }

    /// Last: nobody can unlock it again.
    void aKeyringThatStaysLockedKeepsNothing() {
        SecretKeeper keeper(desktopSecrets());
        keeper.keep(kShop, kUrl);
        QTRY_COMPARE_WITH_TIMEOUT(kept(kShop), kUrl, 10'000);
        QVERIFY(m_keyring.lock());
        QCOMPARE(kept(kShop), QStringLiteral("missing")); // it does not say why
        QSignalSpy notKept(&keeper, &SecretKeeper::notKept);
        keeper.keep(QStringLiteral("jobs"), QStringLiteral("etcd://a:b@h:2"));
        QTRY_COMPARE_WITH_TIMEOUT(notKept.count(), 1, 10'000);
        QCOMPARE(notKept.front().front().toString(), QStringLiteral("jobs"));
    }
};

QTEST_MAIN(TestKeyring)
#include "tst_keyring.moc"
