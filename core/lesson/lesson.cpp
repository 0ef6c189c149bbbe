// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson.h"

namespace lockscope::lesson {

QString Texts::in(const QString& language) const {
    auto found = byLanguage.find(language);
    if (found == byLanguage.end()) found = byLanguage.find(QStringLiteral("en"));
    return found == byLanguage.end() ? QString() : found->second;
}

QByteArray factId(Fact::Kind kind) {
    switch (kind) {
    case Fact::Kind::Owner:
        return "owner";
    case Fact::Kind::CopyOwner:
        return "copy-owner";
    case Fact::Kind::CopiesOf:
        return "copies-of";
    case Fact::Kind::Believers:
        return "believers";
    case Fact::Kind::MostBelievers:
        return "most-believers";
    case Fact::Kind::Waiters:
        return "waiters";
    case Fact::Kind::TimeLeft:
        return "time-left";
    case Fact::Kind::Accepted:
        return "accepted";
    case Fact::Kind::Refused:
        return "refused";
    case Fact::Kind::Count:
        return "count";
    case Fact::Kind::Gap:
        return "gap";
    case Fact::Kind::Span:
        return "span";
    case Fact::Kind::At:
        return "at";
    case Fact::Kind::Violated:
        return "violated";
    case Fact::Kind::Token:
        return "token";
    case Fact::Kind::Lease:
        return "lease";
    case Fact::Kind::LongestDisagreement:
        return "longest-disagreement";
    case Fact::Kind::LongestSuspension:
        return "longest-suspension";
    case Fact::Kind::RequestsPerGrant:
        return "requests-per-grant";
    case Fact::Kind::ByHand:
        return "by-hand";
    }
    return {};
}

QByteArray panelId(Look::Panel panel) {
    switch (panel) {
    case Look::Panel::None:
        break;
    case Look::Panel::Waits:
        return "waits";
    case Look::Panel::Verdict:
        return "verdict";
    case Look::Panel::Statistics:
        return "statistics";
    case Look::Panel::Cluster:
        return "cluster";
    case Look::Panel::Queue:
        return "queue";
    }
    return {};
}

bool isTime(Fact::Kind kind) {
    using enum Fact::Kind;
    return kind == TimeLeft || kind == Gap || kind == Span || kind == At || kind == Lease ||
           kind == LongestDisagreement || kind == LongestSuspension;
}

bool isClients(Fact::Kind kind) {
    using enum Fact::Kind;
    return kind == Owner || kind == CopyOwner || kind == Believers || kind == Waiters;
}

const Scene* Lesson::scene(const QString& wanted) const {
    const auto found = std::ranges::find(scenes, wanted, &Scene::id);
    return found == scenes.end() ? nullptr : &*found;
}

} // namespace lockscope::lesson
