// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/reply.h"

namespace lockscope::redis {

/// A command for display: its verb and its key, "SET orders". Never a value, which may be secret.
QByteArray commandText(const Args& args);

} // namespace lockscope::redis
