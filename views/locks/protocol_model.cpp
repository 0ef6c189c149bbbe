// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/protocol_model.h"

#include "models/lock_facts.h"
#include "recipes/recipe_info.h"
#include "theme/format.h"

#include <QRegularExpression>
#include <optional>

namespace lockscope::views {

using trace::Belief;

namespace {

/// The panel's subject: a recipe, with the name and the lease of the lock in view.
struct Followed {
    QString recipe;
    QString name;
    std::optional<Nanos> lease; ///< unknown of a lock of others: a server tells what is left, not what was asked for
};

/// The recipe that a lock's clients follow now, where engines change: a holder's, else the first one's that has asked;
/// empty: nobody has.
QString recipeInUse(const ViewContext& context, trace::EntityId lock) {
    const auto& beliefs = context.state().beliefs;
    trace::EntityId found = trace::kNoEntity;
    for (auto it = beliefs.lower_bound({lock, trace::kNoEntity}); it != beliefs.end() && it->first.first == lock;
         ++it) {
        const Belief& belief = it->second;
        if (!belief.recipe || (found && !belief.holding())) continue;
        found = belief.recipe;
        if (belief.holding()) break;
    }
    return found ? context.trace()->displayName(found) : QString();
}

/// The recipe of our own clients, or of the client that left the lock in view on a server: its format tells.
Followed followed(const ViewContext& context) {
    if (!context.session()) return {};
    const scenario::Scenario& settings = context.settings();
    Followed ours{settings.recipe, settings.lock.name, settings.lock.lease};
    // At somebody's servers that are only looked at, none of our own clients follows any.
    const session::Abilities can = context.session()->abilities();
    const bool ofRealServers = can.live || context.trace()->ofRealServers();
    // A recording of them has clients of our own only if one of them has asked for a lock.
    const bool onlyLooks = ofRealServers && !can.workload && (can.live || context.state().beliefs.empty());
    if (onlyLooks) ours = {};
    const trace::EntityId lock = context.focusedLock();
    if (lock == trace::kNoEntity) return ours;
    const QString name = context.trace()->displayName(lock), format = lockFormat(lock, context);
    if (name == settings.lock.name) {
        if (settings.manager)
            if (const QString used = recipeInUse(context, lock); !used.isEmpty()) ours.recipe = used;
        return ours;
    }
    // One of several locks has its own settings, and perhaps its own recipe.
    const auto other = std::ranges::find_if(
        settings.moreLocks, [&](const scenario::NamedLock& more) { return more.settings.name == name; });
    if (other != settings.moreLocks.end() && !ours.recipe.isEmpty())
        return {other->recipe.isEmpty() ? settings.recipe : other->recipe, name, other->settings.lease};
    if (format == unknown()) return ours;
    return {recipeOfFormat(format), name, {}};
}

/// A step's text with this lock's name and lease. Redis takes milliseconds after PX and PEXPIRE; people do not.
QString filled(QString step, const Followed& lock) {
    const QString word = ProtocolModel::tr("lease");
    const QString ms = lock.lease ? QString::number(lock.lease->count() / 1'000'000) : word;
    for (const char* command : {"PX ", "PEXPIRE "})
        step.replace(QLatin1String(command) + QLatin1String("{lease}"), QLatin1String(command) + ms);
    step.replace(QLatin1String("{lease}"), lock.lease ? roundDuration(*lock.lease) : word);
    step.replace(QLatin1String("{name}"), lock.name);
    return step;
}

} // namespace

ProtocolModel::ProtocolModel(ViewContext* context, QObject* parent) : QAbstractListModel(parent), m_context(context) {
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &ProtocolModel::refresh);
    for (auto signal : {&ViewContext::sessionChanged, &ViewContext::traceGrew, &ViewContext::scenarioChanged})
        connect(context, signal, this, &ProtocolModel::refreshSoon);
    connect(context, &ViewContext::playheadChanged, this, [this] { // at once: one picture shows one instant
        m_soon.stop();
        refresh();
    });
    connect(context, &ViewContext::selectionChanged, this, &ProtocolModel::refreshSoon);
    refresh();
}

void ProtocolModel::refreshSoon() {
    if (!m_soon.isActive()) m_soon.start();
}

