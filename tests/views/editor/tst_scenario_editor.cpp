// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios written by keys and mouse: text, forms and the axis of faults are three views of one document.
#include "editor/fault_axis.h"
#include "editor/field_words.h"
#include "editor/list_editor.h"
#include "editor/object_form.h"
#include "editor/scenario_editor.h"
#include "editor/text_pane.h"
#include "own_data.h"
#include "scenario/scenario_file.h"
#include "scenario/user_files.h"
#include "theme/palette.h"
#include "theme/screen_room.h"

#include <QAccessible>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;

namespace {

enum Section { General, Servers, Locks, Clients, Net, Faults };

struct Scene {
    ScenarioEditor window;
    Scene() {
        window.resize(1440, 920);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
    }
    ~Scene() { window.document()->text()->setModified(false); }
    EditedDocument* document() { return window.document(); }
    QString text() { return window.text()->edit()->toPlainText(); }
    ListEditor* list(const char* key) { return qobject_cast<ListEditor*>(window.form()->field(QLatin1String(key))); }
    QLineEdit* line(ObjectForm* form, const char* key) {
        auto* const field = qobject_cast<LineField*>(form->field(QLatin1String(key)));
        return field ? field->edit() : nullptr;
    }
    QString at(const char* pointer) { return document()->at(QLatin1String(pointer)).toVariant().toString(); }
    /// Types over what a field shows, as a person does.
    static void type(QLineEdit* edit, const char* text) {
        edit->setFocus();
        QTest::keyClick(edit, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(edit, QLatin1String(text));
        QTest::keyClick(edit, Qt::Key_Return);
    }
    void undo() { QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier); }
};

/// The names of all properties that a schema knows, at any depth.
QStringList propertiesIn(const QJsonValue& schema) {
    QStringList keys;
    if (schema.isArray()) {
        for (const QJsonValue& one : schema.toArray())
            keys += propertiesIn(one);
    }
    const QJsonObject object = schema.toObject();
    keys += object[QLatin1String("properties")].toObject().keys();
    for (const QJsonValue& one : object)
        keys += propertiesIn(one);
    keys.removeDuplicates();
    return keys;
}

} // namespace

