// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson_reader.h"

#include "scenario/fields.h"

#include <QRegularExpression>

namespace lockscope::lesson {

using scenario::Complaint;
using scenario::Fields;
using trace::EventKind;
using L = QLatin1String;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("lesson", text);
}

constexpr int kKinds = 256; ///< EventKind is one byte

EventKind eventKind(const Fields& fields) {
    const QString word = fields[L("on")].toString();
    QStringList known;
    for (int i = 1; i < kKinds; ++i) {
        const QString name = QString::fromLatin1(trace::kindName(EventKind(i)));
        if (name == word) return EventKind(i);
        if (name != L("unknown")) known += name;
    }
    fields.complain(fields.at(L("on")), tr("there is no kind of row “%1”%2").arg(word, suggestion(word, known)));
    return EventKind::None;
}

void invariant(const Fields& fields, verdict::Invariant& to) {
    for (const verdict::Invariant one : verdict::kInvariants)
        if (fields[L("invariant")].toString().toUtf8() == verdict::invariantId(one)) to = one;
}

void instant(const Fields& fields, QLatin1String key, Instant& to) {
    if (!fields.has(key)) return;
    if (const auto read = parseInstant(fields[key].toString()))
        to = *read;
    else
        fields.complain(fields.at(key), tr("“%1” is no instant").arg(fields[key].toString()));
}

Texts texts(const Fields& fields, QLatin1String key) {
    Texts texts;
    const QJsonObject object = fields[key].toObject();
    for (auto it = object.begin(); it != object.end(); ++it)
        texts.byLanguage[it.key()] = it->toString();
    return texts;
}

Moment readMoment(const Fields& fields) {
    Moment moment;
    fields.text(L("id"), moment.id);
    if (fields[L("on")].toString() == L("violated"))
        invariant(fields, moment.invariant);
    else
        moment.on = eventKind(fields);
    fields.number(L("nth"), moment.nth);
    fields.text(L("since"), moment.since);
    fields.duration(L("later"), moment.later);
    fields.text(L("who"), moment.who);
    fields.text(L("owner"), moment.owner);
    fields.number(L("step"), moment.step);
    fields.text(L("server"), moment.server);
    return moment;
}

Fact readFact(const Fields& fields) {
    Fact fact;
    scenario::choice(fields, L("fact"), factId, Fact::Kind::ByHand, fact.kind);
    instant(fields, L("at"), fact.at);
    instant(fields, L("from"), fact.from);
    instant(fields, L("to"), fact.to);
    fields.text(L("who"), fact.who);
    fields.text(L("not_to"), fact.notTo);
    fields.text(L("server"), fact.server);
    fields.text(L("lock"), fact.lock);
    invariant(fields, fact.invariant);
    if (fields.has(L("on"))) fact.on = eventKind(fields);
    if (fields.has(L("do"))) {
        const QString word = fields[L("do")].toString();
        fact.action = scenario::actionFromId(word.toUtf8());
        if (!fact.action) fields.complain(fields.at(L("do")), tr("there is no action “%1”").arg(word));
    }
    fields.text(L("set"), fact.setting);
    fields.text(L("set_other"), fact.otherSetting);
    const QString target = fields[L("target")].toString();
    if (target == L("client")) fact.target = Fact::Target::Client;
    if (target == L("server")) fact.target = Fact::Target::Server;
    if (target == L("setting")) fact.target = Fact::Target::Setting;
    return fact;
}

/// The value to compare with, in the form that fits the fact.
void readExpected(const Fields& fields, QLatin1String key, Condition& to) {
    const QJsonValue value = fields[key];
    const auto unfit = [&](const QString& form) {
        fields.complain(fields.at(key), tr("“%1” is compared with %2").arg(fields[L("fact")].toString(), form));
    };
    if (isClients(to.fact.kind)) {
        if (value.isString() && value.toString() != L("nobody")) to.clients += value.toString();
        for (const QJsonValue& one : value.toArray())
            to.clients += one.toString();
        if (!value.isString() && !value.isArray()) unfit(tr("a client, several, or \"nobody\""));
    } else if (isTime(to.fact.kind)) {
        if (value.toString() == L("never")) {
            to.number = INT64_MAX;
        } else if (const auto time = parseDuration(value.toString())) {
            to.number = time->count();
        } else {
            unfit(tr("a time such as \"5s\", or \"never\""));
        }
    } else if (to.fact.kind == Fact::Kind::Violated) {
        to.number = value.toBool();
        if (!value.isBool()) unfit(tr("true or false"));
    } else {
        to.number = value.toInteger();
        if (!value.isDouble()) unfit(tr("a whole number"));
    }
}

Condition readCondition(const Fields& fields) {
    Condition condition;
    condition.fact = readFact(fields);
    int tests = 0;
    for (const auto& [key, test] : {std::pair{L("is"), Condition::Test::Is},
                                    {L("is_not"), Condition::Test::IsNot},
                                    {L("at_least"), Condition::Test::AtLeast},
                                    {L("at_most"), Condition::Test::AtMost},
                                    {L("includes"), Condition::Test::Includes}}) {
        if (!fields.has(key)) continue;
        ++tests;
        condition.test = test;
        readExpected(fields, key, condition);
    }
    if (tests != 1)
        fields.complain(tr("a condition has one test: “is”, “is_not”, “at_least”, “at_most” or “includes”"));
    return condition;
}

std::vector<Condition> readConditions(const Fields& fields, QLatin1String key) {
    std::vector<Condition> conditions;
    fields.each(key, [&](const Fields& one) { conditions.push_back(readCondition(one)); });
    return conditions;
}

