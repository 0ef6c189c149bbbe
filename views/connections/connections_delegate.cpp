// SPDX-License-Identifier: GPL-3.0-or-later
#include "connections/connections_delegate.h"

#include "connections/connections_model.h"
#include "theme/badge.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/widgets.h"

#include <QPainter>
#include <QTextLayout>

namespace lockscope::views {

using session::Health;

namespace {

constexpr int kMargin = 5, kPad = 11, kStripe = 3, kIcon = 14, kBarHeight = 3;
constexpr int kHealthLines = 3; ///< at most: a trouble is a sentence

struct Fonts {
    QFont name = uiFont(0, QFont::DemiBold), small = uiFont(-1);
};

struct Look {
    const char* icon;
    Role ink;
};

/// Each level has a shape of its own beside its colour.
Look lookOf(const session::ConnectionFacts& facts) {
    if (!facts.open) return {"minus", Role::TextDim};
    switch (facts.health.level) {
    case Health::Level::Good:
        return {"check", Role::AcceptedText};
    case Health::Level::Working:
        return {"clock", Role::WaitingText};
    case Health::Level::Partial:
        return {"warning", Role::WaitingText};
    case Health::Level::Bad:
        break;
    }
    return {"warning", Role::ViolationText};
}

const ConnectionsModel* modelOf(const QModelIndex& index) {
    return qobject_cast<const ConnectionsModel*>(index.model());
}

/// The health in whole lines of the card's width. Half a line would be read as less than it says.
QStringList healthLines(const QString& text, int width) {
    const QFont font = Fonts().small;
    QTextLayout layout(text, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    const int room = width - kIcon - 5;
    QStringList lines;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(room);
        if (lines.size() + 1 == kHealthLines) { // the last one tells that there is more
            lines << QFontMetrics(font).elidedText(text.mid(line.textStart()), Qt::ElideRight, room);
            break;
        }
        lines << text.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    return lines;
}

int innerWidth(int card) {
    return card - 2 * kMargin - 2 * kPad;
}

} // namespace

QSize ConnectionsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const ConnectionsModel* const model = modelOf(index);
    const session::ConnectionFacts* const facts = model ? model->facts(index.row()) : nullptr;
    if (!facts) return {};
    const Fonts fonts;
    const int line = QFontMetrics(fonts.small).lineSpacing() + 2;
    const int width = option.rect.width() > 0 ? option.rect.width() : 240;
    const auto lines = int(healthLines(model->healthText(*facts), innerWidth(width)).size());
    const int health = std::max(lines, 1) * line;
    const int name = std::max(QFontMetrics(fonts.name).lineSpacing(), kBadgeSide) + 4;
    return {0, 2 * kMargin + 2 * kPad - 4 + name + health + 3 * line + kBarHeight + 3};
}

void ConnectionsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const {
    const ConnectionsModel* const model = modelOf(index);
    const session::ConnectionFacts* const facts = model ? model->facts(index.row()) : nullptr;
    if (!facts) return;
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const bool selected = option.state & QStyle::State_Selected;
    const Fonts fonts;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF card = QRectF(option.rect).adjusted(kMargin, kMargin, -kMargin, -kMargin);
    const bool focus = selected && (option.state & QStyle::State_HasFocus);
    // A thick ring is the keyboard's, a thin one a choice made somewhere else.
    painter->setPen(focus      ? QPen(color(Role::FocusRing), 2.5)
                    : selected ? QPen(color(Role::Accent), 1)
                               : QPen(color(Role::Hairline), 1));
    painter->setBrush(color(selected                                 ? Role::Selection
                            : option.state & QStyle::State_MouseOver ? Role::SurfaceHover
                                                                     : Role::SurfaceRaised));
    painter->drawRoundedRect(focus ? card.adjusted(1.25, 1.25, -1.25, -1.25) : card.adjusted(0.5, 0.5, -0.5, -0.5), 6,
                             6);
    painter->fillRect(QRectF(card.left(), card.top() + 6, kStripe, card.height() - 12), badgeColor(index.row()));

    const Role ink = selected ? Role::SelectionText : Role::Text;
    const Role dim = selected ? Role::SelectionText : Role::TextDim;
    const QFontMetrics small(fonts.small);
    const int line = small.lineSpacing() + 2;
    QRect room = option.rect.adjusted(kMargin + kPad, kMargin + kPad - 2, -kMargin - kPad, -kMargin);
    const auto text = [&](QRect rect, const QString& words, Role role, int flags = Qt::AlignLeft) {
        painter->setPen(color(role));
        painter->drawText(rect, flags | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(words, Qt::ElideRight, rect.width()));
    };

    const int nameHeight = std::max(QFontMetrics(fonts.name).lineSpacing(), kBadgeSide);
    paintBadge(*painter, QRectF(room.left(), room.top() + (nameHeight - kBadgeSide) / 2.0, kBadgeSide, kBadgeSide),
               facts->name, index.row());
    const char* const padlock = facts->changesAllowed ? "lock-open" : "lock";
    paintIcon(*painter, QRectF(room.right() - kIcon + 1, room.top() + (nameHeight - kIcon) / 2.0, kIcon, kIcon),
              padlock, facts->changesAllowed ? Role::ViolationText : Role::TextDim);
    painter->setFont(fonts.name);
    const QRect name(room.left() + kBadgeSide + 8, room.top(), room.width() - kBadgeSide - 8 - kIcon - 6, nameHeight);
    painter->setPen(color(facts->open ? ink : dim));
    painter->drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(facts->name, Qt::ElideMiddle, name.width()));
    room.setTop(room.top() + nameHeight + 4);

