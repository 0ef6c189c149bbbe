// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/lock_detail_panel.h"

#include "inspect/kept_by_words.h"
#include "inspect/known_waiters.h"
#include "locks/code_box.h"
#include "locks/lock_actions.h"
#include "locks/queue_view.h"
#include "locks/seen_lines.h"
#include "locks/ttl_history.h"
#include "models/alert_words.h"
#include "models/connection_words.h"
#include "models/engine_drain.h"
#include "session/alert_desk.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/short_number.h"
#include "theme/style.h"
#include "trace/connection.h"
#include "trace/server_told.h"
#include "waits/lock_waits.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QScrollArea>
#include <QStackedLayout>

namespace lockscope::views {

using trace::EntityId;
using trace::kNoEntity;

namespace {
constexpr Nanos kPresent = 2s; ///< alerts are counted about once a second
} // namespace

LockDetailPanel::LockDetailPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_stack(new QStackedLayout(this)),
      m_page(new QWidget),
      m_name(new ElidedLabel),
      m_format(new Pill),
      m_state(new DimLabel),
      m_alert(new Paragraph),
      m_ring(new TtlRing),
      m_holdersCaption(new SectionCaption(tr("Holders"))),
      m_holders(new HoldersModel(this)),
      m_holdersView(new QueueView(m_holders)),
      m_queueCaption(new SectionCaption(tr("Queue"))),
      m_queueNote(new DimLabel),
      m_queue(new QueueModel(this)),
      m_queueView(new QueueView(m_queue)),
      m_waits(new LockWaits(context)),
      m_historyCaption(new SectionCaption(tr("TTL"))),
      m_history(new TtlHistory(context)),
      m_copiesCaption(new SectionCaption(tr("On each server"))),
      m_copies(new CodeBox),
      m_serverCaption(new SectionCaption(tr("On the server"))),
      m_server(new CodeBox),
      m_actions(new LockActions(context)) {
    build();
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &LockDetailPanel::refresh);
    connect(m_context, &ViewContext::sessionChanged, this, &LockDetailPanel::refresh); // no name outlives its session
    connect(m_context, &ViewContext::traceGrew, this, &LockDetailPanel::refreshSoon);
    connect(m_context, &ViewContext::heldBackChanged, this, &LockDetailPanel::refreshSoon);
    connect(m_context, &ViewContext::playheadChanged, this, [this] { // at once: one picture shows one instant
        m_soon.stop();
        refresh();
    });
    connect(m_context, &ViewContext::selectionChanged, this, &LockDetailPanel::refreshSoon);
    connect(m_context, &ViewContext::scenarioChanged, this, &LockDetailPanel::refreshSoon);
    connect(m_actions, &LockActions::copyRequested, this, [this] { QGuiApplication::clipboard()->setText(text()); });
    for (QListView* list : {m_holdersView, m_queueView})
        connect(list, &QListView::activated, this,
                [this](const QModelIndex& index) { m_context->select(index.data(party::EntityRole).toUInt()); });
    refresh();
}

