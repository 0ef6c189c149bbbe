// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/holders_model.h"
#include "models/queue_model.h"
#include "models/view_context.h"
#include "theme/widgets.h"

#include <QWidget>

class QFormLayout;
class QGridLayout;
class QStackedLayout;

namespace lockscope::views {

class CodeBox;
class LockActions;
class LockWaits;
class QueueView;
class TtlHistory;

/// One lock in full: its holders by the record and by belief, the time left, its queue, and its content on the server.
/// Shows the focused lock of its context.
class LockDetailPanel : public QWidget {
    Q_OBJECT
public:
    explicit LockDetailPanel(ViewContext* context, QWidget* parent = nullptr);

    /// The text of a fact, by its row: for tests and screen readers.
    enum Fact {
        SeenOver,
        WhoDecides,
        RecordSays,
        HolderClient, ///< who the one holder of a server that is watched is: address, program
        Believers,
        Token,
        HeldFor,
        UsualFact, ///< as the next two, only there where it is known
        AgainstUsual,
        EndsWhen,
        RenewalFact,
        FactCount
    };
    QString fact(Fact which) const;
    QString stateText() const;
    /// Empty: the lock has no alert at the playhead.
    QString alertText() const;
    QStringList serverLines() const;
    QueueModel* queue() const { return m_queue; }
    HoldersModel* holders() const { return m_holders; }
    QStringList copies() const;
    /// When what is on the server was seen, as it stands above it.
    QString serverHint() const { return m_serverCaption->hint(); }
    QString queueNote() const;
    LockActions* actions() const { return m_actions; }
    /// All that the panel tells of the lock, line by line, for a ticket or a chat.
    QString text() const;
    /// As high as the whole content, so that a stack of panels needs no scroll bar here.
    QSize sizeHint() const override;

private:
    void build();
    void refreshSoon();
    void refresh();
    void setFact(Fact which, const QString& text, Role role);
    void setKnownFact(Fact which, const QString& text, Role role = Role::Text);
    void showAlert(trace::EntityId lock);
    void showUsual(const LockFacts& facts);
    Nanos sessionTimeout(const LockFacts& facts) const;
    QString endWords(const LockFacts& facts) const;
    ToldClients toldClients(trace::EntityId lock) const;
    void showHolderClient(const LockFacts& facts);
    void showHolders(const LockFacts& facts);
    void showQueue(const LockFacts& facts);
    Nanos looksApart(trace::EntityId server) const;
    void showContent(const LockFacts& facts);
    void showConnection(trace::EntityId lock);
    void showDecider(const LockFacts& facts);
    bool isSeenFromOutside() const;
    /// A line for each of several servers: its copy of the lock and that copy's state; none where one server keeps it.
    QStringList copyLines(trace::EntityId lock) const;

    ViewContext* m_context;
    QStackedLayout* m_stack;
    QWidget* m_page;
    ElidedLabel* m_name;
    Pill* m_format;
    DimLabel* m_state;
    Paragraph* m_alert; ///< the lock's worst alert and what to do about it; hidden where it has none
    TtlRing* m_ring;
    std::array<DimLabel*, FactCount> m_facts{};
    std::array<DimLabel*, FactCount> m_factNames{};
    DimLabel* m_connectionName = nullptr; ///< beside the connection, which a lock of a simulation has not
    DimLabel* m_decidesName = nullptr;    ///< beside the fact of who decides, which a lock on one server has not
    SectionCaption* m_holdersCaption;
    HoldersModel* m_holders;
    QueueView* m_holdersView;
    SectionCaption* m_queueCaption;
    DimLabel* m_queueNote;
    QueueModel* m_queue;
    QueueView* m_queueView;
    LockWaits* m_waits; ///< hidden while the lock is in no circle and no chain
    SectionCaption* m_historyCaption;
    TtlHistory* m_history;
    SectionCaption* m_copiesCaption;
    CodeBox* m_copies;
    SectionCaption* m_serverCaption;
    CodeBox* m_server;
    LockActions* m_actions;
    QTimer m_soon;
};

} // namespace lockscope::views
