// SPDX-License-Identifier: Apache-2.0
// The engines of a scenario's lock manager in the simulated world.
#include "sim/world.h"

#include <QCoreApplication>

namespace lockscope::sim {

using trace::EventKind;

std::expected<void, QString> World::switchEngine(const scenario::Fault& fault, std::uint8_t flags) {
    const int number = m_settings.engineNumber(fault.target);
    if (number < 0)
        return std::unexpected(
            QCoreApplication::translate("Faults", "“%1” is no engine of a lock manager.").arg(fault.target));
    const QString engine = m_settings.manager->engines[number];
    const bool naive = m_settings.manager->isNaive();
    const bool anybody =
        std::ranges::any_of(m_clients, [](const auto& client) { return client->life() == Runtime::Life::Running; });
    if (!anybody)
        return std::unexpected(
            QCoreApplication::translate("Faults", "No client is running that could change the engine."));
    emit(EventKind::SettingChanged, flags, trace::kNoEntity, trace::kNoEntity, 0,
         m_recorder.trace().text("engine=" + engine.toUtf8()));
    for (const auto& client : m_clients) {
        // Naively, everybody is told and nobody asked; a manager does all by asking the others.
        if (client->switchEngine(number) && !naive) break;
    }
    if (naive) m_services->decides(engine);
    return {};
}

void World::followEngine(const trace::Event& event) {
    if (event.kind != EventKind::EngineChanged || event.value <= m_epoch) return;
    if (trace::EngineNews(event.flags & trace::kEngineNewsMask) != trace::EngineNews::InUse) return;
    m_epoch = event.value;
    for (const QString& engine : m_settings.manager->engines) {
        // An engine's id is its address, a blank, and the recipe.
        const QByteArray address = parseConnectionUrl(m_services->urlOf(engine))->address().toUtf8();
        if (!m_recorder.trace().entity(event.aux).name.startsWith(address + ' ')) continue;
        // Not from inside the news: what it changes is told after it.
        m_scheduler.at(now(), [this, engine] { m_services->decides(engine); });
    }
}

} // namespace lockscope::sim
