// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/post.h"

namespace lockscope::sql {

/// An answer with a row for each address, a numeric text, in the order in which to try them. No row: the host is not
/// known, and `status` says why.
struct HostTicket : Ticket {
    int status = 0;         ///< of the system's resolver, written before Done
    QString reason() const; ///< in words, in the system's language
};

/// Looks up a host's addresses. A numeric host is answered at once; a name by a thread, because the system's resolver
/// can only block.
///
/// Names are asked for anew each time: a name that moves to another server is how some installations fail over.
void lookUpHost(const QString& host, const std::shared_ptr<HostTicket>& ticket, const std::shared_ptr<Post>& post);

} // namespace lockscope::sql
