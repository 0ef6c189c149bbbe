// SPDX-License-Identifier: GPL-3.0-or-later
#include "alerts/alerts_strip.h"

#include "alerts/alerts_delegate.h"
#include "inspect/text.h"
#include "models/alert_words.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/pointer_aim.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QDateTime>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>

namespace lockscope::views {

namespace {
constexpr int kMostRows = 5; ///< in sight at once
constexpr int kFewestRows = 2;
constexpr int kHeightForEach = 200; ///< pixels of the window, for each alert in sight
constexpr Nanos kPresent = 2s;      ///< alerts are counted about once a second
QString timeOfDay(std::int64_t wallMs) {
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(wallMs).time(), QLocale::ShortFormat);
}
constexpr int kLockWidth = 170, kOpenForWidth = 96, kButtonWidth = 34;
} // namespace

AlertsStrip::AlertsStrip(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new AlertsModel(context, this)),
      m_view(new QTreeView),
      m_summary(new DimLabel),
      m_more(new QToolButton),
      m_muted(new QToolButton),
      m_rules(new QToolButton) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(new HairLine(Qt::Horizontal));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(kGrid + kGrid / 2, 0, kGrid, 0); // as the words of the table's header
    bar->setSpacing(kGrid);
    auto* title = new QLabel(tr("Alerts"));
    title->setFont(uiFont(0, QFont::DemiBold));
    bar->addWidget(title);
    m_summary->setFont(uiFont(-1));
    bar->addWidget(m_summary);
    bar->addStretch(1);
    m_more->setObjectName(QStringLiteral("moreAlerts"));
    m_more->setCheckable(true);
    m_more->setToolTip(tr("All alerts that fit, or fewer and more of what is below"));
    for (QToolButton* button : {m_more, m_muted, m_rules}) {
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setFont(uiFont(-1));
        bar->addWidget(button);
    }
    m_muted->setIcon(icon("mute", views::Role::TextDim));
    m_muted->setToolTip(tr("What is muted, to be heard again"));
    m_rules->setIcon(icon("settings", views::Role::TextDim));
    m_rules->setText(tr("Thresholds…"));
    m_rules->setToolTip(tr("Which alerts this connection raises, and from when on"));
    layout->addLayout(bar);
    layout->addWidget(m_view);

    m_view->setModel(m_model);
    m_view->setItemDelegate(new AlertsDelegate(m_view));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setMouseTracking(true);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setAccessibleName(tr("Alerts"));
    m_view->installEventFilter(this);
    m_view->viewport()->installEventFilter(this);
    makeFrameless(m_view);
    QHeaderView* const header = m_view->header();
    header->setFont(uiFont(-1.5));
    header->setSectionsClickable(false);
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(kButtonWidth);
    header->setSectionResizeMode(QHeaderView::Fixed);

    connect(m_more, &QToolButton::toggled, this, [this] { fitHeight(Asked::ByPerson); });
    connect(&PointerAim::instance(), &PointerAim::changed, this, [this](bool aiming) {
        if (!aiming) fitHeight(Asked::ByItself);
    });
    connect(m_rules, &QToolButton::clicked, this, &AlertsStrip::offerRules);
    connect(m_muted, &QToolButton::clicked, this, &AlertsStrip::offerMuted);
    connect(m_model, &AlertsModel::refreshed, this, &AlertsStrip::refresh);
    connect(context, &ViewContext::playheadChanged, this, &AlertsStrip::refresh);
    connect(m_model, &QAbstractItemModel::modelReset, this, &AlertsStrip::follow);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
        const session::AlertDesk::Entry* const entry = m_model->entry(current.row());
        if (m_following || !entry) return;
        m_current = Current{m_model->deskOf(current.row()), entry->alert.rule, entry->alert.lock};
        if (m_model->isMany(current.row())) return; // a click lists them
        if (const trace::EntityId lock = m_model->lockOf(current.row())) m_context->select(lock);
    });
    connect(m_view, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        if (index.column() == AlertsModel::PinColumn) pin(index.row());
        if (index.column() == AlertsModel::MuteColumn)
            offerMutes(index.row(), m_view->viewport()->mapToGlobal(m_view->visualRect(index).bottomLeft()));
        if (index.column() < AlertsModel::PinColumn && m_model->isMany(index.row())) listLocks(index.row());
    });
    connect(m_view, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        if (index.column() < AlertsModel::PinColumn) showRow(index.row());
    });
    connect(m_view, &QTreeView::customContextMenuRequested, this, [this](const QPoint& at) {
        const QModelIndex index = m_view->indexAt(at);
        if (index.isValid()) offerMutes(index.row(), m_view->viewport()->mapToGlobal(at));
    });
    refresh();
}

