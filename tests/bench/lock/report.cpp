// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::bench {

namespace {

double rounded(double value, double step) {
    return std::round(value / step) * step;
}

QJsonValue orNull(bool known, double value) {
    return known ? QJsonValue(value) : QJsonValue();
}

double ratioOf(const Measurement& m) {
    return m.raw && m.raw->perSecond() > 0 ? m.ours.perSecond() / m.raw->perSecond() : 0;
}

// Longer than the rest of the object by far: written as text at once.
QByteArray eventsText(const std::vector<Acquisition>& all) {
    QByteArray text;
    text.reserve(qsizetype(all.size()) * 80);
    for (const Acquisition& one : all) {
        text += text.isEmpty() ? "[" : ",[";
        text += QByteArray::number(one.client);
        for (const std::int64_t at : {one.ask, one.got, one.release, one.released})
            text += ',' + QByteArray::number(qlonglong(at));
        text += ']';
    }
    return text;
}

} // namespace

QByteArray toJson(const Measurement& m, bool events) {
    QJsonObject object{{QStringLiteral("recipe"), QString::fromUtf8(m.recipe)},
                       {QStringLiteral("workload"), QString::fromUtf8(m.workload.text)},
                       {QStringLiteral("clients"), m.workload.clients}};
    if (m.keeping) {
        object[QStringLiteral("cpu_percent")] = rounded(m.keeping->cpuPercent, 0.001);
        object[QStringLiteral("latest_ms")] = rounded(m.keeping->latestMs, 0.001);
        object[QStringLiteral("renewals")] = qint64(m.keeping->renewals);
        object[QStringLiteral("lost")] = qint64(m.keeping->lost);
        return QJsonDocument(object).toJson(QJsonDocument::Compact);
    }
    const double fair = m.ours.fairness(m.workload.clients);
    object[QStringLiteral("pairs")] = qint64(m.ours.pairs);
    object[QStringLiteral("secs")] = double(m.ours.took.count()) / 1e9;
    object[QStringLiteral("per_s")] = rounded(m.ours.perSecond(), 0.001);
    object[QStringLiteral("raw_per_s")] = orNull(m.raw.has_value(), m.raw ? rounded(m.raw->perSecond(), 0.001) : 0);
    object[QStringLiteral("ratio")] = orNull(m.raw.has_value(), rounded(ratioOf(m), 0.0001));
    object[QStringLiteral("p50_us")] = m.ours.percentileUs(0.5);
    object[QStringLiteral("p99_us")] = m.ours.percentileUs(0.99);
    object[QStringLiteral("max_us")] = m.ours.percentileUs(1);
    if (m.raw && !m.raw->latencies.empty()) object[QStringLiteral("raw_p50_us")] = m.raw->percentileUs(0.5);
    object[QStringLiteral("fair")] = orNull(fair > 0, fair);
    QByteArray text = QJsonDocument(object).toJson(QJsonDocument::Compact);
    if (events) {
        text.chop(1);
        text += ",\"events\":[" + eventsText(m.ours.acquisitions) + "]}";
    }
    return text;
}

QByteArray tableHead() {
    return QByteArray(
        "recipe              workload       pairs/s    raw pairs/s  ratio     p50 us     p99 us     max us  "
        " fair");
}

QByteArray tableRow(const Measurement& m) {
    const QByteArray recipe = m.recipe.leftJustified(20), workload = m.workload.text.leftJustified(12);
    char row[256];
    if (m.keeping) {
        std::snprintf(row, sizeof row, "%s%s%.2f %% of a core, latest renewal %.1f ms late, %lld renewals, %lld lost",
                      recipe.constData(), workload.constData(), m.keeping->cpuPercent, m.keeping->latestMs,
                      static_cast<long long>(m.keeping->renewals), static_cast<long long>(m.keeping->lost));
        return row;
    }
    char raw[32] = "             —      —";
    if (m.raw) std::snprintf(raw, sizeof raw, "%13.0f %6.3f", m.raw->perSecond(), ratioOf(m));
    std::snprintf(row, sizeof row, "%s%s%10.0f  %s %10.1f %10.1f %10.1f %6.2f", recipe.constData(),
                  workload.constData(), m.ours.perSecond(), raw, m.ours.percentileUs(0.5), m.ours.percentileUs(0.99),
                  m.ours.percentileUs(1), m.ours.fairness(m.workload.clients));
    return row;
}

} // namespace lockscope::bench
