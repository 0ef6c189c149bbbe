// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"

namespace lockscope::trace {

// The rules by which rows change a server's role, whose data it copies, and how far it is behind. Only here: State and
// the timeline's lanes keep nodes in containers of their own, and change them by these functions.

/// Applies a NodeRole. `name`: the text of the role. A lag that was told before was that of another link.
void applyRole(NodeState& node, const Event& event, const QByteArray& name);
/// Applies a ReplicationLag. One that does not say whom it is measured from leaves what is known of that.
void applyLag(NodeState& node, const Event& event);

} // namespace lockscope::trace
