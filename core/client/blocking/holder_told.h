// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/lock_mode.h"

namespace lockscope {

/// The public form of a recipe's HolderInfo.
inline Holder holderOf(const recipes::HolderInfo& info) {
    using std::chrono::system_clock;
    Holder holder;
    holder.client = info.client.toStdString();
    holder.thread = info.thread.toStdString();
    holder.mode = lockscope::detail::lockModeOf(info.mode);
    if (info.sinceWallMs) {
        const auto since = std::chrono::milliseconds(*info.sinceWallMs);
        holder.since = system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(since));
    }
    holder.left = info.left;
    holder.token = info.token;
    holder.permit = info.permit.toStdString();
    return holder;
}

} // namespace lockscope
