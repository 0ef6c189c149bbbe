// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/sentinel_survey.h"

#include <QCoreApplication>

namespace lockscope::redis {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(RedisError)
};

/// The value of a field in a flat list of names and values.
QByteArray field(const Reply& list, const char* name) {
    for (std::size_t i = 0; i + 1 < list.items.size(); i += 2)
        if (list.items[i].text == name) return list.items[i + 1].text;
    return {};
}

SentinelWord::Login loginOf(const Error& error) {
    if (error.kind != Error::Kind::AuthFailed) return SentinelWord::Login::Fine;
    // A sentinel without a password answers a password alone by ERR, and one with the name of a user, which only the
    // servers know, by WRONGPASS.
    if (error.code == "ERR" || error.code == "WRONGPASS") return SentinelWord::Login::Unknown;
    return error.code == "NOAUTH" ? SentinelWord::Login::Missing : SentinelWord::Login::Fine;
}

} // namespace

void SentinelSurvey::answered(Answer answer) {
    m_answers.push_back(std::move(answer));
    settle();
}

void SentinelSurvey::failed() {
    settle();
}

void SentinelSurvey::settle() {
    --m_open;
    if (m_open == 0 || (!m_answers.empty() && majorityFor(m_answers.back()))) m_enough.complete(true);
}

bool SentinelSurvey::majorityFor(const Answer& answer) const {
    return std::size_t(std::ranges::count(m_answers, answer)) > m_count / 2;
}

std::optional<SentinelSurvey::Answer> SentinelSurvey::best() const {
    std::optional<Answer> best;
    for (const Answer& answer : m_answers) {
        const bool better = !best || answer.epoch > best->epoch ||
                            (answer.epoch == best->epoch &&
                             std::ranges::count(m_answers, answer) > std::ranges::count(m_answers, *best));
        if (better) best = answer;
    }
    return best;
}

QCoro::Task<SentinelWord> askSentinel(Client& sentinel, QByteArray master, std::shared_ptr<SentinelSurvey> survey,
                                      std::stop_token stop) {
    const QString where = sentinel.where();
    // Both leave together; the sentinel may be gone when they are answered.
    auto address = sentinel.call(argsOf("SENTINEL", "GET-MASTER-ADDR-BY-NAME", master), stop);
    auto details = sentinel.call(argsOf("SENTINEL", "MASTER", master), stop);
    const Result named = co_await std::move(address);
    const Result told = co_await std::move(details);
    if (!named) {
        survey->failed();
        if (named.error().code == "ERR" && named.error().message.contains(QLatin1String("unknown command")))
            co_return SentinelWord{
                Text::tr("%1 is a Redis server and no Sentinel: give the Sentinels’ own ports, such as "
                         "26379, or write redis:// for this server alone.")
                    .arg(where),
                SentinelWord::Login::Fine};
        co_return SentinelWord{named.error().message, loginOf(named.error())};
    }
    bool ok = named->items.size() == 2;
    const int port = ok ? named->items[1].text.toInt(&ok) : 0;
    if (!ok || port < 1 || port > 65535) {
        survey->failed();
        co_return SentinelWord{Text::tr("%1 watches over no master “%2”.").arg(where, QString::fromUtf8(master)),
                               SentinelWord::Login::Fine};
    }
    const std::int64_t epoch = told ? field(*told, "config-epoch").toLongLong() : 0;
    survey->answered({{QString::fromUtf8(named->items[0].text), std::uint16_t(port)}, epoch});
    co_return SentinelWord{};
}

} // namespace lockscope::redis
