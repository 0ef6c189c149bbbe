// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/hands_recorder.h"

#include "editor/strikes.h"

namespace lockscope::views {

HandsRecorder::HandsRecorder(ViewContext* context, Player* player, QObject* parent)
    : QObject(parent), m_context(context), m_player(player) {
    connect(player, &Player::playingChanged, this, [this](bool playing) {
        if (m_on && !playing && m_context->session() == m_session) mark();
    });
    connect(player, &Player::speedChanged, this, [this](double) {
        if (!m_on || m_context->session() != m_session) return;
        mark(); // with the speed until here
        notePace(m_context->playhead());
    });
    connect(context, &ViewContext::scenarioChanged, this, [this] {
        if (m_on) Q_EMIT changed();
    });
    connect(context, &ViewContext::sessionChanged, this, [this] {
        if (!m_on) return;
        if (m_context->session() == m_session) { // its trace was replaced
            if (std::ranges::find(m_paces, run(), &Pace::run) == m_paces.end()) notePace({});
            Q_EMIT changed(); // stops in another run are no steps of this one
            return;
        }
        Q_EMIT lost();
        if (m_on) abandon();
    });
}

std::expected<void, QString> HandsRecorder::start() {
    session::Session* const session = m_context->session();
    if (!session || !session->abilities().rewind)
        return std::unexpected(tr("Only what is done with a simulation can become a lesson: open a scenario first."));
    m_session = session;
    m_before = session->doneByHand();
    m_marks.clear();
    m_paces.clear();
    notePace({});
    m_on = true;
    Q_EMIT changed();
    return {};
}

std::optional<HandsRecorder::Kept> HandsRecorder::kept() const {
    return m_on ? std::optional(Kept{m_before, m_marks, m_paces}) : std::nullopt;
}

void HandsRecorder::resume(Kept kept) {
    Q_ASSERT(m_context->session());
    m_session = m_context->session();
    m_before = std::move(kept.before);
    m_marks = std::move(kept.marks);
    m_paces = std::move(kept.paces);
    m_on = true;
    Q_EMIT changed();
}

HandsRecorder::Run HandsRecorder::run() const {
    return m_session ? Run{m_session->seed(), m_session->scenario().recipe} : Run{};
}

void HandsRecorder::notePace(Nanos from) {
    m_paces.push_back({from, m_player->speed(), run()});
}

double HandsRecorder::speedAt(Nanos at) const {
    const Run now = run();
    double speed = 1;
    for (const Pace& pace : m_paces)
        if (pace.from <= at && pace.run == now) speed = pace.speed;
    return speed;
}

void HandsRecorder::mark(const QString& note) {
    const Nanos at = m_context->playhead();
    if (at <= Nanos{} && note.isEmpty()) return; // everything begins there
    m_marks.push_back({at, speedAt(at), note.isEmpty() ? QStringList() : QStringList{note}, run()});
    Q_EMIT changed();
}

void HandsRecorder::note(const QString& text) {
    if (m_on && !text.trimmed().isEmpty()) mark(text.trimmed());
}

std::vector<HandsRecorder::Mark> HandsRecorder::marks() const {
    if (!m_session) return {};
    const Run now = run();
    std::vector<Mark> all;
    std::ranges::copy_if(m_marks, std::back_inserter(all), [&](const Mark& mark) { return mark.run == now; });
    // Only what was not taken back again, where it struck.
    const std::vector<scenario::Fault> done = m_session->doneByHand();
    const auto strikes = strikesOf(done, *m_session->trace());
    for (std::size_t i = 0; i < done.size(); ++i)
        if (strikes[i] && std::ranges::find(m_before, done[i]) == m_before.end())
            all.push_back({*strikes[i], speedAt(*strikes[i])});
    std::ranges::stable_sort(all, {}, &Mark::at);
    joinEqual(all);
    return all;
}

void HandsRecorder::joinEqual(std::vector<Mark>& marks) {
    std::vector<Mark> joined;
    for (Mark& mark : marks) {
        if (!joined.empty() && joined.back().at == mark.at)
            joined.back().notes += mark.notes;
        else
            joined.push_back(std::move(mark));
    }
    marks = std::move(joined);
}

void HandsRecorder::abandon() {
    m_on = false;
    m_session = nullptr;
    Q_EMIT changed();
}

std::optional<HandsRecorder::Taken> HandsRecorder::take() {
    if (!m_on || !m_session) return std::nullopt;
    Taken taken{m_session->scenario(), m_session->seed(), marks()};
    if (taken.steps.empty()) taken.steps.push_back({m_context->furthest(), m_player->speed()});
    abandon();
    return taken;
}

} // namespace lockscope::views
