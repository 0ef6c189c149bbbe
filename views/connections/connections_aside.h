// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "connections/connections_model.h"

#include <QWidget>
#include <map>
#include <set>

class QAction;
class QGridLayout;
class QVBoxLayout;

namespace lockscope::views {

class SectionCaption;

/// The part below the cards of the connections: the rules that join names on several servers to one client, with how
/// many clients each has; commands for what was recorded; the servers behind the connections, with what each tells of
/// itself; and how each connection is watched. A section that has no room gives way as a whole.
class ConnectionsAside : public QWidget {
    Q_OBJECT
public:
    ConnectionsAside(ViewContext* context, const ConnectionsModel* model, QWidget* parent = nullptr);

    /// Commands for what was recorded, as buttons; they follow the actions' text and state. Not owned.
    void setActions(const QList<QAction*>& actions);
    /// Shows those of its sections, the first ones first, that fit into so many pixels of height; how many it used.
    int fit(int room);
    /// "by name: 31 client(s)", a line each; and "shop: asks every 250 ms".
    QStringList ruleLines() const { return linesOf(m_rules); }
    QStringList watchingLines() const { return linesOf(m_watching); }
    /// "127.0.0.1:7001 · master: slots 0-5460 · run id 3c1f0a52… · no replica · persistence rdb".
    QStringList serverLines() const { return linesOf(m_servers); }
    /// Whether the section is in sight.
    bool showsRules() const { return !m_rules.box->isHidden(); }
    bool showsActions() const { return !m_actions.box->isHidden(); }
    bool showsWatching() const { return !m_watching.box->isHidden(); }
    bool showsServers() const { return !m_servers.box->isHidden(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Section {
        QWidget* box = nullptr;
        SectionCaption* caption = nullptr;
        QGridLayout* lines = nullptr;
        bool stacked = false; ///< the second text of a line stands below the first one
        bool wraps = false;   ///< … on as many lines as it needs
        std::vector<std::pair<QString, QString>> texts{};
    };
    Section section(const QString& title);
    static QStringList linesOf(const Section& section);
    /// The height that it needs in so wide a column.
    static int heightOf(const Section& section, int width);
    static void setTexts(Section& section, std::vector<std::pair<QString, QString>> texts);
    void refresh();
    void countClients();
    void fitButtons();

    ViewContext* m_context;
    const ConnectionsModel* m_model;
    QVBoxLayout* m_column;
    Section m_rules, m_actions, m_servers, m_watching;
    std::map<QString, int> m_clients;  ///< how many each rule has, by its text
    std::size_t m_counted = 0;         ///< threads that were looked at
    std::set<trace::EntityId> m_known; ///< their clients
};

} // namespace lockscope::views
