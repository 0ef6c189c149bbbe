// SPDX-License-Identifier: Apache-2.0
// A lock can be lost while its holder sleeps; a resource that checks tokens is safe all the same. guard_a_write [URL]
#include <iostream>
#include <lockscope/blocking.h>
#include <map>
#include <string>

/// Stands for a database or a file server: it refuses whoever comes with an older token than somebody before.
class Store {
public:
    bool write(const std::string& key, const std::string& value, std::int64_t token) {
        if (token < m_highest) return false;
        m_highest = token;
        m_rows[key] = value;
        return true;
    }

private:
    std::map<std::string, std::string> m_rows;
    std::int64_t m_highest = 0;
};

int main(int argc, char** argv) {
    const std::string url = argc > 1 ? argv[1] : "redis://127.0.0.1";
    Store store;
    lockscope::blocking::Client sleepy(url), quick(url);
    lockscope::blocking::Mutex mine(sleepy, "stock"), theirs(quick, "stock");

    mine.lock();
    const std::int64_t token = mine.token();
    theirs.forceUnlock(); // as if `sleepy` had slept for longer than its lease, …
    theirs.lock();        // … and somebody else had got the lock
    if (!store.write("apples", "7", theirs.token())) return 1;
    if (store.write("apples", "9", token)) return 2; // too late: `sleepy` does not know it yet
    std::cout << "the stale write was refused: " << token << " is older than " << theirs.token() << std::endl;
    theirs.unlock();
    mine.onUnlockFailed([](const lockscope::LockException& lost) { std::cout << lost.what() << std::endl; });
    mine.unlock();
}
