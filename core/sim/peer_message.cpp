// SPDX-License-Identifier: Apache-2.0
#include "sim/peer_message.h"

namespace lockscope::sim {

void tellMessage(const Grounds& grounds, Party from, Party to, std::optional<Nanos> arrival, const char* what) {
    const std::int64_t flight = arrival ? (*arrival - grounds.scheduler.now()).count() : -1;
    const QByteArray text = QByteArray::fromRawData(what, qsizetype(qstrlen(what))); // all of them are literals
    grounds.recorder.emit(trace::EventKind::PeerMessage, from, to, flight, grounds.recorder.trace().text(text));
}

} // namespace lockscope::sim
