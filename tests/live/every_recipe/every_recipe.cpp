// SPDX-License-Identifier: Apache-2.0
#include "every_recipe.h"
#include "client/connect.h"

#include "offers/recipe_table.h"

namespace lockscope::test {

Oddity oddityOf(const RecipeInfo& recipe) {
    static const std::map<QByteArray, Oddity> odd{
        {"redis-setnx", Oddity::FreesAnybodys},   {"redis-setnx-expire", Oddity::FreesAnybodys},
        {"redis-set-del", Oddity::FreesAnybodys}, {"sql-row", Oddity::FreesAnybodys},
        {"memcached-add", Oddity::FreesAnybodys}, {"sql-version", Oddity::KeepsNobodyOut},
    };
    const auto found = odd.find(recipe.id);
    return found == odd.end() ? Oddity::None : found->second;
}

Party::Party(Connection& connection, const QByteArray& name, const Subject& subject, LockOptions options, int permits) {
    options.recipe = subject.info->id;
    auto made = makeLock(connection, name, subject.mode, options, permits);
    if (!made) qFatal("%s", qPrintable(made.error().message));
    lock = *std::move(made);
    lock->listen([this](Event event, const QByteArray&, const QString&) { events.push_back(event); });
}

std::expected<bool, LockError> Party::take(Mode mode, Nanos wait, const QByteArray& thread) {
    LockRequest request;
    request.mode = mode;
    request.wait = wait;
    request.thread = thread;
    return run(lock->take(request));
}

std::shared_ptr<Ending<std::expected<bool, LockError>>> Party::waiting(Mode mode, std::stop_token stop,
                                                                       const QByteArray& thread) {
    LockRequest request;
    request.mode = mode;
    request.thread = thread;
    return beside(lock->take(request, std::move(stop)));
}

std::expected<int, LockError> Party::unlock(Mode mode, const QByteArray& thread) {
    return run(lock->unlock(thread, mode));
}

void EveryRecipe::initTestCase_data() {
    QTest::addColumn<Subject>("subject");
    const auto row = [](const RecipeInfo& info, Mode mode, const char* how) {
        QTest::addRow("%s%s", info.id.constData(), how) << Subject{&info, mode};
    };
    for (const RecipeInfo& info : recipes::allRecipes()) {
        if (info.backend != m_kind.backend) continue;
        if (info.exclusive && m_kind.takes(info, Mode::Exclusive)) row(info, Mode::Exclusive, "");
        if (info.shared && m_kind.takes(info, Mode::Shared)) row(info, Mode::Shared, " shared");
        if (info.permits && m_kind.takes(info, Mode::Permit)) row(info, Mode::Permit, " permits");
    }
}

void EveryRecipe::initTestCase() {
    m_ground = m_kind.make(m_runtime);
    VERIFY_EMPTY(m_ground->start());
    m_urlByRelay = m_ground->url();
    for (const std::uint16_t port : m_ground->ports()) {
        m_relays.push_back(std::make_unique<Relay>(m_runtime, port));
        m_urlByRelay.replace(QStringLiteral(":%1").arg(port), QStringLiteral(":%1").arg(m_relays.back()->port()));
    }
    for (const auto& relay : m_relays) {
        relay->countsForNothing = [this](const QByteArray& piece) { return m_ground->isLookout(piece); };
        relay->translating = [this](QByteArray said) {
            const std::vector<std::uint16_t> ports = m_ground->ports();
            for (std::size_t i = 0; i < ports.size(); ++i)
                said = m_ground->movedTo(said, ports[i], m_relays[i]->port());
            if (!m_doubled || !m_ground->isWakeUp(said)) return said;
            ++*m_doubled;
            return said + said;
        };
    }
    const std::pair<std::unique_ptr<Connection>*, QString> all[] = {
        {&m_near, m_urlByRelay}, {&m_far, m_ground->url()}, {&m_third, m_ground->url()}};
    for (const auto& [connection, url] : all) {
        *connection = makeConnection(m_runtime, urlOf(url));
        VERIFY_OK(run((*connection)->open()));
        VERIFY_OK(run((*connection)->prepare()));
    }
}

void EveryRecipe::init() {
    QFETCH_GLOBAL(Subject, subject);
    static int last = 0;
    setDoubling(false);
    m_subject = subject;
    m_name = "lock-" + QByteArray::number(++last);
    if (subject.info->id == "redis-multi") m_name = m_ground->severalWith(m_name);
    // Create the data that stay before a test begins: counters of tokens, rows without an owner, and a lease that the
    // locks of a connection share.
    for (Connection* const connection : {m_near.get(), m_far.get(), m_third.get()}) {
        Party first = party(*connection, options(30s, 10s));
        VERIFY_IS(first.take(subject.against(), 10s), true);
        VERIFY_IS(first.unlock(subject.against()), 0);
    }
    m_before = left();
}

void EveryRecipe::cleanupTestCase() {
    m_near.reset();
    m_far.reset();
    m_third.reset();
    m_relays.clear();
    m_ground.reset();
}

LockOptions EveryRecipe::options(Nanos lease, Nanos watchdog) const {
    LockOptions how;
    how.lease = lease;
    how.watchdog = watchdog;
    how.token = m_subject.info->token;
    how.allowNaive = true;
    return how;
}

Party EveryRecipe::party(Connection& connection, const LockOptions& how) const {
    return Party(connection, m_name, m_subject, how);
}

QString EveryRecipe::leftOver() const {
    QByteArrayList more;
    const bool none = comesTrue(
        [&] {
            more.clear();
            std::ranges::set_difference(left(), m_before, std::back_inserter(more));
            return more.isEmpty();
        },
        5s);
    return none ? QString() : QStringLiteral("left behind: ") + QString::fromUtf8(more.join("; "));
}

QString EveryRecipe::notFree() {
    Party other = far();
    const auto got = other.take(m_subject.against(), 3s);
    if (!got) return got.error().message;
    if (!*got) return QStringLiteral("somebody still holds it: ") + leftOver();
    const auto released = other.unlock(m_subject.against());
    if (!released) return released.error().message;
    return leftOver();
}

} // namespace lockscope::test
