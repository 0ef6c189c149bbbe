// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/shebang.h"

namespace lockscope::sim::redisd {

namespace {

std::unexpected<redis::Reply> refuse(const QByteArray& text) {
    return std::unexpected(redis::Reply::error("ERR " + text));
}

bool isKnownFlag(const QByteArray& flag) {
    return flag == "no-writes" || flag == "allow-oom" || flag == "allow-stale" || flag == "no-cluster" ||
           flag == "allow-cross-slot-keys";
}

} // namespace

std::expected<Shebang, redis::Reply> readShebang(const QByteArray& script) {
    Shebang shebang;
    if (!script.startsWith("#!")) return shebang;
    shebang.present = true;
    shebang.length = script.indexOf('\n');
    if (shebang.length < 0) return refuse("Invalid script shebang");
    const QList<QByteArray> words = script.left(shebang.length).simplified().split(' ');
    if (words[0] != "#!lua") return refuse("Unexpected engine in script shebang: " + words[0]);
    for (const QByteArray& word : words.mid(1)) {
        if (!word.startsWith("flags=")) return refuse("Unknown lua shebang option: " + word);
        const QByteArray flags = word.mid(6);
        if (flags.isEmpty()) continue;
        for (const QByteArray& flag : flags.split(',')) {
            if (!isKnownFlag(flag)) return refuse("Unexpected flag in script shebang: " + flag);
            shebang.noWrites |= flag == "no-writes";
            shebang.allowOom |= flag == "allow-oom";
        }
    }
    return shebang;
}

} // namespace lockscope::sim::redisd