QString AlertsStrip::summary() const {
    return m_summary->text();
}

void AlertsStrip::setWanted(bool wanted) {
    m_wanted = wanted;
    refresh();
}

void AlertsStrip::refresh() {
    setVisible(m_wanted && isOfUse());
    if (!isOfUse()) return;
    const int listed = int(m_model->listed()), all = listed + int(m_model->more());
    std::size_t rules = 0;
    bool muted = false;
    for (const auto& desk : m_model->desks()) {
        rules += desk ? desk->rules().size() : 0;
        muted = muted || (desk && !desk->mutes().empty());
    }
    if (all == 0)
        m_summary->setText(tr("none · %n rule(s) watch", "", int(rules)));
    else if (m_model->more() > 0)
        m_summary->setText(tr("%1 of %n shown, most severe first", "", all).arg(count(listed)));
    else
        m_summary->setText(tr("%n, most severe first", "", all));
    // The list does not follow the playhead.
    Nanos now{};
    for (const auto& desk : m_model->desks())
        if (desk) now = std::max(now, desk->now());
    if (m_context->playhead() + kPresent < now) m_summary->setText(tr("%1 · as of now").arg(m_summary->text()));
    m_muted->setVisible(muted);
    m_muted->setText(mutedText());
    fitHeight(Asked::ByItself);
    setAccessibleName(tr("Alerts: %1").arg(m_summary->text()));
}

void AlertsStrip::fitHeight(Asked asked) {
    const int rows = m_model->rowCount();
    const int share = isWindow() ? kMostRows : std::clamp(window()->height() / kHeightForEach, kFewestRows, kMostRows);
    const int all = std::min(rows, kMostRows), shown = m_more->isChecked() ? all : std::min(rows, share);
    m_more->setVisible(all > share);
    m_more->setText(m_more->isChecked() ? tr("fewer") : tr("+%1 more").arg(rows - shown));
    const int rowsHeight =
        rows == 0 ? 0
                  : std::max(1, shown * std::max(m_view->sizeHintForRow(0), 1)) + m_view->header()->sizeHint().height();
    const int height = m_view->isVisibleTo(this) ? m_view->height() : 0;
    // The table below would move away from under the mouse.
    if (rowsHeight != height && isVisible() && asked == Asked::ByItself && window()->underMouse() &&
        PointerAim::instance().isAiming())
        return;
    m_view->setVisible(rows > 0);
    if (rows > 0) m_view->setFixedHeight(rowsHeight);
}

void AlertsStrip::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    window()->installEventFilter(this); // its height decides; a second time changes nothing
    fitHeight(Asked::ByPerson);
}

/// How many alerts are muted, and where one mute covers them, until when.
QString AlertsStrip::mutedText() const {
    std::vector<inspect::AlertMute> mutes;
    for (const auto& desk : m_model->desks())
        if (desk) mutes.insert(mutes.end(), desk->mutes().begin(), desk->mutes().end());
    const int muted = int(m_model->muted());
    if (mutes.size() != 1 || mutes.front().untilWallMs == 0) return tr("%n muted", "", muted);
    return tr("%n muted until %1", "", muted).arg(timeOfDay(mutes.front().untilWallMs));
}

