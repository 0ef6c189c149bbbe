// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "cluster/cluster_layout.h"

class QPainter;

namespace lockscope::views {

class ViewContext;

/// A Sentinel as a small box, with what it thinks of the servers.
void paintWatcher(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& watcher);

} // namespace lockscope::views
