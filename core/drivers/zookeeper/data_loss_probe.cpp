// SPDX-License-Identifier: Apache-2.0
#include "drivers/zookeeper/data_loss_probe.h"

#include <zookeeper/zookeeper.h>

namespace lockscope::zookeeper {

DataLossProbe::DataLossProbe(Runtime& runtime, const Question& question, std::function<void()> lookSoon)
    : m_seen(question.seen), m_lookSoon(std::move(lookSoon)) {
    m_handle = std::make_unique<Handle>(runtime, question.servers, question.session,
                                        Handle::Callbacks{
                                            [this](int state) { onSession(state); },
                                            [](std::uint64_t, int, const char*) {}, // it sets no watch
                                            [this] { m_lookSoon(); },
                                            [this] { return m_asked ? kVoidAnswer : -1; },
                                        });
    if (!m_handle->valid())
        m_finding = Finding::Unknown;
    else if (!question.login.isEmpty())
        m_handle->login(question.login);
}

DataLossProbe::~DataLossProbe() {
    if (!m_asked && m_handle->connected()) m_handle->endSession(Handle::Farewell::Said);
}

Nanos DataLossProbe::look() {
    return m_finding ? kNever : m_handle->look();
}

void DataLossProbe::onSession(int state) {
    if (state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE) return find(Finding::Unknown);
    if (state != ZOO_CONNECTED_STATE || m_finding || m_asked) return;
    m_asked = m_handle->agree([this](bool agreed) {
        m_asked = false;
        // Without an answer the handle connects anew, and the question is asked again.
        if (agreed) find(m_handle->lastZxid() > m_seen ? Finding::Kept : Finding::Lost);
    });
}

void DataLossProbe::find(Finding finding) {
    if (m_finding) return;
    m_finding = finding;
    m_lookSoon();
}

} // namespace lockscope::zookeeper
