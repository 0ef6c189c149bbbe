// SPDX-License-Identifier: GPL-3.0-or-later
// "Find or do…": anything in the window, by any of its words, in either language.
#include "faults/workload_panel.h"
#include "glossary/glossary_dialog.h"
#include "lesson/glossary.h"
#include "transport/command_words.h"
#include "window/finder.h"
#include "window/help_desk.h"
#include "window/language.h"
#include "window/lesson_desk.h"
#include "window_scene.h"

#include <QListView>

using namespace lockscope;

namespace {

struct Scene : tests::WindowScene {
    views::CommandField* type(const QString& words) {
        press(Qt::Key_K, Qt::ControlModifier);
        views::CommandField* const field =
            context()->session() ? window->transport()->commandField()
                                 : window->findChild<views::CommandField*>(QStringLiteral("window.finder"));
        QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
        field->insert(words); // as an input method does
        Q_EMIT field->textEdited(words);
        return field;
    }
    static QStringList entries(const views::CommandField* field) {
        QStringList entries;
        const QListView* const list = field->list();
        for (int row = 0; list && row < list->model()->rowCount(); ++row)
            entries << list->model()->index(row, 0).data().toString();
        return entries;
    }
};

bool hasChinese(const QString& text) {
    return std::ranges::any_of(text, [](QChar c) { return c.script() == QChar::Script_Han; });
}
bool hasEnglish(const QString& text) {
    return std::ranges::any_of(text, [](QChar c) { return c.unicode() < 0x80 && c.isLetter(); });
}

} // namespace