Scene readScene(const Fields& fields) {
    Scene scene;
    fields.text(L("id"), scene.id);
    fields.text(L("scenario"), scene.scenario);
    fields.text(L("recipe"), scene.recipe);
    scene.seed = std::uint64_t(fields[L("seed")].toInteger());
    scene.change = fields[L("change")].toObject();
    fields.each(L("moments"), [&](const Fields& one) { scene.moments.push_back(readMoment(one)); });
    const QJsonObject values = fields[L("values")].toObject();
    for (auto it = values.begin(); it != values.end(); ++it)
        scene.values[it.key()] = readFact({*it, fields.at(L("values")) + pointerStep(it.key()), fields.complaints()});
    return scene;
}

Question readQuestion(const Fields& fields) {
    Question question{texts(fields, L("question")), {}};
    fields.each(L("choices"), [&](const Fields& one) {
        question.choices.push_back({texts(one, L("text")), readConditions(one, L("when"))});
    });
    return question;
}

Table readTable(const Fields& fields) {
    Table table;
    fields.words(L("rows"), table.recipes);
    fields.each(L("columns"), [&](const Fields& one) {
        table.columns.push_back({.title = texts(one, L("title")), .scenarios = {}});
        one.words(L("scenarios"), table.columns.back().scenarios);
        one.flag(L("tokens"), table.columns.back().tokens);
    });
    return table;
}

Step readStep(const Fields& fields) {
    Step step;
    fields.text(L("scene"), step.scene);
    if (fields.has(L("from"))) instant(fields, L("from"), step.from.emplace());
    instant(fields, L("until"), step.until);
    const QJsonArray window = fields[L("window")].toArray();
    if (!window.isEmpty()) {
        const auto from = parseInstant(window[0].toString()), to = parseInstant(window[1].toString());
        if (from && to)
            step.window = {*from, *to};
        else
            fields.complain(fields.at(L("window")), tr("this needs two instants"));
    }
    if (fields.has(L("speed"))) step.speed = fields[L("speed")].toDouble();
    step.say = texts(fields, L("say"));
    const Fields look = fields.in(L("look"));
    look.words(L("lanes"), step.look.lanes);
    instant(look, L("from"), step.look.from);
    instant(look, L("to"), step.look.to);
    scenario::choice(look, L("panel"), panelId, Look::Panel::Queue, step.look.panel);
    for (const QJsonValue& one : look[L("protocol")].toArray())
        step.look.protocol.push_back(one.toInt());
    step.claims = readConditions(fields, L("claims"));
    if (fields.has(L("table"))) step.table = readTable(fields.in(L("table")));
    if (fields.has(L("ask"))) step.ask = readQuestion(fields.in(L("ask")));
    return step;
}

} // namespace

std::optional<Instant> parseInstant(const QString& text) {
    static const QRegularExpression kForm(QStringLiteral("^(.+?)(?:([+-])([0-9.]+(?:ns|us|ms|s|m|h)))?$"));
    if (const auto time = parseDuration(text)) return Instant{Instant::Base::Start, {}, *time};
    const QRegularExpressionMatch match = kForm.match(text);
    if (!match.hasMatch()) return std::nullopt;
    Instant instant{Instant::Base::Moment, match.captured(1), {}};
    if (instant.moment == L("here"))
        instant = {Instant::Base::Here, {}, {}};
    else if (instant.moment == L("end"))
        instant = {Instant::Base::End, {}, {}};
    else if (instant.moment == L("start"))
        instant = {Instant::Base::Start, {}, {}};
    if (match.capturedLength(3) > 0) {
        const auto offset = parseDuration(match.captured(3));
        if (!offset) return std::nullopt;
        instant.offset = match.captured(2) == L("-") ? -*offset : *offset;
    }
    return instant;
}

Lesson readLesson(const QJsonObject& document, std::vector<Complaint>& complaints) {
    Lesson lesson;
    const Fields top(document, QString(), complaints);
    top.text(L("id"), lesson.id);
    top.number(L("order"), lesson.order);
    top.number(L("minutes"), lesson.minutes);
    top.flag(L("plain"), lesson.plain);
    lesson.title = texts(top, L("title"));
    lesson.idea = texts(top, L("idea"));
    lesson.remember = texts(top, L("remember"));
    top.each(L("sources"), [&](const Fields& fields) {
        Source source{texts(fields, L("text")), {}};
        fields.text(L("url"), source.url);
        lesson.sources.push_back(std::move(source));
    });
    top.each(L("scenes"), [&](const Fields& fields) { lesson.scenes.push_back(readScene(fields)); });
    top.each(L("steps"), [&](const Fields& fields) {
        Step step = readStep(fields);
        if (step.scene.isEmpty()) step.scene = lesson.steps.empty() ? lesson.scenes[0].id : lesson.steps.back().scene;
        lesson.steps.push_back(std::move(step));
    });
    if (top.has(L("turn"))) {
        const Fields fields = top.in(L("turn"));
        Turn turn{.scene = {},
                  .task = texts(fields, L("task")),
                  .hint = texts(fields, L("hint")),
                  .goal = readConditions(fields, L("goal")),
                  .solution = fields[L("solution")].toObject()};
        fields.text(L("scene"), turn.scene);
        lesson.turn = std::move(turn);
    }
    top.words(L("aside"), lesson.aside);
    return lesson;
}

} // namespace lockscope::lesson
