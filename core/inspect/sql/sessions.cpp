// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/sessions.h"

namespace lockscope::inspect {

Party sessionParty(const QByteArray& pid, QByteArray about, const char* mode) {
    Party party;
    party.client = "pid " + pid;
    party.mode = mode;
    party.about = std::move(about);
    return party;
}

QByteArray aboutSession(const QByteArray& program, const QByteArray& user, const QByteArray& address,
                        const QByteArray& statement) {
    QByteArrayList who;
    if (!program.isEmpty()) who << program;
    if (!user.isEmpty()) who << (program.isEmpty() ? user : '(' + user + ')');
    if (!address.isEmpty()) who << address;
    QByteArray text = who.join(' ');
    if (!statement.isEmpty()) text += (text.isEmpty() ? "" : ": ") + statement.simplified();
    return text;
}

} // namespace lockscope::inspect
