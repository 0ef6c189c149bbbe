// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "alerts/alerts_model.h"

#include <QWidget>

class QToolButton;
class QTreeView;

namespace lockscope::views {

class DimLabel;

/// A strip below the toolbar of a session that watches servers: its alerts, the worst first, each a sentence and what
/// to do about it. It takes as much room as there are alerts, up to a few lines, fewer in a low window. Nothing in it
/// acts on a server.
class AlertsStrip : public QWidget {
    Q_OBJECT
public:
    explicit AlertsStrip(ViewContext* context, QWidget* parent = nullptr);
    AlertsModel* model() const { return m_model; }
    QTreeView* view() const { return m_view; }
    /// The line over the list: how many there are, or that there is none.
    QString summary() const;
    /// Whether this session has alerts at all; the strip hides itself otherwise.
    bool isOfUse() const { return !m_model->desks().empty(); }
    /// Put away by the user, until asked for again.
    void setWanted(bool wanted);
    bool isWanted() const { return m_wanted; }

Q_SIGNALS:
    /// The user wants to choose rules and thresholds of one connection.
    void rulesRequested(lockscope::session::AlertDesk* desk);

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void shareWidth();
    enum class Asked : std::uint8_t { ByPerson, ByItself };
    /// Gives the list its share of the window's height: a low window keeps room for the time axis. By itself it waits
    /// while somebody moves the mouse.
    void fitHeight(Asked asked);
    QString mutedText() const;
    void follow();
    void pin(int row);
    /// Shows the locks of a row that stands for many of them in the table of locks, and no others.
    void listLocks(int row);
    /// Offers for how long, and for what, the alert of a row is not to be told of.
    void offerMutes(int row, const QPoint& globalPos);
    /// Lists what is muted, to be heard again.
    void offerMuted();
    /// Asks for which of several connections, if there are several.
    void offerRules();
    static void mute(session::AlertDesk* desk, inspect::AlertMute mute);
    void showRow(int row);
    QString wordsOf(const inspect::AlertMute& mute) const;
    QString nameOf(const session::AlertDesk& desk) const;

    ViewContext* m_context;
    AlertsModel* m_model;
    QTreeView* m_view;
    DimLabel* m_summary;
    QToolButton* m_more; ///< shows the alerts that a low window leaves out
    QToolButton* m_muted;
    QToolButton* m_rules;
    /// The selected alert.
    struct Current {
        QPointer<session::AlertDesk> desk;
        inspect::AlertRule rule;
        QByteArray lock;
    };
    std::optional<Current> m_current;
    bool m_following = false, m_wanted = true;
};

} // namespace lockscope::views