class tst_scenario_editor : public QObject {
    Q_OBJECT
    tests::OwnData m_data;
    std::unique_ptr<Scene> m_scene; ///< for the copies: opening a window takes longer than a copy

private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }
    void cleanupTestCase() { m_scene.reset(); }

    void aNewOneCanRun() {
        Scene s;
        QVERIFY(s.document()->problems().empty());
        QVERIFY(s.document()->scenario());
        QVERIFY(!s.window.isWindowModified());
        QSignalSpy wanted(&s.window, &ScenarioEditor::runWanted);
        QTest::keyClick(&s.window, Qt::Key_R, Qt::ControlModifier);
        QCOMPARE(wanted.count(), 1);
        QVERIFY(wanted[0][0].value<scenario::Scenario>() == *s.document()->scenario());
    }

    void aFieldChangesItsPlaceInTheTextOnly() {
        Scene s;
        s.window.showSection(Locks);
        const QString before = s.text();
        Scene::type(s.line(s.list("locks")->form(), "lease"), "7s");
        QCOMPARE(s.text(),
                 QString(before).replace(QStringLiteral("\"lease\": \"5s\""), QStringLiteral("\"lease\": \"7s\"")));
        QCOMPARE(s.document()->scenario()->lock.lease, Nanos(7s));
        QVERIFY(s.window.isWindowModified());
        s.undo();
        QCOMPARE(s.text(), before);
        QCOMPARE(s.line(s.list("locks")->form(), "lease")->text(), QStringLiteral("5s"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(s.at("/locks/0/lease"), QStringLiteral("7s"));
    }

    void linesOfAnyNumberBeginAtOnePlace() {
        Scene s;
        s.window.showSection(General);
        auto* const line = s.line(s.window.form(), "id");
        auto* const texts = qobject_cast<LanguagesField*>(s.window.form()->field(QStringLiteral("title")));
        QVERIFY(line && texts);
        QPlainTextEdit* const lines = texts->edit(QStringLiteral("en"));
        lines->moveCursor(QTextCursor::Start);
        line->home(false);
        const int one = line->mapTo(&s.window, line->inputMethodQuery(Qt::ImCursorRectangle).toRect().center()).x();
        const QPoint start = lines->cursorRect().center();
        QVERIFY2(std::abs(lines->viewport()->mapTo(&s.window, start).x() - one) <= 1,
                 QByteArray::number(lines->viewport()->mapTo(&s.window, start).x()) + " and " +
                     QByteArray::number(one));
        // And both tell by their border where the keyboard is.
        const auto border = [&] { return texts->edit(QStringLiteral("en"))->grab().toImage().pixelColor(40, 0); };
        line->setFocus();
        const QColor without = border();
        lines->setFocus();
        QTRY_VERIFY(border() != without);
    }

    void everyFieldOfTheSchemasHasWords() {
        for (const char* path : {":/scenarios/scenario-2.schema.json", ":/lessons/lesson.schema.json"}) {
            QFile file(QString::fromLatin1(path));
            QVERIFY2(file.open(QIODevice::ReadOnly), path);
            const QStringList keys = propertiesIn(QJsonDocument::fromJson(file.readAll()).object());
            QVERIFY2(keys.size() > 20, path);
            // The form has no field for the number of the format, nor one per language.
            const QStringList notShown{QStringLiteral("$schema"), QStringLiteral("lockscope"),
                                       QStringLiteral("lockscope_lesson"), QStringLiteral("en"),
                                       QStringLiteral("zh_CN")};
            for (const QString& key : keys)
                if (!notShown.contains(key))
                    QVERIFY2(fieldLabel(key) != key || !fieldHint(key).isEmpty(), qPrintable(key));
        }
    }

    void whatIsTypedInTheTextShowsInTheForm() {
        Scene s;
        s.window.showSection(General);
        QPlainTextEdit* const edit = s.window.text()->edit();
        edit->setFocus();
        QVERIFY(edit->find(QStringLiteral("30s")));
        QTest::keyClicks(edit, QStringLiteral("45s"));
        QTRY_COMPARE(s.line(s.window.form(), "until")->text(), QStringLiteral("45s"));
        QCOMPARE(s.window.axis()->timeAt(s.window.axis()->width()), Nanos(45s));
    }

    void complaintsAsOneTypes() {
        Scene s;
        s.window.showSection(Locks);
        QLineEdit* const lease = s.line(s.list("locks")->form(), "lease");
        lease->setFocus();
        lease->selectAll();
        QTest::keyClicks(lease, QStringLiteral("soon")); // no Enter: the pause takes it
        QTRY_COMPARE(s.document()->problems().size(), std::size_t(1));
        const scenario::Problem& problem = s.document()->problems().front();
        QCOMPARE(problem.path, QStringLiteral("/locks/0/lease"));
        QVERIFY(problem.line > 1);
        QCOMPARE(lease->text(), QStringLiteral("soon")); // it stays as it was typed
        QCOMPARE(lease->accessibleDescription(), problem.message);
        QVERIFY(s.window.text()->complaints()->item(0)->text().contains(problem.message));
        QVERIFY(!s.window.sections()->item(Locks)->icon().isNull());
        QVERIFY(s.window.sections()->item(General)->icon().isNull());
        QVERIFY(!s.window.action(QStringLiteral("editor.run"))->isEnabled());
        // From the complaint to its line, by keyboard.
        QListWidget* const complaints = s.window.text()->complaints();
        complaints->setFocus();
        complaints->setCurrentRow(0);
        QTest::keyClick(complaints, Qt::Key_Return);
        QCOMPARE(s.window.text()->edit()->textCursor().blockNumber() + 1, problem.line);
        QVERIFY(s.window.text()->edit()->hasFocus());
    }

    void aBrokenTextLosesNothing() {
        Scene s;
        s.window.showSection(General);
        QPlainTextEdit* const edit = s.window.text()->edit();
        edit->setFocus();
        edit->moveCursor(QTextCursor::End);
        QTest::keyClicks(edit, QStringLiteral("}} x"));
        QTRY_VERIFY(!s.document()->isLegible());
        const QString broken = s.text();
        QVERIFY(!s.window.form()->isEnabled());
        QVERIFY(!s.document()->problems().empty());
        s.document()->set(QStringLiteral("/until"), QStringLiteral("1s")); // no form can change it now
        QCOMPARE(s.text(), broken);
        QTest::keyClick(edit, Qt::Key_Backspace);
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(edit, Qt::Key_Backspace);
        QTRY_VERIFY(s.document()->isLegible());
        QVERIFY(s.window.form()->isEnabled());
        QVERIFY(s.document()->scenario());
    }

    /// A file that cannot be read shows nothing of the document that was there before it.
    void anUnreadableFileHasNoFaults() {
        Scene s;
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("torn.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{ \"faults\": [{ \"at\"") > 0);
        file.close();
        QCOMPARE(s.window.axis()->count(), 1); // of the template
        s.window.openFile(path);
        QVERIFY(!s.document()->isLegible());
        QCOMPARE(s.window.axis()->count(), 0);
        QVERIFY(s.window.axis()->markOf(0).isEmpty());
        QVERIFY2(s.window.axis()->accessibleDescription().contains(QStringLiteral("as soon as the text is JSON")),
                 qPrintable(s.window.axis()->accessibleDescription()));
    }

    /// Servers that the recipe does not work on are told where they are chosen.
    void serversOfAnotherKindAreComplainedAbout() {
        Scene s;
        s.document()->set(QStringLiteral("/services/0/kind"), QStringLiteral("zookeeper"));
        QVERIFY(!s.document()->scenario());
        QVERIFY2(
            s.document()->complaintAbout(QStringLiteral("/recipe")).contains(QStringLiteral("3 ZooKeeper servers")),
            qPrintable(s.document()->complaintAbout(QStringLiteral("/recipe"))));
        s.document()->set(QStringLiteral("/recipe"), QStringLiteral("zk-mutex"));
        QVERIFY(s.document()->scenario());
    }

    void faultsAreDraggedAddedAndRemoved() {
        Scene s;
        FaultAxis* const axis = s.window.axis();
        const QPoint grip = axis->markOf(0).topLeft() + QPoint(8, 8);
        const int right = axis->xOf(12s) - axis->xOf(5s);
        QTest::mousePress(axis, Qt::LeftButton, {}, grip);
        QCOMPARE(axis->current(), 0);
        QTest::mouseMove(axis, grip + QPoint(right / 2, 0));
        QTest::mouseMove(axis, grip + QPoint(right, 0));
        QCOMPARE(s.at("/faults/0/at"), QStringLiteral("5s")); // not before it is dropped
        QTest::mouseRelease(axis, Qt::LeftButton, {}, grip + QPoint(right, 0));
        const Nanos dropped = *parseDuration(s.at("/faults/0/at"));
        QVERIFY(dropped >= 11800ms && dropped <= 12200ms);
        QCOMPARE(s.window.sections()->currentRow(), int(Faults)); // its fields are in sight

        QTest::mouseDClick(axis, Qt::LeftButton, {}, QPoint(axis->xOf(20s), axis->height() - 30));
        QCOMPARE(s.document()->at(QStringLiteral("/faults")).toArray().size(), 2);
        QCOMPARE(axis->current(), 1);
        QCOMPARE(s.list("faults")->current(), 1);
        const Nanos added = *parseDuration(s.at("/faults/1/at"));
        QVERIFY(added >= 19800ms && added <= 20200ms);
        QVERIFY(s.document()->scenario());

        axis->setFocus();
        QTest::keyClick(axis, Qt::Key_Delete);
        QCOMPARE(s.document()->at(QStringLiteral("/faults")).toArray().size(), 1);
        s.undo(); // each is one step
        QCOMPARE(s.document()->at(QStringLiteral("/faults")).toArray().size(), 2);
        s.undo();
        QCOMPARE(s.document()->at(QStringLiteral("/faults")).toArray().size(), 1);
        s.undo();
        QCOMPARE(s.at("/faults/0/at"), QStringLiteral("5s"));
        QVERIFY(!s.window.isWindowModified());
    }

    void theAxisByKeysAlone() {
        Scene s;
        FaultAxis* const axis = s.window.axis();
        axis->setFocus();
        QTest::keyClick(axis, Qt::Key_Down);
        QCOMPARE(axis->current(), 0);
        QTest::keyClick(axis, Qt::Key_Right);
        QCOMPARE(s.at("/faults/0/at"), QStringLiteral("5.1s"));
        QTest::keyClick(axis, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(s.at("/faults/0/at"), QStringLiteral("4.1s"));
        QTest::keyClick(axis, Qt::Key_Insert);
        QCOMPARE(s.at("/faults/1/at"), QStringLiteral("5.1s"));
        QVERIFY(axis->accessibleDescription().contains(QStringLiteral("5.1 s")));
        QTest::keyClick(axis, Qt::Key_Up);
        QCOMPARE(axis->current(), 0);
    }

    void aFaultIsToldInWords() {
        Scene s;
        s.window.showSection(Faults);
        s.window.axis()->setCurrent(0);
        const QString fault = s.list("faults")->list()->item(0)->text();
        for (const QString& words : {s.window.axis()->accessibleDescription(), fault}) {
            QVERIFY2(words.contains(QStringLiteral("5 s · Pause the holder")), qPrintable(words));
            QVERIFY2(!words.contains(QStringLiteral("pause-client")), qPrintable(words));
        }
    }

    void aFaultByACondition() {
        Scene s;
        s.window.showSection(Faults);
        ObjectForm* const form = s.list("faults")->form();
        auto* const when = qobject_cast<OptionalForm*>(form->field(QStringLiteral("when")));
        QVERIFY(when);
        QTest::keyClick(when->button(), Qt::Key_Space);
        QVERIFY(s.document()->scenario());
        QVERIFY(!s.document()->scenario()->faults[0].at); // by the clock or by a condition
        QVERIFY(s.document()->scenario()->faults[0].when);
        Scene::type(s.line(when->form(), "nth"), "2");
        QCOMPARE(s.document()->scenario()->faults[0].when->nth, 2);
        QVERIFY(!s.window.axis()->markOf(0).isEmpty()); // it has its place above the axis
        QTest::keyClick(when->button(), Qt::Key_Space);
        QCOMPARE(s.document()->problems().size(), std::size_t(1)); // neither an instant nor a condition
    }

    void listsByKeys() {
        Scene s;
        s.window.showSection(Clients);
        ListEditor* const programs = s.list("programs");
        programs->list()->setFocus();
        QTest::keyClick(programs->list(), Qt::Key_Insert);
        QCOMPARE(programs->count(), 1);
        QVERIFY(!s.document()->scenario()); // nobody runs it yet, and the reader says so
        ListEditor* const clients = s.list("clients");
        clients->list()->setFocus();
        QTest::keyClick(clients->list(), Qt::Key_Insert);
        QVERIFY(s.document()->scenario());
        auto* const steps = qobject_cast<ListEditor*>(programs->form()->field(QStringLiteral("steps")));
        QVERIFY(steps);
        QCOMPARE(steps->count(), 4);
        steps->list()->setFocus();
        steps->setCurrent(0);
        QTest::keyClick(steps->list(), Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(steps->current(), 1);
        QVERIFY(!s.document()->at(QStringLiteral("/programs/0/steps/1/think")).isUndefined());
        QTest::keyClick(steps->list(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(steps->count(), 5);
        QTest::keyClick(steps->list(), Qt::Key_Delete);
        QCOMPARE(steps->count(), 4);
        steps->setCurrent(1);
        Scene::type(s.line(steps->form(), "think"), "500ms-2s");
        QCOMPARE(s.document()->at(QStringLiteral("/programs/0/steps/1/think")).toArray().size(), 2);
    }

    void unsavedChangesAreAskedAbout() {
        Scene s;
        s.document()->set(QStringLiteral("/until"), QStringLiteral("20s"));
        const auto box = [&] { return qobject_cast<QMessageBox*>(s.window.question()); };
        s.window.close();
        QVERIFY(s.window.isVisible());
        QVERIFY(box());
        box()->button(QMessageBox::Cancel)->click();
        QVERIFY(s.window.isVisible());
        QTRY_VERIFY(!box());
        s.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&s.window));
        QTest::keyClick(&s.window, Qt::Key_N, Qt::ControlModifier);
        QVERIFY(box());
        box()->button(QMessageBox::Discard)->click();
        QCOMPARE(s.at("/until"), QStringLiteral("30s"));
        s.document()->set(QStringLiteral("/until"), QStringLiteral("20s"));
        s.window.close();
        QTRY_VERIFY(box());
        box()->button(QMessageBox::Discard)->click();
        QVERIFY(!s.window.isVisible());
    }

    void savedAndOpenedAgain() {
        Scene s;
        s.document()->set(QStringLiteral("/id"), QStringLiteral("own"));
        const QString folder = scenario::userFolder(scenario::Shelf::Scenarios);
        QVERIFY(QDir().mkpath(folder));
        QSignalSpy saved(&s.window, &EditorWindow::saved);
        QVERIFY(s.window.saveTo(folder + QStringLiteral("/own.json")));
        QCOMPARE(saved.count(), 1);
        QVERIFY(!s.window.isWindowModified());
        const auto read = scenario::loadScenario(QStringLiteral("own"));
        QVERIFY(read);
        QVERIFY(*read == *s.document()->scenario());
        s.window.newDocument();
        QCOMPARE(s.at("/id"), QStringLiteral("my-scenario"));
        s.window.openFile(folder + QStringLiteral("/own.json"));
        QCOMPARE(s.at("/id"), QStringLiteral("own"));
        QVERIFY(!s.window.saveTo(QStringLiteral("/no/such/folder/x.json")));
        QVERIFY(qobject_cast<QMessageBox*>(s.window.question()));
        s.window.question()->close();
    }

    void whatAnotherProgramWroteIsAskedAbout() {
        Scene s;
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("shared.json"));
        const auto content = [&] {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QVERIFY(s.window.saveTo(path));
        s.document()->set(QStringLiteral("/until"), QStringLiteral("20s"));
        s.window.save();
        QVERIFY(!s.window.question() || !s.window.question()->isVisible());
        const QByteArray theirs = content().replace("20s", "25s");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(theirs) == theirs.size());
        file.close();
        s.document()->set(QStringLiteral("/until"), QStringLiteral("21s"));
        const auto answer = [&](const QString& text) {
            auto* const box = qobject_cast<QMessageBox*>(s.window.question());
            QVERIFY(box && box->isVisible());
            for (QAbstractButton* const button : box->buttons())
                if (button->text().remove(u'&') == text) return button->click();
            QFAIL("there is no such button");
        };
        s.window.save();
        answer(QStringLiteral("Cancel"));
        QCOMPARE(content(), theirs);
        QVERIFY(s.window.isWindowModified());
        s.window.save();
        answer(EditorWindow::tr("Replace it"));
        QVERIFY(content().contains("21s"));
        QVERIFY(!s.window.isWindowModified());
    }

    void everyBuiltInOneCanBeCopied_data() {
        QTest::addColumn<QString>("id");
        for (const QString& id : scenario::builtinScenarios())
            QTest::newRow(qPrintable(id)) << id;
    }
    void everyBuiltInOneCanBeCopied() {
        QFETCH(QString, id);
        if (!m_scene) m_scene = std::make_unique<Scene>();
        Scene& s = *m_scene;
        s.document()->text()->setModified(false);
        QFile file(QStringLiteral(":/scenarios/%1.json").arg(id));
        QVERIFY(file.open(QIODevice::ReadOnly));
        s.window.openCopy(file.readAll());
        for (int section = 0; section < s.window.sections()->count(); ++section)
            s.window.showSection(section);
        const auto& problems = s.document()->problems();
        QVERIFY2(problems.empty(), problems.empty() ? "" : qPrintable(problems[0].toString()));
        scenario::Scenario copy = *s.document()->scenario(), original = *scenario::loadScenario(id);
        QCOMPARE(copy.id, QStringLiteral("my-") + id);
        QVERIFY(!s.window.isWindowModified()); // nobody has written anything yet
        copy.id = original.id;
        copy.order = original.order;
        QVERIFY(copy == original); // no form has changed anything by showing it
    }

    void fitsWhereTheMainWindowFits() {
        Scene s;
        s.window.resize(kSmallestWindow);
        QTRY_COMPARE(s.window.size(), kSmallestWindow);
        QVERIFY(s.window.text()->edit()->viewport()->height() >= 2 * s.window.text()->edit()->fontMetrics().height());
        QVERIFY(s.window.rect().contains(QRect(s.window.text()->mapTo(&s.window, QPoint()), s.window.text()->size())));
    }

    void everyControlHasAName() {
        Scene s;
        for (int section = 0; section < s.window.sections()->count(); ++section) {
            s.window.showSection(section);
            for (const QWidget* widget : s.window.findChildren<QWidget*>()) {
                if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisibleTo(&s.window)) continue;
                if (widget->inherits("QScrollArea") || widget->inherits("QSplitter")) continue;
                const QAccessibleInterface* const face =
                    QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
                QVERIFY(face);
                QVERIFY2(!face->text(QAccessible::Name).isEmpty(),
                         qPrintable(QStringLiteral("%1 %2 in section %3")
                                        .arg(QLatin1String(widget->metaObject()->className()), widget->objectName())
                                        .arg(section)));
            }
        }
    }

    void roundTheWindowByF6() {
        Scene s;
        s.window.sections()->setFocus();
        QTest::keyClick(s.window.sections(), Qt::Key_F6);
        QVERIFY(s.window.form()->isAncestorOf(QApplication::focusWidget()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(s.window.text()->edit()->hasFocus());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(s.window.text()->complaints()->hasFocus());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(s.window.axis()->hasFocus());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(s.window.sections()->hasFocus());
    }
};

QTEST_MAIN(tst_scenario_editor)
#include "tst_scenario_editor.moc"
