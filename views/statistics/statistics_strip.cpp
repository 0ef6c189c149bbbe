// SPDX-License-Identifier: GPL-3.0-or-later
#include "statistics/statistics_strip.h"

#include "models/lock_facts.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/plain_tips.h"
#include "theme/widgets.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>

#include <cmath>

namespace lockscope::views {

namespace {

enum Place { Contended, Held, HandOver, Churn, PlaceCount };

int lineHeight() {
    return QFontMetrics(uiFont(-1)).height() + 4;
}

/// "0.8", "12"
QString rateText(double rate) {
    return QString::number(rate, 'f', rate < 10 ? 1 : 0);
}

} // namespace

StatisticsStrip::StatisticsStrip(ViewContext* context, const StatisticsModel* model, QWidget* parent)
    : QWidget(parent), m_context(context), m_model(model) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
    connect(model, &StatisticsModel::counted, this, &StatisticsStrip::tell);
    connect(context, &ViewContext::selectionChanged, this, qOverload<>(&QWidget::update));
    tell();
}

int StatisticsStrip::usualHeight() {
    return (StatisticsModel::kLongest + 1) * lineHeight() + 2 * kGrid;
}

int StatisticsStrip::parts() const {
    return m_model->overview().churn.empty() ? Churn : PlaceCount;
}

StatisticsStrip::Bars StatisticsStrip::barsOf(const std::vector<StatisticsModel::Longest>& locks) {
    Bars bars;
    for (const StatisticsModel::Longest& one : locks)
        bars.push_back({one.lock, double(one.length.count()), one.words});
    return bars;
}

QString StatisticsStrip::handOverWords() const {
    const Nanos apart = m_model->overview().looksApart;
    //: Beside the title of a histogram of times; %1 is how far apart looks at a server were.
    return apart > 0ns ? tr("known to within %1").arg(roundDuration(apart)) : tr("release to next grant");
}

QString StatisticsStrip::churnWords() const {
    double now = 0, usual = 0;
    for (const StatisticsModel::Churn& one : m_model->overview().churn) {
        now += one.now;
        usual += one.perMinute;
    }
    //: How often all locks are taken: %1 grants in the last minute, %2 in a minute of the time that is counted.
    return tr("%1 a minute, usual %2").arg(rateText(now), rateText(usual));
}

void StatisticsStrip::tell() {
    // The bars are in the table below, too; a reader hears the first ones and the sizes of hand-overs.
    const auto first = [this](const Bars& bars) {
        return bars.empty() ? none()
                            : QStringLiteral("%1 %2").arg(m_context->trace()->displayName(bars.front().entity),
                                                          bars.front().words);
    };
    const StatisticsModel::Overview& seen = m_model->overview();
    const auto between = [&seen](Nanos time) { return StatisticsModel::betweenLooks(time, seen.looksApart); };
    QString words =
        tr("Overview: waited for longest %1; held longest now %2; from one holder to the next %3")
            .arg(first(barsOf(seen.waited)), first(barsOf(seen.held)),
                 seen.handOvers.counts.empty() ? none()
                                               : tr("p50 %1, p99 %2").arg(between(seen.p50), between(seen.p99)));
    if (!seen.churn.empty()) {
        const StatisticsModel::Churn& most = seen.churn.front();
        const QString busiest = first({{most.connection, most.now, rateText(most.perMinute)}});
        //: Follows the overview. %1 is a connection and a number: "shop-redis 12"; %2 "3.2 a minute, usual 2.9".
        words += tr("; most grants a minute %1; of all %2").arg(busiest, churnWords());
    }
    setAccessibleName(words);
    update();
}

StatisticsStrip::Part StatisticsStrip::part(int index) const {
    const int wide = width() / parts();
    Part part;
    part.whole = QRect(index * wide, 0, wide, height()).adjusted(kGrid + 4, kGrid / 2, -kGrid - 4, -kGrid);
    part.room = part.whole.adjusted(0, lineHeight(), 0, 0);
    return part;
}

QRect StatisticsStrip::bar(const QRect& room, int row) const {
    return {room.left(), room.top() + row * lineHeight(), room.width(), lineHeight() - 2};
}

trace::EntityId StatisticsStrip::lockAt(QPoint at) const {
    const StatisticsModel::Overview& seen = m_model->overview();
    for (const auto& [index, bars] : {std::pair(Contended, &seen.waited), std::pair(Held, &seen.held)})
        for (std::size_t row = 0; row < bars->size(); ++row)
            if (bar(part(index).room, int(row)).contains(at)) return (*bars)[row].lock;
    return trace::kNoEntity;
}

void StatisticsStrip::mousePressEvent(QMouseEvent* event) {
    if (const trace::EntityId lock = lockAt(event->pos())) m_context->select(lock);
}

bool StatisticsStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* const help = static_cast<QHelpEvent*>(event);
    showPlainTip(help->globalPos(), tipAt(help->pos()), this);
    return true;
}

