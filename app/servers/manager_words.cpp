// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/manager_words.h"

#include "cli/text.h"
#include "lock/manager/switch_reason.h"
#include "ports/words.h"

#include <QDateTime>
#include <QJsonArray>

namespace lockscope::cli {

namespace {

using State = EngineReport::State;
using Kind = ManagerChange::Kind;

constexpr int kRoleWidth = 11;

QString reasonText(const EngineRecord& record) {
    return detail::sentenceOf(detail::switchReasonOf(record.why));
}

QString roleOf(int index) {
    return index == 0 ? tr("primary") : tr("fallback %1").arg(index);
}

QString withReason(const QString& text, const EngineRecord& record) {
    const QString reason = reasonText(record);
    return reason.isEmpty() ? text : tr("%1: %2").arg(text, reason);
}

/// How a namespace stands.
QString stateText(const EngineReport& report) {
    const EngineRecord& record = report.record;
    const QString engine = engineText(report.config, record.engine);
    switch (report.state) {
    case State::Unreadable:
        return unreadableText(report);
    case State::NotBegun:
        return tr("no process has begun yet; the first one takes %1")
            .arg(engineText(report.config, report.config.engines.front().id()));
    case State::InUse: {
        const QString since = record.settledMs > 0 ? tr(" since %1").arg(instantOf(record.settledMs)) : QString();
        return withReason(tr("%1 is in use%2, epoch %3").arg(engine, since).arg(record.epoch), record);
    }
    case State::Proposed:
        return withReason(tr("a switch to %1 is proposed, epoch %2, and not decided yet").arg(engine).arg(record.epoch),
                          record);
    case State::Switching:
        break;
    }
    QString text = record.from.isEmpty() ? tr("switching to %1, epoch %2").arg(engine).arg(record.epoch)
                                         : tr("switching from %1 to %2, epoch %3")
                                               .arg(engineText(report.config, record.from), engine)
                                               .arg(record.epoch);
    if (const std::int64_t ends = report.switchEndsMs(); ends > 0)
        text += tr("; nothing is granted until about %1").arg(instantOf(ends));
    return withReason(text, record);
}

QString copyText(const EngineReport::Copy& copy) {
    if (copy.trouble) return tr("does not answer: %1").arg(troubleText(*copy.trouble));
    if (copy.record.epoch == 0) return tr("has no record");
    return (copy.record.settled ? tr("epoch %1, settled: %2") : tr("epoch %1, not settled: %2"))
        .arg(copy.record.epoch)
        .arg(QString::fromUtf8(copy.record.engine));
}

QStringList engineLines(const EngineReport& report) {
    QStringList lines;
    for (std::size_t i = 0; i < report.engines.size(); ++i) {
        const EngineReport::Engine& engine = report.engines[i];
        lines += QStringLiteral("  %1 %2 %3  %4")
                     .arg(QString::number(i), roleOf(int(i)).leftJustified(kRoleWidth),
                          QString::fromUtf8(engine.config.id()),
                          engine.trouble ? tr("does not answer: %1").arg(troubleText(*engine.trouble)) : tr("healthy"));
    }
    return lines;
}

QJsonValue textOrNull(const QString& text) {
    return text.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(text);
}

QJsonValue engineJson(const NamespaceConfig& config, const QByteArray& id) {
    if (id.isEmpty()) return QJsonValue::Null;
    for (std::size_t i = 0; i < config.engines.size(); ++i) {
        const EngineConfig& engine = config.engines[i];
        if (engine.id() == id)
            return QJsonObject{{QStringLiteral("index"), int(i)},
                               {QStringLiteral("url"), engine.url.display()},
                               {QStringLiteral("recipe"), QString::fromLatin1(engine.recipe)}};
    }
    return QJsonObject{{QStringLiteral("index"), QJsonValue::Null}, {QStringLiteral("id"), QString::fromUtf8(id)}};
}

QJsonValue troubleJson(const std::optional<LockError>& trouble) {
    return trouble ? QJsonValue(troubleText(*trouble)) : QJsonValue(QJsonValue::Null);
}

const char* nameOf(State state) {
    switch (state) {
    case State::Unreadable:
        break;
    case State::NotBegun:
        return "not-begun";
    case State::InUse:
        return "in-use";
    case State::Proposed:
        return "proposed";
    case State::Switching:
        return "switching";
    }
    return "unreadable";
}

QJsonValue switchJson(const EngineReport& report) {
    if (report.state != State::Proposed && report.state != State::Switching) return QJsonValue::Null;
    const EngineRecord& record = report.record;
    return QJsonObject{{QStringLiteral("from"), engineJson(report.config, record.from)},
                       {QStringLiteral("to"), engineJson(report.config, record.engine)},
                       {QStringLiteral("decided"), report.state == State::Switching},
                       {QStringLiteral("mode"), QString::fromLatin1(switchModeName(report.mode()))},
                       {QStringLiteral("began"), textOrNull(instantOf(record.beganMs))},
                       {QStringLiteral("until"), textOrNull(instantOf(report.switchEndsMs()))}};
}

} // namespace

QString instantOf(std::int64_t wallMs) {
    return wallMs == 0 ? QString() : QDateTime::fromMSecsSinceEpoch(wallMs, Qt::UTC).toString(Qt::ISODateWithMs);
}

QString engineText(const NamespaceConfig& config, const QByteArray& engine) {
    for (std::size_t i = 0; i < config.engines.size(); ++i) {
        if (config.engines[i].id() == engine)
            return QStringLiteral("%1 (%2)").arg(QString::fromUtf8(engine), roleOf(int(i)));
    }
    return tr("%1 (not in this configuration)").arg(QString::fromUtf8(engine));
}

QString troubleText(const LockError& trouble) {
    QString text = trouble.message.simplified();
    if (text.endsWith(QLatin1Char('.'))) text.chop(1);
    return text;
}

QString unreadableText(const EngineReport& report) {
    return tr("too few servers answer for the record of the engine in use: %1 of %2, and %3 are needed")
        .arg(report.answered)
        .arg(report.copies.size())
        .arg(report.readQuorum);
}

QStringList statusText(const EngineReport& report) {
    QStringList lines{QStringLiteral("%1  %2").arg(QString::fromUtf8(report.config.name), stateText(report))};
    lines += engineLines(report);
    for (const EngineReport::Copy& copy : report.copies)
        lines += QStringLiteral("  %1 %2  %3")
                     .arg(tr("record").leftJustified(kRoleWidth + 2), copy.url.address(), copyText(copy));
    lines += QStringLiteral("  ") + tr("%1 of %2 copies of the record agree; %3 are needed to read it, %4 to switch")
                                        .arg(report.agreeing)
                                        .arg(report.copies.size())
                                        .arg(report.readQuorum)
                                        .arg(report.writeQuorum);
    return lines;
}

QStringList checkText(const EngineReport& report) {
    QStringList lines{QStringLiteral("%1  %2").arg(
        QString::fromUtf8(report.config.name),
        report.config.mode == SwitchMode::Drain
            ? tr("a switch drains: nothing is granted for %1").arg(inWords(report.config.switchTime()))
            : tr("a switch is immediate: nothing is granted for %1").arg(inWords(report.config.switchTime())))};
    lines += engineLines(report);
    for (const EngineReport::Copy& copy : report.copies)
        lines += QStringLiteral("  %1 %2  %3")
                     .arg(tr("record").leftJustified(kRoleWidth + 2), copy.url.address(),
                          copy.trouble ? tr("does not answer: %1").arg(troubleText(*copy.trouble)) : tr("answers"));
    if (std::size_t(report.writeQuorum) == report.copies.size())
        lines += QStringLiteral("  ") + tr("a switch needs all servers that keep the record; with three of them, one "
                                           "may be away: name witnesses");
    return lines;
}

QJsonObject statusJson(const EngineReport& report) {
    QJsonArray engines, copies;
    for (const EngineReport::Engine& engine : report.engines) {
        QJsonObject one = engineJson(report.config, engine.config.id()).toObject();
        one[QStringLiteral("healthy")] = !engine.trouble;
        one[QStringLiteral("trouble")] = troubleJson(engine.trouble);
        engines += one;
    }
    for (const EngineReport::Copy& copy : report.copies) {
        QJsonObject one{{QStringLiteral("server"), copy.url.address()},
                        {QStringLiteral("answers"), !copy.trouble},
                        {QStringLiteral("trouble"), troubleJson(copy.trouble)}};
        one[QStringLiteral("epoch")] =
            copy.trouble ? QJsonValue(QJsonValue::Null) : QJsonValue(qint64(copy.record.epoch));
        one[QStringLiteral("engine")] = engineJson(report.config, copy.record.engine);
        one[QStringLiteral("settled")] = copy.trouble ? QJsonValue(QJsonValue::Null) : QJsonValue(copy.record.settled);
        copies += one;
    }
    const EngineRecord& record = report.record;
    const bool inUse = report.state == State::InUse;
    return {
        {QStringLiteral("namespace"), QString::fromUtf8(report.config.name)},
        {QStringLiteral("observed_at"), instantOf(report.seenMs)},
        {QStringLiteral("state"), QLatin1String(nameOf(report.state))},
        {QStringLiteral("engine"), inUse ? engineJson(report.config, record.engine) : QJsonValue(QJsonValue::Null)},
        {QStringLiteral("epoch"), record.epoch > 0 ? QJsonValue(qint64(record.epoch)) : QJsonValue(QJsonValue::Null)},
        {QStringLiteral("since"), textOrNull(inUse ? instantOf(record.settledMs) : QString())},
        {QStringLiteral("reason"), textOrNull(QString::fromUtf8(record.why))},
        {QStringLiteral("switch"), switchJson(report)},
        {QStringLiteral("engines"), engines},
        {QStringLiteral("record"), QJsonObject{{QStringLiteral("copies"), copies},
                                               {QStringLiteral("answered"), report.answered},
                                               {QStringLiteral("agreeing"), report.agreeing},
                                               {QStringLiteral("read_quorum"), report.readQuorum},
                                               {QStringLiteral("write_quorum"), report.writeQuorum}}}};
}

QString changeText(const ManagerChange& change, const EngineReport& report) {
    constexpr int kWordWidth = 14;
    const EngineRecord& record = report.record;
    const QByteArray engine =
        change.engine < 0 ? record.engine : report.config.engines[std::size_t(change.engine)].id();
    QString word, text = engineText(report.config, engine);
    switch (change.kind) {
    case Kind::Found:
        word = tr("found");
        text = stateText(report);
        break;
    case Kind::SwitchBegun:
        word = tr("switch begun");
        text = stateText(report);
        break;
    case Kind::Drained:
        word = tr("drained");
        text = tr("every holder on the engine that is left has ended or has lost its lock; its leases are waited for");
        break;
    case Kind::Settled:
        word = tr("settled");
        text = stateText(report);
        break;
    case Kind::Unhealthy:
        word = tr("unhealthy");
        if (const auto& trouble = report.engines[std::size_t(change.engine)].trouble)
            text = tr("%1: %2").arg(text, troubleText(*trouble));
        break;
    case Kind::Healthy:
        word = tr("healthy");
        break;
    case Kind::Unreadable:
        word = tr("unreadable");
        text = unreadableText(report);
        break;
    case Kind::Readable:
        word = tr("readable");
        text = stateText(report);
        break;
    }
    return QStringLiteral("%1  %2  %3%4")
        .arg(instantOf(report.seenMs), QString::fromUtf8(report.config.name), word.leftJustified(kWordWidth), text);
}

QJsonObject changeJson(const ManagerChange& change, const EngineReport& report) {
    QJsonObject line{{QStringLiteral("change"), QLatin1String(nameOf(change.kind))},
                     {QStringLiteral("namespace"), QString::fromUtf8(report.config.name)},
                     {QStringLiteral("observed_at"), instantOf(report.seenMs)}};
    if (change.engine >= 0) {
        const auto& engine = report.engines[std::size_t(change.engine)];
        line[QStringLiteral("engine")] = engineJson(report.config, engine.config.id());
        line[QStringLiteral("trouble")] = troubleJson(engine.trouble);
    } else {
        line[QStringLiteral("status")] = statusJson(report);
    }
    return line;
}

} // namespace lockscope::cli