/// After a reset: the alert that was selected stays selected.
void AlertsStrip::follow() {
    m_following = true;
    const int row = m_current ? m_model->rowOf(m_current->desk, m_current->rule, m_current->lock) : -1;
    if (row >= 0)
        m_view->selectionModel()->setCurrentIndex(m_model->index(row, 0),
                                                  QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_following = false;
}

void AlertsStrip::pin(int row) {
    const session::AlertDesk::Entry* const entry = m_model->entry(row);
    if (!entry) return;
    const bool pinned = !entry->pinned;
    for (const AlertsModel::Member& one : m_model->members(row)) // by value: the rows go with the change
        if (one.desk) one.desk->setPinned(one.rule, one.lock, pinned);
}

void AlertsStrip::listLocks(int row) {
    const session::AlertDesk::Entry* const entry = m_model->entry(row);
    if (entry)
        m_context->filterLocks(QStringLiteral("alert:") + QLatin1String(inspect::formOf(entry->alert.rule.kind).name));
}

void AlertsStrip::showRow(int row) {
    const session::AlertDesk::Entry* const entry = m_model->entry(row);
    if (!entry) return;
    if (m_model->isMany(row)) return listLocks(row);
    // A deadlock may be older than the trace.
    m_context->reveal(std::max(entry->alert.since, Nanos(0)), m_model->lockOf(row));
}

void AlertsStrip::mute(session::AlertDesk* desk, inspect::AlertMute mute) {
    if (!desk) return;
    std::vector<inspect::AlertMute> mutes = desk->mutes();
    // One for the same thing, of another length, is replaced; those that are over go.
    const std::int64_t now = QDateTime::currentMSecsSinceEpoch();
    std::erase_if(mutes, [&](const inspect::AlertMute& each) {
        return (each.rule == mute.rule && each.lock == mute.lock) || (each.untilWallMs != 0 && each.untilWallMs <= now);
    });
    mutes.push_back(std::move(mute));
    desk->setMutes(std::move(mutes));
}

void AlertsStrip::offerMutes(int row, const QPoint& globalPos) {
    const session::AlertDesk::Entry* const entry = m_model->entry(row);
    if (!entry) return;
    const QPointer<session::AlertDesk> desk = m_model->deskOf(row);
    const inspect::AlertRule rule = entry->alert.rule;
    const QByteArray lock = entry->alert.lock;
    const QString what = alertWord(rule.kind);
    const std::vector<AlertsModel::Member> members = m_model->members(row);
    const bool several = members.size() > 1;
    const QString name = lock.isEmpty() ? tr("server")
                         : several      ? m_model->index(row, AlertsModel::LockColumn).data().toString()
                                        : inspect::readable(lock);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(icon("timeline"), tr("Show where it began"), this,
                    [this, desk, rule, lock] { showRow(m_model->rowOf(desk, rule, lock)); });
    menu->addAction(icon(entry->pinned ? "pin" : "pinned"), entry->pinned ? tr("&Unpin") : tr("&Pin"), this,
                    [this, desk, rule, lock] { pin(m_model->rowOf(desk, rule, lock)); });
    menu->addSection(tr("Mute"));
    const auto scope = [&](const QString& title, const inspect::AlertMute& of) {
        // A deadlock is muted on each of its locks.
        const bool each = several && of.lock && of.rule;
        const auto muted = each ? members : std::vector<AlertsModel::Member>{{desk, rule, lock}};
        QMenu* const lengths = menu->addMenu(title);
        struct Length {
            QString text;
            std::chrono::minutes time;
        };
        using namespace std::chrono_literals;
        for (const Length& length : {Length{tr("for 15 minutes"), 15min}, Length{tr("for an hour"), 60min},
                                     Length{tr("for 8 hours"), 480min}, Length{tr("until I take it back"), 0min}})
            lengths->addAction(length.text, this, [muted, of, each, time = length.time] {
                inspect::AlertMute chosen = of;
                if (time > 0min)
                    chosen.untilWallMs = QDateTime::currentMSecsSinceEpoch() + std::chrono::milliseconds(time).count();
                for (const AlertsModel::Member& one : muted) {
                    if (each) chosen.lock = one.lock;
                    mute(one.desk, chosen);
                }
            });
    };
    const auto shown = [](QString text) { return text.replace(QLatin1Char('&'), QLatin1String("&&")); };
    //: %1 the short words for an alert such as "renewal late", %2 a lock.
    // Many locks at once have one cause, which is its rule's.
    if (!m_model->isMany(row)) scope(shown(tr("“%1” of %2").arg(what, name)), {rule.kind, lock, 0});
    if (!lock.isEmpty() && !several) scope(shown(tr("all alerts of %1").arg(name)), {std::nullopt, lock, 0});
    scope(shown(tr("“%1” of every lock").arg(what)), {rule.kind, std::nullopt, 0});
    menu->popup(globalPos);
}

QString AlertsStrip::wordsOf(const inspect::AlertMute& mute) const {
    const QString what = mute.rule ? alertWord(*mute.rule) : tr("all alerts");
    const QString of = !mute.lock             ? tr("every lock")
                       : mute.lock->isEmpty() ? tr("server")
                                              : inspect::readable(*mute.lock);
    if (mute.untilWallMs == 0) return tr("%1: %2").arg(of, what);
    return tr("%1: %2, until %3").arg(of, what, timeOfDay(mute.untilWallMs));
}

void AlertsStrip::offerMuted() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const bool several = m_model->desks().size() > 1;
    if (!several) menu->addSection(tr("Hear again"));
    for (const auto& desk : m_model->desks()) {
        if (!desk || desk->mutes().empty()) continue;
        //: %1 is the name of a connection whose muted alerts follow.
        if (several) menu->addSection(tr("Hear again of %1").arg(nameOf(*desk)));
        for (const inspect::AlertMute& mute : desk->mutes())
            menu->addAction(wordsOf(mute).replace(QLatin1Char('&'), QLatin1String("&&")), this, [desk, mute] {
                if (!desk) return;
                std::vector<inspect::AlertMute> left = desk->mutes();
                std::erase(left, mute);
                desk->setMutes(std::move(left));
            });
    }
    menu->popup(m_muted->mapToGlobal(m_muted->rect().bottomLeft()));
}

