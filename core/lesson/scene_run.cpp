// SPDX-License-Identifier: Apache-2.0
#include "lesson/scene_run.h"

#include "experiment/contrast.h"
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/open_scenario.h"

namespace lockscope::lesson {

using scenario::Problem;
using trace::EntityId;
using trace::EntityKind;
using trace::Event;
using trace::EventKind;
using trace::kNoEntity;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("lesson", text);
}

/// The fields of `change` over those of `base`; null takes a field away (RFC 7396).
QJsonObject merged(QJsonObject base, const QJsonObject& change) {
    for (auto it = change.begin(); it != change.end(); ++it) {
        if (it->isNull())
            base.remove(it.key());
        else if (it->isObject() && base[it.key()].isObject())
            base[it.key()] = merged(base[it.key()].toObject(), it->toObject());
        else
            base[it.key()] = *it;
    }
    return base;
}

/// Finds the moments of a scene in its run, one after the other, and binds names to clients on the way.
class Finder {
public:
    Finder(const trace::Trace& trace, const verdict::Verdict& verdict) : m_trace(trace), m_verdict(verdict) {}

    /// False: it does not happen.
    bool find(const Moment& moment, const QString& before) {
        const QString since = moment.since.isEmpty() ? before : moment.since;
        const auto place = m_names.moments.find(since);
        const bool fromStart = place == m_names.moments.end();
        const std::size_t first = fromStart ? 0 : place->second.row + 1;
        const Nanos earliest = fromStart ? moment.later : place->second.at + moment.later;
        const auto found =
            moment.on == EventKind::None ? violation(moment, first, earliest) : row(moment, first, earliest);
        if (found) m_names.moments[moment.id] = *found;
        return found.has_value();
    }
    Names take() { return std::move(m_names); }

private:
    std::optional<Found> violation(const Moment& moment, std::size_t first, Nanos earliest) {
        int left = moment.nth;
        for (const verdict::Violation& one : m_verdict.violations) {
            if (one.invariant != moment.invariant || one.row < first || one.from < earliest || --left > 0) continue;
            if (!moment.who.isEmpty() && !one.actors.empty()) bind(moment.who, one.actors.front());
            return Found{one.row, one.from};
        }
        return std::nullopt;
    }

    std::optional<Found> row(const Moment& moment, std::size_t first, Nanos earliest) {
        int left = moment.nth;
        for (std::size_t row = first; row < m_trace.size(); ++row) {
            if (m_trace.kindAt(row) != moment.on || m_trace.timeAt(row) < earliest.count()) continue;
            const Event event = m_trace.at(row);
            if (!fits(moment, event) || --left > 0) continue;
            if (!moment.who.isEmpty()) bind(moment.who, event.actor);
            if (!moment.owner.isEmpty()) bind(moment.owner, event.aux);
            return Found{row, event.time()};
        }
        return std::nullopt;
    }

    bool fits(const Moment& moment, const Event& event) const {
        // The lock is meant, and not one server's copy of it, unless that server is named.
        const EntityId subject = event.subject;
        if (!moment.server.isEmpty()) {
            const EntityId holder = m_trace.entity(subject).kind == EntityKind::Lock   ? m_trace.entity(subject).parent
                                    : m_trace.entity(subject).kind == EntityKind::Node ? subject
                                                                                       : event.actor;
            if (m_trace.entity(holder).name != moment.server.toUtf8()) return false;
        } else if (trace::isRecord(event.kind) && m_trace.copyOf(subject) != kNoEntity) {
            return false;
        }
        if (moment.step != 0 && event.aux != std::uint32_t(moment.step)) return false;
        return canBe(moment.who, event.actor) && canBe(moment.owner, event.aux);
    }

    QString nameOf(EntityId actor) const { return QString::fromUtf8(m_trace.entity(m_trace.clientOf(actor)).name); }
    /// A bound name is that client; a new one is a client without a name.
    bool canBe(const QString& name, EntityId actor) const {
        if (name.isEmpty()) return true;
        if (actor == kNoEntity) return false;
        const QString client = nameOf(actor);
        if (const auto bound = m_names.clients.find(name); bound != m_names.clients.end())
            return bound->second == client;
        return std::ranges::none_of(m_names.clients, [&](const auto& one) { return one.second == client; });
    }
    void bind(const QString& name, EntityId actor) { m_names.clients.try_emplace(name, nameOf(actor)); }

    const trace::Trace& m_trace;
    const verdict::Verdict& m_verdict;
    Names m_names;
};

} // namespace

std::expected<scenario::Scenario, std::vector<Problem>> scenarioOf(const Scene& scene, const QJsonObject& further) {
    const auto base = scenario::loadScenario(scene.scenario);
    if (!base) return base;
    QJsonObject document = QJsonDocument::fromJson(scenario::toJson(*base)).object();
    if (!scene.recipe.isEmpty()) document[u"recipe"] = scene.recipe;
    document = merged(merged(document, scene.change), further);
    const QString place = QStringLiteral("scene ") + scene.id;
    auto changed = scenario::parseScenario(QJsonDocument(document).toJson(), place);
    if (!changed) return changed;
    if (auto problems = session::recipeProblems(*changed, place); !problems.empty())
        return std::unexpected(std::move(problems));
    return changed;
}

std::expected<SceneRun, QString> playScene(const Scene& scene, const QJsonObject& further) {
    const auto scenario = scenarioOf(scene, further);
    if (!scenario) return std::unexpected(scenario.error().front().toString());
    const experiment::RunReport report = experiment::run(*scenario, scene.seed);
    Finder finder(*report.trace, report.verdict);
    QString before;
    // A changed run is another one: nobody said that the scene's moments happen in it.
    if (further.isEmpty()) {
        for (const Moment& moment : scene.moments) {
            if (!finder.find(moment, before))
                return std::unexpected(
                    tr("in the scene “%1” the moment “%2” does not happen").arg(scene.id, moment.id));
            before = moment.id;
        }
    }
    std::vector<scenario::Fault> byHand;
    std::ranges::copy_if(scenario->faults, std::back_inserter(byHand), &scenario::Fault::byHand);
    return SceneRun{*scenario, std::make_shared<Facts>(report.trace, std::make_shared<verdict::Verdict>(report.verdict),
                                                       *scenario, std::move(byHand), finder.take())};
}

QString oneDifference(const Scene& first, const SceneRun& firstRun, const Scene& second, const SceneRun& secondRun) {
    if (first.scenario != second.scenario || first.seed != second.seed) return {};
    const auto contrast = experiment::contrastBetween(firstRun.scenario, secondRun.scenario);
    return contrast ? contrast->toString() : QString();
}

} // namespace lockscope::lesson
