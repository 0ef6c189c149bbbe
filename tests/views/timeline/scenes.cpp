// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenes.h"

namespace lockscope::views {

using trace::EntityKind;
using trace::EventKind;

Cast::Cast() {
    node = trace->intern(EntityKind::Node, "redis-1");
    for (auto [actor, name] : {std::pair(&a, "A"), std::pair(&b, "B"), std::pair(&c, "C")}) {
        actor->client = trace->intern(EntityKind::Client, name);
        actor->thread = trace->intern(EntityKind::Thread, "1", actor->client);
        actor->link = trace->intern(EntityKind::Link, {}, actor->client, node);
    }
    lock = trace->intern(EntityKind::Lock, "orders", node);
    stock = trace->intern(EntityKind::Resource, "stock", lock);
}

void Cast::at(Nanos t, EventKind kind, trace::EntityId actor, trace::EntityId subject, std::int64_t value,
              std::uint32_t aux, std::uint8_t flags) {
    trace->append({t.count(), value, actor, subject, aux, kind, flags});
}

void Cast::exchange(Nanos t, const Actor& who, const char* text) {
    at(t, EventKind::Request, who.client, node, 100'000, trace->text(text));
    at(t + 100us, EventKind::Reply, node, who.client, 100'000, trace->text(text));
}

void Cast::ask(Nanos t, const Actor& who) {
    at(t, EventKind::Requested, who.thread, lock, -1);
}

void Cast::grant(Nanos t, const Actor& who, Nanos lease) {
    exchange(t - 200us, who, "SET orders value NX PX 5000");
    at(t - 100us, EventKind::RecordHeld, who.thread, lock, (t + lease).count(), 1);
    at(t, EventKind::Granted, who.thread, lock, 0, 1);
    at(t, EventKind::BelievedUntil, who.thread, lock, -1);
}

void Cast::release(Nanos t, const Actor& who) {
    at(t, EventKind::ReleaseSent, who.thread, lock);
    exchange(t, who, "EVALSHA compare-and-delete");
    at(t + 100us, EventKind::RecordFreed, who.thread, lock, 0, who.thread);
    at(t + 200us, EventKind::Released, who.thread, lock);
}

Cast gcPause() {
    Cast s;
    s.at(0s, EventKind::NodeStarted, s.node);
    for (const auto* actor : {&s.a, &s.b, &s.c})
        s.at(0s, EventKind::ClientStarted, actor->client);
    s.ask(780ms, s.a);
    s.grant(800ms, s.a, 5s);
    s.ask(1400ms, s.b);
    s.exchange(1400ms, s.b, "SET orders value NX PX 5000");
    s.at(1600ms, EventKind::WriteAccepted, s.a.thread, s.stock);
    s.ask(2200ms, s.c);
    s.at(2600ms, EventKind::WriteAccepted, s.a.thread, s.stock);
    s.at(3s, EventKind::ClientPaused, s.a.client, 0, 0, 0, trace::kFault | trace::kByHand);
    s.at(5800ms, EventKind::RecordFreed, 0, s.lock, 0, s.a.thread, std::uint8_t(trace::FreedBy::Expiry));
    s.grant(6s, s.b, 5s);
    s.at(6500ms, EventKind::WriteAccepted, s.b.thread, s.stock);
    s.at(7s, EventKind::ClientResumed, s.a.client, 0, 0, 0, trace::kFault);
    s.at(7100ms, EventKind::WriteAccepted, s.a.thread, s.stock);
    s.exchange(7200ms - 200us, s.a, "EVALSHA compare-and-delete");
    s.at(7200ms, EventKind::ReleaseRefused, s.a.thread, s.lock);
    s.at(8200ms, EventKind::WriteAccepted, s.b.thread, s.stock);
    s.ask(8300ms, s.a);
    s.release(9s, s.b);
    s.grant(9050ms, s.c, 5s);
    s.trace->reach(10s);
    return s;
}

int countPixels(const QImage& image, const QColor& color, const QRect& where, int tolerance) {
    int count = 0;
    const QRect area = where.intersected(image.rect());
    for (int y = area.top(); y <= area.bottom(); ++y)
        for (int x = area.left(); x <= area.right(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            count += std::abs(pixel.red() - color.red()) <= tolerance &&
                     std::abs(pixel.green() - color.green()) <= tolerance &&
                     std::abs(pixel.blue() - color.blue()) <= tolerance;
        }
    return count;
}

} // namespace lockscope::views
