// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/text_pane.h"

#include "theme/field_edit.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QListWidget>
#include <QPainter>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <QTextBlock>

namespace lockscope::views {

namespace {

constexpr int kGutter = 44, kMostComplaints = 132, kLeastComplaints = 56; ///< px; heights of their list

enum ItemRole { Line = Qt::UserRole };

/// Keys stand out, other texts step back; nothing else needs a colour.
class JsonColours : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
    void highlightBlock(const QString& text) override {
        static const QRegularExpression kTexts(QStringLiteral(R"("(?:[^"\\]|\\.)*"(\s*:)?)"));
        QTextCharFormat key, value;
        key.setForeground(color(Role::HoldingText));
        value.setForeground(color(Role::Text));
        QTextCharFormat sign;
        sign.setForeground(color(Role::TextDim));
        setFormat(0, int(text.size()), sign);
        for (const QRegularExpressionMatch& match : kTexts.globalMatch(text))
            setFormat(int(match.capturedStart()), int(match.capturedLength()),
                      match.capturedLength(1) > 0 ? key : value);
    }
};

/// Lays the viewport's margin open, which only heirs may set.
class NumberedEdit : public FieldEdit {
public:
    NumberedEdit() { setViewportMargins(kGutter, 0, 0, 0); }
    /// The lines in sight: number, from 1, and rectangle in the viewport.
    std::vector<std::pair<int, QRect>> lines() const {
        std::vector<std::pair<int, QRect>> all;
        for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
            const QRectF rect = blockBoundingGeometry(block).translated(contentOffset());
            if (rect.top() > viewport()->height()) break;
            all.emplace_back(block.blockNumber() + 1, rect.toRect());
        }
        return all;
    }
};

/// The texts that are still to be written, at the end of the list.
void listUnwritten(const EditedDocument& document, QListWidget* list) {
    for (const scenario::Problem& problem : document.unwritten()) {
        auto* const item = new QListWidgetItem(icon("info", Role::Waiting),
                                               //: A text of a lesson: %1 a line's number, %2 its place.
                                               TextPane::tr("line %1 · %2: still to be written")
                                                   .arg(QString::number(std::max(1, problem.line)), problem.path),
                                               list);
        item->setToolTip(TextPane::tr("The lesson can be played; until then the other language's text stands there."));
        item->setData(Line, std::max(1, problem.line));
    }
}

} // namespace

TextPane::TextPane(EditedDocument* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_edit(new NumberedEdit),
      m_numbers(new QWidget(m_edit)),
      m_caption(new SectionCaption(tr("Complaints"))),
      m_complaints(new QListWidget) {
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGrid / 2);
    m_edit->setObjectName(QStringLiteral("editor.text"));
    m_edit->setAccessibleName(tr("Text of the file"));
    m_edit->setDocument(document->text());
    m_edit->setFont(fixedFont());
    m_edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_edit->setTabChangesFocus(true); // lines are indented by spaces; the keyboard goes on from here
    new JsonColours(document->text());
    column->addWidget(m_edit, 3);
    column->addWidget(m_caption);
    m_complaints->setObjectName(QStringLiteral("editor.complaints"));
    m_complaints->setAccessibleName(tr("Complaints"));
    m_complaints->setMinimumHeight(kLeastComplaints);
    m_complaints->setMaximumHeight(kMostComplaints);
    m_complaints->setWordWrap(true);
    m_complaints->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(m_complaints, 1);
    m_edit->installEventFilter(this);
    m_numbers->installEventFilter(this);
    connect(m_edit, &QPlainTextEdit::updateRequest, m_numbers, qOverload<>(&QWidget::update));
    connect(m_complaints, &QListWidget::itemActivated, this, &TextPane::activate);
    connect(m_complaints, &QListWidget::itemClicked, this, &TextPane::activate);
    connect(document, &EditedDocument::changed, this, &TextPane::refresh);
    refresh();
}

QString TextPane::state() const {
    return m_caption->hint();
}

void TextPane::refresh() {
    m_complaints->clear();
    QList<QTextEdit::ExtraSelection> marks;
    for (const scenario::Problem& problem : m_document->problems()) {
        const QString place = problem.path.isEmpty() ? QString() : problem.path + QStringLiteral(": ");
        auto* const item = new QListWidgetItem(
            icon("warning", Role::Violation),
            //: A complaint: %1 a line's number, %2 the place and what is wrong.
            tr("line %1 · %2").arg(QString::number(std::max(1, problem.line)), place + problem.message), m_complaints);
        item->setData(Line, std::max(1, problem.line));
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(m_document->text()->findBlockByNumber(std::max(1, problem.line) - 1));
        mark.format.setBackground(color(Role::ViolationSoft));
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        marks += mark;
    }
    m_edit->setExtraSelections(marks);
    const int count = m_complaints->count(), unwritten = int(m_document->unwritten().size());
    listUnwritten(*m_document, m_complaints);
    m_caption->setHint(count > 0       ? tr("%n complaint(s)", "", count)
                       : unwritten > 0 ? tr("it can run; %n text(s) still to be written", "", unwritten)
                                       : tr("none: it can run"));
    if (count == 0 && unwritten == 0) {
        auto* const item =
            new QListWidgetItem(icon("check", Role::Accepted), tr("Nothing is wrong with it."), m_complaints);
        item->setFlags(Qt::ItemIsEnabled); // read by the keyboard, too; there is no line to go to
    }
    m_complaints->setCurrentRow(0, QItemSelectionModel::NoUpdate); // where the focus is drawn
    m_numbers->update();
}

void TextPane::setFindings(const QStringList& sentences, const QStringList& places, const QString& state) {
    m_complaints->clear();
    for (qsizetype i = 0; i < sentences.size(); ++i) {
        auto* const item = new QListWidgetItem(icon("violation", Role::Violation), sentences[i], m_complaints);
        item->setData(Line, m_document->lineOf(places.value(i)));
    }
    m_caption->setHint(state);
    if (sentences.isEmpty()) {
        const bool ready = m_document->unwritten().empty();
        auto* const item = new QListWidgetItem(ready ? icon("check", Role::Accepted) : icon("info", Role::Waiting),
                                               state, m_complaints);
        item->setFlags(Qt::ItemIsEnabled); // as above
    }
    listUnwritten(*m_document, m_complaints);
    m_complaints->setCurrentRow(0, QItemSelectionModel::NoUpdate);
}

void TextPane::goTo(const QString& pointer) {
    goToLine(m_document->lineOf(pointer));
}

void TextPane::goToLine(int line) {
    m_edit->setTextCursor(QTextCursor(m_document->text()->findBlockByNumber(line - 1)));
    m_edit->centerCursor();
    m_edit->setFocus();
}

void TextPane::activate(const QListWidgetItem* item) {
    if (item && item->data(Line).isValid()) goToLine(item->data(Line).toInt());
}

void TextPane::paintNumbers() {
    QPainter painter(m_numbers);
    painter.fillRect(m_numbers->rect(), color(Role::SurfaceSunken));
    painter.setFont(fixedFont(-1));
    for (const auto& [number, rect] : static_cast<NumberedEdit*>(m_edit)->lines()) {
        const auto& problems = m_document->problems();
        const bool wrong = std::ranges::any_of(
            problems, [line = number](const scenario::Problem& problem) { return std::max(1, problem.line) == line; });
        const QRect room(0, rect.top(), kGutter - kGrid, rect.height());
        if (wrong) paintIcon(painter, QRectF(2, rect.center().y() - 6, 12, 12), "warning", Role::Violation);
        painter.setPen(color(wrong ? Role::ViolationText : Role::TextFaint));
        painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, QString::number(number));
    }
}

bool TextPane::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_numbers && event->type() == QEvent::Paint) {
        paintNumbers();
        return true;
    }
    if (watched == m_edit && (event->type() == QEvent::Resize || event->type() == QEvent::Show)) {
        const QRect inside = m_edit->contentsRect();
        m_numbers->setGeometry(inside.left(), inside.top(), kGutter, inside.height());
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lockscope::views
