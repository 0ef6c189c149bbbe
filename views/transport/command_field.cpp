// SPDX-License-Identifier: GPL-3.0-or-later
#include "transport/command_field.h"

#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/widgets.h"
#include "transport/command_words.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QMetaMethod>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>

namespace lockscope::views {
namespace {

enum CommandRole { ActionRole = Qt::UserRole + 1, TimeRole, ShortcutRole, RunRole };

/// Name at the left, shortcut at the right in fixed face.
class CommandDelegate : public QStyledItemDelegate {
public:
    static constexpr int kRow = 32; ///< px of an entry at the usual size of text
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {320, int(kRow * textScale())};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, color(Role::Selection));
        const QIcon picture = index.data(Qt::DecorationRole).value<QIcon>();
        const QRect box(option.rect.left() + 12, option.rect.center().y() - 7, 16, 16);
        if (!picture.isNull()) picture.paint(painter, box);
        const QString shortcut = index.data(ShortcutRole).toString();
        painter->setFont(fixedFont(-1));
        const int keyWidth = painter->fontMetrics().horizontalAdvance(shortcut);
        painter->setPen(color(Role::TextFaint));
        painter->drawText(option.rect.adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter, shortcut);
        painter->setFont(option.font);
        const bool enabled = index.flags() & Qt::ItemIsEnabled;
        painter->setPen(color(enabled ? Role::Text : Role::TextFaint));
        const QRect room = option.rect.adjusted(36, 0, -24 - keyWidth, 0);
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, room.width()));
        painter->restore();
    }
};

/// "Scenario › The holder is paused": where a command lives is often what is remembered of it.
QString shownName(const CommandWords& words) {
    return words.group.isEmpty() ? words.name : words.group + QStringLiteral(" › ") + words.name;
}

constexpr int kMostShown = 12;

} // namespace

int fuzzyScore(QStringView typed, QStringView text) {
    if (typed.isEmpty()) return 1;
    int score = 1, run = 0;
    qsizetype from = 0;
    for (const QChar letter : typed) {
        if (letter.isSpace()) {
            run = 0;
            continue;
        }
        qsizetype at = -1;
        // The start of a word is a better place for a letter than the middle of the one before.
        for (qsizetype i = from; i < text.size(); ++i) {
            if (text[i].toCaseFolded() != letter.toCaseFolded()) continue;
            const bool wordStart = i == 0 || !text[i - 1].isLetterOrNumber();
            if (at < 0 || (wordStart && run == 0)) {
                at = i;
                if (wordStart || i == from) break;
            }
            if (run > 0) break;
        }
        if (at < 0) return 0;
        const bool wordStart = at == 0 || !text[at - 1].isLetterOrNumber();
        run = at == from && from > 0 ? run + 1 : 1;
        score += 4 * run + (wordStart ? 12 : 0) - int(std::min<qsizetype>(at - from, 6));
        from = at + 1;
    }
    return std::max(1, score * 8 - int(std::min<qsizetype>(text.size(), 64)) / 4);
}

CommandField::CommandField(QWidget* parent) : QLineEdit(parent) {
    setPlaceholderText(wholeHint());
    setAccessibleName(tr("Find or do"));
    setClearButtonEnabled(false);
    connect(this, &QLineEdit::textEdited, this, [this] {
        openList();
        refill();
    });
}

void CommandField::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    setPlaceholderText(wholeWidth() <= width() ? wholeHint() : tr("Find or do…")); // half a key is none
}

QString CommandField::wholeHint() {
    return tr("Find or do… Ctrl+K");
}

int CommandField::leastWidth() {
    constexpr int kUsual = 96;
    return int(kUsual * textScale());
}

int CommandField::wholeWidth() const {
    constexpr int kAround = 24; // the frame and the field's own margins, left and right
    return fontMetrics().horizontalAdvance(wholeHint()) + kAround;
}

CommandField::~CommandField() {
    delete m_popup;
}

QListView* CommandField::list() const {
    return m_popup && m_popup->isVisible() ? m_list : nullptr;
}

void CommandField::summon() {
    if (QWidget* focus = window()->focusWidget(); focus && focus != this) m_returnFocus = focus;
    setFocus(Qt::ShortcutFocusReason);
    clear();
    openList();
    refill();
}

void CommandField::openList() {
    if (!m_popup) {
        // A child of the window rather than a window of its own: it needs no grab and works on every platform.
        m_popup = new QFrame(window());
        m_popup->setFrameShape(QFrame::StyledPanel);
        m_popup->setAutoFillBackground(true);
        m_list = new QListView(m_popup);
        m_list->setFrameShape(QFrame::NoFrame);
        m_list->setFocusPolicy(Qt::NoFocus);
        m_list->setUniformItemSizes(true);
        m_list->setItemDelegate(new CommandDelegate(m_list));
        m_list->setAccessibleName(tr("Commands"));
        m_model = new QStandardItemModel(m_list);
        m_list->setModel(m_model);
        auto* layout = new QVBoxLayout(m_popup);
        layout->setContentsMargins(1, 4, 1, 4);
        layout->addWidget(m_list);
        connect(m_list, &QListView::clicked, this, &CommandField::run);
        window()->installEventFilter(this);
    }
    placeList();
    m_popup->show();
    m_popup->raise();
}

void CommandField::placeList() {
    const int wide = std::max(width(), 440);
    const int rows = m_model ? std::clamp(m_model->rowCount(), 1, kMostShown) : 1;
    const QPoint corner = mapTo(window(), QPoint(width() - wide, height() + 4));
    m_popup->setGeometry(std::max(8, corner.x()), corner.y(), wide, rows * 32 + 10);
}

void CommandField::closeList() {
    if (m_popup) m_popup->hide();
    Q_EMIT closed();
}

