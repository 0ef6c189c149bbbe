// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/secret_store.h"

#include <QCoreApplication>
#include <qt6keychain/keychain.h>

namespace lockscope::app {

namespace {

class DesktopSecrets final : public SecretStore {
public:
    void read(const QString& name, QObject* caller, Read done) override {
        start<QKeychain::ReadPasswordJob>(name, caller, [done = std::move(done)](QKeychain::ReadPasswordJob& job) {
            const Answer answer = answerOf(job);
            done(answer, answer == Answer::Done ? job.textData() : QString());
        });
    }
    void write(const QString& name, const QString& secret, QObject* caller, Done done) override {
        start<QKeychain::WritePasswordJob>(
            name, caller, [done = std::move(done)](QKeychain::WritePasswordJob& job) { done(answerOf(job)); },
            [&secret](QKeychain::WritePasswordJob& job) { job.setTextData(secret); });
    }
    void erase(const QString& name, QObject* caller, Done done) override {
        start<QKeychain::DeletePasswordJob>(
            name, caller, [done = std::move(done)](QKeychain::DeletePasswordJob& job) { done(answerOf(job)); });
    }

private:
    static Answer answerOf(const QKeychain::Job& job) {
        if (job.error() == QKeychain::NoError) return Answer::Done;
        return job.error() == QKeychain::EntryNotFound ? Answer::Missing : Answer::Failed;
    }
    template <typename Job>
    static void start(const QString& name, QObject* caller, std::function<void(Job&)> finished,
                      const std::function<void(Job&)>& prepare = {}) {
        // It deletes itself when it ends, and not before: a store may still answer when the window is gone.
        auto* job = new Job(QStringLiteral("Lockscope"), QCoreApplication::instance());
        job->setAutoDelete(true);
        job->setInsecureFallback(false); // a file is no secret store
        job->setKey(name);
        if (prepare) prepare(*job);
        QObject::connect(job, &QKeychain::Job::finished, caller,
                         [job, finished = std::move(finished)](QKeychain::Job*) { finished(*job); });
        job->start();
    }
};

} // namespace

std::unique_ptr<SecretStore> desktopSecrets() {
    return std::make_unique<DesktopSecrets>();
}

} // namespace lockscope::app
