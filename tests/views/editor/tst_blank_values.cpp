// SPDX-License-Identifier: GPL-3.0-or-later
// A list of the editors begins a new element with these.
#include "editor/blank_values.h"

#include <QTest>

using namespace lockscope::views;

class tst_blank_values : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aNewStepEndsLater_data() {
        QTest::addColumn<QString>("last");
        QTest::addColumn<QString>("next");
        const auto row = [](const char* last, const char* next) {
            QTest::newRow(last) << QString::fromLatin1(last) << QString::fromLatin1(next);
        };
        row("3s", "4s");
        row("wake", "wake+1s");
        row("wake+300ms", "wake+1.3s");
        row("wake-300ms", "wake+700ms");
        row("wake-1s", "wake");
        row("wake-2s", "wake-1s");
        row("lease-end", "lease-end+1s");
        row("end", "end");
    }
    void aNewStepEndsLater() {
        QFETCH(QString, last);
        EditedDocument document(EditedDocument::Kind::Lesson);
        document.load(blankDocument(EditedDocument::Kind::Lesson));
        document.set(QStringLiteral("/steps/0/until"), last);
        QTEST(blankElement(document, QStringLiteral("/steps"))[u"until"].toString(), "next");
    }
};

QTEST_MAIN(tst_blank_values)
#include "tst_blank_values.moc"
