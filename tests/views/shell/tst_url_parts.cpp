// SPDX-License-Identifier: GPL-3.0-or-later
#include "ports/url.h"
#include "theme/palette.h"
#include "welcome/connect_dialog.h"
#include "welcome/url_parts_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <algorithm>

using namespace lockscope;
using namespace lockscope::views;

/// The parts of an address: read, changed, and written into it again.
class TestUrlParts : public QObject {
    Q_OBJECT
    static QLineEdit* field(const QWidget& inside, const char* name) {
        for (QLineEdit* each : inside.findChildren<QLineEdit*>())
            if (each->accessibleName() == QLatin1String(name)) return each;
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void anAddressHasTheseParts() {
        const UrlParts parts =
            UrlParts::of(QStringLiteral("rediss+sentinel://an%40n:s%3Ae%2Fc@s1:26379,s2:26379/main?ca=/etc/"
                                        "ca%20one.pem&cert=c.pem&key=k.pem&timeout=5s"));
        QCOMPARE(parts.scheme, QStringLiteral("redis+sentinel"));
        QVERIFY(parts.tls);
        QCOMPARE(parts.user, QStringLiteral("an@n"));
        QCOMPARE(parts.password, QStringLiteral("s:e/c"));
        QCOMPARE(parts.servers, QStringLiteral("s1:26379, s2:26379"));
        QCOMPARE(parts.behind, QStringLiteral("main"));
        QCOMPARE(parts.kindOfBehind(), UrlParts::Behind::Master);
        QCOMPARE(parts.authority, QStringLiteral("/etc/ca one.pem"));
        QCOMPARE(parts.certificate, QStringLiteral("c.pem"));
        QCOMPARE(parts.key, QStringLiteral("k.pem"));
        QCOMPARE(parts.options, QStringList{QStringLiteral("timeout=5s")});
    }

    void addressesAreTheSameAfterTheirParts_data() {
        QTest::addColumn<QString>("url");
        for (const char* url :
             {"redis://127.0.0.1:6379", "redis://[::1]:6379/2", "redis://:secret@h:1",
              "rediss://ann:s%40%25c@h:1/3?ca=a.pem",
              "redis+sentinel://a:1,b:2/main/0?sentinel-user=x&sentinel-password=y", "redis+cluster://a:1,b:2",
              "redlocks://a:1,b:2,c:3?node=50ms", "zookeeper://ann:p@zk1:2181,zk2:2181/shop/locks?session=10s",
              "mysql://root@db:3306/shop?tls=on&ca=ca.pem", "postgresql://ann:p@db/shop?key=two-int&table=jobs",
              "postgresql://ann:p@db/shop?tls=on&key=client.pem", "sqlite:///tmp/a@b:c/locks.db?table=x",
              "memcacheds://m1:11211", "etcds://e1:2379,e2:2379?cert=c.pem&key=k.pem",
              "redis://ann@h?password-env=PASS"})
            QTest::newRow(url) << QString::fromLatin1(url);
    }
    void addressesAreTheSameAfterTheirParts() {
        QFETCH(QString, url);
        const UrlParts parts = UrlParts::of(url);
        QCOMPARE(UrlParts::of(parts.text()), parts);
        const auto before = parseConnectionUrl(url), after = parseConnectionUrl(parts.text());
        QCOMPARE(after.has_value(), before.has_value()); // not, where the variable is not set
        if (before) QVERIFY2(*after == *before, qPrintable(parts.text()));
    }

    void halfTypedAddressesAreRead_data() {
        QTest::addColumn<QString>("url");
        for (const char* url :
             {"", "r", "redis:", "redis://", "redis://h:", "redis://ann:", "redis://ann:se%", "?", "://"})
            QTest::newRow(url) << QString::fromLatin1(url);
    }
    void halfTypedAddressesAreRead() {
        QFETCH(QString, url);
        const UrlParts parts = UrlParts::of(url);
        QCOMPARE(UrlParts::of(parts.text()), parts);
    }

    void aMissingPasswordIsKnown() {
        const auto lacks = [](const char* url) { return UrlParts::of(QString::fromLatin1(url)).lacksPassword(); };
        QVERIFY(lacks("redis://ann@h:1"));
        QVERIFY(!lacks("redis://ann:p@h:1") && !lacks("redis://h:1") && !lacks("redis://:p@h:1"));
        QVERIFY(!lacks("redis://ann@h:1?timeout=5s&password-env=PASS") && !lacks("sqlite:///ann@h"));
    }

    void theDialogAsksForIt() {
        ConnectDialog dialog([](const QString&) { return QString(); }, {});
        dialog.setConnection({QStringLiteral("shop"), QStringLiteral("redis://ann@h:1"), true});
        dialog.show();
        dialog.askForPassword();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        QVERIFY(field(dialog, "Password")->hasFocus());
        QTest::keyClicks(field(dialog, "Password"), QStringLiteral("p"));
        QCOMPARE(dialog.url(), QStringLiteral("redis://ann:p@h:1"));
        QVERIFY(dialog.changesAllowed());
        QCOMPARE(dialog.name(), QStringLiteral("shop"));
    }

    void aTrialThatFailsShowsThePasswordsField() {
        ConnectDialog dialog([](const QString&) { return QString(); }, {});
        dialog.setTrial([](const QString&, const std::function<void(bool, const QString&)>& done) {
            done(false, QStringLiteral("h:1 wants a password."));
            return std::unique_ptr<QObject>();
        });
        dialog.setUrl(QStringLiteral("redis://h:1"));
        dialog.show();
        QVERIFY(!field(dialog, "Password")->isVisible());
        const auto buttons = dialog.findChildren<QPushButton*>();
        const auto test = std::ranges::find_if(buttons, [](const QPushButton* b) { return b->text() == u"&Test"; });
        QVERIFY(test != buttons.end());
        (*test)->click();
        QVERIFY(field(dialog, "Password")->isVisible());
    }

    /// A dialogue that grows stays on the screen.
    void thePartsOpenOnTheScreen() {
        ConnectDialog dialog([](const QString&) { return QString(); }, {});
        dialog.show();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        const auto bottom = [&] { return dialog.screen()->availableGeometry().bottom(); };
        dialog.move(dialog.x(), bottom() - dialog.frameGeometry().height());
        QTRY_COMPARE(dialog.frameGeometry().bottom() + 1, bottom());
        const int before = dialog.height();
        dialog.askForPassword();
        QTRY_VERIFY(dialog.height() > before);
        QTRY_VERIFY(dialog.frameGeometry().bottom() <= bottom());
    }

    /// A file of TLS is chosen in a dialog, and comes into the address.
    void aFileIsChosen() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("ca.pem"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.close();
        UrlPartsForm form;
        form.setUrl(QStringLiteral("redis://h:1"));
        form.show();
        const auto buttons = form.findChildren<QToolButton*>();
        const auto choose = std::ranges::find_if(buttons, [](const QToolButton* one) {
            return one->accessibleName().contains(QLatin1String("certification authority"));
        });
        QVERIFY(choose != buttons.end());
        QVERIFY(!(*choose)->isEnabled()); // without TLS there is none
        form.findChild<QCheckBox*>()->click();
        QVERIFY((*choose)->isEnabled());
        (*choose)->click();
        auto* const dialog = form.findChild<QFileDialog*>();
        QVERIFY(dialog);
        Q_EMIT dialog->fileSelected(path);
        dialog->close();
        QVERIFY2(form.url().contains(QLatin1String("ca.pem")), qPrintable(form.url()));
        QCOMPARE(UrlParts::of(form.url()).authority, path);
    }

    void theDialogsFieldsAndItsAddressFollowEachOther() {
        ConnectDialog dialog([](const QString&) { return QString(); }, {});
        dialog.show();
        auto* const form = dialog.findChild<UrlPartsForm*>();
        QVERIFY(form && !form->isVisible());
        dialog.findChild<QToolButton*>()->click();
        QVERIFY(form->isVisible());
        dialog.setUrl(QStringLiteral("zookeeper://zk1:2181/shop"));
        QCOMPARE(field(*form, "Servers")->text(), QStringLiteral("zk1:2181"));
        QVERIFY(!form->findChild<QCheckBox*>()->isEnabled()); // ZooKeeper's client here has no TLS
        QTest::keyClicks(field(*form, "Servers"), QStringLiteral(", zk2:2181"));
        QTest::keyClicks(field(*form, "User"), QStringLiteral("ann"));
        QTest::keyClicks(field(*form, "Password"), QStringLiteral("a b@c"));
        QCOMPARE(dialog.url(), QStringLiteral("zookeeper://ann:a%20b%40c@zk1:2181,zk2:2181/shop"));
        QCOMPARE(field(*form, "Servers")->text(), QStringLiteral("zk1:2181, zk2:2181")); // as it was typed

        dialog.setUrl(QStringLiteral("redis://h:1?timeout=5s"));
        QCOMPARE(field(*form, "User")->text(), QString());
        QLineEdit* const authority = field(*form, "File of the certification authority");
        QVERIFY(!authority->isEnabled());
        form->findChild<QCheckBox*>()->click();
        QVERIFY(authority->isEnabled());
        QTest::keyClicks(authority, QStringLiteral("/etc/ca.pem"));
        QCOMPARE(dialog.url(), QStringLiteral("rediss://h:1?ca=/etc/ca.pem&timeout=5s"));
        form->findChild<QCheckBox*>()->click();
        QVERIFY(!dialog.url().startsWith(QLatin1String("rediss")));
    }
};

QTEST_MAIN(TestUrlParts)
#include "tst_url_parts.moc"
