// SPDX-License-Identifier: GPL-3.0-or-later
#include "connections/connections_panel.h"

#include "connections/connections_aside.h"
#include "connections/connections_delegate.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "trace/connection.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScopedValueRollback>

namespace lockscope::views {

using session::ConnectionFacts;
using trace::EntityId;
using trace::kNoEntity;

ConnectionsPanel::ConnectionsPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new ConnectionsModel(context, this)),
      m_view(new QListView),
      m_add(new QPushButton(tr("&Add a connection…"))),
      m_aside(new ConnectionsAside(context, m_model)),
      m_summary(new DimLabel) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, kGrid);
    layout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(kGrid + 4, kGrid, kGrid + 4, kGrid / 2);
    auto* caption = new DimLabel(tr("Connections").toUpper());
    caption->setFont(captionFont());
    head->addWidget(caption);
    head->addStretch(1);
    m_summary->setFont(uiFont(-1));
    head->addWidget(m_summary);
    layout->addLayout(head);

    m_view->setModel(m_model);
    m_view->setItemDelegate(new ConnectionsDelegate(m_view));
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setResizeMode(QListView::Adjust);
    m_view->setMouseTracking(true);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->setAccessibleName(tr("Connections"));
    m_view->installEventFilter(this);
    makeFrameless(m_view);
    layout->addWidget(m_view, 1);

    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(kGrid, 0, kGrid, 0);
    m_add->setIcon(icon("plus"));
    m_add->setToolTip(tr("Watch another server beside these"));
    buttons->addWidget(m_add);
    layout->addLayout(buttons);
    layout->addWidget(m_aside);
    layout->addStretch(0); // takes what the cards do not need

    connect(m_add, &QPushButton::clicked, this, &ConnectionsPanel::addRequested);
    connect(m_model, &ConnectionsModel::refreshed, this, &ConnectionsPanel::refresh);
    connect(m_context, &ViewContext::selectionChanged, this, &ConnectionsPanel::follow);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
        if (m_following || !index.isValid()) return;
        const auto trace = m_context->trace();
        const EntityId connection = index.data(ConnectionsModel::EntityRole).toUInt();
        for (const EntityId node : m_context->entities(trace::EntityKind::Node))
            if (trace::connectionOf(*trace, node) == connection) return m_context->select(node);
    });
    connect(m_view, &QListView::customContextMenuRequested, this, [this](const QPoint& at) {
        const QModelIndex index = m_view->indexAt(at);
        if (!index.isValid()) return;
        if (!m_model->desk()) return; // nothing can be done with a connection that is recorded
        QMenu* const menu = makeMenu(index.data(ConnectionsModel::EntityRole).toUInt());
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->popup(m_view->viewport()->mapToGlobal(at));
    });
    refresh();
}

QString ConnectionsPanel::summary() const {
    return m_summary->text();
}

void ConnectionsPanel::refresh() {
    // Locks of a simulation are on no connection: to count them here would deny them.
    const int locks = m_model->lockCount();
    m_summary->setText(m_model->rowCount() == 0 ? QString()
                       // The table of locks also has those that are gone.
                       : m_model->desk() ? tr("%n lock(s) now", nullptr, locks)
                                         : tr("%n lock(s)", nullptr, locks));
    fit();
    follow();
}

