// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/settings.h"

#include "ports/url_login.h"

#include <QFile>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using app::Layout;
using app::Settings;
using app::WindowPlace;
using views::ThemeChoice;

class TestSettings : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString file(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

private Q_SLOTS:
    void everythingComesBack() {
        const WindowPlace place{QRect(40, 50, 1200, 800), WindowPlace::Size::Maximized};
        {
            Settings settings(file("a.ini"));
            settings.setTheme(ThemeChoice::Dark);
            settings.setLanguage(QStringLiteral("zh_CN"));
            settings.setLayout(Layout::Monitor);
            settings.setPlace(place);
            settings.setDockState(Layout::Monitor, "docks of monitor");
            settings.setDockState(Layout::Break, "docks of break");
            settings.addRecentFile(QStringLiteral("/tmp/a.lockscope"));
            settings.addRecentConnection(QStringLiteral("redis://h:1"));
        }
        Settings settings(file("a.ini"));
        QCOMPARE(settings.theme(), ThemeChoice::Dark);
        QCOMPARE(settings.language(), QStringLiteral("zh_CN"));
        QCOMPARE(settings.layout(), Layout::Monitor);
        QCOMPARE(settings.place(), place);
        QCOMPARE(settings.dockState(Layout::Monitor), QByteArray("docks of monitor"));
        QCOMPARE(settings.dockState(Layout::Break), QByteArray("docks of break"));
        QCOMPARE(settings.dockState(Layout::Teach), QByteArray());
        QCOMPARE(settings.recentFiles(), QStringList{QStringLiteral("/tmp/a.lockscope")});
        QCOMPARE(settings.recentConnections(), QStringList{QStringLiteral("redis://h:1")});
    }

    /// The options of one call change that call's window; what the user chooses in it is kept.
    void anOptionHoldsForOneCall() {
        {
            Settings settings(file("call.ini"));
            settings.setTheme(ThemeChoice::Light);
            settings.setLanguage(QStringLiteral("en"));
        }
        {
            Settings settings(file("call.ini"));
            settings.setThemeForNow(ThemeChoice::Dark);
            settings.setLanguageForNow(QStringLiteral("zh_CN"));
            QCOMPARE(settings.theme(), ThemeChoice::Dark);
            QCOMPARE(settings.language(), QStringLiteral("zh_CN"));
        }
        Settings settings(file("call.ini"));
        QCOMPARE(settings.theme(), ThemeChoice::Light);
        QCOMPARE(settings.language(), QStringLiteral("en"));
        settings.setThemeForNow(ThemeChoice::Dark);
        settings.setLanguageForNow(QStringLiteral("zh_CN"));
        QSignalSpy theme(&settings, &Settings::themeChanged), language(&settings, &Settings::languageChanged);
        settings.setTheme(ThemeChoice::Light); // as it was kept, and not as it is shown
        settings.setLanguage(QStringLiteral("en"));
        QCOMPARE(theme.size(), 1);
        QCOMPARE(language.size(), 1);
        QCOMPARE(settings.theme(), ThemeChoice::Light);
        QCOMPARE(settings.language(), QStringLiteral("en"));
    }

    /// Docks that were kept before Monitor's table stood above the time axis, or before Break's right column had the
    /// whole height, are not forced upon them; others' are.
    void onlyTheLayoutsThatChangedForgetTheirDocks() {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("s.ini"));
        {
            QSettings before(file, QSettings::IniFormat);
            before.setValue(QStringLiteral("window/state-v3/monitor"), QByteArray("table below"));
            before.setValue(QStringLiteral("window/state-v3/break"), QByteArray("a low column"));
            before.setValue(QStringLiteral("window/state-v3/teach"), QByteArray("docks of teach"));
        }
        const Settings settings(file);
        QCOMPARE(settings.dockState(Layout::Monitor), QByteArray());
        QCOMPARE(settings.dockState(Layout::Break), QByteArray());
        QCOMPARE(settings.dockState(Layout::Teach), QByteArray("docks of teach"));
    }

    void defaultsHoldBeforeAnythingIsStored() {
        Settings settings(file("b.ini"));
        QCOMPARE(settings.theme(), ThemeChoice::System);
        QCOMPARE(settings.language(), QString());
        QCOMPARE(settings.layout(), Layout::Teach);
        QVERIFY(settings.recentFiles().isEmpty());
    }

    void nonsenseInTheFileGivesDefaults() {
        QFile ini(file("c.ini"));
        QVERIFY(ini.open(QIODevice::WriteOnly));
        ini.write("[look]\ntheme=plaid\n[window]\nlayout=upside-down\n");
        ini.close();
        Settings settings(file("c.ini"));
        QCOMPARE(settings.theme(), ThemeChoice::System);
        QCOMPARE(settings.layout(), Layout::Teach);
    }

    void changesAreToldOnlyOnce() {
        Settings settings(file("d.ini"));
        QSignalSpy theme(&settings, &Settings::themeChanged), language(&settings, &Settings::languageChanged),
            recent(&settings, &Settings::recentChanged);
        settings.setTheme(ThemeChoice::Dark);
        settings.setTheme(ThemeChoice::Dark);
        settings.setLanguage(QStringLiteral("en"));
        settings.setLanguage(QStringLiteral("en"));
        settings.addRecentFile(QStringLiteral("/tmp/x.json"));
        settings.addRecentFile(QStringLiteral("/tmp/x.json"));
        QCOMPARE(theme.count(), 1);
        QCOMPARE(language.count(), 1);
        QCOMPARE(recent.count(), 1);
    }

    void recentListsAreNewestFirstAndShort() {
        Settings settings(file("e.ini"));
        for (int i = 0; i < 15; ++i)
            settings.addRecentFile(QStringLiteral("/tmp/%1.json").arg(i));
        settings.addRecentFile(QStringLiteral("/tmp/9.json"));
        QCOMPARE(settings.recentFiles().size(), Settings::kMostRecent);
        QCOMPARE(settings.recentFiles().first(), QStringLiteral("/tmp/9.json"));
        QCOMPARE(settings.recentFiles().count(QStringLiteral("/tmp/9.json")), 1);
        settings.removeRecentFile(QStringLiteral("/tmp/9.json"));
        QVERIFY(!settings.recentFiles().contains(QStringLiteral("/tmp/9.json")));
    }

    void noPasswordEverReachesTheFile_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("kept");
        const auto row = [](const char* url, const char* kept) {
            QTest::newRow(url) << QString::fromLatin1(url) << QString::fromLatin1(kept);
        };
        row("redis://:s3cret@h:6379/2", "redis://h:6379/2");
        row("redis://ann:s3cret@h:6379", "redis://ann@h:6379");
        row("redis://ann:s3cret@@h", "redis://ann@h");
        row("redis://ann:s3cret:x@h", "redis://ann@h");
        row("redis+sentinel://u:s3cret@a:1,b:2/m", "redis+sentinel://u@a:1,b:2/m");
        row("redis://:s3/cret@h", "redis://h");
        row("redis://:s3cret/x@h/2", "redis://h/2");
        row("redis://a:s3cret?x@h", "redis://a@h");
        row("redis://a:s3#s3cret@h?wait=1", "redis://a@h?wait=1");
        row("redis://h:6379/0?x=s3cret@b", "redis://h@b");
        row("mysql://ann@h/locks", "mysql://ann@h/locks");
        row("sqlite:///tmp/a:b@c.db", "sqlite:///tmp/a:b@c.db");
        row("redis://[::1]:6379", "redis://[::1]:6379");
        row("rediss://a:s3cret@h?ca=/x@b.pem", "rediss://b.pem");
        row("redis://s3cret@h", "redis://h");
        row("s3cret@h", "h");
        row("ann:s3cret@redis://h", "redis://h");
        row(" redis://:s3cret@h ", "redis://h");
    }
    void noPasswordEverReachesTheFile() {
        QFETCH(QString, url);
        QFETCH(QString, kept);
        QCOMPARE(withoutPassword(url), kept);
        Settings settings(file("f.ini"));
        settings.addRecentConnection(url);
        settings.sync();
        QFile ini(file("f.ini"));
        QVERIFY(ini.open(QIODevice::ReadOnly));
        const QByteArray text = ini.readAll();
        QVERIFY(!text.contains("s3cret"));
        QCOMPARE(settings.recentConnections().first(), kept);
    }

    void savedConnectionsComeBackByNameAndWithoutPasswords() {
        using Saved = views::ConnectDialog::Saved;
        const QString path = file("saved.ini");
        {
            Settings settings(path);
            settings.saveConnection(
                {QStringLiteral("shop"), QStringLiteral("redis://ann:s3cret@h:1?match=a%2Cb"), true});
            settings.saveConnection({QStringLiteral("night, jobs"), QStringLiteral("etcd://h:2"), false});
            settings.saveConnection({QStringLiteral("gone"), QStringLiteral("redis://h:3"), false});
            settings.saveConnection({QStringLiteral("gone"), QStringLiteral("redis://h:4"), false}); // once
            settings.forgetConnection(QStringLiteral("gone"));
        }
        const QList<Saved> kept{{QStringLiteral("night, jobs"), QStringLiteral("etcd://h:2"), false},
                                {QStringLiteral("shop"), QStringLiteral("redis://ann@h:1?match=a%2Cb"), true}};
        QCOMPARE(Settings(path).savedConnections(), kept);
        QFile ini(path);
        QVERIFY(ini.open(QIODevice::ReadOnly));
        QVERIFY(!ini.readAll().contains("s3cret"));
    }

    void whatIsToldOfOneConnectionIsItsOwn() {
        const QString path = file("alerts.ini"), shop = QStringLiteral("redis://h:1/2"),
                      jobs = QStringLiteral("etcd://h");
        {
            Settings settings(path);
            QVERIFY(!settings.alerts(shop).rules); // never chosen: not the same as none
            settings.setAlerts(shop, {QStringList(), {QStringLiteral("* a%20b 0")}});
            settings.setNotifiesOfAlerts(false);
        }
        Settings settings(path);
        QCOMPARE(settings.alerts(shop), (app::KeptAlerts{QStringList(), {QStringLiteral("* a%20b 0")}}));
        QVERIFY(!settings.alerts(jobs).rules);
        QVERIFY(!settings.notifiesOfAlerts());
    }

    void passwordsThatAnEarlierVersionKeptAreForgotten() {
        const QString path = file("g.ini"), key = QStringLiteral("recent/connections");
        const QString clean = QStringLiteral("redis://h:1"), dirty = QStringLiteral("redis://:s3/cret@h:2");
        QSettings(path, QSettings::IniFormat).setValue(key, QStringList{clean, dirty});
        const QStringList kept{clean, QStringLiteral("redis://h:2")};
        QCOMPARE(Settings(path).recentConnections(), kept);
        QCOMPARE(QSettings(path, QSettings::IniFormat).value(key).toStringList(), kept);
    }
};

QTEST_GUILESS_MAIN(TestSettings)
#include "tst_settings.moc"