QString ProtocolModel::summary() const {
    const recipes::RecipeInfo* const info = recipes::findRecipe(m_recipe.toLatin1());
    return info ? info->summary : QString();
}

void ProtocolModel::refresh() {
    const Followed shown = followed(*m_context);
    const QString& recipe = shown.recipe;
    const recipes::RecipeInfo* const info = recipes::findRecipe(recipe.toLatin1());
    QStringList steps;
    if (info)
        for (const QString& step : info->steps)
            steps += filled(step, shown);

    const auto trace = m_context->trace();
    const trace::State& state = m_context->state();
    const trace::EntityId lock = m_context->focusedLock();
    const auto found = state.records.find(lock);
    const trace::Record record = found == state.records.end() ? trace::Record{} : found->second;
    QStringList others; ///< clients that are still at another recipe
    std::vector<std::vector<StepBadge>> badges(std::size_t(steps.size()));
    for (auto it = state.beliefs.lower_bound({lock, trace::kNoEntity});
         it != state.beliefs.end() && it->first.first == lock; ++it) {
        const auto& [key, belief] = *it;
        // Its steps are those of the recipe that it asks by.
        const QString own = belief.recipe ? trace->displayName(belief.recipe) : recipe;
        if (own != recipe) {
            if (belief.phase != Belief::Phase::Idle)
                //: A client and the recipe that it still follows: "B (redis-set)".
                others += tr("%1 (%2)").arg(namesOf({key.second}, *trace), own);
            continue;
        }
        if (belief.step == 0 || belief.step > std::size_t(steps.size())) continue;
        StepBadge badge{key.second, namesOf({key.second}, *trace), Pill::Tone::Neutral, false, {}};
        if (belief.phase == Belief::Phase::Waiting) {
            badge.tone = Pill::Tone::Waiting;
            badge.words = tr("%1 waits").arg(badge.name);
        } else if (belief.phase == Belief::Phase::Holding) {
            const bool stale = trace::contradicts(record, belief, key.second);
            badge.tone = stale ? Pill::Tone::Violation : Pill::Tone::Holding;
            badge.words = stale ? tr("%1 believes it holds the lock, and the record says otherwise").arg(badge.name)
                                : tr("%1 holds it").arg(badge.name);
        } else {
            badge.words = badge.name;
        }
        const auto client = state.clients.find(trace->clientOf(key.second));
        badge.paused = client != state.clients.end() && client->second.life == trace::ClientState::Life::Paused;
        if (badge.paused) badge.words = tr("%1 (paused)").arg(badge.words);
        badges[belief.step - 1].push_back(std::move(badge));
    }

    refreshNote(others);
    if (recipe != m_recipe || steps != m_steps) {
        beginResetModel();
        m_recipe = recipe;
        m_steps = steps;
        m_badges = std::move(badges);
        endResetModel();
        Q_EMIT recipeChanged();
        return;
    }
    for (std::size_t i = 0; i < badges.size(); ++i) {
        if (badges[i] == m_badges[i]) continue;
        m_badges[i] = std::move(badges[i]);
        Q_EMIT dataChanged(index(int(i)), index(int(i)));
    }
}

void ProtocolModel::refreshNote(const QStringList& others) {
    const std::int64_t set = m_context->state().recipeSetAt;
    QString note;
    if (!others.isEmpty() && set >= 0)
        note = tr("Chosen at %1: each client asks by it from its next request on. Still at another recipe: %2.")
                   .arg(instant(*m_context->trace(), Nanos(set)), others.join(tr(", ")));
    else if (!others.isEmpty())
        note = tr("Still at another recipe: %1.").arg(others.join(tr(", ")));
    if (note == m_note) return;
    m_note = note;
    Q_EMIT noteChanged();
}

int ProtocolModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_steps.size());
}

QVariant ProtocolModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const QString step = m_steps[index.row()];
    switch (role) {
    case Qt::DisplayRole:
        return step;
    case NumberRole:
        return index.row() + 1;
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole: {
        QStringList words;
        for (const StepBadge& badge : m_badges[std::size_t(index.row())])
            words += badge.words;
        const QString line = tr("Step %1: %2").arg(QString::number(index.row() + 1), step);
        return words.isEmpty() ? line : line + QLatin1Char('\n') + words.join(QLatin1Char('\n'));
    }
    default:
        return {};
    }
}

} // namespace lockscope::views