void ConnectionsPanel::fit() {
    int cards = 0;
    QStyleOptionViewItem option; // the view's own hint knows no width, and so not how many lines there are
    option.rect.setWidth(m_view->viewport()->width());
    for (int row = 0; row < m_model->rowCount(); ++row)
        cards += m_view->itemDelegate()->sizeHint(option, m_model->index(row)).height();
    cards = std::max(cards, kGrid);
    m_view->setMaximumHeight(cards + 1);
    const int others = QFontMetrics(captionFont()).height() + 2 * kGrid + m_add->sizeHint().height() + 2 * kGrid;
    const int room = height() - others;
    // A bar would take width from words, which then need another line, and with it the bar.
    m_view->setVerticalScrollBarPolicy(cards <= room ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    m_aside->fit(room - cards);
}

void ConnectionsPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

void ConnectionsPanel::follow() {
    // A selection of something that is on no single server leaves the card that was chosen.
    const EntityId connection = trace::connectionOf(*m_context->trace(), m_context->selection());
    const int row = m_model->rowOf(connection);
    if (row < 0 || m_view->currentIndex().row() == row) return;
    m_following = true;
    m_view->setCurrentIndex(m_model->index(row));
    m_following = false;
}

EntityId ConnectionsPanel::current() const {
    const QModelIndex index = m_view->currentIndex();
    return index.isValid() ? index.data(ConnectionsModel::EntityRole).toUInt() : kNoEntity;
}

QMenu* ConnectionsPanel::makeMenu(EntityId connection) {
    auto* menu = new QMenu(this);
    menu->setToolTipsVisible(true);
    const QPointer<session::ConnectionDesk> desk = m_model->desk();
    const ConnectionFacts* const facts = desk ? desk->find(connection) : nullptr;
    if (!facts) return menu;
    menu->addAction(icon("restart"), facts->open ? tr("&Reconnect") : tr("&Connect again"), this, [desk, connection] {
        if (desk) desk->reconnect(connection);
    });
    menu->addAction(icon("settings"), tr("&Edit…"), this, [this, connection] { Q_EMIT editRequested(connection); });
    menu->addAction(icon("copy"), tr("Copy the &address"), this,
                    [url = facts->url] { QGuiApplication::clipboard()->setText(url); });
    QAction* const about =
        menu->addAction(icon("info"), tr("&Servers…"), this, [this, connection] { tellServers(connection); });
    about->setEnabled(!facts->servers.empty());
    about->setToolTip(tr("Role, replicas, persistence and eviction of each server, as far as it tells"));
    menu->addSeparator();
    if (facts->changesAllowed)
        menu->addAction(icon("lock"), tr("&Forbid changes"), this, [desk, connection] {
            if (desk) desk->allowChanges(connection, false);
        });
    else
        menu->addAction(icon("lock-open", Role::Fault), tr("Allow &changes…"), this,
                        [this, desk, connection] { askToAllow(desk, connection, this); })
            ->setEnabled(facts->open);
    menu->addSeparator();
    QAction* const end = menu->addAction(icon("close"), tr("E&nd this connection"), this, [desk, connection] {
        if (desk) desk->end(connection);
    });
    end->setEnabled(facts->open);
    end->setToolTip(tr("Its locks are not observed from then on; what was seen stays. Nothing on the server changes."));
    return menu;
}

void ConnectionsPanel::tellServers(EntityId connection) {
    const session::ConnectionDesk* const desk = m_model->desk();
    const ConnectionFacts* const facts = desk ? desk->find(connection) : nullptr;
    if (!facts) return;
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Servers of “%1”").arg(facts->name), facts->kind,
                                QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText); // servers name themselves
    box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    box->setInformativeText(inspect::textsOf(facts->servers).join(QStringLiteral("\n\n")));
    box->open();
}

void ConnectionsPanel::askToAllow(const QPointer<session::ConnectionDesk>& desk, EntityId connection, QWidget* above) {
    const ConnectionFacts* const facts = desk ? desk->find(connection) : nullptr;
    if (!facts) return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Allow changes"),
                                tr("Allow changes on “%1”?").arg(facts->name), QMessageBox::NoButton, above);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText); // names come from the user
    box->setInformativeText(
        tr("Locks on %1 can then be released by force, and clients of our own may take locks there. "
           "The other connections stay as they are.")
            .arg(facts->url));
    QPushButton* const allow = box->addButton(tr("Allow changes"), QMessageBox::AcceptRole);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(allow, &QPushButton::clicked, box, [desk, connection] {
        if (desk) desk->allowChanges(connection, true);
    });
    box->open();
}

bool ConnectionsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_view && event->type() == QEvent::FocusIn && !m_view->currentIndex().isValid()) {
        // Else nothing would show where the focus is. The selection in other views stays.
        const QScopedValueRollback following(m_following, true);
        m_view->setCurrentIndex(m_model->index(0));
    }
    const EntityId connection = current();
    if (watched != m_view || connection == kNoEntity || !m_model->desk()) return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Delete && key->modifiers() == Qt::NoModifier) {
            m_model->desk()->end(connection);
            return true;
        }
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && key->modifiers() == Qt::NoModifier) {
            Q_EMIT editRequested(connection);
            return true;
        }
    }
    if (event->type() == QEvent::ContextMenu &&
        static_cast<QContextMenuEvent*>(event)->reason() == QContextMenuEvent::Keyboard) {
        QMenu* const menu = makeMenu(connection);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->popup(m_view->viewport()->mapToGlobal(m_view->visualRect(m_view->currentIndex()).bottomLeft()));
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lockscope::views