class tst_finder : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { app::speak(QStringLiteral("en")); }

    void eachCommandHasWordsInBothLanguages() {
        Scene s;
        s.open("contention");
        QStringList without;
        for (const QAction* action : s.window->registry()->all()) {
            const views::CommandWords words = views::wordsOf(*action);
            if (!hasEnglish(words.also) || !hasChinese(words.also)) without << action->objectName();
        }
        QVERIFY2(without.isEmpty(), qPrintable(without.join(u' ')));
    }

    /// A person who reads Chinese and types English: papers, code and colleagues say "watchdog".
    void eachCommandIsFoundByItsEnglishNameInChinese() {
        std::map<QString, QString> english;
        {
            Scene s;
            s.open("contention");
            for (const QAction* action : s.window->registry()->all())
                english[action->objectName()] = views::wordsOf(*action).name;
        }
        app::speak(QStringLiteral("zh_CN"));
        Scene s;
        s.open("contention");
        QStringList lost;
        for (const QAction* action : s.window->registry()->all()) {
            const QString& name = english[action->objectName()];
            if (views::matchOf(name, views::wordsOf(*action)) < views::CommandMatch::Also)
                lost << action->objectName() + QStringLiteral(": ") + name;
        }
        QVERIFY2(lost.isEmpty(), qPrintable(lost.join(u'\n')));
    }

    /// A term's English name, and its id, in the Chinese interface.
    void eachTermIsFoundByItsEnglishNameInChinese() {
        app::speak(QStringLiteral("zh_CN"));
        Scene s;
        s.open("contention");
        QStringList lost;
        for (const lesson::Term& term : lesson::glossary()) {
            const QString name = term.name.in(QStringLiteral("zh_CN"));
            for (const QString& typed : {term.name.in(QStringLiteral("en")), term.id}) {
                const auto finds = app::findsIn(s.window.get(), typed);
                const bool found = std::ranges::any_of(finds, [&](const views::CommandField::Find& find) {
                    return find.name == name &&
                           views::matchOf(typed, {find.name, find.group, find.also}) > views::CommandMatch::Letters;
                });
                if (!found) lost << typed;
            }
        }
        QVERIFY2(lost.isEmpty(), qPrintable(lost.join(QStringLiteral(" | "))));
    }

    void eachSettingIsFoundByItsEnglishNameInChinese() {
        std::map<QString, QString> english;
        {
            Scene s;
            s.open("contention");
            const auto* const panel = s.window->findChild<views::WorkloadPanel*>();
            for (const QString& setting : panel->settings())
                english[setting] = panel->label(setting);
        }
        QVERIFY(!english.empty());
        app::speak(QStringLiteral("zh_CN"));
        Scene s;
        s.open("contention");
        const auto* const panel = s.window->findChild<views::WorkloadPanel*>();
        QStringList lost;
        for (const auto& [setting, name] : english) {
            const auto finds = app::findsIn(s.window.get(), name);
            if (std::ranges::find(finds, panel->label(setting), &views::CommandField::Find::name) == finds.end())
                lost << name;
        }
        QVERIFY2(lost.isEmpty(), qPrintable(lost.join(QStringLiteral(" | "))));
    }

    void lessonsScenariosAndTermsAreFoundInEitherLanguage_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("found");
        for (const char* language : {"en", "zh_CN"}) {
            const bool en = *language == 'e';
            const auto row = [&](const char* typed, const char* inEnglish, const char* inChinese) {
                QTest::addRow("%s in %s", typed, language)
                    << QString(QLatin1String(language)) << QString::fromUtf8(typed)
                    << QString::fromUtf8(en ? inEnglish : inChinese);
            };
            row("nobody noticed", "The pause nobody noticed", "没人察觉的停顿");
            row("没人察觉", "The pause nobody noticed", "没人察觉的停顿");
            row("four clients", "One lock, four clients, nothing fails", "一把锁，四个客户端，一切正常");
            row("四个客户端", "One lock, four clients, nothing fails", "一把锁，四个客户端，一切正常");
            row("fencing token", "fencing token", "栅栏令牌");
            row("栅栏令牌", "fencing token", "栅栏令牌");
            row("presenter", "Presenter's view", "演示");
            row("投影", "Presenter's view", "演示");
        }
    }
    void lessonsScenariosAndTermsAreFoundInEitherLanguage() {
        QFETCH(QString, language);
        QFETCH(QString, typed);
        QFETCH(QString, found);
        app::speak(language);
        Scene s;
        s.open("contention");
        const QStringList entries = Scene::entries(s.type(typed));
        QVERIFY2(std::ranges::any_of(entries, [&](const QString& e) { return e.contains(found, Qt::CaseInsensitive); }),
                 qPrintable(entries.join(QStringLiteral(" | "))));
    }

    /// Enter takes the first one, and a scenario would end the run that the person is in.
    void aDeedComesBeforeAnotherRun() {
        Scene s;
        s.open("failover-async");
        s.context()->session()->advanceTo(4s);
        QTRY_VERIFY(s.context()->trace()->reached() >= Nanos(4s));
        s.context()->setPlayhead(4s);
        QStringList promote; // asked again, as above
        QTRY_VERIFY2((promote = Scene::entries(s.type(QStringLiteral("promote"))),
                      promote.value(0).contains(QStringLiteral("Demote"))),
                     qPrintable(promote.join(QStringLiteral(" | "))));
        QVERIFY2(promote.join(u' ').contains(QStringLiteral("Scenario")), "the scenarios are found as before");
    }

    /// A story's whole id, or the whole name of a command, means nothing else: least of all a fault.
    void whatIsCalledExactlySoComesFirst_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("first");
        for (const char* language : {"en", "zh_CN"}) {
            const bool en = *language == 'e';
            const auto row = [&](const char* typed, const char* inEnglish, const char* inChinese) {
                QTest::addRow("%s in %s", typed, language)
                    << QString(QLatin1String(language)) << QString::fromUtf8(typed)
                    << QString::fromUtf8(en ? inEnglish : inChinese);
            };
            row("crash-holder", "Scenario › ", "场景 › ");
            row("gc-pause", "Scenario › ", "场景 › ");
            row("the-pause", "Lesson › ", "课程 › ");
            row("orders", " › orders", " › orders");
            row("10x", "10×", "10×");
            row("go to 12", "12.0", "12.0");
        }
        QTest::addRow("pause") << u"en"_qs << u"pause"_qs << u"Pause"_qs;
        QTest::addRow("undo") << u"en"_qs << u"undo"_qs << u"Edit › Undo"_qs;
        QTest::addRow("lock orders") << u"en"_qs << u"lock orders"_qs << u"Lock › orders"_qs;
        QTest::addRow("lesson 6") << u"zh_CN"_qs << u"第6课"_qs << u"6 · "_qs;
        QTest::addRow("zoom") << u"zh_CN"_qs << u"密码"_qs << u"连接"_qs;
    }
    void whatIsCalledExactlySoComesFirst() {
        QFETCH(QString, language);
        QFETCH(QString, typed);
        QFETCH(QString, first);
        app::speak(language);
        Scene s;
        s.open("contention");
        s.context()->session()->advanceTo(5s);
        QTRY_VERIFY(s.context()->trace()->reached() >= Nanos(5s));
        s.context()->setPlayhead(5s);
        QStringList entries;
        QTRY_VERIFY2((entries = Scene::entries(s.type(typed)), entries.value(0).contains(first)),
                     qPrintable(entries.mid(0, 3).join(QStringLiteral(" | "))));
    }

    /// Two commands that do different things have different names.
    void noTwoCommandsHaveTheSameWords() {
        Scene s;
        s.open("contention");
        QStringList entries = Scene::entries(s.type(u"isolate"_qs));
        QVERIFY(entries.size() >= 2);
        QCOMPARE(entries.removeDuplicates(), 0);
        for (const char* typed : {"clock drift", "jitter", "reset connections", "slow down"}) {
            entries = Scene::entries(s.type(QString::fromLatin1(typed)));
            QVERIFY2(entries.removeDuplicates() == 0, qPrintable(entries.join(QStringLiteral(" | "))));
        }
    }

    /// As a person asks who does not know how things are called here: what is meant is among the first three.
    void whatAPersonTypesIsFound_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("found");
        const auto row = [](const char* language, const char* typed, const char* found) {
            QTest::addRow("%s in %s", typed, language)
                << QString(QLatin1String(language)) << QString::fromUtf8(typed) << QString::fromUtf8(found);
        };
        row("en", "orders", "Lock › orders");
        row("en", "client B", "B · 1");
        row("en", "redis-1", "Server › redis-1");
        row("en", "what is a lease", "What is this? › lease");
        row("en", "dark mode", "Dark");
        row("en", "bigger text", "Larger");
        row("en", "how do I pause a client", "Pause client");
        row("en", "paused", "Pause client");
        row("en", "kill redis", "Kill server");
        row("en", "kill redis-1", "Kill redis-1");
        row("en", "pause B", "Pause B");
        row("zh_CN", "pause B", "B");
        row("en", "go to the next violation", "Next violation");
        row("en", "5 seconds", "Go to 5");
        row("en", "12.5s", "Go to 12.5");
        row("en", "pdf", "Save the picture");
        row("en", "csv", "Export the events");
        row("en", "side by side", "side by side");
        row("en", "redlock", "Redlock");
        row("en", "language", "简体中文");
        row("en", "watchdog", "Watchdog");
        row("en", "deadlock", "deadlock");
        row("en", "who holds", "Locks");
        row("zh_CN", "深色", "深色");
        row("zh_CN", "看门狗", "看门狗");
        row("zh_CN", "红锁", "红锁");
        row("zh_CN", "截图", "图片");
        row("zh_CN", "大字", "放大");
        row("zh_CN", "网络分区", "切断");
        row("zh_CN", "dark mode", "深色");
        row("zh_CN", "fencing", "栅栏");
        row("zh_CN", "watchdog", "看门狗");
        row("zh_CN", "stop watchdog", "看门狗");
        row("zh_CN", "5 秒", "5");
        row("zh_CN", "撤销", "撤销");
    }
    void whatAPersonTypesIsFound() {
        QFETCH(QString, language);
        QFETCH(QString, typed);
        QFETCH(QString, found);
        app::speak(language);
        Scene s;
        s.open("contention");
        s.context()->session()->advanceTo(5s);
        QTRY_VERIFY(s.context()->trace()->reached() >= Nanos(5s));
        s.context()->setPlayhead(5s);
        QStringList first;
        // Which actions are to be had is known a moment after the playhead has arrived.
        QTRY_VERIFY2(
            (first = Scene::entries(s.type(typed)).mid(0, 3),
             std::ranges::any_of(first, [&](const QString& e) { return e.contains(found, Qt::CaseInsensitive); })),
            qPrintable(first.join(QStringLiteral(" | "))));
    }

    void aClientIsGoneTo() {
        Scene s;
        s.open("contention");
        s.context()->session()->advanceTo(5s);
        QTRY_VERIFY(s.context()->trace()->reached() >= Nanos(5s));
        QTest::keyClick(s.type(QStringLiteral("client B")), Qt::Key_Return);
        QTRY_COMPARE(s.context()->trace()->displayName(s.context()->selection()), u"B · 1"_qs);
    }

    void aLessonIsOpenedFromTheWelcomePage() {
        Scene s;
        views::CommandField* const field = s.type(QStringLiteral("nobody noticed"));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY(s.window->lessons()->guide()->lesson());
        QCOMPARE(s.window->lessons()->guide()->lesson()->id, QStringLiteral("the-pause"));
    }

    void aSettingIsGoneTo() {
        Scene s;
        s.open("contention");
        s.window->work()->controls()->hide();
        views::CommandField* const field = s.type(QStringLiteral("租约"));
        const QStringList entries = Scene::entries(field);
        const auto place = std::ranges::find_if(entries, [](const QString& e) { return e.endsWith(u"Lease"_qs); });
        QVERIFY2(place != entries.end(), qPrintable(entries.join(QStringLiteral(" | "))));
        for (auto i = place - entries.begin(); i > 0; --i)
            QTest::keyClick(field, Qt::Key_Down);
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY(s.window->work()->controls()->isVisible());
        auto* const panel = s.window->findChild<views::WorkloadPanel*>();
        QTRY_VERIFY(panel->control(QStringLiteral("lease"))->hasFocus());
    }

    void aTimeIsGoneTo() {
        Scene s;
        s.open("contention");
        for (const auto& [typed, at] :
             {std::pair(u"6.8s"_qs, Nanos(6800ms)), {u"3 秒"_qs, Nanos(3s)}, {u"00:05.500"_qs, Nanos(5500ms)}}) {
            QTest::keyClick(s.type(typed), Qt::Key_Return);
            QTRY_COMPARE(s.context()->playhead(), at);
        }
    }
};

QTEST_MAIN(tst_finder)
#include "tst_finder.moc"
