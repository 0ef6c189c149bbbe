// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

namespace lockscope::views {

/// One thing that can be done to a client, a server or a link, in words, as session::Breakable answers at the instant
/// at which it would be done.
struct FaultOffer {
    scenario::Action action = scenario::Action::PauseClient;
    QString target;    ///< as a scenario names it
    QString lock;      ///< of EvictKey: whose keys; empty: the first lock's
    QString text;      ///< "Pause A": translated, with the target
    QString shortText; ///< "Pause client": translated, without it
    QString brief;     ///< "Pause": translated, for a button below its target's name
    const char* icon = "bolt";
    bool undoes = false;     ///< makes good what a fault did
    bool wantsValue = false; ///< a clock's offset, a link's latency: see faultValues()
    bool enabled = true;
    QString why; ///< why it is not enabled: a sentence
    scenario::Fault fault(Nanos value = {}) const;
};

/// The offer of this action.
FaultOffer offerOf(const session::Breakable& target, scenario::Action action);
/// The locks whose keys that server may throw out: those of its service; all, where a lock manager moves them.
QStringList evictableLocks(const scenario::Scenario& settings, const QString& server);
/// The offer to throw that lock's keys out of a server; an empty name is the first lock's.
FaultOffer evictOffer(const session::Breakable& server, const QString& lock);
/// The offer of this action, or of the one that ends it while the target suffers from it: a paused client is offered to
/// be resumed, not to be paused.
FaultOffer currentOffer(const session::Breakable& target, scenario::Action action);

/// An action in words, without a target: "Pause client". Translated. Precondition: things of that kind know the action.
QString verbText(session::Breakable::Kind kind, scenario::Action action);

/// Values to choose from for an offer that wants one, with their words.
std::vector<std::pair<Nanos, QString>> faultValues(scenario::Action action);

} // namespace lockscope::views