void CommandField::refill() {
    m_model->clear();
    const std::optional<Time> time = m_times ? m_times(text()) : std::nullopt;
    if (time && isSignalConnected(QMetaMethod::fromSignal(&CommandField::goTo))) {
        auto* item = new QStandardItem(icon("clock", Role::TextDim), tr("Go to %1").arg(time->words));
        item->setData(qint64(time->at.count()), TimeRole);
        m_model->appendRow(item);
    }
    struct Match {
        CommandMatch how;
        int score;
        QString text;
        QAction* action = nullptr;
        std::shared_ptr<const Find> find;
    };
    std::vector<Match> matches;
    bool inRun = false;
    for (QAction* action : m_commands ? m_commands() : QList<QAction*>()) {
        inRun |= action->objectName() == QLatin1String("transport.play") && action->isEnabled();
        if (action->isSeparator() || action->menu() || !action->isVisible() || action->text().isEmpty()) continue;
        if (action->objectName() == QLatin1String("transport.find")) continue; // here one is
        const CommandWords words = wordsOf(*action);
        const CommandMatch how = matchOf(text(), words);
        if (how == CommandMatch::None) continue;
        matches.push_back({how, fuzzyScore(text(), words.name), shownName(words), action, {}});
    }
    if (m_finds && !text().trimmed().isEmpty()) {
        for (Find& find : m_finds(text().trimmed())) {
            const CommandWords words{find.name, find.group, find.also};
            CommandMatch how = find.exact ? CommandMatch::Equal : matchOf(text(), words);
            if (how == CommandMatch::None) continue;
            if (find.explains) how = std::min(how, CommandMatch::Begins); // "pause" is a deed before it is a word
            matches.push_back({how, fuzzyScore(text(), find.name), shownName(words), nullptr,
                               std::make_shared<const Find>(std::move(find))});
        }
    }
    // Letters here and there are a last resort.
    const bool better = std::ranges::any_of(matches, [](const Match& m) { return m.how > CommandMatch::Letters; });
    if (better) std::erase_if(matches, [](const Match& m) { return m.how == CommandMatch::Letters; });
    // An exact name is meant, even if its command cannot be done now: Enter must not do something else instead.
    const auto usable = [](const Match& m) {
        return !m.action || m.action->isEnabled() || m.how == CommandMatch::Equal;
    };
    // A word of a scenario's title is no better than another word for a deed: Enter would leave this run.
    const auto leaves = [inRun](const Match& m) {
        return inRun && m.action && m.action->objectName().startsWith(QLatin1String("scenario."));
    };
    std::ranges::stable_sort(matches, std::ranges::greater(), [&](const Match& m) {
        // Equally good ones stay in the order in which menus and panels have them.
        const bool last = leaves(m) && m.how <= CommandMatch::Words;
        return std::tuple(usable(m), last ? std::min(m.how, CommandMatch::Also) : m.how, !last,
                          m.how == CommandMatch::Letters ? m.score : 0);
    });
    for (const Match& match : matches) {
        auto* item = match.action ? new QStandardItem(match.action->icon(), match.text)
                                  : new QStandardItem(icon(match.find->iconName, Role::TextDim), match.text);
        item->setEditable(false);
        if (match.action) {
            item->setData(QVariant::fromValue<QObject*>(match.action), ActionRole);
            item->setData(match.action->shortcut().toString(QKeySequence::NativeText), ShortcutRole);
            item->setEnabled(match.action->isEnabled());
        } else {
            item->setData(QVariant::fromValue(match.find->run), RunRole);
        }
        m_model->appendRow(item);
    }
    if (m_model->rowCount() == 0) {
        auto* item = new QStandardItem(tr("Nothing is called that."));
        item->setEnabled(false);
        m_model->appendRow(item);
    }
    m_list->setCurrentIndex(m_model->index(0, 0));
    placeList();
}

void CommandField::leave() {
    clear();
    closeList();
    if (m_returnFocus)
        m_returnFocus->setFocus();
    else
        clearFocus();
}

void CommandField::run(const QModelIndex& index) {
    if (!index.isValid() || !(index.flags() & Qt::ItemIsEnabled)) return;
    const QVariant time = index.data(TimeRole);
    const auto find = index.data(RunRole).value<std::function<void()>>();
    QPointer<QAction> action = qobject_cast<QAction*>(index.data(ActionRole).value<QObject*>());
    leave();
    if (time.isValid())
        Q_EMIT goTo(time.toLongLong());
    else if (find)
        find();
    else if (action)
        action->trigger();
}

void CommandField::keyPressEvent(QKeyEvent* event) {
    if (m_popup && m_popup->isVisible()) {
        const int row = m_list->currentIndex().row();
        switch (event->key()) {
        case Qt::Key_Down:
        case Qt::Key_Up: {
            const int step = event->key() == Qt::Key_Down ? 1 : -1;
            const int rows = m_model->rowCount();
            m_list->setCurrentIndex(m_model->index((row + step + rows) % rows, 0));
            return;
        }
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return run(m_list->currentIndex());
        default:
            break;
        }
    } else if (event->key() == Qt::Key_Down) {
        openList();
        refill();
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        leave();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void CommandField::focusInEvent(QFocusEvent* event) {
    QLineEdit::focusInEvent(event);
    if (event->reason() == Qt::MouseFocusReason) {
        openList();
        refill();
    }
}

void CommandField::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::ActiveWindowFocusReason && event->reason() != Qt::PopupFocusReason) closeList();
}

bool CommandField::eventFilter(QObject* watched, QEvent* event) {
    if (watched == window() && event->type() == QEvent::Resize && m_popup && m_popup->isVisible()) placeList();
    return QLineEdit::eventFilter(watched, event);
}

} // namespace lockscope::views