void LockDetailPanel::build() {
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_page);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    makeFrameless(scroll);
    auto* whole = new QWidget;
    auto* parts = new QVBoxLayout(whole);
    parts->setContentsMargins(0, 0, 0, 0);
    parts->setSpacing(0);
    parts->addWidget(scroll, 1);
    parts->addWidget(m_actions); // always in sight, however long the queue is
    m_stack->addWidget(whole);
    m_stack->addWidget(
        new EmptyState("lock", tr("No lock to look at"), tr("Select a lock in the table or on the timeline.")));

    auto* column = new QVBoxLayout(m_page);
    column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 2 * kGrid);
    column->setSpacing(kGrid);
    auto* head = new QHBoxLayout;
    head->setSpacing(kGrid + 4);
    m_name->setFont(uiFont(5, QFont::Bold));
    m_name->setRole(Role::Text);
    head->addWidget(m_name);
    m_format->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed); // several formats have a long name
    head->addWidget(m_format);
    head->addStretch();
    m_state->setFont(uiFont(0, QFont::DemiBold));
    head->addWidget(m_state);
    column->addLayout(head);
    m_alert->setTextFormat(Qt::PlainText); // names come from a server
    m_alert->setFont(uiFont(-0.5));
    m_alert->setAccessibleName(tr("Alert"));
    m_alert->hide();
    column->addWidget(m_alert);

    auto* middle = new QHBoxLayout;
    middle->setSpacing(2 * kGrid);
    middle->addWidget(m_ring, 0, Qt::AlignTop);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(kGrid);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    const std::array<QString, FactCount> names{
        tr("Connection"), tr("Who decides"),     tr("Record says"),   tr("Client"),    tr("Believers"), tr("Token"),
        tr("Held for"),   tr("Usual (14 days)"), tr("Against usual"), tr("Ends when"), tr("Renewal")};
    for (int i = 0; i < FactCount; ++i) {
        auto* name = new DimLabel(names[std::size_t(i)]);
        if (i == WhoDecides) m_decidesName = name;
        if (i == SeenOver) m_connectionName = name;
        m_factNames[std::size_t(i)] = name;
        const bool isOneWord = i == RecordSays || i == SeenOver;
        DimLabel* const value = isOneWord ? new ElidedLabel : new DimLabel;
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        if (!isOneWord) {
            value->setWordWrap(true);
            value->setMinimumWidth(1); // else its longest word would say how wide the panel is
            value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        }
        name->setFont(uiFont(-0.5));
        name->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        value->setFont(uiFont(-0.5, i == Believers ? QFont::DemiBold : QFont::Medium));
        value->setAccessibleName(names[std::size_t(i)]);
        m_facts[std::size_t(i)] = value;
        if (i == HolderClient) continue; // an address and a program need the whole width
        grid->addWidget(name, i, 0);
        grid->addWidget(value, i, 1);
    }
    middle->addLayout(grid, 1);
    column->addLayout(middle);
    auto* client = new QHBoxLayout;
    client->setSpacing(kGrid);
    client->addWidget(m_factNames[HolderClient]);
    client->addWidget(m_facts[HolderClient], 1);
    column->addLayout(client);

    const auto section = [column](SectionCaption* caption, std::initializer_list<QWidget*> content) {
        auto* group = new QVBoxLayout;
        group->setSpacing(kGrid / 2);
        group->addWidget(caption);
        for (QWidget* widget : content)
            group->addWidget(widget);
        column->addLayout(group);
    };
    m_queueNote->setWordWrap(true);
    m_queueNote->setFont(uiFont(-0.5));
    m_holdersView->setAccessibleName(tr("Holders"));
    section(m_holdersCaption, {m_holdersView});
    m_queueView->setAccessibleName(tr("Queue"));
    section(m_queueCaption, {m_queueView, m_queueNote});
    column->addWidget(m_waits);
    m_copies->setAccessibleName(tr("On each server"));
    section(m_copiesCaption, {m_copies});
    m_server->setAccessibleName(tr("On the server"));
    section(m_serverCaption, {m_server});
    section(m_historyCaption, {m_history}); // last: the ring says what is left now
    column->addStretch();
}

QSize LockDetailPanel::sizeHint() const {
    return {320, m_page->sizeHint().height()};
}

void LockDetailPanel::refreshSoon() {
    if (!m_soon.isActive()) m_soon.start();
}

void LockDetailPanel::setFact(Fact which, const QString& text, Role role) {
    m_facts[which]->setText(text);
    m_facts[which]->setRole(role);
    m_facts[which]->setAccessibleDescription(text);
}

/// A fact with a row only where it is known.
void LockDetailPanel::setKnownFact(Fact which, const QString& text, Role role) {
    m_facts[which]->setVisible(!text.isEmpty());
    m_factNames[which]->setVisible(!text.isEmpty());
    setFact(which, text, role);
}

