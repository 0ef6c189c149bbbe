// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <cstdint>

namespace lockscope {

/// The zone of local times at an instant, ms since 1970: "UTC", "UTC+1", "UTC−3:30".
QString zoneText(std::int64_t wallMs);

} // namespace lockscope
