// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/role_words.h"

#include "theme/format.h"
#include "trace/text.h"

#include <QCoreApplication>
#include <map>

namespace lockscope::views {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Events)
};

} // namespace

QString roleWords(const QByteArray& role, const QString& follows, bool copiesNobody) {
    static const std::map<QByteArray, const char*> kRoles{
        {"master", QT_TRANSLATE_NOOP("Events", "master")},     {"replica", QT_TRANSLATE_NOOP("Events", "replica")},
        {"sentinel", QT_TRANSLATE_NOOP("Events", "Sentinel")}, {"leader", QT_TRANSLATE_NOOP("Events", "leader")},
        {"follower", QT_TRANSLATE_NOOP("Events", "follower")}, {"observer", QT_TRANSLATE_NOOP("Events", "observer")},
        {"primary", QT_TRANSLATE_NOOP("Events", "primary")},   {"standby", QT_TRANSLATE_NOOP("Events", "standby")},
        {"looking", QT_TRANSLATE_NOOP("Events", "looking")},
    };
    const auto known = kRoles.find(role);
    const QString word = known == kRoles.end() ? trace::readable(role) : Words::tr(known->second);
    if (role == "replica" && copiesNobody) return Words::tr("replica of nobody");
    if (role == "replica" && !follows.isEmpty()) return Words::tr("replica of %1").arg(follows);
    return word;
}

QString failoverWords(trace::FailoverPhase phase) {
    switch (phase) {
    case trace::FailoverPhase::Begun:
        return Words::tr("wants to replace it");
    case trace::FailoverPhase::Led:
        return Words::tr("elected leader of the failover");
    case trace::FailoverPhase::Chosen:
        return Words::tr("chosen to be promoted");
    case trace::FailoverPhase::Promoted:
        return Words::tr("promoted");
    case trace::FailoverPhase::Announced:
        return Words::tr("told to clients as the master");
    case trace::FailoverPhase::Ended:
        return Words::tr("failover ended");
    case trace::FailoverPhase::Abandoned:
        return Words::tr("failover given up");
    case trace::FailoverPhase::Asked:
        return Words::tr("a failover is asked for, to replace it");
    case trace::FailoverPhase::Demoted:
        return Words::tr("made a replica again");
    }
    return unknown();
}

} // namespace lockscope::views
