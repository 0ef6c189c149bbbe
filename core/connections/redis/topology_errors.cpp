// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/topology_errors.h"

#include "ports/redis/errors.h"

#include <QCoreApplication>

namespace lockscope::redis::errors {

namespace {
struct Text {
    Q_DECLARE_TR_FUNCTIONS(RedisError)
};
using Kind = Error::Kind;
} // namespace

Error noMaster(const QString& master, Nanos after, const QStringList& asked) {
    return {Kind::Unreachable,
            {},
            Text::tr("The sentinels name no master “%1” that can be used, for %2 now. %3")
                .arg(master, inWords(after), asked.join(u' '))};
}

Error masterReplaced(const QString& master, const QByteArray& command, const QString& was) {
    return {Kind::Disconnected,
            {},
            Text::tr("The master “%1” was replaced (it was %2) while %3 was on its way; whether it ran is not known.")
                .arg(master, was, QString::fromUtf8(command))};
}

Error notMaster(const QString& where, const QString& role) {
    return {Kind::Unreachable,
            {},
            Text::tr("%1 should be the master but says that it is: %2. It was not used.").arg(where, role)};
}

Error crossSlot(const QByteArray& command) {
    return {Kind::Refused, "CROSSSLOT",
            Text::tr("The keys of %1 are in different slots of the cluster. Choose a lock name without braces, or with "
                     "one pair around the part that all its keys share: {orders}.")
                .arg(QString::fromUtf8(command))};
}

Error noClusterNode(int slot, Nanos after, const QStringList& asked) {
    return {Kind::Unreachable,
            {},
            Text::tr("No node of the cluster could be asked for slot %1 within %2. %3")
                .arg(QString::number(slot), inWords(after), asked.join(u' '))};
}

Error clusterDown(int slot, Nanos after, const QString& lastWord) {
    return {
        Kind::Unreachable, "CLUSTERDOWN",
        Text::tr("The cluster has not served slot %1 for %2. %3").arg(QString::number(slot), inWords(after), lastWord)};
}

} // namespace lockscope::redis::errors
