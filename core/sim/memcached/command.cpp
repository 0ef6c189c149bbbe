// SPDX-License-Identifier: Apache-2.0
#include "sim/memcached/command.h"

#include "trace/digits.h"
#include "trace/joined.h"

#include <cstdlib>

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
    const bool timed = stores() || kind == Kind::Touch || kind == Kind::GetAndTouch || (kind == Kind::Flush && expiry);
    const trace::Digits seconds(std::uint64_t(std::abs(expiry)), 10), number(unique, 10);
    const QByteArrayView none, sign = expiry < 0 ? " -" : " ";
    const bool compares = kind == Kind::CompareAndSet;
    return trace::joined({kVerbs[std::size_t(kind)], key, timed ? sign : none, timed ? seconds.view() : none,
                          compares ? " #" : none, compares ? number.view() : none});
}

QByteArray MemcachedReply::line() const {
    return kLines[std::size_t(word)];
}

} // namespace lockscope::sim
