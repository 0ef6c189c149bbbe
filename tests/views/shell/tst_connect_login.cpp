// SPDX-License-Identifier: GPL-3.0-or-later
// Logins in the address of a server: none is in sight, and one that guards nothing is told.
#include "theme/palette.h"
#include "welcome/connect_dialog.h"
#include "welcome/url_field.h"

#include <QLabel>
#include <QTest>

using namespace lockscope::views;

class TestConnectLogin : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    /// Two passwords of one length look alike, wherever the field has been scrolled to.
    void noLetterOfAPasswordIsLeftInSight() {
        const auto pictureOf = [](const char* password, int cursor, bool framed) {
            UrlField field;
            field.setFrame(framed);
            field.resize(420, 32);
            field.setText(QStringLiteral("rediss+sentinel://ann:%1@sentinel-1:26379,sentinel-2:26379/mymaster/2")
                              .arg(QLatin1String(password)));
            field.show();
            field.setCursorPosition(int(field.text().size())); // scrolled to its end, and back from there
            (void)field.grab();
            field.setCursorPosition(cursor);
            return field.grab().toImage();
        };
        for (const bool framed : {true, false})
            for (int cursor = 0; cursor < 70; ++cursor)
                QVERIFY2(pictureOf("wiwiwi", cursor, framed) == pictureOf("secret", cursor, framed),
                         qPrintable(QString::number(cursor)));
    }

    /// etcd and memcached take any login where none is set up: nothing fails, so the dialog says it before.
    void aLoginThatMayGuardNothingIsTold() {
        ConnectDialog dialog([](const QString&) { return QString(); }, {});
        const auto told = [&dialog](const char* url) {
            dialog.setUrl(QString::fromLatin1(url));
            const auto labels = dialog.findChildren<QLabel*>();
            return std::ranges::any_of(labels, [](const QLabel* label) {
                return label->text().contains(QLatin1String("not set up to check logins"));
            });
        };
        for (const char* url : {"etcd://ann:secret@h:2379", "etcds://ann@h:2379?password-env=X", "memcached://a:b@h:1"})
            QVERIFY2(told(url), url);
        for (const char* url : {"etcd://h:2379", "memcached://h:1", "redis://ann:secret@h:1", "zookeeper://a:b@h:1"})
            QVERIFY2(!told(url), url);
    }
};

QTEST_MAIN(TestConnectLogin)
#include "tst_connect_login.moc"