/// How long the lock is usually held, and how the present hold compares.
void LockDetailPanel::showUsual(const LockFacts& facts) {
    Nanos usual{};
    const auto trace = m_context->trace();
    for (const session::AlertDesk* const desk : session::alertDesksOf(m_context->session())) {
        if (!desk->covers(*trace, facts.lock)) continue;
        const auto found = desk->usual().find(trace->entity(facts.lock).name);
        if (found != desk->usual().end()) usual = found->second;
    }
    setKnownFact(UsualFact, usual > Nanos(0) ? duration(usual) : QString());
    const bool held = usual > Nanos(0) && facts.held() && facts.known();
    const std::int64_t times = held ? facts.heldFor / usual : 0;
    //: How long a lock is held, against how long it usually is.
    setKnownFact(AgainstUsual, times >= 2 ? tr("%1 times as long").arg(times) : QString(), Role::WaitingText);
}

QString LockDetailPanel::fact(Fact which) const {
    return m_facts[which]->text();
}

QString LockDetailPanel::stateText() const {
    return m_state->text();
}

QString LockDetailPanel::alertText() const {
    return m_alert->isHidden() ? QString() : m_alert->text();
}

void LockDetailPanel::showAlert(trace::EntityId lock) {
    const session::AlertDesk::Span* worst = nullptr;
    const session::AlertDesk* of = nullptr;
    for (const session::AlertDesk* const desk : session::alertDesksOf(m_context->session())) {
        if (!desk->covers(*m_context->trace(), lock)) continue;
        const auto alerts = desk->worstAt(m_context->playhead());
        const auto alert = alerts.find(m_context->trace()->entity(lock).name);
        if (alert == alerts.end()) continue;
        worst = alert->second;
        of = desk;
    }
    m_alert->setVisible(worst);
    if (!worst) return;
    const auto entry = std::ranges::find_if(of->entries(), [&](const session::AlertDesk::Entry& one) {
        return one.alert.rule == worst->rule && one.alert.lock == worst->lock && !one.over;
    });
    // Figures of a sentence grow while its alert stands. An instant in the past has those of the alert's beginning.
    const bool atPresent = m_context->playhead() + kPresent >= of->now();
    if (atPresent && entry != of->entries().end())
        m_alert->setText(entry->alert.sentence + QStringLiteral("\n→ ") + entry->alert.advice);
    else
        //: %1 an instant, %2 a sentence, of which the figures are of that instant.
        m_alert->setText(tr("At %1: %2").arg(instant(*m_context->trace(), worst->from), worst->sentence) +
                         QStringLiteral("\n→ ") + worst->advice);
    m_alert->setRole(alertRole(inspect::severityOf(worst->rule.kind)));
    m_alert->setAccessibleDescription(m_alert->text());
}

QStringList LockDetailPanel::copies() const {
    return m_copies->lines();
}

QString LockDetailPanel::queueNote() const {
    return m_queueNote->text();
}

QStringList LockDetailPanel::serverLines() const {
    return m_server->lines();
}