    painter->setFont(fonts.small);
    text(QRect(room.left(), room.top(), room.width(), line), facts->kind, dim);
    room.setTop(room.top() + line);

    const QStringList health = healthLines(model->healthText(*facts), room.width());
    const Look look = lookOf(*facts);
    paintIcon(*painter, QRectF(room.left(), room.top() + (line - kIcon) / 2.0, kIcon, kIcon), look.icon, look.ink);
    painter->setPen(color(look.ink));
    for (const QString& words : health) {
        painter->drawText(QRect(room.left() + kIcon + 5, room.top(), room.width() - kIcon - 5, line),
                          Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, words);
        room.setTop(room.top() + line);
    }

    const QString locks = ConnectionsModel::lockText(*facts);
    QString warned;
    for (const QString& words : model->alertWords(facts->id)) { // the first that leaves the numbers of locks whole
        warned = words;
        if (small.horizontalAdvance(locks) + 6 + pillWidth(words) <= room.width()) break;
    }
    const int pill = warned.isEmpty() ? 0 : pillWidth(warned);
    text(QRect(room.left(), room.top(), room.width() - pill - (pill ? 6 : 0), line), locks, ink);
    if (pill > 0) {
        painter->setFont(fonts.small);
        paintPill(*painter, QRect(room.right() - pill + 1, room.top() - 2, pill, line + 4), warned,
                  Pill::Tone::Violation);
        painter->setFont(fonts.small);
    }
    room.setTop(room.top() + line);

    text(QRect(room.left(), room.top(), room.width(), line), model->costText(*facts), dim);
    room.setTop(room.top() + line + 2);
    if (!model->desk()) return painter->restore(); // nothing is asked of a server in a recording
    const QRectF bar(room.left(), room.top(), room.width(), kBarHeight);
    painter->setPen(Qt::NoPen);
    painter->setBrush(color(Role::GaugeTrack));
    painter->drawRoundedRect(bar, 1.5, 1.5);
    const double part = facts->budget > 0 ? std::clamp(facts->share / facts->budget, 0.0, 1.0) : 0;
    if (part > 0) {
        painter->setBrush(color(Role::Accent));
        painter->drawRoundedRect(QRectF(bar.left(), bar.top(), std::max(3.0, bar.width() * part), bar.height()), 1.5,
                                 1.5);
    }
    painter->restore();
}

} // namespace lockscope::views
