// SPDX-License-Identifier: Apache-2.0
#include "ports/ending.h"

#include "ports/words.h"

#include <QCoreApplication>

namespace lockscope::net {

namespace {
struct Text {
    Q_DECLARE_TR_FUNCTIONS(ServerConnection)
};
} // namespace

QString unreachable(const Ending& ending, const QString& where) {
    switch (ending.code) {
    case QAbstractSocket::HostNotFoundError:
        return Text::tr("The host of %1 is not known. Check its name.").arg(where);
    case QAbstractSocket::SocketTimeoutError:
        return Text::tr("%1 did not answer. Check address, port and firewall.").arg(where);
    default:
        return Text::tr("No connection to %1: %2.").arg(where, ending.text);
    }
}

QString tlsFailed(const QString& reason, const QString& where) {
    return Text::tr("No TLS connection to %1: %2. Check ca=, cert= and key= in the URL.").arg(where, reason);
}

QString connectTimeout(Nanos after, const QString& where) {
    return Text::tr("%1 did not answer within %2. Check address, port and firewall.").arg(where, inWords(after));
}

QString closedOnPurpose(const QString& where) {
    return Text::tr("The connection to %1 was closed on purpose.").arg(where);
}

QString tooManyPending(std::size_t limit, const QString& where) {
    return Text::tr("%1 commands wait for %2 already; this one was not sent.").arg(QString::number(limit), where);
}

} // namespace lockscope::net
