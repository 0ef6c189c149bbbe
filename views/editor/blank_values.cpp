// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/blank_values.h"

#include "scenario/scenario_file.h"
#include "trace/duration.h"
#include "trace/json_edit.h"

#include <QJsonArray>
#include <QRegularExpression>

namespace lockscope::views {

namespace {

using Object = QJsonObject;

const QString kId = QStringLiteral("id"), kName = QStringLiteral("name"), kText = QStringLiteral("text");

Object texts() {
    return {{QStringLiteral("en"), QString()}, {QStringLiteral("zh_CN"), QString()}};
}

/// True of most runs, and a place to begin from.
Object claim() {
    return {{QStringLiteral("fact"), QStringLiteral("violated")},
            {QStringLiteral("invariant"), QStringLiteral("mutual-exclusion")},
            {QStringLiteral("is"), false}};
}

/// "lock-2": the first number that no element has in this field.
QString free(const QJsonArray& list, const QString& key, const QString& stem) {
    for (int i = int(list.size()) + 1;; ++i) {
        const QString name = QStringLiteral("%1-%2").arg(stem).arg(i);
        if (std::ranges::none_of(list, [&](const QJsonValue& one) { return one[key].toString() == name; })) return name;
    }
}

/// An instant a second after another one, in its own terms: "wake+300ms" and "wake+1.3s". An end has nothing behind it.
QString later(const QString& instant) {
    if (const auto time = parseDuration(instant)) return formatDuration(*time + 1s);
    if (instant == QLatin1String("end")) return instant;
    const qsizetype sign = instant.lastIndexOf(QRegularExpression(QStringLiteral("[+-](?=[0-9])")));
    const auto offset = parseDuration(sign < 0 ? QStringLiteral("0s") : instant.sliced(sign + 1));
    if (!offset) return instant;
    const Nanos after = (sign >= 0 && instant[sign] == u'-' ? -*offset : *offset) + 1s;
    const QString base = sign < 0 ? instant : instant.left(sign);
    if (after == Nanos::zero()) return base;
    return base + (after < Nanos::zero() ? u'-' : u'+') + formatDuration(after < Nanos::zero() ? -after : after);
}

QJsonArray usualProgram() {
    return {Object{{QStringLiteral("think"), true}}, Object{{QStringLiteral("take"), true}},
            Object{{QStringLiteral("work"), true}}, Object{{QStringLiteral("release"), true}}};
}

} // namespace

QJsonObject blankElement(const EditedDocument& document, const QString& list) {
    const QString key = list.section(u'/', -1);
    const QJsonArray there = document.at(list).toArray();
    const bool lesson = document.kind() == EditedDocument::Kind::Lesson;
    if (key == QLatin1String("faults"))
        return {{QStringLiteral("at"), QStringLiteral("1s")},
                {QStringLiteral("do"), QStringLiteral("pause-client")},
                {QStringLiteral("target"), QStringLiteral("holder")},
                {QStringLiteral("for"), QStringLiteral("2s")}};
    if (key == QLatin1String("services"))
        return {{kId, free(there, kId, QStringLiteral("service"))}, {QStringLiteral("kind"), QStringLiteral("redis")}};
    if (key == QLatin1String("locks"))
        return {{kName, free(there, kName, QStringLiteral("lock"))}, {QStringLiteral("lease"), QStringLiteral("10s")}};
    if (key == QLatin1String("programs"))
        return {{kName, free(there, kName, QStringLiteral("program"))}, {QStringLiteral("steps"), usualProgram()}};
    if (key == QLatin1String("clients"))
        return {{QStringLiteral("program"), document.at(QStringLiteral("/programs/0/name"))},
                {QStringLiteral("count"), 1}};
    if (key == QLatin1String("steps") && !lesson) return {{QStringLiteral("think"), QStringLiteral("1s")}};
    if (key == QLatin1String("steps"))
        return {{QStringLiteral("until"),
                 there.isEmpty() ? QStringLiteral("1s") : later(there.last()[u"until"].toString())},
                {QStringLiteral("say"), texts()},
                {QStringLiteral("claims"), QJsonArray{claim()}}};
    if (key == QLatin1String("scenes"))
        return {{kId, free(there, kId, QStringLiteral("scene"))},
                {QStringLiteral("scenario"), QStringLiteral("contention")},
                {QStringLiteral("seed"), 1}};
    if (key == QLatin1String("moments"))
        return {{kId, free(there, kId, QStringLiteral("moment"))},
                {QStringLiteral("on"), QStringLiteral("granted")},
                {QStringLiteral("who"), QStringLiteral("H")}};
    if (key == QLatin1String("sources")) return {{kText, texts()}};
    if (key == QLatin1String("choices")) return {{kText, texts()}, {QStringLiteral("when"), QJsonArray{claim()}}};
    return claim();
}

QJsonObject blankObject(const EditedDocument& document, const QString& place) {
    const QString key = place.section(u'/', -1);
    if (key == QLatin1String("when")) return {{QStringLiteral("on"), QStringLiteral("granted")}};
    if (key == QLatin1String("look"))
        return {{QStringLiteral("lanes"), QJsonArray{QStringLiteral("belief"), QStringLiteral("record")}}};
    if (key == QLatin1String("ask")) {
        const Object choice = blankElement(document, QStringLiteral("/choices"));
        Object other = choice, untrue = claim();
        untrue[u"is"] = true;
        other[u"when"] = QJsonArray{untrue};
        return {{QStringLiteral("question"), texts()}, {QStringLiteral("choices"), QJsonArray{choice, other}}};
    }
    if (key == QLatin1String("turn"))
        return {{QStringLiteral("task"), texts()},
                {QStringLiteral("scene"), document.at(QStringLiteral("/scenes/0/id"))},
                {QStringLiteral("goal"), QJsonArray{claim()}},
                {QStringLiteral("solution"), Object{}}};
    if (key == QLatin1String("manager"))
        return {{QStringLiteral("engines"), QJsonArray{QStringLiteral("redis-1"), QStringLiteral("redis-2")}}};
    return {};
}

QByteArray blankDocument(EditedDocument::Kind kind) {
    if (kind == EditedDocument::Kind::Scenario)
        return R"({
  "lockscope": 2,
  "id": "my-scenario",
  "title": { "en": "My scenario", "zh_CN": "我的场景" },
  "recipe": "redis-set",
  "until": "30s",
  "services": [{ "id": "redis", "kind": "redis" }],
  "locks": [{ "name": "orders", "lease": "5s" }],
  "resource": { "name": "stock" },
  "workload": { "count": 3, "hold": ["2s", "4s"], "think": ["500ms", "1500ms"] },
  "faults": [
    { "at": "5s", "do": "pause-client", "target": "holder", "for": "6s" }
  ]
}
)";
    return R"({
  "lockscope_lesson": 1,
  "id": "my-lesson",
  "order": 100,
  "minutes": 5,
  "title": { "en": "My lesson", "zh_CN": "我的课" },
  "idea": { "en": "One idea, in a sentence.", "zh_CN": "一句话说出要点。" },
  "remember": { "en": "The sentence to keep.", "zh_CN": "要记住的一句话。" },
  "sources": [{ "text": { "en": "My own", "zh_CN": "自编" } }],
  "scenes": [{ "id": "scene-1", "scenario": "contention", "seed": 1 }],
  "steps": [
    {
      "until": "3s",
      "say": { "en": "Four clients want one lock.", "zh_CN": "四个客户端争一把锁。" },
      "claims": [{ "fact": "violated", "invariant": "mutual-exclusion", "is": false }]
    }
  ]
}
)";
}

} // namespace lockscope::views