QString AlertsStrip::nameOf(const session::AlertDesk& desk) const {
    return m_context->trace()->displayName(desk.connection());
}

void AlertsStrip::offerRules() {
    if (m_model->desks().size() == 1) {
        Q_EMIT rulesRequested(m_model->desk());
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addSection(tr("Thresholds of"));
    for (const auto& desk : m_model->desks())
        if (desk)
            menu->addAction(nameOf(*desk).replace(QLatin1Char('&'), QLatin1String("&&")), this,
                            [this, desk] { Q_EMIT rulesRequested(desk); });
    menu->popup(m_rules->mapToGlobal(m_rules->rect().bottomLeft()));
}

/// The sections with words share what the others leave.
void AlertsStrip::shareWidth() {
    constexpr double kSentence = 0.58; // of the room for words
    const int words = std::max(200, m_view->viewport()->width() - kLockWidth - kOpenForWidth - 2 * kButtonWidth);
    const int sentence = int(words * kSentence);
    QHeaderView* const header = m_view->header();
    header->resizeSection(AlertsModel::LockColumn, kLockWidth);
    header->resizeSection(AlertsModel::SentenceColumn, sentence);
    header->resizeSection(AlertsModel::AdviceColumn, words - sentence);
    header->resizeSection(AlertsModel::OpenForColumn, kOpenForWidth);
    header->resizeSection(AlertsModel::PinColumn, kButtonWidth);
    header->resizeSection(AlertsModel::MuteColumn, kButtonWidth);
}

bool AlertsStrip::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_view->viewport() && event->type() == QEvent::Resize) shareWidth();
    if (watched == window() && event->type() == QEvent::Resize) fitHeight(Asked::ByPerson);
    if (watched != m_view || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* const key = static_cast<QKeyEvent*>(event);
    const QModelIndex current = m_view->currentIndex();
    if (!current.isValid() || key->modifiers() != Qt::NoModifier) return QWidget::eventFilter(watched, event);
    switch (key->key()) {
    case Qt::Key_P:
        pin(current.row());
        return true;
    case Qt::Key_M:
        offerMutes(current.row(), m_view->viewport()->mapToGlobal(m_view->visualRect(current).bottomLeft()));
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        showRow(current.row());
        return true;
    default:
        return QWidget::eventFilter(watched, event);
    }
}

} // namespace lockscope::views
