// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QAction>
#include <QBuffer>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QSvgGenerator>
#include <QTextEdit>
#include <QWidget>

namespace lockscope::test {

/// An SVG without its images, which have no words, but letters.
inline QString wordsOf(const QByteArray& svg) {
    QByteArray words;
    for (const QByteArray& part : svg.split('<'))
        if (!part.startsWith("image ")) words += part + '\n';
    return QString::fromUtf8(words);
}

/// Every word that a person can read, or have read out, in a window: of its widgets, its models, its actions, what
/// screen readers are told, and what is painted.
class ShownWords {
public:
    explicit ShownWords(QWidget& window) : m_window(window) {}

    QStringList all() {
        m_words.clear();
        ofWidget(m_window);
        for (QWidget* const widget : m_window.findChildren<QWidget*>())
            if (widget->isVisible()) ofWidget(*widget);
        for (const QAction* const action : m_window.findChildren<QAction*>())
            m_words << action->text() << action->toolTip() << action->statusTip();
        ofAccessible(QAccessible::queryAccessibleInterface(&m_window), 0);
        painted();
        return m_words;
    }
    /// The first words with one of the marks in them; empty: there are none.
    QString firstWith(const QStringList& marks) {
        for (const QString& words : all())
            for (const QString& mark : marks)
                if (words.contains(mark)) return words.left(200);
        return {};
    }

private:
    void ofWidget(const QWidget& widget) {
        m_words << widget.windowTitle() << widget.toolTip() << widget.statusTip() << widget.whatsThis()
                << widget.accessibleName() << widget.accessibleDescription();
        if (const auto* const label = qobject_cast<const QLabel*>(&widget)) m_words << label->text();
        if (const auto* const button = qobject_cast<const QAbstractButton*>(&widget)) m_words << button->text();
        if (const auto* const line = qobject_cast<const QLineEdit*>(&widget))
            m_words << line->text() << line->placeholderText();
        if (const auto* const text = qobject_cast<const QPlainTextEdit*>(&widget)) m_words << text->toPlainText();
        if (const auto* const text = qobject_cast<const QTextEdit*>(&widget)) m_words << text->toPlainText();
        if (const auto* const box = qobject_cast<const QComboBox*>(&widget))
            for (int i = 0; i < box->count(); ++i)
                m_words << box->itemText(i);
        if (const auto* const view = qobject_cast<const QAbstractItemView*>(&widget))
            if (view->model()) ofModel(*view->model(), {});
    }
    void ofModel(const QAbstractItemModel& model, const QModelIndex& parent) {
        constexpr int kOwnRoles = 32; // of our delegates
        const auto take = [&](const QVariant& value) {
            if (value.canConvert<QString>()) m_words << value.toString();
            if (value.canConvert<QStringList>()) m_words << value.toStringList();
        };
        for (int column = 0; column < model.columnCount(parent); ++column)
            take(model.headerData(column, Qt::Horizontal));
        for (int row = 0; row < model.rowCount(parent); ++row) {
            for (int column = 0; column < model.columnCount(parent); ++column) {
                const QModelIndex index = model.index(row, column, parent);
                for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::StatusTipRole),
                                       int(Qt::AccessibleTextRole), int(Qt::AccessibleDescriptionRole)})
                    take(index.data(role));
                for (int role = Qt::UserRole; role < Qt::UserRole + kOwnRoles; ++role)
                    if (const QVariant value = index.data(role); value.typeId() == QMetaType::QString) take(value);
            }
            ofModel(model, model.index(row, 0, parent));
        }
    }
    void ofAccessible(QAccessibleInterface* one, int depth) {
        constexpr int kDeepest = 40, kMostChildren = 500;
        if (!one || !one->isValid() || depth > kDeepest || one->state().invisible) return;
        for (const auto what : {QAccessible::Name, QAccessible::Description, QAccessible::Value, QAccessible::Help})
            m_words << one->text(what);
        for (int i = 0; i < std::min(one->childCount(), kMostChildren); ++i)
            ofAccessible(one->child(i), depth + 1);
    }
    void painted() { // a drawing keeps its text as text
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(m_window.size());
        {
            QPainter painter(&generator);
            m_window.render(&painter);
        }
        m_words << wordsOf(buffer.data());
    }
    QWidget& m_window;
    QStringList m_words;
};

} // namespace lockscope::test
