// SPDX-License-Identifier: Apache-2.0
// Scripts: values between Lua and replies, the sandbox, and errors that leave nothing behind.
#include "engine_on_a_clock.h"

#include <clocale>

using namespace lockscope::sim_test;

class tst_redis_scripts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void luaValuesBecomeReplies_data() {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<Reply>("reply");
        const auto row = [](const char* script, Reply reply) { QTest::newRow(script) << QByteArray(script) << reply; };
        row("return 3.99", number(3));
        row("return -3.99", number(-3));
        row("return 2^62", number(std::int64_t(1) << 62));
        row("return 0/0", number(std::numeric_limits<std::int64_t>::min()));
        row("return 'a\\0b'", bulk(QByteArray("a\0b", 3)));
        row("return true", number(1));
        row("return false", Reply::nil());
        row("return nil", Reply::nil());
        row("return {}", Reply::array({}));
        row("return {1, nil, 3}", Reply::array({number(1)}));
        row("return {{'x'}, {ok = 'y'}, {err = 'E z'}}",
            Reply::array({Reply::array({bulk("x")}), Reply::status("y"), Reply::error("E z")}));
        row("return print",
            Reply::error("ERR user_script:1: Script attempted to access nonexistent global variable 'print' "
                         "script: 1ab2ad5d6ea8bd21e91eb7ab2fd4e1a2fb2d9a5a, on @user_script:1."));
        row("return math.floor", Reply::nil());
        row("return {double = 0.1}", bulk("0.10000000000000001"));
    }
    void luaValuesBecomeReplies() {
        QFETCH(QByteArray, script);
        QFETCH(Reply, reply);
        EngineOnAClock t;
        Reply got = t.eval(script);
        if (reply.isError()) {
            // The script's own hash stands in the text.
            const QByteArray sha1 = t.eval("return redis.sha1hex(ARGV[1])", {}, {script}).text;
            const auto at = reply.text.indexOf("script: ") + qsizetype(strlen("script: "));
            reply.text.replace(at, 40, sha1);
        }
        QCOMPARE(got, reply);
    }

    void repliesBecomeLuaValues_data() {
        QTest::addColumn<QByteArray>("expression");
        QTest::addColumn<QByteArray>("shows");
        const auto row = [](const char* expression, const char* shows) {
            QTest::newRow(expression) << QByteArray(expression) << QByteArray(shows);
        };
        row("redis.call('get', 'nothere')", "boolean false");
        row("redis.call('set', 'k', 'v')", "table ok=OK");
        row("redis.call('incr', 'n')", "number 1");
        row("redis.call('echo', 'x')", "string x");
        row("redis.call('echo', 5)", "string 5");
        row("redis.call('echo', 0.5)", "string 0.5");
        row("redis.call('mget', 'a', 'b')", "table 1=false 2=false");
        row("redis.pcall('nosuch')",
            "table err=ERR Unknown Redis command called from script ignore_error_stats_update=true");
        row("redis.error_reply('-A b')", "table err=A b");
        row("redis.error_reply('b')", "table err=ERR b");
        row("redis.status_reply('b')", "table ok=b");
        row("select(2, pcall(redis.call, 'incr', 'text'))", "string ERR value is not an integer or out of range");
    }
    void repliesBecomeLuaValues() {
        QFETCH(QByteArray, expression);
        QFETCH(QByteArray, shows);
        EngineOnAClock t;
        t.run("SET text x");
        const QByteArray script =
            "local v = " + expression +
            "\nlocal text = type(v)\nif text ~= 'table' then return text .. ' ' .. tostring(v) end\n"
            "local all = {}\nfor k, x in pairs(v) do all[#all + 1] = k .. '=' .. tostring(x) end\n"
            "table.sort(all)\nreturn text .. ' ' .. table.concat(all, ' ')";
        QCOMPARE(t.eval(script), bulk(shows));
    }

    void aScriptSeesItsOwnWords_data() {
        QTest::addColumn<QByteArray>("before");
        for (const char* before :
             {"return 1", "KEYS[1] = 'x'", "KEYS[2] = nil", "KEYS[1], KEYS[2] = nil, nil", "KEYS[1] = 5",
              "KEYS[3] = 'x'", "table.insert(ARGV, 'x')", "KEYS.x = 1", "KEYS[2] = nil KEYS.x = 1 KEYS.y = 2",
              "rawset(ARGV, 1.5, 'x')", "table.remove(KEYS, 1)", "table.sort(KEYS, function(a, b) return a > b end)",
              "setmetatable(KEYS, {__index = function() return 'x' end})", "KEYS[1] = ARGV", "error(KEYS)",
              "for i = 1, 40 do KEYS[i] = i end for i = 1, 40 do KEYS[i] = nil end"})
            QTest::newRow(before) << QByteArray(before);
    }
    void aScriptSeesItsOwnWords() {
        QFETCH(QByteArray, before);
        EngineOnAClock t;
        const QByteArray show = "local all = {#KEYS, #ARGV, tostring(getmetatable(KEYS))} "
                                "for k, v in pairs(KEYS) do all[#all + 1] = k .. v end "
                                "for k, v in pairs(ARGV) do all[#all + 1] = k .. v end return all";
        const auto shown = [](int keys, int args, std::initializer_list<const char*> words) {
            std::vector<Reply> all{number(keys), number(args), bulk("nil")};
            for (const char* word : words)
                all.push_back(bulk(word));
            return Reply::array(std::move(all));
        };
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(t.eval(show, {"a", "b"}, {"c"}), shown(2, 1, {"1a", "2b", "1c"}));
            t.eval(before, {"a", "b"}, {"d"});
            QCOMPARE(t.eval(show, {"a", "b"}, {"c"}), shown(2, 1, {"1a", "2b", "1c"}));
            t.eval(before, {"a", "b"}, {"d"});
            QCOMPARE(t.eval(show, {"e", "b"}, {""}), shown(2, 1, {"1e", "2b", "1"}));
            QCOMPARE(t.eval(show, {"a"}, {"b", "c"}), shown(1, 2, {"1a", "1b", "2c"}));
            QCOMPARE(t.eval(show, {}, {}), shown(0, 0, {}));
        }
        t.run("SCRIPT FLUSH");
        QCOMPARE(t.eval(show, {"a", "b"}, {"c"}), shown(2, 1, {"1a", "2b", "1c"}));
        const Args many(12, "m");
        QCOMPARE(t.eval("return {#KEYS, KEYS[12]}", many, {}), Reply::array({number(12), bulk("m")}));
        QCOMPARE(t.eval("return {#KEYS, KEYS[12]}", many, {}), Reply::array({number(12), bulk("m")}));
    }

    void nothingIsLeftBehindForTheNextScript_data() {
        QTest::addColumn<QByteArray>("attempt");
        for (const char* attempt : {"x = 1",
                                    "_G.x = 1",
                                    "rawset(_G, 'x', 1)",
                                    "string.x = 1",
                                    "redis.call = 1",
                                    "math.random = 1",
                                    "setmetatable(_G, {})",
                                    "getmetatable('').__index = {}",
                                    "getmetatable('').x = 1",
                                    "KEYS = 1",
                                    "getmetatable(_G).__index.x = 1",
                                    "local _, g = pairs(_G) g.x = 1",
                                    "coroutine.wrap(function() x = 1 end)()",
                                    "loadstring('x = 1')()",
                                    "setfenv(1, {})",
                                    "os.exit()",
                                    "io.open('/etc/passwd')",
                                    "require('os')",
                                    "dofile('/etc/passwd')",
                                    "debug.getinfo(1)",
                                    "newproxy(true)"})
            QTest::newRow(attempt) << QByteArray(attempt);
    }
    void nothingIsLeftBehindForTheNextScript() {
        QFETCH(QByteArray, attempt);
        EngineOnAClock t;
        QVERIFY(t.eval(attempt).isError());
        QCOMPARE(t.eval("return {rawget(_G, 'x') == nil, string.x == nil, ('a'):upper(), redis.call('ping').ok, "
                        "type(math.random())}"),
                 Reply::array({number(1), number(1), bulk("A"), bulk("PONG"), bulk("number")}));
    }

    void errorsInTheMidstLeaveTheEngineWhole() {
        EngineOnAClock t;
        const QByteArray wide(5000, 'x');
        for (int i = 0; i < 300; ++i) {
            QVERIFY(t.eval("redis.call('set', 'k', ARGV[1]) redis.call('incr', 'k')", {}, {wide}).isError());
            QVERIFY(t.eval("local function f() return f() + 1 end return f()").isError());
            QVERIFY(t.eval("error({err = 'X ' .. ARGV[1]})", {}, {wide}).isError());
            QVERIFY(t.eval("error({1})").isError());
            QVERIFY(t.eval("error(setmetatable({}, {__index = function() error('again') end}))").isError());
            QCOMPARE(t.eval("local ok, e = pcall(redis.call, 'incr', 'k') return ok"), Reply::nil());
            if (i % 50 == 0) t.run("SCRIPT FLUSH");
        }
        QCOMPARE(t.eval("return #redis.call('get', 'k')"), number(5000));
    }

    void aTableThatHoldsItselfEnds() {
        EngineOnAClock t;
        Reply reply = t.eval("local t = {} t[1] = t return t");
        int depth = 0;
        while (reply.type == Reply::Type::Array && !reply.items.empty()) {
            Reply inner = std::move(reply.items[0]);
            reply = std::move(inner);
            ++depth;
        }
        QVERIFY(depth > 100);
        QCOMPARE(reply, Reply::error("ERR reached lua stack limit"));
    }

    void anEndlessScriptIsStopped() {
        EngineOnAClock t;
        QVERIFY(t.eval("while true do pcall(function() while true do end end) end").text.contains("Script stopped"));
        QCOMPARE(t.eval("return 1"), number(1));
    }

    void scriptsAreKnownByTheirHash() {
        EngineOnAClock t;
        const QByteArray sha1 = t.engine.execute(t.first, {"SCRIPT", "LOAD", "return ARGV[1]"}).text;
        QCOMPARE(sha1, QByteArray("098e0f0d1448c0a81dafe820f66d460eb09263da"));
        QCOMPARE(t.run("EVALSHA " + sha1.toUpper() + " 0 x"), bulk("x"));
        QCOMPARE(t.run("SCRIPT EXISTS " + sha1 + " no"), Reply::array({number(1), number(0)}));
        t.run("SCRIPT FLUSH");
        QCOMPARE(t.run("EVALSHA " + sha1 + " 0 x"), Reply::error("NOSCRIPT No matching script. Please use EVAL."));
    }

    /// Clients send a script from the same buffer each time.
    void aTextIsRunAsItIsNow() {
        EngineOnAClock t;
        QByteArray text("return 1");
        QCOMPARE(t.eval(text), number(1));
        QCOMPARE(t.eval(text), number(1));
        t.run("SCRIPT FLUSH");
        QCOMPARE(t.eval(text), number(1));
        text[7] = '2';
        QCOMPARE(t.eval(text), number(2));
    }

    void aScriptsDatabaseIsItsOwn() {
        EngineOnAClock t;
        t.eval("redis.call('select', 3) return redis.call('set', 'k', 'v')");
        QCOMPARE(t.run("EXISTS k"), number(0));
        t.run("SELECT 3");
        QCOMPARE(t.run("EXISTS k"), number(1));
    }

    /// Numbers look the same whatever language the desktop speaks.
    void numbersDoNotFollowTheLocale() {
        const QByteArray before = setlocale(LC_NUMERIC, nullptr);
        if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) setlocale(LC_NUMERIC, "de_DE");
        EngineOnAClock t;
        const Reply inLua = t.eval("return tostring(1.5) .. ' ' .. (tonumber('2.5') * 2)");
        const Reply score = (t.run("ZADD z 1.5 a"), t.run("ZSCORE z a"));
        setlocale(LC_NUMERIC, before.constData());
        QCOMPARE(inLua, bulk("1.5 5"));
        QCOMPARE(score, bulk("1.5"));
    }
};

QTEST_GUILESS_MAIN(tst_redis_scripts)
#include "tst_redis_scripts.moc"
