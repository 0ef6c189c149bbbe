// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QObject>

class QComboBox;
class QFormLayout;
class QLineEdit;

namespace lockscope::views {

/// The names of a scenario's clients.
QStringList clientsOf(const scenario::Scenario& scenario);

/// The rows of a form that say what a fault strikes: one of a list, several by their names, or the links between two
/// sets; of a link that is cut, in which direction.
class TargetPicker : public QObject {
    Q_OBJECT
public:
    /// Adds its rows at the end of the form, which keeps them.
    TargetPicker(const ViewContext* context, QFormLayout* form, QObject* parent);
    /// Lists the targets of an action. `on`: the event that has to come first; nullopt: it strikes at a time. The
    /// choice stays where it can.
    void list(session::Breakable::Kind kind, scenario::Action action, std::optional<scenario::Trigger::On> on);
    /// As Fault::target; empty while names are missing.
    QString target() const;
    /// Chooses that one, or writes its names where the list does not have it.
    void choose(const QString& target);
    /// Whether the list has that one, or each of several.
    bool lists(const QString& target) const;

Q_SIGNALS:
    void changed();

private:
    void addLinks(const QStringList& clients, const QStringList& servers);
    void showRows();
    /// The directions, by the names of the two sides.
    void nameWays();
    bool several() const;
    /// ">": only what the first ones send is lost; "<": only what they get; "|": both.
    QChar sign() const;

    const ViewContext* m_context;
    QFormLayout* m_form;
    QComboBox* m_target;
    QLineEdit* m_names;  ///< of several, or of the first set
    QLineEdit* m_others; ///< the second set of links
    QComboBox* m_ways;
    session::Breakable::Kind m_kind = session::Breakable::Kind::World;
    scenario::Action m_action = scenario::Action::HealAll;
};

} // namespace lockscope::views
