// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/mysql_statement.h"

namespace lockscope::sql {

namespace {

constexpr int kOver = 0;

} // namespace

MySqlStatement::~MySqlStatement() {
    if (m_statement) mysql_stmt_close(m_statement);
}

int MySqlStatement::startPreparing(QByteArray text) {
    m_text = std::move(text);
    m_call = Call::Prepare;
    m_failed = m_statement == nullptr;
    if (m_failed) return kOver;
    return follow(mysql_stmt_prepare_start(&m_result, m_statement, m_text.constData(),
                                           static_cast<unsigned long>(m_text.size())));
}

int MySqlStatement::startExecuting(Values values) {
    m_values = std::move(values);
    m_call = Call::Execute;
    m_failed = !bindValues();
    if (m_failed) return kOver;
    return follow(mysql_stmt_execute_start(&m_result, m_statement));
}

int MySqlStatement::goOn(int ready) {
    switch (m_call) {
    case Call::Prepare:
        return follow(mysql_stmt_prepare_cont(&m_result, m_statement, ready));
    case Call::Execute:
        return follow(mysql_stmt_execute_cont(&m_result, m_statement, ready));
    case Call::StoreRows:
        return follow(mysql_stmt_store_result_cont(&m_result, m_statement, ready));
    }
    return kOver;
}

int MySqlStatement::follow(int waitsFor) {
    if (waitsFor != kOver) return waitsFor;
    m_failed = m_result != 0;
    if (m_failed || m_call != Call::Execute || mysql_stmt_field_count(m_statement) == 0) return kOver;
    m_call = Call::StoreRows;
    return follow(mysql_stmt_store_result_start(&m_result, m_statement));
}

bool MySqlStatement::bindValues() {
    if (mysql_stmt_param_count(m_statement) != m_values.size()) return false;
    m_parameters.assign(m_values.size(), MYSQL_BIND());
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        MYSQL_BIND& bind = m_parameters[i];
        bind.buffer_type = MYSQL_TYPE_NULL;
        if (auto* const number = std::get_if<std::int64_t>(&m_values[i])) {
            bind.buffer_type = MYSQL_TYPE_LONGLONG;
            bind.buffer = number;
        } else if (auto* const text = std::get_if<QByteArray>(&m_values[i])) {
            bind.buffer_type = MYSQL_TYPE_STRING;
            bind.buffer = const_cast<char*>(text->constData()); // it is only read
            bind.buffer_length = static_cast<unsigned long>(text->size());
        }
    }
    return mysql_stmt_bind_param(m_statement, m_parameters.data()) == 0;
}

Reply MySqlStatement::reply() {
    Reply reply;
    reply.affected = std::max<std::int64_t>(std::int64_t(mysql_stmt_affected_rows(m_statement)), 0);
    reply.insertId = std::int64_t(mysql_stmt_insert_id(m_statement));
    if (mysql_stmt_field_count(m_statement) > 0) takeRows(reply);
    return reply;
}

void MySqlStatement::takeRows(Reply& reply) {
    const std::size_t columns = mysql_stmt_field_count(m_statement);
    m_cells.resize(columns);
    std::vector<MYSQL_BIND> binds(columns);
    for (std::size_t i = 0; i < columns; ++i) {
        binds[i].buffer_type = MYSQL_TYPE_STRING;
        binds[i].buffer = m_cells[i].text.data();
        binds[i].buffer_length = m_cells[i].text.size();
        binds[i].length = &m_cells[i].length;
        binds[i].is_null = &m_cells[i].null;
    }
    m_failed = mysql_stmt_bind_result(m_statement, binds.data());
    int fetched = 0;
    while (!m_failed && (fetched = mysql_stmt_fetch(m_statement)) != MYSQL_NO_DATA) {
        m_failed = fetched != 0 && fetched != MYSQL_DATA_TRUNCATED;
        if (m_failed) break;
        Values& row = reply.rows.emplace_back();
        for (std::size_t i = 0; i < columns; ++i) {
            const Cell& cell = m_cells[i];
            if (cell.null) {
                row.emplace_back();
                continue;
            }
            const auto room = static_cast<unsigned long>(cell.text.size());
            QByteArray text(cell.text.data(), qsizetype(std::min(cell.length, room)));
            if (cell.length > room) {
                text.resize(qsizetype(cell.length));
                MYSQL_BIND whole = binds[i];
                whole.buffer = text.data();
                whole.buffer_length = cell.length;
                m_failed = mysql_stmt_fetch_column(m_statement, &whole, unsigned(i), 0) != 0;
            }
            row.emplace_back(std::move(text));
        }
    }
    mysql_stmt_free_result(m_statement); // all of them have come: it has nothing to wait for
}

QByteArray MySqlStatement::errorNumber() const {
    return m_statement ? QByteArray::number(mysql_stmt_errno(m_statement)) : QByteArray();
}

QString MySqlStatement::errorText() const {
    return m_statement ? QString::fromUtf8(mysql_stmt_error(m_statement)) : QString();
}

} // namespace lockscope::sql
