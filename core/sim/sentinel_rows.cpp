// SPDX-License-Identifier: Apache-2.0
// The events of a Sentinel as rows of the trace: who thinks whom down, votes, and the steps of a failover.
#include "sim/sentinel_server.h"

#include <algorithm>

namespace lockscope::sim {

using trace::Doubt;
using trace::EventKind;
using trace::FailoverPhase;

void SentinelServer::writeStep(FailoverPhase phase, const RespServer& about, const QByteArray& why) {
    trace::Recorder& recorder = grounds().recorder;
    recorder.emit(EventKind::FailoverStep, entity(), about.entity(), std::int64_t(phase),
                  why.isEmpty() ? trace::kNoEntity : recorder.trace().text(why));
}

void SentinelServer::writeEvent(const QByteArray& event, const Instance& instance) {
    const auto doubt = [&](Doubt value) {
        grounds().recorder.emit(EventKind::NodeDoubted, entity(), instance.server->entity(), std::int64_t(value));
    };
    if (event == "+sdown") return doubt(Doubt::Alone);
    if (event == "-sdown") return doubt(Doubt::None);
    if (event == "-odown" && instance.down) return doubt(Doubt::Alone);
    if (event.startsWith("-failover-abort-"))
        return writeStep(FailoverPhase::Abandoned, *instance.server, event.mid(1));
    struct Step {
        const char* event;
        FailoverPhase phase;
    };
    static constexpr Step kSteps[]{{"+try-failover", FailoverPhase::Begun},
                                   {"+elected-leader", FailoverPhase::Led},
                                   {"+selected-slave", FailoverPhase::Chosen},
                                   {"+promoted-slave", FailoverPhase::Promoted},
                                   {"+convert-to-slave", FailoverPhase::Demoted}};
    const auto known = std::ranges::find_if(kSteps, [&event](const Step& step) { return event == step.event; });
    if (known != std::end(kSteps)) return writeStep(known->phase, *instance.server);
    if (event == "+failover-end") writeStep(FailoverPhase::Ended, *m_promoted->server);
}

void SentinelServer::writeAgreed(int agree) {
    grounds().recorder.emit(EventKind::NodeDoubted, entity(), m_master->server->entity(), std::int64_t(Doubt::Agreed),
                            std::uint32_t(agree));
}

void SentinelServer::writeVote() {
    trace::EntityId candidate = entity();
    for (const InstancePtr& peer : m_peers)
        if (static_cast<const SentinelServer*>(peer->server)->runId() == m_votedFor) candidate = peer->server->entity();
    grounds().recorder.emit(EventKind::VoteCast, entity(), candidate, m_votedEpoch);
}

void SentinelServer::writeNoDoubts() {
    const auto clear = [this](const Instance& instance) {
        if (instance.down)
            grounds().recorder.emit(EventKind::NodeDoubted, entity(), instance.server->entity(),
                                    std::int64_t(Doubt::None));
    };
    clear(*m_master);
    for (const InstancePtr& replica : m_replicas)
        clear(*replica);
}

} // namespace lockscope::sim
