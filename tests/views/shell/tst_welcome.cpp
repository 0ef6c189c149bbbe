// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/scenario_file.h"
#include "scenario/scenario_source.h"
#include "theme/palette.h"
#include "welcome/chapter_words.h"
#include "welcome/connect_dialog.h"
#include "welcome/scenario_card.h"
#include "welcome/shortcut_sheet.h"
#include "welcome/url_field.h"
#include "welcome/welcome_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;

namespace {

/// Accepts redis:// addresses only, as a stand-in for the real check.
QString check(const QString& url) {
    return url.startsWith(QLatin1String("redis://")) ? QString() : QStringLiteral("Write redis://host:port.");
}

QCheckBox* boxOf(const ConnectDialog& dialog, const char* text) {
    for (QCheckBox* box : dialog.findChildren<QCheckBox*>())
        if (box->text() == QLatin1String(text)) return box;
    return nullptr;
}

} // namespace

class TestWelcome : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void theOpeningLessonIsOneClick() {
        WelcomePage page;
        page.resize(1600, 900);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QSignalSpy chosen(&page, &WelcomePage::scenarioChosen);
        QTest::mouseClick(page.lessonButton(), Qt::LeftButton);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.first().first().toString(), QStringLiteral("contention"));
        QTest::keyClick(page.lessonButton(), Qt::Key_Space);
        QCOMPARE(chosen.count(), 2);
    }

    void everyBuiltInScenarioHasACard() {
        WelcomePage page;
        page.resize(1600, 900);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QTRY_VERIFY(page.urlField()); // the rest of the page is there
        QSignalSpy chosen(&page, &WelcomePage::scenarioChosen);
        QStringList ids;
        for (ScenarioCard* card : page.findChildren<ScenarioCard*>()) {
            ids << card->scenarioId();
            QVERIFY(!card->accessibleName().isEmpty());
            QVERIFY(!card->accessibleDescription().isEmpty());
            const QString source = scenario::scenarioSource(card->scenarioId());
            QCOMPARE(card->accessibleDescription().contains(QLatin1String("Source: ")), !source.isEmpty());
            QVERIFY(card->accessibleDescription().contains(scenario::sourceNames(source)));
            QTest::mouseClick(card, Qt::LeftButton);
            QCOMPARE(chosen.takeLast().first().toString(), card->scenarioId());
        }
        QCOMPARE(ids, scenario::builtinScenarios());
    }

    /// However many scenarios there are: somebody who came for a server need not scroll.
    void aServersAddressIsInTheFirstSight() {
        WelcomePage page;
        page.resize(1280, 720);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QTRY_VERIFY(page.urlField());
        QTRY_COMPARE(page.urlField()->visibleRegion().boundingRect().height(), page.urlField()->height());
        const auto cards = page.findChildren<ScenarioCard*>();
        const int field = page.urlField()->mapTo(page.widget(), QPoint()).y();
        for (const ScenarioCard* card : cards)
            QVERIFY(card->mapTo(page.widget(), QPoint()).y() > field);
    }

    void everyChapterHasItsWords() {
        QStringList chapters;
        for (const QString& id : scenario::builtinScenarios()) {
            const QString chapter = scenario::loadScenario(id)->chapter;
            QVERIFY2(chapterWords(chapter) != chapter, qPrintable(id));
            if (chapters.isEmpty() || chapters.last() != chapter) chapters += chapter;
        }
        QCOMPARE(chapters.removeDuplicates(), 0); // each stands together
    }

    void cardsRearrangeInANarrowWindow() {
        WelcomePage page;
        page.resize(1600, 900);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QTRY_VERIFY(page.urlField()); // the rest of the page is there
        const auto columns = [&] {
            QSet<int> lefts;
            for (const ScenarioCard* card : page.findChildren<ScenarioCard*>())
                lefts << card->x();
            return lefts.size();
        };
        QTRY_COMPARE(columns(), 3);
        page.resize(700, 900);
        QTRY_COMPARE(columns(), 2);
        page.resize(580, 900);
        QTRY_COMPARE(columns(), 1);
        // Nothing is cut off at the side.
        QTRY_VERIFY2(page.widget()->width() <= page.viewport()->width(),
                     qPrintable(QString::number(page.widget()->width())));
    }

    void recentFilesAndServersAreOneClick() {
        WelcomePage page;
        page.resize(1600, 900);
        page.setRecent({QStringLiteral("/tmp/night.lockscope")}, {QStringLiteral("redis://10.0.0.1")});
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QTRY_VERIFY(page.urlField()); // the rest of the page is there
        QSignalSpy file(&page, &WelcomePage::fileChosen), server(&page, &WelcomePage::connectRequested);
        const auto rowOf = [&](QLatin1String text) -> QAbstractButton* {
            for (QAbstractButton* row : page.findChildren<QAbstractButton*>())
                if (row->text() == text && !row->visibleRegion().isEmpty()) return row;
            return nullptr;
        };
        for (const char* text : {"night.lockscope", "redis://10.0.0.1"}) {
            QTRY_VERIFY(rowOf(QLatin1String(text))); // it has got its place
            QTest::mouseClick(rowOf(QLatin1String(text)), Qt::LeftButton);
        }
        QCOMPARE(file.count(), 1);
        QCOMPARE(file.first().first().toString(), QStringLiteral("/tmp/night.lockscope"));
        QCOMPARE(server.count(), 1);
        QTest::mouseClick(page.urlField(), Qt::LeftButton);
        QTest::keyClicks(page.urlField(), QStringLiteral("redis://x"));
        QTest::keyClick(page.urlField(), Qt::Key_Return);
        QCOMPARE(server.count(), 2);
        QCOMPARE(server.last().first().toString(), QStringLiteral("redis://x"));
    }

    /// A connection with a name goes by it, before the addresses; its address is not there twice.
    void savedConnectionsGoByTheirNames() {
        WelcomePage page;
        page.resize(1600, 900);
        page.setRecent({}, {QStringLiteral("redis://10.0.0.1"), QStringLiteral("redis://10.0.0.2")});
        page.setSaved({{QStringLiteral("prod"), QStringLiteral("redis://10.0.0.2"), false}});
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QTRY_VERIFY(page.urlField()); // the rest of the page is there
        const auto shown = [&] {
            QStringList names;
            for (const QAbstractButton* row : page.findChildren<QAbstractButton*>())
                if (row->text() == u"prod" || row->text().startsWith(QLatin1String("redis://"))) names += row->text();
            return names;
        };
        QCOMPARE(shown(), (QStringList{QStringLiteral("prod"), QStringLiteral("redis://10.0.0.1")}));
        QSignalSpy wanted(&page, &WelcomePage::connectRequested);
        for (QAbstractButton* row : page.findChildren<QAbstractButton*>())
            if (row->text() == u"prod") row->click();
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.first().first().toString(), QStringLiteral("redis://10.0.0.2"));
    }

    void theConnectDialogChecksWhileOneTypes() {
        ConnectDialog dialog(check, {QStringLiteral("redis://old")});
        dialog.show();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        QLineEdit* field = dialog.findChild<QComboBox*>()->lineEdit();
        QVERIFY(dialog.url().isEmpty());
        QVERIFY(!dialog.complaint().isEmpty());
        QTest::keyClicks(field, QStringLiteral("http://x"));
        QCOMPARE(dialog.complaint(), QStringLiteral("Write redis://host:port."));
        QSignalSpy accepted(&dialog, &QDialog::accepted);
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(accepted.count(), 0);
        field->selectAll();
        QTest::keyClicks(field, QStringLiteral("redis://:secret@h:6379/1"));
        QCOMPARE(dialog.complaint(), QString());
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(accepted.count(), 1);
        QCOMPARE(dialog.url(), QStringLiteral("redis://:secret@h:6379/1"));
    }

    void theConnectDialogAsksWhichLocksAreWanted() {
        ConnectDialog dialog(check, {});
        dialog.setUrl(QStringLiteral("redis://h:6379"));
        QLineEdit* names = nullptr;
        for (QLineEdit* field : dialog.findChildren<QLineEdit*>())
            if (field->accessibleName() == QLatin1String("Names of the locks to show")) names = field;
        QVERIFY(names);
        names->setText(QStringLiteral("orders:*, stock?, !*:cache"));
        QCOMPARE(dialog.url(), QStringLiteral("redis://h:6379?match=orders%3A%2A%2Cstock%3F&ignore=%2A%3Acache"));
        names->setText(QStringLiteral(" , "));
        QCOMPARE(dialog.url(), QStringLiteral("redis://h:6379"));
        dialog.setUrl(QStringLiteral("redis://h:6379?timeout=2s"));
        names->setText(QStringLiteral("!a"));
        QCOMPARE(dialog.url(), QStringLiteral("redis://h:6379?timeout=2s&ignore=a"));
    }

    void theConnectDialogOffersToListAMemcachedsKeys() {
        ConnectDialog dialog(check, {});
        dialog.show();
        dialog.setUrl(QStringLiteral("redis://h:6379"));
        QCheckBox* const list = boxOf(dialog, "Fin&d locks by listing all keys");
        QVERIFY(list && !list->isVisible());
        dialog.setUrl(QStringLiteral("memcached://h"));
        QVERIFY(list->isVisible() && !list->isChecked());
        QCOMPARE(dialog.url(), QStringLiteral("memcached://h"));
        list->setChecked(true);
        QCOMPARE(dialog.url(), QStringLiteral("memcached://h?list=metadump"));
        dialog.setUrl(QStringLiteral("memcached://h?list=metadump"));
        QCOMPARE(dialog.url(), QStringLiteral("memcached://h?list=metadump"));
        dialog.setUrl(QStringLiteral("redis://h:6379"));
        QCOMPARE(dialog.url(), QStringLiteral("redis://h:6379"));
    }

    void aPasswordIsCoveredWhileItIsTyped() {
        const ConnectDialog dialog(check, {});
        const auto* field = qobject_cast<UrlField*>(dialog.findChild<QComboBox*>()->lineEdit());
        QVERIFY(field);
        WelcomePage page;
        page.show();
        QTRY_VERIFY(qobject_cast<UrlField*>(page.urlField()));
        UrlField typed;
        typed.setText(QStringLiteral("redis://ann:s3cr@t@host:6379"));
        QCOMPARE(typed.text(), QStringLiteral("redis://ann:s3cr@t@host:6379"));
        QCOMPARE(typed.shown(),
                 QStringLiteral("redis://ann:") + QString(6, QChar(0x2022)) + QStringLiteral("@host:6379"));
    }

    void anAddressCanBeTriedBeforeItIsUsed() {
        ConnectDialog dialog(check, {});
        const auto button = [&dialog](const QString& text) -> QPushButton* {
            for (QPushButton* one : dialog.findChildren<QPushButton*>())
                if (one->text().remove(QLatin1Char('&')) == text) return one;
            return nullptr;
        };
        QPushButton* const tryIt = button(QStringLiteral("Test"));
        QVERIFY(tryIt && tryIt->isHidden()); // nobody could do it
        QStringList tried;
        std::function<void(bool, const QString&)> answer;
        dialog.setTrial([&](const QString& url, std::function<void(bool, const QString&)> done) {
            tried << url;
            answer = std::move(done);
            return std::make_unique<QObject>();
        });
        QVERIFY(!tryIt->isHidden() && !tryIt->isEnabled());
        dialog.setUrl(QStringLiteral("redis://h:6379"));
        tryIt->click();
        QCOMPARE(tried, QStringList{QStringLiteral("redis://h:6379")});
        QVERIFY(!tryIt->isEnabled()); // one at a time
        answer(false, QStringLiteral("Nobody <b>listens</b> there."));
        const auto shown = [&dialog](const QString& text) {
            const auto labels = dialog.findChildren<QLabel*>();
            return std::ranges::any_of(labels, [&](const QLabel* label) {
                return label->text() == text && label->textFormat() == Qt::PlainText;
            });
        };
        QVERIFY(shown(QStringLiteral("Nobody <b>listens</b> there.")));
        QVERIFY(tryIt->isEnabled());
    }

    void aSavedConnectionFillsTheFields() {
        ConnectDialog dialog(check, {});
        dialog.setSaved({{QStringLiteral("shop"), QStringLiteral("redis://ann@h:1?match=orders%3A%2A"), true},
                         {QStringLiteral("test"), QStringLiteral("redis://t:2"), false}});
        QComboBox* saved = nullptr;
        for (QComboBox* one : dialog.findChildren<QComboBox*>())
            if (!one->isEditable()) saved = one;
        QVERIFY(saved && !saved->isHidden());
        saved->setCurrentIndex(1);
        QCOMPARE(dialog.url(), QStringLiteral("redis://ann@h:1?match=orders%3A%2A"));
        QCOMPARE(dialog.name(), QStringLiteral("shop"));
        QVERIFY(dialog.changesAllowed());
        saved->setCurrentIndex(2);
        QCOMPARE(dialog.url(), QStringLiteral("redis://t:2"));
        QVERIFY(!dialog.changesAllowed());
        QSignalSpy forgotten(&dialog, &ConnectDialog::forgotten);
        for (QPushButton* one : dialog.findChildren<QPushButton*>())
            if (one->text() == QLatin1String("&Forget")) one->click();
        QCOMPARE(forgotten.count(), 1);
        QCOMPARE(forgotten.front().front().toString(), QStringLiteral("test"));
        QCOMPARE(saved->count(), 2);
        QCOMPARE(dialog.name(), QString());
    }

    void stringKeysThatAreLocksArePartOfARedisAddress() {
        ConnectDialog dialog(check, {});
        QLineEdit* strings = nullptr;
        for (QLineEdit* one : dialog.findChildren<QLineEdit*>())
            if (one->accessibleName() == QLatin1String("Names of string keys that are locks")) strings = one;
        QVERIFY(strings);
        strings->setText(QStringLiteral("jobs:*, mail"));
        dialog.setUrl(QStringLiteral("redis://h:1"));
        QCOMPARE(dialog.url(), QStringLiteral("redis://h:1?string=jobs%3A%2A%2Cmail"));
        QVERIFY(strings->isEnabled());
        dialog.setUrl(QStringLiteral("etcd://h:1"));
        QCOMPARE(dialog.url(), QStringLiteral("etcd://h:1"));
        QVERIFY(!strings->isEnabled());
    }

    void aLockTableOfOnesOwnIsPartOfADatabasesAddress() {
        ConnectDialog dialog(check, {});
        dialog.show();
        QLineEdit* table = nullptr;
        for (QLineEdit* one : dialog.findChildren<QLineEdit*>())
            if (one->accessibleName() == QLatin1String("A lock table of your own: its name and columns")) table = one;
        QVERIFY(table);
        dialog.setUrl(QStringLiteral("redis://h:1"));
        QVERIFY(!table->isVisible());
        table->setText(QStringLiteral("app.jobs, job, node, locked until"));
        QCOMPARE(dialog.url(), QStringLiteral("redis://h:1"));
        dialog.setUrl(QStringLiteral("postgresql://h/db"));
        QVERIFY(table->isVisible());
        QCOMPARE(dialog.url(),
                 QStringLiteral("postgresql://h/db?table=app.jobs&name=job&owner=node&until=locked%20until"));
        QVERIFY(!dialog.complaint().contains(u"at least the first two"));
        table->setText(QStringLiteral("jobs,job,,until")); // nobody knows the owners
        QCOMPARE(dialog.url(), QStringLiteral("postgresql://h/db?table=jobs&name=job&until=until"));
        for (const char* wrong : {"jobs", "a, b, c, d, e"}) {
            table->setText(QString::fromLatin1(wrong));
            QVERIFY2(dialog.complaint().contains(u"at least the first two"), qPrintable(dialog.complaint()));
        }
    }

    void passwordsOfSavedConnectionsAreRecalled() {
        ConnectDialog dialog(check, {});
        dialog.setSaved({{QStringLiteral("shop"), QStringLiteral("redis://ann@h:1"), true},
                         {QStringLiteral("test"), QStringLiteral("redis://t:2"), false}});
        QStringList asked;
        ConnectDialog::Recalled answer;
        dialog.setRecall([&](const ConnectDialog::Saved& saved, QObject*, ConnectDialog::Recalled done) {
            asked += saved.name;
            answer = std::move(done);
        });
        QComboBox* saved = nullptr;
        for (QComboBox* one : dialog.findChildren<QComboBox*>())
            if (!one->isEditable()) saved = one;
        QVERIFY(saved);
        saved->setCurrentIndex(1);
        QCOMPARE(asked, QStringList{QStringLiteral("shop")});
        QCOMPARE(dialog.url(), QStringLiteral("redis://ann@h:1")); // nobody waits for the answer
        answer(ConnectDialog::Keeping::SecretStore, QStringLiteral("redis://ann:secret@h:1"));
        QCOMPARE(dialog.url(), QStringLiteral("redis://ann:secret@h:1"));
        const auto says = [&dialog](const char* word) {
            const auto labels = dialog.findChildren<QLabel*>();
            return std::ranges::any_of(
                labels, [&](const QLabel* label) { return label->text().contains(QLatin1String(word)); });
        };
        QVERIFY(says("kept in this desktop's secret store"));
        // An answer that comes too late is another connection's.
        saved->setCurrentIndex(1);
        const auto late = answer;
        saved->setCurrentIndex(2);
        late(ConnectDialog::Keeping::SecretStore, QStringLiteral("redis://ann:secret@h:1"));
        QCOMPARE(dialog.url(), QStringLiteral("redis://t:2"));
        answer(ConnectDialog::Keeping::Nowhere, QString());
        QCOMPARE(dialog.url(), QStringLiteral("redis://t:2"));
        QVERIFY(says("has no secret store"));
    }

    void changesAreForbiddenUnlessAllowed() {
        ConnectDialog dialog(check, {});
        QVERIFY(!dialog.changesAllowed());
        boxOf(dialog, "Allow &changes on this server")->click();
        QVERIFY(dialog.changesAllowed());
    }

    // Two of one letter would only be focused by turns.
    void everyLetterOfTheConnectDialogIsItsOwn() {
        ConnectDialog dialog(check, {});
        QList<QKeySequence> letters;
        for (const QAbstractButton* button : dialog.findChildren<QAbstractButton*>())
            letters << QKeySequence::mnemonic(button->text());
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            if (label->buddy()) letters << QKeySequence::mnemonic(label->text());
        letters.removeAll(QKeySequence());
        QVERIFY(letters.size() >= 2);
        for (const QKeySequence& letter : letters)
            QVERIFY2(letters.count(letter) == 1, qPrintable(letter.toString()));
    }

    void nothingOfTheConnectDialogIsSquashedOnALowScreen() {
        ConnectDialog dialog(check, {});
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        // Names what is squashed or cut.
        const auto squashed = [&] {
            QStringList names;
            for (const QLineEdit* field : dialog.findChildren<QLineEdit*>())
                if (field->isVisible() && !qobject_cast<const QComboBox*>(field->parent()) &&
                    field->height() < field->minimumSizeHint().height())
                    names += field->accessibleName();
            for (const QPushButton* button : dialog.findChildren<QPushButton*>())
                if (button->isVisible() && // in the form or below it
                    button->height() < button->minimumSizeHint().height())
                    names += button->text();
            for (const QPushButton* button : dialog.findChild<QDialogButtonBox*>()->findChildren<QPushButton*>())
                if (button->isVisible() &&
                    !dialog.rect().contains(QRect(button->mapTo(&dialog, QPoint()), button->size())))
                    names += button->text();
            return names;
        };
        auto* const area = dialog.findChild<QScrollArea*>();
        QVERIFY(area);
        // Where there is room, all of it shows at once, lines that wrap too.
        QTRY_COMPARE(area->verticalScrollBar()->maximum(), 0);
        QCOMPARE(squashed(), QStringList());
        dialog.resize(dialog.width(), 400); // a screen of 1600x1000 at twice the size has 500
        QTRY_COMPARE(dialog.height(), 400);
        QTRY_VERIFY(area->verticalScrollBar()->maximum() > 0);
        QCOMPARE(squashed(), QStringList());
        // A control that is out of sight comes into sight with the focus.
        QCheckBox* const changes = boxOf(dialog, "Allow &changes on this server");
        dialog.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        changes->setFocus(Qt::TabFocusReason);
        QTRY_VERIFY(
            area->viewport()->rect().contains(QRect(changes->mapTo(area->viewport(), QPoint()), changes->size())));
    }

    void anyKeyPutsTheShortcutSheetAway() {
        QWidget window;
        window.resize(1200, 800);
        auto* action = new QAction(QStringLiteral("Play"), &window);
        action->setShortcut(Qt::Key_Space);
        action->setProperty("group", QStringLiteral("Play"));
        auto* bare = new QAction(QStringLiteral("No keys"), &window);
        window.addActions({action, bare});
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        ShortcutSheet sheet(&window);
        QSignalSpy triggered(action, &QAction::triggered);
        sheet.open({action, bare});
        QCOMPARE(sheet.shown(), 1);
        QVERIFY(sheet.accessibleDescription().contains(QLatin1String("Space")));
        QTest::keyClick(&sheet, Qt::Key_Space);
        QVERIFY(!sheet.isVisible());
        QCOMPARE(triggered.count(), 0);
    }

    /// In a low window none of the shortcuts is out of reach.
    void aLongShortcutSheetScrolls() {
        QWidget window;
        window.resize(1024, 600);
        QList<QAction*> actions;
        for (int i = 0; i < 120; ++i) {
            auto* action = new QAction(QStringLiteral("Command %1").arg(i), &window);
            action->setShortcut(Qt::Key_Space);
            action->setProperty("group", QStringLiteral("Group"));
            actions << action;
        }
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        ShortcutSheet sheet(&window);
        sheet.open(actions);
        const QImage top = sheet.grab().toImage();
        QTest::keyClick(&sheet, Qt::Key_Down);
        QVERIFY(sheet.isVisible());
        QVERIFY(sheet.grab().toImage() != top);
        QTest::keyClick(&sheet, Qt::Key_End);
        const QImage end = sheet.grab().toImage();
        QTest::keyClick(&sheet, Qt::Key_PageDown);
        QCOMPARE(sheet.grab().toImage(), end); // it ends there
        QTest::keyClick(&sheet, Qt::Key_Home);
        QCOMPARE(sheet.grab().toImage(), top);
        QTest::keyClick(&sheet, Qt::Key_A);
        QVERIFY(!sheet.isVisible());
    }
};

QTEST_MAIN(TestWelcome)
#include "tst_welcome.moc"