QString StatisticsStrip::tipAt(QPoint at) const {
    if (const trace::EntityId lock = lockAt(at)) return m_context->trace()->displayName(lock);
    if (part(HandOver).whole.contains(at))
        return tr("From one holder to the next while somebody waited, by the server's record, of all locks; the scale "
                  "is "
                  "logarithmic. Seen %n time(s).",
                  nullptr, m_model->overview().handOvers.total()) +
               StatisticsModel::exactness(m_model->overview().looksApart);
    if (parts() <= Churn || !part(Churn).whole.contains(at)) return {};
    QStringList lines{tr("How often the locks of each connection were taken, a minute: the course of the time that is "
                         "counted, and the last minute. Dashed: the average, which is the usual pace. "
                         "Not counted: the hold with which a lock was first seen, holds between two looks, and times "
                         "in which nobody looked.")};
    for (const StatisticsModel::Churn& one : m_model->overview().churn)
        //: %1 a connection's name, %2 and %3 numbers, %n how many grants were seen
        lines << tr("%1: %2 a minute, usual %3, %n grant(s)", nullptr, int(one.grants))
                     .arg(m_context->trace()->displayName(one.connection), rateText(one.now), rateText(one.perMinute));
    return lines.join(QLatin1Char('\n'));
}

void StatisticsStrip::paintBars(QPainter& painter, const QRect& room, const Bars& bars, Role fill,
                                const QString& nothing) const {
    if (bars.empty()) {
        painter.setPen(color(Role::TextDim));
        painter.drawText(bar(room, 0), Qt::AlignLeft | Qt::AlignVCenter, nothing);
        return;
    }
    const double longest = bars.front().length;
    for (std::size_t row = 0; row < bars.size(); ++row) {
        const QRect line = bar(room, int(row));
        QRectF filled(line);
        filled.setWidth(longest > 0 ? std::max(3.0, line.width() * bars[row].length / longest) : 3.0);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(fill));
        painter.drawRoundedRect(filled, 3, 3);
        if (bars[row].entity == m_context->selection()) {
            painter.setPen(QPen(color(Role::Accent), 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(line).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        }
        const QRect words = line.adjusted(6, 0, -6, 0);
        painter.setPen(color(Role::Text));
        painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter, bars[row].words);
        const int right = painter.fontMetrics().horizontalAdvance(bars[row].words) + kGrid;
        const QString name = painter.fontMetrics().elidedText(m_context->trace()->displayName(bars[row].entity),
                                                              Qt::ElideMiddle, words.width() - right);
        painter.drawText(words.adjusted(0, 0, -right, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
    }
}

void StatisticsStrip::paintChurn(QPainter& painter, const QRect& room) const {
    const auto& all = m_model->overview().churn;
    const std::size_t shown = std::min<std::size_t>(all.size(), StatisticsModel::kLongest);
    for (std::size_t row = 0; row < shown; ++row) {
        const StatisticsModel::Churn& one = all[row];
        const QRect line = bar(room, int(row));
        const QString number = rateText(one.now);
        const int figures = std::max(painter.fontMetrics().horizontalAdvance(number),
                                     painter.fontMetrics().horizontalAdvance(QStringLiteral("88.8")));
        const int wide = (line.width() - figures - 2 * kGrid) / 2;
        painter.setPen(color(Role::Text));
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, number);
        const QString name = m_context->trace()->displayName(one.connection);
        painter.drawText(QRect(line.left(), line.top(), wide, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(name, Qt::ElideMiddle, wide));
        const QRectF plot(line.left() + wide + kGrid, line.top() + 2, wide, line.height() - 4);
        if (one.curve.size() < 2 || plot.width() < 3 * kGrid) continue; // no course yet, or no room
        // Each curve by its own scale: it is compared with its own past.
        const double highest = std::max(std::ranges::max(one.curve), one.perMinute);
        const auto level = [&](double rate) {
            return highest > 0 ? plot.bottom() - plot.height() * rate / highest : plot.bottom();
        };
        painter.setPen(QPen(color(Role::TextFaint), 1, Qt::DashLine));
        painter.drawLine(QPointF(plot.left(), level(one.perMinute)), QPointF(plot.right(), level(one.perMinute)));
        painter.setPen(QPen(color(Role::Holding), 1.4));
        painter.setBrush(Qt::NoBrush);
        QPolygonF points;
        for (std::size_t i = 0; i < one.curve.size(); ++i) {
            const bool watched = one.curve[i] != trace::GrantPace::kNotWatched;
            if (watched)
                points << QPointF(plot.left() + plot.width() * double(i) / double(one.curve.size() - 1),
                                  level(one.curve[i]));
            if (watched && i + 1 < one.curve.size()) continue;
            painter.drawPolyline(points); // a gap in the watch is a gap in the line
            points.clear();
        }
    }
}

void StatisticsStrip::paintHistogram(QPainter& painter, const QRect& room) const {
    const StatisticsModel::Overview& seen = m_model->overview();
    const Histogram& sizes = seen.handOvers;
    if (sizes.counts.empty()) {
        painter.setPen(color(Role::TextDim));
        painter.drawText(bar(room, 0), Qt::AlignLeft | Qt::AlignVCenter, tr("no hand-over that could be timed"));
        return;
    }
    const int scale = lineHeight();
    const QRect plot = room.adjusted(0, scale, 0, -scale); // words above, the scale below
    painter.fillRect(QRect(plot.left(), plot.bottom(), plot.width(), 1), color(Role::Hairline));
    const double step = double(plot.width()) / double(sizes.counts.size());
    for (std::size_t i = 0; i < sizes.counts.size(); ++i) {
        const int many = sizes.counts[i];
        if (many == 0) continue;
        const double high = std::max(2.0, double(plot.height()) * many / sizes.most());
        painter.fillRect(QRectF(plot.left() + double(i) * step, plot.bottom() - high, std::max(1.0, step - 1), high),
                         color(Role::Record));
    }
    painter.setPen(color(Role::TextDim));
    const QRect below(plot.left(), plot.bottom() + 1, plot.width(), scale);
    painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, duration(sizes.edges.front()));
    painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter, tr("%1, log scale").arg(duration(sizes.edges.back())));
    const Nanos low = sizes.edges.front();
    const double factor =
        std::pow(double(sizes.edges.back().count()) / double(low.count()), 1.0 / double(sizes.counts.size()));
    const auto mark = [&](Nanos value, const QString& words, int line) {
        const double x =
            std::min<double>(plot.right(), plot.left() + binsBetween(low, std::max<Nanos>(value, low), factor) * step);
        painter.setPen(QPen(color(Role::Text), 1, Qt::DashLine));
        painter.drawLine(QPointF(x, room.top() + line), QPointF(x, plot.bottom()));
        const int wide = painter.fontMetrics().horizontalAdvance(words) + 4;
        const bool fits = x + wide < room.right();
        painter.setPen(color(Role::Text));
        painter.drawText(QRectF(fits ? x + 4 : x - wide, room.top(), wide, scale), Qt::AlignLeft | Qt::AlignVCenter,
                         words);
    };
    mark(seen.p50, tr("p50 %1").arg(StatisticsModel::betweenLooks(seen.p50, seen.looksApart)), 0);
    const double apart = binsBetween(low, std::max<Nanos>(seen.p99, low), factor) -
                         binsBetween(low, std::max<Nanos>(seen.p50, low), factor);
    // Two words at one place are none: where they meet, the tail is left to the table.
    const QString tail = tr("p99 %1").arg(StatisticsModel::betweenLooks(seen.p99, seen.looksApart));
    if (apart * step > painter.fontMetrics().horizontalAdvance(tail) + 2 * kGrid) mark(seen.p99, tail, 0);
}

void StatisticsStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const StatisticsModel::Overview& seen = m_model->overview();
    const std::array<std::pair<QString, QString>, PlaceCount> captions{{{tr("MOST CONTENDED"), tr("time waited")},
                                                                        {tr("LONGEST HELD"), tr("held now")},
                                                                        {tr("HAND-OVER"), handOverWords()},
                                                                        {tr("CHURN"), churnWords()}}};
    for (int i = 0; i < parts(); ++i) {
        const QRect line = part(i).whole.adjusted(0, 0, 0, lineHeight() - part(i).whole.height());
        painter.setFont(captionFont());
        painter.setPen(color(Role::TextDim));
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, captions[std::size_t(i)].first);
        const int used = painter.fontMetrics().horizontalAdvance(captions[std::size_t(i)].first) + kGrid;
        painter.setFont(uiFont(-1));
        if (used + painter.fontMetrics().horizontalAdvance(captions[std::size_t(i)].second) < line.width())
            painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, captions[std::size_t(i)].second);
        if (i > 0)
            painter.fillRect(QRect(i * (width() / parts()), kGrid, 1, height() - 2 * kGrid), color(Role::Hairline));
    }
    painter.setFont(uiFont(-1));
    paintBars(painter, part(Contended).room, barsOf(seen.waited), Role::WaitingSoft,
              seen.waitersKnown ? tr("nobody has waited") : tr("waiters are not known"));
    paintBars(painter, part(Held).room, barsOf(seen.held), Role::RecordTrack,
              seen.locksInSight ? tr("no lock is held") : tr("no lock in sight is held"));
    paintHistogram(painter, part(HandOver).room);
    if (parts() > Churn) paintChurn(painter, part(Churn).room);
    painter.fillRect(QRect(0, height() - 1, width(), 1), color(Role::Hairline));
}

} // namespace lockscope::views
