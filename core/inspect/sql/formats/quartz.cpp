// SPDX-License-Identifier: Apache-2.0
// Quartz: QRTZ_SCHEDULER_STATE(SCHED_NAME, INSTANCE_NAME, LAST_CHECKIN_TIME, CHECKIN_INTERVAL). Each instance of a
// clustered scheduler keeps its row by checking in; the others take over its jobs when it is late. Its locks are rows
// of QRTZ_LOCKS, held by transactions (sql/sessions.h).
#include "inspect/sql/formats/table_row.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

enum Column : std::size_t { Scheduler, Instance, CheckedIn, Interval, Now };

constexpr std::int64_t kGraceMs = 7500; // that Quartz adds to the interval before it takes over

bool isIts(const TableName& table) {
    return table.has("sched_name") && table.has("instance_name") && table.has("last_checkin_time") &&
           table.has("checkin_interval");
}

QByteArray query(sql::Language language, const TableName& table, int limit) {
    const SqlWords& words = sqlWords(language);
    return selectWithNow(
        language, table,
        {words.textOf("sched_name"), words.textOf("instance_name"), "last_checkin_time", "checkin_interval"}, limit);
}

std::optional<LockRow> read(const sql::Table& answer, std::size_t at, const QByteArray& place) {
    constexpr std::int64_t kMostMs = 1'000'000'000'000'000; // far beyond every clock
    const auto checkedIn = answer.number(at, CheckedIn), interval = answer.number(at, Interval);
    LockRow row;
    row.name = answer.text(at, Scheduler) + ':' + answer.text(at, Instance);
    row.format = "qrtz_scheduler";
    row.certainty = Certainty::Likely; // its times are of the instances' clocks
    if (checkedIn && interval && *checkedIn > 0 && *checkedIn < kMostMs)
        heldUntil(row, *checkedIn + std::clamp<std::int64_t>(*interval, 0, kMostMs) + kGraceMs, answer.number(at, Now));
    heldBy(row, answer.text(at, Instance));
    row.raw.push_back(
        rawTableRow(answer, at, place, {"sched_name", "instance_name", "last_checkin_time", "checkin_interval"}));
    return row;
}

} // namespace

const TableFormat kQuartzTable{"Quartz", isIts, query, read};

} // namespace lockscope::inspect
