// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/lock_filter.h"

#include "inspect/lock_row.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace lockscope::views {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(LockFilter)
};

struct Key {
    const char* name;
    int column;
    bool isTime;
    bool isNumber;
};
/// Not a column of the table: how sure it is that a key is a lock.
constexpr int kCertainty = LocksModel::ColumnCount;
constexpr int kAlert = kCertainty + 1; ///< nor this: `any`, or a part of its sentence
constexpr int kEndless = kAlert + 1;   ///< ttl:never
constexpr std::array kKeys{
    Key{"name", LocksModel::LockColumn, false, false},
    Key{"lock", LocksModel::LockColumn, false, false},
    Key{"server", LocksModel::ServerColumn, false, false},
    Key{"format", LocksModel::FormatColumn, false, false},
    Key{"mode", LocksModel::ModeColumn, false, false},
    Key{"holder", LocksModel::HolderColumn, false, false},
    Key{"state", LocksModel::StateColumn, false, false},
    Key{"ttl", LocksModel::TtlColumn, true, false},
    Key{"held", LocksModel::HeldForColumn, true, false},
    Key{"waiters", LocksModel::WaitersColumn, false, true},
    Key{"holds", LocksModel::HoldsColumn, false, true},
    Key{"token", LocksModel::TokenColumn, false, true},
    Key{"certainty", kCertainty, false, false},
    Key{"alert", kAlert, false, false},
};

/// Words between spaces; quotation marks keep spaces inside.
QStringList splitTerms(const QString& text) {
    QStringList terms;
    QString term;
    bool quoted = false, any = false;
    for (const QChar c : text) {
        if (c == QLatin1Char('"')) {
            quoted = !quoted;
            any = true;
        } else if (c.isSpace() && !quoted) {
            if (any) terms += term;
            term.clear();
            any = false;
        } else {
            term += c;
            any = true;
        }
    }
    if (any) terms += term;
    return terms;
}

} // namespace

std::expected<LockFilter::Term, QString> LockFilter::parseTerm(QString text) {
    Term term;
    if (text.size() > 1 && text.startsWith(QLatin1Char('-'))) {
        term.negated = true;
        text.remove(0, 1);
    }
    static const QRegularExpression shape(QStringLiteral("^([A-Za-z]+)(:|<=|>=|<|>|=)(.*)$"));
    const QRegularExpressionMatch match = shape.match(text);
    if (!match.hasMatch()) {
        term.text = text;
        return term;
    }
    const QString name = match.captured(1).toLower(), op = match.captured(2), value = match.captured(3);
    const auto key = std::ranges::find_if(kKeys, [&](const Key& k) { return name == QLatin1String(k.name); });
    if (key == kKeys.end()) {
        // A name with a colon in it ("stock:42") is a name; a comparison of something unknown is a mistake.
        if (op == QLatin1String(":")) {
            term.text = text;
            return term;
        }
        return std::unexpected(Words::tr("There is no “%1” to compare; there are ttl, held, waiters, holds and token.")
                                   .arg(match.captured(1)));
    }
    if (value.isEmpty()) return std::unexpected(Words::tr("“%1” needs a value after it.").arg(name + op));
    term.column = key->column;
    term.text = value;
    const bool compares = op != QLatin1String(":") && op != QLatin1String("=");
    if (!key->isTime && !key->isNumber) {
        if (compares) return std::unexpected(Words::tr("“%1” is a word: write %1:%2.").arg(name, value));
        return term;
    }
    term.compare = op == QLatin1String("<")    ? Compare::Less
                   : op == QLatin1String("<=") ? Compare::LessEqual
                   : op == QLatin1String(">")  ? Compare::Greater
                   : op == QLatin1String(">=") ? Compare::GreaterEqual
                                               : Compare::Equal;
    if (term.column == LocksModel::TtlColumn && !compares && value == QLatin1String("never")) {
        term.column = kEndless;
        return term;
    }
    if (key->isTime) {
        const auto time = scenario::parseDuration(value);
        if (!time) return std::unexpected(Words::tr("“%1” is not a time, such as 5s, 250ms or 2m.").arg(value));
        term.value = time->count();
        return term;
    }
    bool number = false;
    term.value = value.toLongLong(&number);
    if (!number) return std::unexpected(Words::tr("“%1” is not a whole number.").arg(value));
    return term;
}

std::expected<LockFilter, QString> LockFilter::parse(const QString& text) {
    LockFilter filter;
    for (const QString& word : splitTerms(text)) {
        auto term = parseTerm(word);
        if (!term) return std::unexpected(term.error());
        filter.m_terms.push_back(std::move(*term));
    }
    return filter;
}

