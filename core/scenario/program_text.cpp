// SPDX-License-Identifier: Apache-2.0
#include "scenario/program_text.h"

#include <QCoreApplication>

namespace lockscope::scenario {

namespace {

using L = QLatin1String;
using Do = ProgramStep::Do;
using Hold = ProgramStep::Hold;

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

/// The word of a step, and the fields that may stand beside it.
struct Verb {
    Do act;
    QLatin1String word;
    bool namesLocks;    ///< its value is a lock, or several; otherwise a time, or true
    QStringList beside; ///< fields
};
const std::vector<Verb>& verbs() {
    static const std::vector<Verb> kVerbs{
        {Do::Think, L("think"), false, {}},
        {Do::Take, L("take"), true, {u"wait"_qs, u"mode"_qs, u"permits"_qs}},
        {Do::Work, L("work"), false, {u"write_every"_qs}},
        {Do::Write, L("write"), false, {}},
        {Do::Release, L("release"), true, {}},
        {Do::Await, L("await"), true, {u"wait"_qs}},
        {Do::Signal, L("signal"), true, {}},
    };
    return kVerbs;
}

const Verb& verbOf(Do act) {
    return *std::ranges::find(verbs(), act, &Verb::act);
}

QByteArray holdId(Hold hold) {
    constexpr std::array kIds{"exclusive", "shared", "permits"};
    return kIds[std::size_t(hold)];
}

/// The verb of a step; nullptr, with a complaint, where there is none or more than one.
const Verb* verbIn(const Fields& step) {
    QStringList all, found;
    const Verb* verb = nullptr;
    for (const Verb& one : verbs()) {
        all += one.word;
        if (!step.has(one.word)) continue;
        found += u'“' + one.word + u'”';
        verb = &one;
    }
    if (found.isEmpty()) step.complain(tr("a step does one thing: %1").arg(all.join(u", "_qs)));
    if (found.size() > 1) step.complain(tr("%1 are steps of their own").arg(found.join(u", "_qs)));
    return found.size() == 1 ? verb : nullptr;
}

void readLockNames(const Fields& step, const Verb& verb, const QStringList& known, ProgramStep& to) {
    const QJsonValue value = step[verb.word];
    if (value.isString()) to.locks += value.toString();
    step.words(verb.word, to.locks);
    for (const QString& lock : to.locks)
        if (!known.contains(lock))
            step.complain(step.at(verb.word), tr("there is no lock “%1”%2").arg(lock, suggestion(lock, known)));
    if (std::set<QString>(to.locks.begin(), to.locks.end()).size() < std::size_t(to.locks.size()))
        step.complain(step.at(verb.word), tr("a lock stands here twice"));
}

ProgramStep readStep(const Fields& step, const QStringList& locks) {
    ProgramStep to;
    const Verb* const verb = verbIn(step);
    if (!verb) return to;
    to.act = verb->act;
    for (const char* const field : {"wait", "mode", "permits", "write_every"}) {
        const QLatin1String key(field);
        if (step.has(key) && !verb->beside.contains(QString(key)))
            step.complain(step.at(key), tr("“%1” has no place beside “%2”").arg(QString(key), QString(verb->word)));
    }
    if (verb->namesLocks) {
        readLockNames(step, *verb, locks, to);
    } else if (!step[verb->word].isBool()) {
        step.range(verb->word, to.range.emplace());
    }
    if (step.has(L("write_every"))) {
        step.range(L("write_every"), to.every.emplace());
        if (to.every->low <= Nanos(0)) step.complain(step.at(L("write_every")), tr("this must be longer than 0 s"));
    }
    step.duration(L("wait"), to.wait, L("forever"), kNever);
    choice(step, L("mode"), holdId, Hold::Permits, to.hold);
    step.number(L("permits"), to.permits);
    if (step.has(L("permits")) && to.hold != Hold::Permits)
        step.complain(step.at(L("permits")), tr("only \"mode\": \"permits\" takes several"));
    return to;
}

/// Whether a step always takes time. Without such a step, a round of the program could take none at all.
bool takesTime(const ProgramStep& step, const Workload& workload) {
    const Range usual = step.act == Do::Think ? workload.think : workload.hold;
    const bool lasts = step.act == Do::Think || step.act == Do::Work;
    return lasts && step.range.value_or(usual).low > Nanos(0);
}

} // namespace

Program readProgram(const Fields& fields, const Workload& workload, const QStringList& locks) {
    Program program;
    fields.text(L("name"), program.name);
    const std::size_t before = fields.complaints().size();
    fields.each(L("steps"), [&](const Fields& step) { program.steps.push_back(readStep(step, locks)); });
    const auto lasts = [&](const ProgramStep& step) { return takesTime(step, workload); };
    if (fields.complaints().size() == before && std::ranges::none_of(program.steps, lasts))
        fields.complain(fields.at(L("steps")), tr("a round of this program may take no time: it needs a “think” or a "
                                                  "“work” that is longer than 0 s"));
    return program;
}

QJsonValue rangeValue(const Range& range) {
    if (range.low == range.high) return formatDuration(range.low);
    return QJsonArray{formatDuration(range.low), formatDuration(range.high)};
}

QJsonObject programObject(const Program& program) {
    QJsonArray steps;
    for (const ProgramStep& step : program.steps) {
        const Verb& verb = verbOf(step.act);
        QJsonValue value = true;
        if (verb.namesLocks && step.locks.size() == 1) value = step.locks.front();
        if (verb.namesLocks && step.locks.size() > 1) value = QJsonArray::fromStringList(step.locks);
        if (!verb.namesLocks && step.range) value = rangeValue(*step.range);
        QJsonObject object{{verb.word, value}};
        if (step.every) object[u"write_every"] = rangeValue(*step.every);
        if (step.wait) object[u"wait"] = *step.wait == kNever ? u"forever"_qs : formatDuration(*step.wait);
        if (step.hold != Hold::Exclusive) object[u"mode"] = QString::fromLatin1(holdId(step.hold));
        if (step.hold == Hold::Permits) object[u"permits"] = step.permits;
        steps += object;
    }
    return {{u"name"_qs, program.name}, {u"steps"_qs, steps}};
}

} // namespace lockscope::scenario
