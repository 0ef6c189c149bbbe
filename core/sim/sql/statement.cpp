// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/statement.h"

#include "trace/duration.h"
#include "trace/joined.h"

namespace lockscope::sim {

using trace::joined;

namespace {

/// The leases of a run are mostly one, and its text is dear to make.
QByteArray durationText(std::int64_t ms) {
    thread_local std::int64_t last = 0;
    thread_local QByteArray text;
    if (text.isEmpty() || ms != last) text = formatDuration(std::chrono::milliseconds(ms)).toUtf8();
    last = ms;
    return text;
}

} // namespace

bool SqlStatement::changes() const {
    switch (kind) {
    case Kind::Look:
    case Kind::StillOwned:
    case Kind::FindOld:
    case Kind::ReadRecord:
    case Kind::NamedHolders:
    case Kind::RowLocker:
    case Kind::Connections:
    case Kind::ReadOnly:
    case Kind::Ping:
        return false;
    default:
        return true;
    }
}

bool SqlStatement::writes() const {
    const bool aboutRows = kind <= Kind::CreateRecords || kind == Kind::Prepare;
    return aboutRows && changes();
}

QByteArray SqlStatement::text() const {
    const auto lease = [this] { return durationText(number); };
    const QByteArray shared = sharing == sql::Sharing::Shared ? " SHARED" : "";
    switch (kind) {
    case Kind::Look:
    case Kind::ReadRecord:
        return joined({"SELECT ", name});
    case Kind::Insert:
    case Kind::InsertRecord:
        return joined({"INSERT ", name});
    case Kind::MakeFree:
        return joined({"INSERT ", name, " IF MISSING"});
    case Kind::Take:
        return joined({"UPDATE ", name, ": take for ", lease(), " IF FREE"});
    case Kind::Extend:
        return "UPDATE " + (rows.size() == 1 ? rows.front().name : QByteArray::number(rows.size()) + " rows") +
               ": extend by " + lease() + " IF MINE";
    case Kind::StillOwned:
        return "SELECT MINE";
    case Kind::Free:
    case Kind::TakeBack:
        return joined({"UPDATE ", name, ": free IF MINE"});
    case Kind::FreeByForce:
        return "UPDATE " + name + ": free";
    case Kind::Erase:
        return "DELETE " + name;
    case Kind::EraseOwned:
        return "DELETE " + name + " IF MINE";
    case Kind::CompareAndSet:
        return joined({"UPDATE ", name, ": version + 1 IF VERSION ", QByteArray::number(qlonglong(number))});
    case Kind::Raise:
    case Kind::UpdateRecord:
        return "UPDATE " + name + ": version + 1";
    case Kind::FindOld:
    case Kind::EraseOld:
        return kind == Kind::FindOld ? QByteArray("SELECT OLD ROWS") : "DELETE " + name + " IF OLD";
    case Kind::LockRow:
        return joined({"SELECT ", name, " FOR UPDATE"});
    case Kind::LockRowNow:
        return "SELECT " + name + " FOR UPDATE NOWAIT";
    case Kind::CreateRecords:
    case Kind::Prepare:
        return "CREATE TABLE";
    case Kind::Commit:
        return "COMMIT";
    case Kind::Rollback:
        return "ROLLBACK";
    case Kind::TakeNamed:
        return joined({"LOCK ", key.name, shared});
    case Kind::TryNamed:
        return "TRY LOCK " + key.name + shared;
    case Kind::ReleaseNamed:
        return joined({"UNLOCK ", key.name});
    case Kind::ReleaseAllNamed:
        return "UNLOCK ALL";
    case Kind::NamedHolders:
        return "WHO HOLDS " + key.name;
    case Kind::RowLocker:
        return "WHO HOLDS " + name;
    case Kind::EndConnection:
        return "KILL";
    case Kind::EndStatement:
        return "KILL QUERY";
    case Kind::Connections:
        return "SELECT CONNECTIONS";
    case Kind::ReadOnly:
        return "SELECT READ ONLY";
    case Kind::Ping:
        return "SELECT 1";
    }
    return {};
}

} // namespace lockscope::sim