bool LockFilter::matches(const Term& term, const LocksModel& model, const QModelIndex& index) {
    const auto text = [&](int column) { return index.siblingAtColumn(column).data().toString(); };
    const LockFacts* const facts = model.facts(index);
    if (!facts) return false;
    const QString certaintyId = QLatin1String(inspect::nameOf(facts->certainty));
    if (term.column == kCertainty)
        return certaintyId.startsWith(term.text, Qt::CaseInsensitive) ||
               certaintyText(facts->certainty).contains(term.text, Qt::CaseInsensitive);
    if (term.column == kEndless) return facts->neverEnds();
    if (term.column == kAlert) {
        if (index.data(LocksModel::AlertRole).toInt() == 0) return false;
        if (model.alertId(index).startsWith(term.text, Qt::CaseInsensitive)) return true;
        return term.text.compare(QLatin1String("any"), Qt::CaseInsensitive) == 0 ||
               text(LocksModel::StateColumn).contains(term.text, Qt::CaseInsensitive) ||
               index.siblingAtColumn(LocksModel::StateColumn)
                   .data(Qt::ToolTipRole)
                   .toString()
                   .contains(term.text, Qt::CaseInsensitive);
    }
    if (term.column < 0) {
        // The whole word only: a part of it may be a part of many names.
        const bool doubted = facts->certainty != trace::Certainty::Certain;
        if (doubted && (certaintyId.compare(term.text, Qt::CaseInsensitive) == 0 ||
                        certaintyText(facts->certainty).compare(term.text, Qt::CaseInsensitive) == 0))
            return true;
        return std::ranges::any_of(std::array{LocksModel::LockColumn, LocksModel::ServerColumn,
                                              LocksModel::FormatColumn, LocksModel::HolderColumn},
                                   [&](int column) { return text(column).contains(term.text, Qt::CaseInsensitive); });
    }
    if (term.column == LocksModel::StateColumn) {
        // A search for held locks does not list locks that are only perhaps held.
        if (facts->condition == LockCondition::PerhapsHeld)
            return conditionId(facts->condition).startsWith(term.text, Qt::CaseInsensitive) ||
                   conditionText(*facts).startsWith(term.text, Qt::CaseInsensitive);
        // Anything in somebody's hands is held, however badly; on a server out of sight nobody knows it.
        if (term.text.compare(QLatin1String("held"), Qt::CaseInsensitive) == 0 && facts->held() &&
            facts->condition != LockCondition::Unobserved && facts->condition != LockCondition::Undecided)
            return true;
        return conditionId(facts->condition).startsWith(term.text, Qt::CaseInsensitive) ||
               conditionText(*facts).contains(term.text, Qt::CaseInsensitive);
    }
    if (term.compare == Compare::Contains) return text(term.column).contains(term.text, Qt::CaseInsensitive);
    const qint64 value = index.siblingAtColumn(term.column).data(LocksModel::SortRole).toLongLong();
    if (value < 0) return false; // there is none, or nobody knows
    switch (term.compare) {
    case Compare::Less:
        return value < term.value;
    case Compare::LessEqual:
        return value <= term.value;
    case Compare::Equal:
        return value == term.value;
    case Compare::GreaterEqual:
        return value >= term.value;
    case Compare::Greater:
        return value > term.value;
    case Compare::Contains:
        break;
    }
    return false;
}

bool LockFilter::matches(const LocksModel& model, const QModelIndex& index) const {
    return std::ranges::all_of(m_terms, [&](const Term& term) { return matches(term, model, index) != term.negated; });
}

LocksProxy::LocksProxy(LocksModel* model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model) {
    setSourceModel(model);
    setSortRole(LocksModel::SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
    setRecursiveFilteringEnabled(true);
    setDynamicSortFilter(true);
    connect(model, &LocksModel::alertsCame, this, &LocksProxy::arrange);
}

void LocksProxy::sort(int column, Qt::SortOrder order) {
    m_chosen = column;
    m_order = order;
    setSteady(false); // the person asks for it
    arrange();
}

void LocksProxy::setSteady(bool steady) {
    if (std::exchange(m_steady, steady) == steady) return;
    setDynamicSortFilter(!steady);
    if (steady) return;
    invalidateFilter(); // rows that changed meanwhile
    if (std::exchange(m_waiting, false)) arrange();
}

void LocksProxy::arrange() {
    m_waiting = m_steady;
    if (m_steady) return;
    // Sorting so many rows anew at each change would cost more than it tells; the list of alerts has the worst ones.
    constexpr int kMostWorstFirst = 20'000;
    if (m_chosen >= 0)
        QSortFilterProxyModel::sort(m_chosen, m_order);
    else if ((m_model->hasAlerts() || m_guesses) && m_model->lockCount() <= kMostWorstFirst)
        QSortFilterProxyModel::sort(LocksModel::StateColumn);
    else
        QSortFilterProxyModel::sort(-1);
}

bool LocksProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    if (m_chosen >= 0) return QSortFilterProxyModel::lessThan(left, right);
    const int a = left.data(LocksModel::AlertRole).toInt(), b = right.data(LocksModel::AlertRole).toInt();
    if (a != b) return a > b;
    const auto isGuess = [this](const QModelIndex& index) {
        const LockFacts* const facts = m_model->facts(index);
        return facts && facts->certainty == trace::Certainty::Guess;
    };
    const bool first = isGuess(left), second = isGuess(right);
    return first != second ? second : left.row() < right.row();
}

void LocksProxy::putGuessesLast(bool any) {
    if (std::exchange(m_guesses, any) != any) arrange();
}

void LocksProxy::setFilter(LockFilter filter) {
    m_filter = std::move(filter);
    invalidateFilter();
}

QModelIndex LocksProxy::indexOf(trace::EntityId lock) const {
    return mapFromSource(m_model->indexOf(lock));
}

bool LocksProxy::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = m_model->index(row, 0, parent);
    // Groups show up by their locks.
    if (!m_model->facts(index)) return false;
    // A copy shows up with its lock, and not by itself.
    if (LocksModel::isCopy(index)) return m_filter.matches(*m_model, parent);
    return m_filter.matches(*m_model, index);
}

} // namespace lockscope::views
