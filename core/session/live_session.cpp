// SPDX-License-Identifier: Apache-2.0
#include "session/live_session.h"

#include "session/live_worker.h"
#include "session/milestones.h"
#include "sim/settings_text.h"

namespace lockscope::session {

LiveSession::LiveSession(ConnectionUrl url, bool allowChanges, scenario::Scenario settings, QObject* parent)
    : Session(parent),
      m_allowChanges(allowChanges),
      m_url(std::move(url)),
      m_settings(std::move(settings)),
      m_trace(std::make_shared<trace::Trace>()),
      m_verdict(std::make_shared<verdict::Verdict>()) {
    m_settings.workload.clients = 0;
    m_settings.faults.clear();
    m_health = {Health::Level::Working, tr("%1 · connecting").arg(m_url.display())};
    m_thread.setObjectName(QStringLiteral("live"));
    m_thread.start();
    // Its sockets and timers belong to the thread that makes them.
    auto* context = new QObject;
    context->moveToThread(&m_thread);
    QMetaObject::invokeMethod(
        context,
        [this] {
            m_worker = new LiveWorker(m_url, m_settings, m_trace);
            QObject::connect(QThread::currentThread(), &QThread::finished, m_worker, &QObject::deleteLater);
        },
        Qt::BlockingQueuedConnection); // no I/O in there: it returns at once
    context->deleteLater();
    connect(m_worker, &LiveWorker::grown, this, &Session::advanced);
    connect(m_worker, &LiveWorker::judged, this, [this](const std::shared_ptr<const verdict::Verdict>& verdict) {
        m_verdict = verdict;
        Q_EMIT verdictChanged();
    });
    connect(m_worker, &LiveWorker::health, this, [this](const Health& health) {
        m_health = health;
        Q_EMIT healthChanged();
    });
    connect(m_worker, &LiveWorker::load, this, [this](double perSecond) {
        m_ownLoad = perSecond;
        Q_EMIT ownLoadChanged(perSecond);
    });
    connect(m_worker, &LiveWorker::refused, this, &Session::complained);
    QMetaObject::invokeMethod(m_worker, &LiveWorker::start);
}

LiveSession::~LiveSession() {
    m_worker->disconnect(this);
    m_thread.quit();
    m_thread.wait();
}

Abilities LiveSession::abilities() const {
    Abilities abilities;
    abilities.live = true;
    abilities.faults = abilities.workload = abilities.forceRelease = m_allowChanges;
    return abilities;
}

QString LiveSession::title() const {
    return m_url.display();
}

void LiveSession::advanceToNext(Milestone milestone, Nanos from) {
    // Only what has happened can be looked for: nobody can make a live server go on.
    const auto at = nextMilestone(*m_trace, *m_verdict, milestone, from);
    Q_EMIT milestoneReached(at.has_value(), at.value_or(m_trace->reached()));
}

void LiveSession::apply(scenario::Fault fault, Nanos) {
    if (!m_allowChanges) {
        Q_EMIT complained(
            tr("This connection is read-only. Connect again with changes allowed to run clients of our own."));
        return;
    }
    if (fault.action == scenario::Action::Set) {
        if (const auto done = sim::applySetting(m_settings, fault.setting, fault.text); !done) {
            Q_EMIT complained(done.error());
            return;
        }
        Q_EMIT scenarioChanged();
    }
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, fault] { worker->act(fault); });
}

void LiveSession::restart(std::uint64_t, bool) {
    Q_EMIT complained(tr("A live server cannot be started again from here; connect again for an empty picture."));
}

void LiveSession::forceRelease(QByteArray lockName) {
    if (!m_allowChanges) {
        Session::forceRelease(std::move(lockName));
        return;
    }
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, lockName] { worker->forceRelease(lockName); });
}

} // namespace lockscope::session
