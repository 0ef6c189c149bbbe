// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/post.h"

namespace lockscope::sql {

/// Looks up a host's addresses, in the order in which to try them. The ticket's answer has a row for each, a numeric
/// text. A numeric host is answered at once; a name by a thread, because the system's resolver can only block.
///
/// Names are asked for anew each time: a name that moves to another server is how some installations fail over.
void lookUpHost(const QString& host, const QString& where, const std::shared_ptr<Ticket>& ticket,
                const std::shared_ptr<Post>& post);

} // namespace lockscope::sql
