// SPDX-License-Identifier: Apache-2.0
// Threads go on locking while the backend changes under them. change_engines [URL RECIPE URL RECIPE]
#include <iostream>
#include <lockscope/blocking.h>
#include <lockscope/manager.h>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
    const bool asked = argc == 5;
    const char* const words[] = {"redis://127.0.0.1", "redis-fenced", "zookeeper://127.0.0.1", "zk-mutex"};
    const auto word = [&](int i) { return '"' + std::string(asked ? argv[1 + i] : words[i]) + '"'; };
    // All processes need the same configuration, as a rule in a file: see Manager::watchFile(). 3.3 s for a switch, 72
    // s by default.
    const std::string json =
        R"({"lockscope-manager": 1, "namespaces": [{"name": "shop", "engines": [
        {"url": )" +
        word(0) + R"(, "recipe": )" + word(1) + R"(}, {"url": )" + word(2) + R"(, "recipe": )" + word(3) +
        R"(}], "switch": {"mode": "drain", "drain-for": "1s", "confirm-for": "1s"}, "lease": "1s"}]})";

    lockscope::blocking::Manager manager(json);
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
    std::cout << soldThere << " of " << sold << " on " << manager.status("shop").engine << std::endl;
}
