// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine_words.h"

#include "trace/text.h"
#include "verdict/engine_change.h"

#include <QCoreApplication>
#include <map>

namespace lockscope::views {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Engines)
};

/// Why an engine was changed, by the id in the trace; as it stands there where the id is unknown.
QString whyWords(const QString& id) {
    static const std::map<QString, const char*> kReasons{
        {QStringLiteral("start"), QT_TRANSLATE_NOOP("Engines", "the first engine")},
        {QStringLiteral("hand"), QT_TRANSLATE_NOOP("Engines", "switched by hand")},
        {QStringLiteral("configuration"), QT_TRANSLATE_NOOP("Engines", "the configuration names another primary")},
        {QStringLiteral("health"), QT_TRANSLATE_NOOP("Engines", "the engine fails its health checks")},
        {QStringLiteral("fail-back"), QT_TRANSLATE_NOOP("Engines", "the primary is healthy again")},
        {QStringLiteral("split"), QT_TRANSLATE_NOOP("Engines", "two processes wanted different engines")},
        {QStringLiteral("unreadable"), QT_TRANSLATE_NOOP("Engines", "too few servers answer for the record")},
    };
    const auto found = kReasons.find(id);
    return found == kReasons.end() ? id : Words::tr(found->second);
}

QString newsWords(const trace::Event& event, const QString& engine) {
    switch (trace::EngineNews(event.flags & trace::kEngineNewsMask)) {
    case trace::EngineNews::Unhealthy:
        return Words::tr("%1 fails its health checks").arg(engine);
    case trace::EngineNews::Healthy:
        return Words::tr("%1 is healthy again").arg(engine);
    case trace::EngineNews::Leaving:
        return Words::tr("leaves %1").arg(engine);
    case trace::EngineNews::InUse:
        return Words::tr("uses %1, epoch %2").arg(engine).arg(event.value);
    case trace::EngineNews::Refused:
        return Words::tr("a switch to %1 was refused").arg(engine);
    }
    return engine;
}

} // namespace

bool leavesForASwitch(const trace::Event& event, const trace::Trace& trace) {
    return event.kind == trace::EventKind::EngineChanged &&
           trace::EngineNews(event.flags & trace::kEngineNewsMask) == trace::EngineNews::Leaving &&
           trace.entity(event.aux).name.split('\n').value(1) != "unreadable";
}

QString engineLabel(const trace::Event& event, const trace::Trace& trace) {
    return newsWords(event, verdict::shortEngine(engineAddress(event, trace)));
}

QString engineAddress(const trace::Event& event, const trace::Trace& trace) {
    // As it stands in the trace: made readable as one text, its line break would be an escape.
    return trace::readable(trace.entity(event.aux).name.split('\n').value(0));
}

QString engineWords(const trace::Event& event, const trace::Trace& trace) {
    const QList<QByteArray> told = trace.entity(event.aux).name.split('\n');
    const QString news = engineLabel(event, trace);
    return told.size() < 2 ? news : Words::tr("%1: %2").arg(news, whyWords(trace::readable(told.at(1))));
}

} // namespace lockscope::views
