// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/switchboard.h"

#include "runtime/completion.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace lockscope {

QByteArray EngineRecord::text() const {
    QJsonObject object;
    object[QStringLiteral("epoch")] = static_cast<qint64>(epoch);
    object[QStringLiteral("engine")] = QString::fromUtf8(engine);
    object[QStringLiteral("by")] = QString::fromUtf8(by);
    if (!why.isEmpty()) object[QStringLiteral("why")] = QString::fromUtf8(why);
    object[QStringLiteral("settled")] = settled;
    if (!from.isEmpty()) object[QStringLiteral("from")] = QString::fromUtf8(from);
    if (immediate) object[QStringLiteral("immediate")] = true;
    if (returns > 0) object[QStringLiteral("returns")] = returns;
    if (beganMs > 0) object[QStringLiteral("began-ms")] = static_cast<qint64>(beganMs);
    if (settledMs > 0) object[QStringLiteral("settled-ms")] = static_cast<qint64>(settledMs);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

EngineRecord EngineRecord::read(const QByteArray& text) {
    const QJsonObject object = QJsonDocument::fromJson(text).object();
    EngineRecord record;
    record.epoch = object[QStringLiteral("epoch")].toInteger();
    record.engine = object[QStringLiteral("engine")].toString().toUtf8();
    record.by = object[QStringLiteral("by")].toString().toUtf8();
    record.why = object[QStringLiteral("why")].toString().toUtf8();
    record.settled = object[QStringLiteral("settled")].toBool();
    record.from = object[QStringLiteral("from")].toString().toUtf8();
    record.immediate = object[QStringLiteral("immediate")].toBool();
    record.returns = object[QStringLiteral("returns")].toInt();
    record.beganMs = object[QStringLiteral("began-ms")].toInteger();
    record.settledMs = object[QStringLiteral("settled-ms")].toInteger();
    return record;
}

namespace {
/// A proposal of one epoch, and the number of servers that have it.
struct Proposal {
    EngineRecord record;
    int having = 0;
};

/// The servers' answers so far; late answers are written here, too.
struct Gathering {
    std::vector<std::optional<Record>> records;
    std::vector<std::optional<LockError>> troubles;
    std::vector<bool> written;
    std::size_t open = 0;
    Completion<bool> all;
    void close() {
        if (--open == 0) all.complete(true);
    }
};

QCoro::Task<> readOne(RecordStore* store, QByteArray name, std::shared_ptr<Gathering> gathering, std::size_t i,
                      std::stop_token stop) {
    const auto record = co_await store->read(name, stop);
    if (record)
        gathering->records[i] = *record;
    else
        gathering->troubles[i] = record.error();
    gathering->close();
}

QCoro::Task<> writeOne(RecordStore* store, QByteArray name, Record seen, QByteArray text,
                       std::shared_ptr<Gathering> gathering, std::size_t i, std::stop_token stop) {
    const auto written = co_await store->replace(name, seen, text, stop);
    gathering->written[i] = written && *written;
    gathering->close();
}
} // namespace

const EngineRecord& Switchboard::parsed(const Record& seen) {
    const QByteArray text = seen.there ? seen.value : QByteArray();
    if (text != m_text) {
        m_parsed = EngineRecord::read(text);
        m_text = text;
    }
    return m_parsed;
}

QCoro::Task<Switchboard::View> Switchboard::look(Nanos patience, std::stop_token stop) {
    View view;
    view.askedAt = m_runtime.monotonic();
    const auto gathering = std::make_shared<Gathering>();
    gathering->records.resize(m_stores.size());
    gathering->troubles.resize(m_stores.size());
    gathering->open = m_stores.size();
    for (std::size_t i = 0; i < m_stores.size(); ++i) {
        RecordStore* const store = m_stores[i];
        m_runtime.spawn(
            [store, name = m_name, gathering, i, stop] { return readOne(store, name, gathering, i, stop); });
    }
    co_await gathering->all.wait(m_runtime, patience, stop);
    view.seen = gathering->records;
    view.troubles = gathering->troubles;
    std::vector<Proposal> proposals; // of the highest epoch
    for (const auto& record : view.seen) {
        if (!record) continue;
        ++view.answered;
        const EngineRecord& here = parsed(*record);
        const std::int64_t latest = proposals.empty() ? 0 : proposals.front().record.epoch;
        if (here.epoch <= 0 || here.epoch < latest) continue;
        if (here.epoch > latest) proposals.clear();
        const auto known = std::ranges::find_if(
            proposals, [&](const Proposal& proposal) { return proposal.record.sameProposal(here); });
        if (known == proposals.end()) {
            proposals.push_back({here, 1});
            continue;
        }
        ++known->having;
        if (here.settled && !known->record.settled) known->record = here; // it says when, too
    }
    if (proposals.empty()) co_return view;
    // If one of several was decided, it is the one that is settled somewhere, or the one that most servers have.
    const auto first = std::ranges::max_element(
        proposals, {}, [](const Proposal& proposal) { return std::pair(proposal.record.settled, proposal.having); });
    view.latest = first->record;
    view.having = first->having;
    // A settled proposal was decided, and no other of its epoch can be: unless servers forget, only one is settled.
    view.split = std::ranges::any_of(proposals, [&](const Proposal& other) {
        return !other.record.sameProposal(view.latest) && (other.record.settled || !view.latest.settled);
    });
    co_return view;
}

QCoro::Task<int> Switchboard::write(EngineRecord record, View seen, Nanos patience, std::stop_token stop) {
    const auto gathering = std::make_shared<Gathering>();
    gathering->written.resize(m_stores.size());
    gathering->open = 1;
    int having = 0;
    for (std::size_t i = 0; i < m_stores.size(); ++i) {
        if (!seen.seen[i]) continue;
        const EngineRecord& here = parsed(*seen.seen[i]);
        if (here.sameProposal(record) && here.settled == record.settled) {
            ++having;
            continue;
        }
        // A settled proposal was decided: an unsettled one of the same epoch cannot be decided any more.
        const bool decided = here.sameProposal(record) || record.settled;
        const bool later = here.epoch < record.epoch || (here.epoch == record.epoch && decided && !here.settled);
        if (!later) continue;
        ++gathering->open;
        RecordStore* const store = m_stores[i];
        m_runtime.spawn([store, name = m_name, before = *seen.seen[i], text = record.text(), gathering, i, stop] {
            return writeOne(store, name, before, text, gathering, i, stop);
        });
    }
    gathering->close();
    co_await gathering->all.wait(m_runtime, patience, stop);
    co_return having + static_cast<int>(std::ranges::count(gathering->written, true));
}

} // namespace lockscope