void LockDetailPanel::refresh() {
    const trace::EntityId lock = m_context->focusedLock();
    m_stack->setCurrentIndex(lock == kNoEntity ? 1 : 0);
    if (lock == kNoEntity) return m_actions->setLock(lock);
    const auto trace = m_context->trace();
    const LockFacts facts = lockFacts(lock, *m_context);
    m_name->setText(trace->displayName(lock));
    const QString format = lockFormat(lock, *m_context), mark = certaintyMark(facts.certainty);
    m_format->setText(mark.isEmpty() ? format : format + u' ' + mark);
    m_format->setAccessibleName(formatWords(format, facts.certainty));
    m_format->setToolTip(facts.certainty == trace::Certainty::Certain ? QString() : certaintySentence(facts.certainty));
    m_format->updateGeometry();
    m_state->setText(conditionText(facts)); // until when it drains stands below
    m_state->setRole(facts.condition == LockCondition::Free ? Role::TextDim
                                                            : toneColors(conditionTone(facts.condition)).text);

    showAlert(lock);

    const bool hasLease = facts.held() && facts.expires && facts.leaseKnown;
    const QString full = hasLease ? tr("of %1").arg(roundDuration(facts.lease)) : tr("of unknown");
    if (!facts.known())
        m_ring->setTtl({0, true, false}, unknown(), {});
    else if (facts.condition == LockCondition::Draining)
        //: In a lock's ring, in two lines: nobody / gets in.
        m_ring->setTtl({0, true, false}, tr("nobody"), tr("gets in"));
    else if (facts.condition == LockCondition::Undecided || (!facts.held() && facts.deciders == 0))
        //: In a lock's ring, in two lines: nobody / decides.
        m_ring->setTtl({0, true, false}, tr("nobody"), tr("decides"));
    else if (!facts.held())
        m_ring->setTtl({0, true, true}, tr("free"), {});
    else if (!facts.endKnown && facts.keptBy != inspect::KeptBy::NotTold)
        m_ring->setTtl(facts.gauge(), tr("no lease"), inspect::keptByText(facts.keptBy, inspect::KeptByUse::TimeLeft));
    else if (!facts.endKnown)
        m_ring->setTtl(facts.gauge(), unknown(), tr("no TTL told"));
    else if (!facts.expires && m_context->heldBack().never)
        m_ring->setTtl({}, QStringLiteral("?"), tr("not told yet"));
    else if (!facts.expires)
        m_ring->setTtl(facts.gauge(), never(), tr("expires"));
    else
        m_ring->setTtl(facts.gauge(), timeLeftText(facts), full);

    showConnection(lock);
    showDecider(facts);
    const bool gap = facts.condition == LockCondition::DoubleBelief || facts.condition == LockCondition::StaleBelief;
    setFact(RecordSays, holdersText(facts, *trace), Role::Text);
    showHolderClient(facts);
    setFact(Believers, namesOf(facts.believers, *trace), gap ? Role::ViolationText : Role::Text);
    // Beliefs of somebody else's clients cannot be seen from a server.
    const bool believed = facts.ownClients || !facts.believers.empty() || !isSeenFromOutside();
    m_facts[Believers]->setVisible(believed);
    m_factNames[Believers]->setVisible(believed);
    setFact(Token, facts.token ? shortNumber(facts.token) : none(), Role::Text);
    const QString token = facts.token ? QString::number(facts.token) : QString();
    m_facts[Token]->setToolTip(token == m_facts[Token]->text() ? QString() : token);
    if (facts.token) m_facts[Token]->setAccessibleDescription(token);
    setFact(HeldFor,
            facts.known() && facts.holds > 1 && facts.holders.size() < 2
                ? tr("%1, %n time(s) over", "", int(facts.holds)).arg(heldForText(facts))
                : heldForText(facts),
            Role::Text);
    showUsual(facts);
    // An open bet on when the next client gets in is lost as soon as this stands there.
    setKnownFact(EndsWhen, m_context->heldBack().verdictFrom ? QString() : endWords(facts));
    const Renewal::Kind renewal = facts.renewal.kind;
    setFact(RenewalFact, renewalText(facts, true),
            renewal == Renewal::Kind::Late      ? Role::WaitingText
            : renewal == Renewal::Kind::Stopped ? Role::FaultText
                                                : Role::Text);
    showHolders(facts);
    showQueue(facts);
    m_waits->setLock(lock);
    m_history->setLock(lock);
    const bool ends = facts.endKnown || facts.keptBy == inspect::KeptBy::NotTold; // else there is nothing to draw
    m_historyCaption->setVisible(ends);
    m_history->setVisible(ends);
    m_historyCaption->setHint(tr("the last %1").arg(roundDuration(m_history->span())));
    const QStringList copies = copyLines(lock);
    m_copiesCaption->setVisible(!copies.isEmpty());
    m_copies->setVisible(!copies.isEmpty());
    m_copies->setLines(copies, CodeBox::FirstLine::LikeTheOthers);
    showContent(facts);
    m_actions->setLock(lock);
}

