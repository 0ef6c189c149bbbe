// SPDX-License-Identifier: GPL-3.0-or-later
#include "connections/connections_aside.h"

#include "models/connection_words.h"
#include "theme/fonts.h"
#include "theme/mnemonic.h"
#include "theme/widgets.h"

#include <QAction>
#include <QGridLayout>
#include <QPushButton>

namespace lockscope::views {

using inspect::ServerLine;

ConnectionsAside::ConnectionsAside(ViewContext* context, const ConnectionsModel* model, QWidget* parent)
    : QWidget(parent), m_context(context), m_model(model), m_column(new QVBoxLayout(this)) {
    m_column->setContentsMargins(kGrid + 4, 0, kGrid + 4, 0); // as the caption of the cards
    m_column->setSpacing(0);
    m_rules = section(tr("Same client by rule"));
    m_actions = section(tr("From this recording"));
    m_servers = section(tr("Servers"));
    m_servers.stacked = m_servers.wraps = true; // somebody looks for just one word of it
    m_watching = section(tr("Watching"));
    m_watching.stacked = true; // a name and how it is watched have no room beside each other
    connect(model, &ConnectionsModel::refreshed, this, &ConnectionsAside::refresh);
    connect(context, &ViewContext::sessionChanged, this, [this] {
        m_clients.clear();
        m_known.clear();
        m_counted = 0;
        refresh();
    });
    refresh();
}

ConnectionsAside::Section ConnectionsAside::section(const QString& title) {
    Section made;
    made.box = new QWidget;
    auto* rows = new QVBoxLayout(made.box);
    rows->setContentsMargins(0, kGrid, 0, 0);
    rows->setSpacing(kGrid / 2);
    made.caption = new SectionCaption(title);
    rows->addWidget(made.caption);
    made.lines = new QGridLayout;
    made.lines->setContentsMargins(0, 0, 0, 0);
    made.lines->setHorizontalSpacing(kGrid);
    made.lines->setVerticalSpacing(2);
    made.lines->setColumnStretch(1, 1);
    rows->addLayout(made.lines);
    made.box->hide();
    m_column->addWidget(made.box);
    return made;
}

QStringList ConnectionsAside::linesOf(const Section& section) {
    QStringList lines;
    for (const auto& [name, value] : section.texts)
        lines << (value.isEmpty() ? name : QStringLiteral("%1: %2").arg(name, value));
    return lines;
}

void ConnectionsAside::setTexts(Section& section, std::vector<std::pair<QString, QString>> texts) {
    if (texts == section.texts) return;
    while (QLayoutItem* const item = section.lines->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    section.texts = std::move(texts);
    for (int row = 0; row < int(section.texts.size()); ++row) {
        const auto& [name, value] = section.texts[std::size_t(row)];
        auto* left = new ElidedLabel(name);
        DimLabel* right = nullptr;
        if (section.wraps)
            right = new Paragraph(value);
        else
            right = new ElidedLabel(value);
        if (!section.stacked) right->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        left->setRole(Role::Text);
        for (DimLabel* label : {static_cast<DimLabel*>(left), right}) {
            label->setTextFormat(Qt::PlainText); // a person named it
            label->setFont(uiFont(-1));
        }
        if (section.stacked) {
            section.lines->addWidget(left, 2 * row, 0, 1, 2);
            section.lines->addWidget(right, 2 * row + 1, 0, 1, 2);
            right->setHidden(value.isEmpty()); // no blank line
        } else {
            section.lines->addWidget(left, row, 0);
            section.lines->addWidget(right, row, 1);
        }
    }
}

void ConnectionsAside::setActions(const QList<QAction*>& actions) {
    while (QLayoutItem* const item = m_actions.lines->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (QAction* const action : actions) {
        auto* button = new QPushButton;
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // the cards say how wide the column is
        const auto follow = [this, button, action] {
            button->setAccessibleName(withoutMnemonic(action->text()));
            button->setToolTip(action->toolTip());
            fitButtons();
            button->setEnabled(action->isEnabled());
        };
        connect(action, &QAction::changed, button, follow);
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        m_actions.lines->addWidget(button, m_actions.lines->count(), 0, 1, 2);
        follow();
    }
    m_actions.texts.clear();
    updateGeometry();
}

namespace {

/// Words on one line where they have room, else broken at a space or between Chinese letters, with the end of the
/// second line elided.
QString onTwoLines(const QString& words, const QFontMetrics& letters, int room) {
    if (letters.horizontalAdvance(words) <= room) return words;
    constexpr char16_t kHan = 0x4e00; // between two of these and above, too
    qsizetype end = -1;
    for (qsizetype at = 1; at < words.size(); ++at) {
        const bool breaks = words[at] == u' ' || (words[at] >= kHan && words[at - 1] >= kHan);
        if (breaks && letters.horizontalAdvance(words.first(at)) <= room) end = at;
    }
    if (end < 0) return letters.elidedText(words, Qt::ElideRight, room);
    return words.first(end) + u'\n' + letters.elidedText(words.sliced(end).trimmed(), Qt::ElideRight, room);
}

} // namespace

/// Words that are too long for the column stand on two lines; the accessible name has them whole in any case.
void ConnectionsAside::fitButtons() {
    for (QPushButton* const button : m_actions.box->findChildren<QPushButton*>())
        button->setText(onTwoLines(button->accessibleName(), button->fontMetrics(), width() - 6 * kGrid));
}

void ConnectionsAside::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitButtons();
}

/// Threads only come, so each is looked at once. Clients of our own are no work of a rule.
void ConnectionsAside::countClients() {
    const auto trace = m_context->trace();
    const std::vector<trace::EntityId>& threads = m_context->entities(trace::EntityKind::Thread);
    if (m_counted == threads.size()) return;
    const auto& own = m_context->stateToActOn().clients;
    for (; m_counted < threads.size(); ++m_counted) {
        const trace::EntityId client = trace->clientOf(threads[m_counted]);
        const trace::Entity& its = trace->entity(client);
        if (own.contains(client) || its.parent != trace::kNoEntity || its.name.isEmpty() ||
            !m_known.insert(client).second)
            continue;
        const QString rule = joiningRule(*trace, client);
        ++m_clients[rule.isEmpty() ? QStringLiteral("name") : rule];
    }
}

void ConnectionsAside::refresh() {
    const session::ConnectionDesk* const desk = m_model->desk();
    std::vector<std::pair<QString, QString>> rules, servers, watching;
    if (desk) {
        countClients();
        for (const inspect::ClientRule& rule : desk->clientRules())
            rules.emplace_back(ruleWords(rule.text), tr("%n client(s)", nullptr, m_clients[rule.text]));
    }
    for (int row = 0; desk && row < m_model->rowCount(); ++row)
        if (const session::ConnectionFacts& its = *m_model->facts(row); its.open && !its.watching.isEmpty())
            watching.emplace_back(its.name, its.watching);
    for (int row = 0; desk && row < m_model->rowCount(); ++row) {
        const session::ConnectionFacts& its = *m_model->facts(row);
        // A connection without a name of its own is called by the address of one of its servers.
        const bool namesake = std::ranges::find(its.servers, its.name, &ServerLine::address) != its.servers.end();
        const bool names = m_model->rowCount() > 1 && !namesake;
        for (const ServerLine& line : its.open ? its.servers : std::vector<ServerLine>())
            servers.emplace_back(inspect::joinedParts({names ? its.name : QString(), line.address, line.role}),
                                 line.state);
    }
    setTexts(m_rules, std::move(rules));
    setTexts(m_servers, std::move(servers));
    setTexts(m_watching, std::move(watching));
}

int ConnectionsAside::heightOf(const Section& section, int width) {
    const QLayout* const layout = section.box->layout();
    const int needed = layout->hasHeightForWidth() ? layout->heightForWidth(width - 2 * kGrid) : -1;
    return std::max(needed, layout->sizeHint().height());
}

int ConnectionsAside::fit(int room) {
    int used = 0;
    bool full = false;
    for (const Section* part : {&m_rules, &m_actions, &m_servers, &m_watching}) {
        const bool any = part->lines->count() > 0;
        const int height = any ? heightOf(*part, width()) : 0;
        full = full || used + height > room; // no later section before an earlier one
        part->box->setVisible(any && !full);
        if (any && !full) used += height;
    }
    return used;
}

} // namespace lockscope::views
