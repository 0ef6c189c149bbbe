// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/plain_tips.h"

#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTest>
#include <QToolTip>

using namespace lockscope::views;

namespace {

const QString kHostile = QStringLiteral("h:<b>bold</b><img src=x>");

/// Asks for a tip as a resting mouse does; what is shown then, and which of it Qt would read as markup.
QString tipAt(QWidget* widget, const QPoint& at) {
    QToolTip::hideText();
    QHelpEvent event(QEvent::ToolTip, at, widget->mapToGlobal(at));
    QApplication::sendEvent(widget, &event);
    return QToolTip::text();
}

} // namespace

class TestPlainTips : public QObject {
    Q_OBJECT
    PlainTips m_tips;

private Q_SLOTS:
    void initTestCase() { qApp->installEventFilter(&m_tips); }

    void namesInTablesAreNoMarkup() {
        QStandardItemModel model;
        auto* item = new QStandardItem(kHostile);
        item->setToolTip(kHostile);
        model.appendRow(item);
        QListView view;
        view.setModel(&model);
        view.resize(300, 200);
        view.show();
        const QString tip = tipAt(view.viewport(), view.visualRect(model.index(0, 0)).center());
        QVERIFY2(tip.contains(kHostile.toHtmlEscaped()), qPrintable(tip));
        QVERIFY2(!tip.contains(QLatin1String("<b>")) && !tip.contains(QLatin1String("<img")), qPrintable(tip));
    }

    void namesOnWidgetsAreNoMarkup() {
        QPushButton button(QStringLiteral("x"));
        button.setToolTip(kHostile);
        button.show();
        const QString tip = tipAt(&button, button.rect().center());
        QVERIFY2(tip.contains(kHostile.toHtmlEscaped()), qPrintable(tip));
    }

    // Qt by itself would break both after some twenty letters.
    void linesAreAboutSixtyLettersLong() {
        QPushButton button(QStringLiteral("x"));
        button.show();
        const QFontMetricsF metrics(QToolTip::font());
        const auto shown = [&](const QString& text) {
            button.setToolTip(text);
            tipAt(&button, button.rect().center());
            for (QWidget* widget : QApplication::topLevelWidgets())
                if (widget->inherits("QTipLabel") && widget->isVisible()) return widget->size();
            return QSize();
        };
        const QString brief = QStringLiteral("36.642 s: the record names nobody");
        QCOMPARE_GE(shown(brief).width(), int(metrics.horizontalAdvance(brief)));
        QCOMPARE_LT(shown(brief).height(), int(metrics.height() * 2));
        const QSize whole = shown(QStringLiteral("a word and one more ").repeated(20));
        QCOMPARE_GT(whole.width(), int(metrics.averageCharWidth() * 55));
        QCOMPARE_LT(whole.width(), int(metrics.averageCharWidth() * 75));
    }
};

QTEST_MAIN(TestPlainTips)
#include "tst_plain_tips.moc"
