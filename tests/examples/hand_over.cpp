// SPDX-License-Identifier: Apache-2.0
// A hold that changes threads, is extended for a longer step, and ends the work when it is lost. hand_over [URL]
#include <iostream>
#include <lockscope/blocking.h>
#include <thread>

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    lockscope::blocking::Client client(argc > 1 ? argv[1] : "redis://127.0.0.1");
    lockscope::blocking::Mutex orders(client, "orders");
    lockscope::blocking::Hold hold = orders.tryAcquireWithLease(5s, 2s); // no watchdog: it ends after 2 s
    if (!hold) return 1;
    std::thread worker([&orders, hold = std::move(hold)]() mutable {
        const std::stop_callback cancel(hold.lost(), [] { std::cout << "lost: stop the work" << std::endl; });
        hold.extend(20s); // this step takes longer
        if (const auto holder = orders.holder()) std::cout << "held by " << holder->client << std::endl;
        std::cout << "for " << hold.remaining() / 1s << " s more, with token " << hold.token() << std::endl;
    }); // given back by the worker
    worker.join();
    const lockscope::LockTotals totals = client.totals();
    std::cout << totals.acquired << " acquired, " << totals.released << " released, " << totals.lost << " lost"
              << std::endl;
}