/// Whether the lock's clients are somebody else's: a running server's, or those of a recording of it.
bool LockDetailPanel::isSeenFromOutside() const {
    const session::Session* const session = m_context->session();
    const trace::EntityId lock = m_context->focusedLock();
    return (session && session->abilities().live) || trace::connectionOf(*m_context->trace(), lock) != kNoEntity;
}

void LockDetailPanel::showConnection(trace::EntityId lock) {
    const auto trace = m_context->trace();
    const QString name = connectionName(*trace, lock);
    m_facts[SeenOver]->setVisible(!name.isEmpty());
    m_connectionName->setVisible(!name.isEmpty());
    if (name.isEmpty()) return;
    const QString server = trace->displayName(trace->entity(lock).parent);
    //: %1 is the name of a connection, %2 the address of its server.
    setFact(SeenOver, name == server ? name : tr("%1 · %2").arg(name, server), Role::Text);
}

void LockDetailPanel::showDecider(const LockFacts& facts) {
    const auto node = m_context->state().nodes.find(facts.server);
    const bool paused = node != m_context->state().nodes.end() && node->second.life == trace::ClientState::Life::Paused;
    const bool tells = facts.deciders >= 0 || paused; // of one server alone only that it cannot
    m_facts[WhoDecides]->setVisible(tells);
    m_decidesName->setVisible(tells);
    if (!tells) return;
    const auto trace = m_context->trace();
    QString words = serverText(facts, *trace);
    if (paused) words = tr("%1, paused").arg(words);
    if (facts.deciders == 0 && facts.server != kNoEntity && facts.server == trace->entity(facts.lock).parent)
        words = tr("%1, dead").arg(words);
    if (facts.drain) words = drainWords(*facts.drain, *trace);
    setFact(WhoDecides, words, facts.deciders == 0 || facts.drain || paused ? Role::WaitingText : Role::Text);
}

ToldClients LockDetailPanel::toldClients(trace::EntityId lock) const {
    const trace::State& state = m_context->state();
    const auto record = state.records.find(lock);
    return {*m_context->trace(), record == state.records.end() ? nullptr : &record->second};
}

/// Several holders say it in the list of them; clients of our own are known by their names.
void LockDetailPanel::showHolderClient(const LockFacts& facts) {
    const bool one = facts.held() && facts.known() && facts.holders.size() < 2 && isSeenFromOutside();
    const QString about = one ? toldClients(facts.lock).about(facts.owner) : QString();
    const bool ours = facts.ownClients && about.isEmpty();
    //: Who holds a lock: the server tells neither the address nor the program.
    setKnownFact(HolderClient,
                 !one || ours      ? QString()
                 : about.isEmpty() ? tr("not known")
                                   : about,
                 about.isEmpty() ? Role::TextDim : Role::Text);
    m_facts[HolderClient]->setToolTip(about.isEmpty()
                                          ? tr("The server does not tell which connection this holder has, or "
                                               "the login may not ask for it.")
                                          : QString());
}

void LockDetailPanel::showHolders(const LockFacts& facts) {
    // One exclusive holder is said above.
    const bool several = facts.known() && !facts.holders.empty();
    m_holders->setHolders(m_context->trace(), several ? facts.holders : std::vector<trace::Holder>(),
                          m_context->playhead(), facts.keptBy, toldClients(facts.lock));
    m_holdersCaption->setVisible(several);
    m_holdersView->setVisible(several);
    const auto unnamed = facts.holderCount - std::int64_t(facts.holders.size());
    m_holdersCaption->setHint(unnamed > 0 ? tr("and %n more", "holders", int(unnamed)) : QString());
}

