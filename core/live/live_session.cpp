// SPDX-License-Identifier: Apache-2.0
#include "live/live_session.h"

#include "live/live_worker.h"
#include "scenario/settings.h"
#include "session/milestones.h"

namespace lockscope::live {

std::expected<void, QString> applyLiveSetting(scenario::Scenario& settings, const scenario::Fault& fault) {
    if (fault.setting == QLatin1String("clients") && fault.text == QLatin1String("0")) {
        settings.workload.clients = 0;
        return {};
    }
    return scenario::changeSetting(settings, fault.setting, fault.text);
}

LiveSession::LiveSession(ConnectionUrl url, bool allowChanges, scenario::Scenario settings, QObject* parent)
    : session::Session(parent),
      m_allowChanges(allowChanges),
      m_url(std::move(url)),
      m_settings(std::move(settings)),
      m_trace(std::make_shared<trace::Trace>()),
      m_verdict(std::make_shared<verdict::Verdict>()) {
    m_settings.workload.clients = 0;
    m_settings.faults.clear();
    m_meta = session::Session::recordingMeta();
    m_health = {session::Health::Level::Working, tr("%1 · connecting").arg(m_url.display())};
    m_thread.put([this, settings = m_settings] { makeWorker(settings); });
    connect(&m_alerts, &session::AlertDesk::wishesChanged, this, [this] {
        m_thread.put([this, rules = m_alerts.rules(), mutes = m_alerts.mutes()] { m_worker->setAlerts(rules, mutes); });
    });
}

LiveSession::~LiveSession() {
    m_thread.put([this] { m_worker.reset(); });
}

void LiveSession::makeWorker(const scenario::Scenario& settings) {
    LiveWorker::Listener listener;
    listener.grown = [this] { m_inbox.put([this] { Q_EMIT advanced(); }); };
    listener.judged = [this](const std::shared_ptr<const verdict::Verdict>& verdict) {
        m_inbox.put([this, verdict] {
            m_verdict = verdict;
            Q_EMIT verdictChanged();
        });
    };
    listener.health = [this](const session::Health& health) {
        m_inbox.put([this, health] {
            m_health = health;
            Q_EMIT healthChanged();
        });
    };
    listener.load = [this](double perSecond) {
        m_inbox.put([this, perSecond] {
            m_ownLoad = perSecond;
            Q_EMIT ownLoadChanged();
        });
    };
    listener.alerts = [this](const LiveWorker::AlertNews& news) {
        m_inbox.put([this, news] { m_alerts.take(news.changes, news.board, news.at, news.wallMs); });
    };
    listener.refused = [this](const QString& why) { m_inbox.put([this, why] { Q_EMIT complained(why); }); };
    listener.planned = [this](const QByteArray& lockName, const QByteArrayList& commands) {
        QStringList lines;
        for (const QByteArray& line : commands)
            lines << QString::fromUtf8(line);
        m_inbox.put([this, lockName, lines] { Q_EMIT releasePlanned(lockName, lines); });
    };
    m_worker = std::make_unique<LiveWorker>(m_url, settings, m_trace, std::move(listener));
    m_worker->start();
}

session::Abilities LiveSession::abilities() const {
    session::Abilities abilities;
    abilities.live = true;
    // Clients of our own run on Redis only so far.
    abilities.faults = abilities.workload = m_allowChanges && m_url.service == Service::Redis;
    abilities.forceRelease = m_allowChanges;
    return abilities;
}

std::expected<void, QString> LiveSession::allows(scenario::Action action, scenario::TargetKind target) const {
    if (!m_allowChanges)
        return std::unexpected(
            tr("This connection is read-only. Connect again with changes allowed to run clients of our own."));
    if (m_url.service != Service::Redis) return std::unexpected(tr("Clients of our own run on Redis only so far."));
    return Session::allows(action, target);
}

QString LiveSession::title() const {
    return m_url.display();
}

void LiveSession::advanceToNext(session::Milestone milestone, Nanos from) {
    // Only what has happened can be looked for: nobody can make a live server go on.
    const auto at = session::nextMilestone(*m_trace, *m_verdict, milestone, from);
    Q_EMIT milestoneReached(at.has_value(), at.value_or(m_trace->reached()));
}

void LiveSession::apply(scenario::Fault fault, Nanos) {
    if (const auto allowed = allows(fault.action, scenario::targetKind(fault.action)); !allowed) {
        Q_EMIT complained(allowed.error());
        return;
    }
    if (fault.action == scenario::Action::Set) {
        if (const auto done = applyLiveSetting(m_settings, fault); !done) {
            Q_EMIT complained(done.error());
            return;
        }
    }
    fault.at = m_trace->reached();
    m_byHand.push_back(fault);
    Q_EMIT scenarioChanged(); // what was done by hand is another list now
    m_thread.put([this, fault] { m_worker->act(fault); });
}

void LiveSession::restart(std::uint64_t, session::ByHand) {
    Q_EMIT complained(tr("A live server cannot be started again from here; connect again for an empty picture."));
}

void LiveSession::planRelease(QByteArray lockName) {
    if (!m_allowChanges) {
        session::Session::planRelease(std::move(lockName));
        return;
    }
    m_thread.put([this, lockName] { m_worker->planRelease(lockName); });
}

void LiveSession::forceRelease(QByteArray lockName) {
    if (!m_allowChanges) {
        session::Session::forceRelease(std::move(lockName));
        return;
    }
    m_thread.put([this, lockName] { m_worker->forceRelease(lockName); });
}

} // namespace lockscope::live

// Here and not beside the other sessions': a program without this one is then spared the drivers and their libraries.
#include "moc_live_session.cpp" // NOLINT(bugprone-suspicious-include): it is generated to be included
