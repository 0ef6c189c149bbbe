// SPDX-License-Identifier: Apache-2.0
#include "ports/redis/command_text.h"

#include "trace/joined.h"

namespace lockscope::redis {

QByteArray commandText(const Args& args) {
    const bool script = args[0] == "EVALSHA" || args[0] == "EVAL";
    const std::size_t key = script ? 3 : 1; // verb, script, number of keys, first key
    if (args.size() <= key) return args[0];
    return trace::joined({args[0], " ", args[key]});
}

} // namespace lockscope::redis