/// A content that is older was seen again.
Nanos LockDetailPanel::looksApart(EntityId server) const {
    constexpr Nanos kUsual = 3s;
    const auto node = m_context->state().nodes.find(server);
    if (node == m_context->state().nodes.end()) return kUsual;
    const auto told = trace::looksApartIn(m_context->trace()->entity(node->second.looksApart).name);
    return std::max(kUsual, told.value_or(Nanos::zero()));
}

void LockDetailPanel::showContent(const LockFacts& facts) {
    const trace::State& state = m_context->state();
    const auto record = state.records.find(facts.lock);
    const auto seen = record == state.records.end() || record->second.content == kNoEntity
                          ? std::nullopt
                          : inspect::contentFrom(m_context->trace()->entity(record->second.content).name);
    if (seen) {
        const Nanos at(record->second.contentAt);
        const QString when = instant(*m_context->trace(), at);
        const Nanos age = std::max(m_context->playhead() - at, Nanos::zero());
        // Rows are written when something has changed: without a new one, later looks have found the same.
        m_serverCaption->setHint(facts.observed && age > looksApart(m_context->trace()->entity(facts.lock).parent)
                                     ? tr("the same since %1").arg(when)
                                     : tr("seen at %1, %2 ago").arg(when, duration(age)));
        m_server->setLines(
            seenLines(*seen, m_context->trace()->displayName(facts.lock), backendOf(*m_context, facts.lock)));
        return;
    }
    const auto node = state.nodes.find(facts.server);
    const bool down = node != state.nodes.end() && node->second.life == trace::ClientState::Life::Dead;
    m_serverCaption->setHint({});
    m_server->setLines(
        {down ? tr("the server is down: nothing of it can be seen") : unwrittenWords(facts, *m_context)});
}

void LockDetailPanel::showQueue(const LockFacts& facts) {
    m_queue->setWaiters(m_context->trace(), facts.waiters, m_context->playhead(), toldClients(facts.lock));
    const auto count = facts.waiterCount();
    const std::int64_t unnamed = count.value_or(0) - std::int64_t(facts.waiters.size());
    QString note;
    if (facts.condition == LockCondition::Draining && facts.waiters.empty())
        note = tr("Clients that ask wait for the change of engines: they stand in no server's queue.");
    else if (facts.noLongerShown && facts.waiters.empty())
        note = tr("Nobody waits. Its server shows such locks only while somebody does: it may be held still.");
    else if (!facts.observed && facts.waiters.empty())
        note = tr("The server cannot be seen: the waiters are not known.");
    else if (!count && !isSeenFromOutside())
        note = tr("Nobody waits."); // of a world of our own all is known: nobody has asked yet
    else if (!count)
        note = tr("This format does not name waiters.");
    else if (*count == 0 && isSeenFromOutside() &&
             inspect::countsListenersOnly(lockFormat(facts.lock, *m_context).toLatin1()))
        note = tr("No waiter is known: the server counts only those that listen for the release.");
    else if (*count == 0)
        note = facts.held() || !facts.believers.empty() ? tr("Nobody waits.") : tr("Nobody holds it, nobody waits.");
    else if (unnamed > 0)
        note = facts.waiters.empty() ? tr("%n waiter(s); the server does not say who.", "", int(unnamed))
                                     : tr("and %n more that the server counts", "", int(unnamed));
    m_queueNote->setText(note);
    m_queueNote->setVisible(!note.isEmpty());
    m_queueView->setVisible(!facts.waiters.empty());
    m_queueCaption->setHint(facts.waiters.empty() ? QString()
                            : facts.cannotDecide == trace::CannotDecide::DeciderDead
                                ? tr("the server is dead; as clients asked")
                            : facts.queueNamed()       ? tr("in the server's order")
                            : !facts.observed          ? facts.deciders == 0 ? tr("nobody decides; as clients asked")
                                                                             : tr("no server answers; as clients asked")
                                     : facts.serverWaiters >= 0 ? tr("counted by the server, named by clients")
                                                       : tr("the server has no queue; as clients asked"));
}

} // namespace lockscope::views
