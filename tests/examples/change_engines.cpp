// SPDX-License-Identifier: Apache-2.0
// Threads go on locking while the backend changes under them. change_engines [URL RECIPE URL RECIPE]
#include <iostream>
#include <lockscope/blocking.h>
#include <mutex>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
    const bool asked = argc == 5;
    const char* const words[] = {"redis://127.0.0.1", "redis-fenced", "zookeeper://127.0.0.1", "zk-mutex"};
    lockscope::NamespaceConfig shop; // or readManagerConfig(json), the same for all processes
    shop.name = "shop";
    for (int i = 0; i < 4; i += 2) {
        const auto url = lockscope::parseConnectionUrl(QString::fromUtf8(asked ? argv[1 + i] : words[i]));
        if (!url) return 2;
        shop.engines.push_back({*url, asked ? argv[2 + i] : words[1 + i]});
    }
    shop.drainFor = shop.confirmFor = shop.options.lease =
        std::chrono::seconds(1); // 3.3 s for a switch, 72 s by default
    lockscope::ManagerConfig config;
    config.namespaces.push_back(shop);

    lockscope::blocking::Manager manager(config);
    int sold = 0, soldThere = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            lockscope::blocking::Mutex stock(manager, "shop", "stock");
            for (bool enough = false; !enough;) {
                const std::lock_guard lock(stock);
                ++sold;
                if (stock.token() >> 48 == 2) ++soldThere; // the epoch: tokens grow across engines
                enough = soldThere >= 100;
            }
        });
    }
    manager.switchTo("shop", 1);
    threads.clear();
    std::cout << soldThere << " of " << sold << " on " << manager.status("shop").engine.toStdString() << std::endl;
}
