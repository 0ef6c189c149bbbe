// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/watch_words.h"

#include "cli/text.h"
#include "inspect/held_twice.h"
#include "inspect/kept_by.h"
#include "inspect/kept_by_words.h"
#include "inspect/line_name.h"
#include "inspect/member_change.h"
#include "inspect/party_about.h"
#include "inspect/text.h"
#include "ports/milliseconds.h"
#include "trace/time_text.h"

#include <QLocale>
#include <algorithm>
#include <climits>

namespace lockscope::cli {

namespace {

using inspect::Certainty;
using inspect::LockChange;
using inspect::LockRow;

QString stateWord(LockRow::State state) {
    switch (state) {
    case LockRow::State::Held:
        return tr("held");
    case LockRow::State::Queued:
        return tr("queued");
    case LockRow::State::NotKnown:
        return tr("not known");
    case LockRow::State::Free:
        break;
    }
    return tr("free");
}

QString shortened(const QString& text, qsizetype most) {
    return text.size() > most ? text.left(most - 1) + QStringLiteral("…") : text;
}

/// Identities may differ in their last letters only: leases of one server do.
QString shortenedIdentity(const QString& text) {
    constexpr qsizetype kBegin = 8, kEnd = 6;
    if (text.size() <= kBegin + kEnd + 1) return text;
    return text.left(kBegin) + QStringLiteral("…") + text.right(kEnd);
}

/// "3c1f0a52…8f01aa:1 ×2": enough of an identity to tell clients apart; "pid 4711 (psql 127.0.0.1)".
QString partyText(const inspect::Party& party) {
    constexpr qsizetype kWords = 40, kAbout = 60, kFacts = 120;
    QString text = inspect::readable(party.client);
    text = text.contains(QLatin1Char(' ')) ? shortened(text, kWords) : shortenedIdentity(text);
    if (party.thread) text += QLatin1Char(':') + inspect::readable(*party.thread);
    if (party.holds.value_or(1) > 1) text += QStringLiteral(" ×%1").arg(*party.holds);
    if (!party.about.isEmpty()) {
        // A holder, and since when its transaction is open, goes before its statement.
        const QString facts = inspect::aboutText(inspect::readable(inspect::aboutWithoutStatement(party)));
        const qsizetype most = std::clamp(facts.size(), kAbout, kFacts);
        text += QStringLiteral(" (") + shortened(inspect::aboutText(inspect::readable(party.about)), most) +
                QLatin1Char(')');
    }
    return text;
}

/// The first holders, and how many more there are.
QString holdersText(const LockRow& row) {
    constexpr std::size_t kShown = 8;
    QStringList holders;
    for (const inspect::Party& holder : row.holders) {
        if (std::size_t(holders.size()) == kShown) break;
        holders += partyText(holder);
        if (holder.neverExpires && row.ttlMs) // beside others whose permits end
            holders.back() += QLatin1Char(' ') + QStringLiteral("(%1)").arg(tr("never expires"));
        if (holder.ttlMs) // its own lease, besides the lock's
            holders.back() += QLatin1Char(' ') + tr("(%1 s left)").arg(double(*holder.ttlMs) / 1000, 0, 'f', 1);
    }
    const std::int64_t more = row.moreHolders + std::int64_t(row.holders.size()) - holders.size();
    //: Follows "by". A number of holders of which nobody knows the names.
    if (holders.isEmpty() && more > 0)
        return tr("up to %1, names not read").arg(QLocale::c().toString(qlonglong(more)));
    QString text = holders.join(QStringLiteral(", "));
    if (more > 0) text += QLatin1Char(' ') + tr("and %1 more").arg(QLocale::c().toString(qlonglong(more)));
    return text;
}

QString endText(const LockRow& row) {
    switch (row.expires()) {
    case LockRow::Expires::At:
        if (*row.ttlMs <= 0) return tr("its end has passed");
        //: How much of a lease is left, from an hour on: "8 h 12 m".
        if (*row.ttlMs >= 3'600'000) return tr("%1 left").arg(durationText(timeOfMs(*row.ttlMs)));
        // No more digits than were measured.
        return tr("%1 s left")
            .arg(double(*row.ttlMs) / 1000, 0, 'f', row.ends && row.ends->toMs - row.ends->fromMs >= 1000 ? 0 : 1);
    case LockRow::Expires::Never:
        return tr("never expires");
    case LockRow::Expires::Unknown:
        break;
    }
    if (row.state != LockRow::State::Held || row.holdersGone) return {};
    const inspect::KeptBy by = inspect::keptBy(row.format);
    // Or by LOCK TABLES: nobody tells who has it.
    const bool untold = by == inspect::KeptBy::Transaction && row.holders.empty();
    const QString kept = untold ? QString() : inspect::keptByText(by, inspect::KeptByUse::Line);
    return kept.isEmpty() ? tr("end unknown") : kept;
}

/// The first waiters, each with what it wants to do, where some read beside others and some write alone; else empty.
QString waitersByMode(const LockRow& row) {
    constexpr int kShown = 8;
    const auto reads = [](const inspect::Party& party) { return party.mode == "shared"; };
    if (row.mode != "shared" && std::ranges::none_of(*row.waiters, reads)) return {};
    QStringList waiters;
    int living = 0;
    for (const inspect::Party& waiter : *row.waiters) {
        if (waiter.dead || ++living > kShown) continue;
        //: A client that waits for a lock, to hold it beside other readers, or alone.
        waiters << (reads(waiter) ? tr("%1 to read") : tr("%1 to write")).arg(partyText(waiter));
    }
    QString text = waiters.join(QStringLiteral(", "));
    if (living > kShown) text += QLatin1Char(' ') + tr("and %1 more").arg(living - kShown);
    return text;
}

QString waitersText(const LockRow& row) {
    if (!row.waiterCount) return tr("waiters unknown");
    // Nobody lists the waiters: those that listen for the release are counted, and others may poll.
    if (!row.waiters)
        return *row.waiterCount == 0 ? tr("no waiter known")
                                     : tr("%n subscribed to its release", nullptr, int(*row.waiterCount));
    QString text = tr("%n waiting", nullptr, int(*row.waiterCount));
    if (const QString modes = waitersByMode(row); !modes.isEmpty()) text += QStringLiteral(": ") + modes;
    if (row.deadWaiters > 0) text += QStringLiteral(", ") + tr("%n dead in the queue", nullptr, int(row.deadWaiters));
    return text;
}

/// "1 of 3 permits free", as far as the server tells; else empty.
QString permitsText(const LockRow& row) {
    if (!row.permitsFree) return {};
    return row.permitsInAll ? tr("%1 of %2 permits free").arg(*row.permitsFree).arg(*row.permitsInAll)
                            : tr("%n permit(s) free", nullptr, int(*row.permitsFree));
}

/// "127.0.0.1:7001 by 3c1f0a52-7b…, 9.1 s left": what one of several servers has of a lock that they keep together.
QString copyText(const LockRow& copy) {
    QString text = inspect::readable(copy.server) + QLatin1Char(' ');
    if (copy.state != LockRow::State::Held) return text + stateWord(copy.state);
    const QString holders = holdersText(copy);
    text += holders.isEmpty() ? stateWord(copy.state) : tr("by %1").arg(holders);
    return text + QStringLiteral(", ") + endText(copy);
}

/// "held", "free, held on a minority only", …
QString stateText(const LockRow& row) {
    const bool anyHeld = std::ranges::find(row.copies, LockRow::State::Held, &LockRow::state) != row.copies.end();
    if (row.state == LockRow::State::Free && anyHeld) return tr("free, as only a minority of the servers has a holder");
    if (row.state == LockRow::State::Held && row.mode == "shared") return tr("held shared");
    return stateWord(row.state);
}

} // namespace

QString rowText(const LockRow& row) {
    QStringList parts{inspect::lineName(row.name), inspect::readable(row.format), stateText(row)};
    if (const QString holders = holdersText(row); !holders.isEmpty()) parts += tr("by %1").arg(holders);
    if (const QString end = endText(row); !end.isEmpty()) parts += end;
    QStringList copies;
    for (const LockRow& copy : row.copies)
        copies += copyText(copy);
    if (!copies.isEmpty()) parts += tr("copies: %1").arg(copies.join(QStringLiteral("; ")));
    parts += waitersText(row);
    if (const QString permits = permitsText(row); !permits.isEmpty()) parts += permits;
    if (row.token) parts += tr("token %1").arg(*row.token);
    if (inspect::heldTwice(row)) parts += tr("held twice: these libraries do not see each other's nodes");
    if (row.certainty == Certainty::Guess) parts += tr("only a guess: perhaps no lock");
    if (row.certainty == Certainty::Likely) parts += tr("likely a lock");
    return parts.join(QStringLiteral("  "));
}

QString changeText(const LockChange& change) {
    const LockRow& row = change.row;
    // Copies on a minority of the servers are no longer what is told when the lock goes.
    const bool gone = change.kind == LockChange::Kind::Vanished;
    if (!gone || (row.state != LockRow::State::Held && row.copies.empty())) return rowText(row);
    QStringList parts{inspect::lineName(row.name), inspect::readable(row.format)};
    if (row.state != LockRow::State::Held) return parts.join(QStringLiteral("  "));
    if (const QString holders = holdersText(row); !holders.isEmpty()) parts += tr("was held by %1").arg(holders);
    return parts.join(QStringLiteral("  "));
}

QString lateText(const inspect::LateRenewal& late, const LockRow& row) {
    QStringList parts{inspect::lineName(late.lock), inspect::readable(row.format)};
    parts += tr("held by %1").arg(inspect::readable(inspect::identityOf(late.holder)));
    //: How often a holder renewed its lock: "every 2.4 s", or "every 1.2 s to 2.4 s".
    parts += inspect::isSteady(late.pace, late.shortest)
                 ? tr("renewed every %1 until now").arg(durationText(late.pace))
                 : tr("renewed every %1 to %2 until now").arg(durationText(late.shortest), durationText(late.pace));
    if (late.why == trace::RenewalsEnd::ClientGone) parts += tr("its client has no connection to the server any more");
    if (late.why == trace::RenewalsEnd::ClientConnected)
        parts += tr("its client is still connected: it stands still, or its watchdog has stopped");
    return parts.join(QStringLiteral("  "));
}

QString changeWord(LockChange::What what) {
    using What = LockChange::What;
    switch (what) {
    case What::Found:
        return tr("found");
    case What::Taken:
        return tr("taken");
    case What::Renewed:
        return tr("renewed");
    case What::Shortened:
        return tr("shortened");
    case What::Reentered:
        return tr("re-entered");
    case What::HeldLess:
        return tr("held less");
    case What::ChangedHands:
        return tr("changed hands");
    case What::Joined:
        return tr("joined");
    case What::Left:
        return tr("left");
    case What::Expired:
        return tr("expired");
    case What::Released:
        return tr("released or deleted");
    case What::Forced:
        return tr("forced");
    case What::RenewalMissed:
        return tr("renewal missed");
    case What::RenewalsStopped:
        return tr("renewals stopped");
    case What::FailedOver:
        return tr("may exist twice");
    case What::Lost:
        return tr("lost");
    case What::NoLongerWaited:
        return tr("no longer waited for: such locks show only while somebody waits");
    case What::Queue:
        return tr("queue");
    case What::Gone:
        return tr("gone");
    case What::Other:
        break;
    }
    return tr("changed");
}

QString serverEventText(inspect::ServerEvent event, const inspect::LockReport& report) {
    QStringList where;
    for (const QByteArray& address : report.eventsAt)
        where << inspect::readable(address);
    const auto succession = event == inspect::ServerEvent::FailedOver ? inspect::successionIn(report) : std::nullopt;
    if (succession)
        //: Two addresses: a server that has become the master, and the one whose place it has taken.
        where = {tr("%1 in the place of %2")
                     .arg(inspect::readable(succession->first), inspect::readable(succession->second))};
    if (report.server && report.server->runId.contains(' ')) // a beginning instead: PostgreSQL's
        where << tr("started %1").arg(inspect::readable(report.server->runId));
    else if (report.server && !report.server->runId.isEmpty())
        where << tr("run id %1…").arg(inspect::readable(report.server->runId.left(8)));
    //: " (127.0.0.1:7001, run id 3c1f0a52…)"
    const QString which = where.isEmpty() ? QString() : tr(" (%1)").arg(where.join(QStringLiteral(", ")));
    switch (event) {
    case inspect::ServerEvent::Restarted:
        return tr("server restarted") + which;
    case inspect::ServerEvent::FailedOver:
        return tr("server failed over") + which;
    case inspect::ServerEvent::Swapped:
        return tr("another database took the place of this one (SWAPDB)") + which;
    case inspect::ServerEvent::Emptied:
        break;
    }
    const QString emptied = tr("server emptied: its keys were thrown away");
    return report.eventsAt.empty() ? emptied : emptied + which;
}

QString memberText(const inspect::MemberChange& change) {
    const QString address = inspect::readable(change.address);
    switch (change.what) {
    case inspect::MemberChange::What::Away:
        //: Each %1 is the address of a member of an ensemble of servers.
        return tr("%1 does not answer any more").arg(address);
    case inspect::MemberChange::What::Back:
        return tr("%1 answers again").arg(address);
    case inspect::MemberChange::What::Slots:
        //: Of a cluster: %1 are numbers of slots such as "448 5461-5470", %2 and %3 addresses of servers.
        return tr("slots %1 went from %2 to %3")
            .arg(inspect::readable(change.slots), inspect::readable(change.from), address);
    case inspect::MemberChange::What::Leads:
        break;
    }
    return tr("%1 leads now").arg(address);
}

QString progressText(const inspect::LockReport& report) {
    const QLocale locale;
    const auto several = [](std::int64_t keys) { return int(std::min<std::int64_t>(keys, INT_MAX)); };
    return report.keysThere < 0
               ? tr("%1 key(s) looked at", nullptr, several(report.keysPassed))
                     .arg(locale.toString(qlonglong(report.keysPassed)))
               : tr("%1 of %2 key(s) looked at", nullptr, several(report.keysThere))
                     .arg(locale.toString(qlonglong(report.keysPassed)), locale.toString(qlonglong(report.keysThere)));
}

QString loadText(const inspect::LockReport& report, Nanos passed) {
    const double seconds = std::max(std::chrono::duration<double>(passed).count(), 1e-3);
    return tr("%1 commands in %2 s: %3 a second, at most %4 % of the server's time")
        .arg(QLocale::c().toString(qulonglong(report.commands)))
        .arg(seconds, 0, 'f', 1)
        .arg(double(report.commands) / seconds, 0, 'f', 0)
        .arg(100 * std::chrono::duration<double>(report.serverTime).count() / seconds, 0, 'f', 1);
}

} // namespace lockscope::cli
