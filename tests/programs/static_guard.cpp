/* SPDX-License-Identifier: Apache-2.0
 * A variable that the first of three threads makes, while it takes a lock; with THROWS, its first try fails. With BUGGY
 * a flag of its own says too early that the value is there. */
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int tries, total;

struct Made {
    int value;
    Made()
    {
        std::lock_guard<std::mutex> guard(lock);
        tries++;
#ifdef THROWS
        if (tries == 1)
            throw tries;
#endif
        value = 42;
    }
};

#ifdef BUGGY
static int made(void)
{
    static bool begun;
    static int value;
    if (!begun) {
        begun = true;
        std::lock_guard<std::mutex> guard(lock);
        value = 42;
    }
    return value;
}
#else
static int made(void)
{
    static Made it;
    return it.value;
}
#endif

static void use(void)
{
    int value;
    try {
        value = made();
    } catch (int) {
        value = made();
    }
    std::lock_guard<std::mutex> guard(lock);
    total += value;
}

int main()
{
    std::thread first(use), second(use), third(use);
    first.join();
    second.join();
    third.join();
    assert(total == 126);
    return 0;
}
