// SPDX-License-Identifier: Apache-2.0
#include "sim/memcached/command.h"

namespace lockscope::sim {

namespace {
constexpr std::array<const char*, 10> kVerbs{"gets ",   "set ",   "add ",  "replace ",  "cas ",
                                             "delete ", "touch ", "gats ", "flush_all", "version"};
constexpr std::array<const char*, 11> kLines{
    "STORED",
    "NOT_STORED",
    "EXISTS",
    "NOT_FOUND",
    "DELETED",
    "TOUCHED",
    "OK",
    "VERSION 1.6.18",
    "END",
    "SERVER_ERROR out of memory storing object",
    "SERVER_ERROR object too large for cache",
};
} // namespace

QByteArray MemcachedCommand::text() const {
    QByteArray text = kVerbs[std::size_t(kind)] + key;
    const bool timed = stores() || kind == Kind::Touch || kind == Kind::GetAndTouch || (kind == Kind::Flush && expiry);
    if (timed) text += ' ' + QByteArray::number(qint64(expiry));
    if (kind == Kind::CompareAndSet) text += " #" + QByteArray::number(quint64(unique));
    return text;
}

QByteArray MemcachedReply::line() const {
    return kLines[std::size_t(word)];
}

} // namespace lockscope::sim
