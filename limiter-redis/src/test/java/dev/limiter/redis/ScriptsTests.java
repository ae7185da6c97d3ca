package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All possible scripts, and each algorithm on its own, without the Java code that calls them. */
class ScriptsTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** The names that a script may use without declaring them. */
    private static final Set<String> KNOWN = Set.of(
            "KEYS",
            "ARGV",
            "redis",
            "struct",
            "math",
            "table",
            "string",
            "ipairs",
            "pairs",
            "tonumber",
            "tostring",
            "type",
            "pcall",
            "xpcall",
            "error",
            "unpack");

    private static final byte[] DUMP =
            "return string.dump(assert(loadstring(ARGV[1])))".getBytes(StandardCharsets.UTF_8);

    private final RedisCommands<byte[], byte[]> server = SharedRedis.commands();

    static Map<String, Script> scripts() {
        Map<String, Script> scripts = new LinkedHashMap<>();
        scripts.put("renew", Scripts.RENEW);
        scripts.put("reset", Scripts.RESET);
        scripts.put("instances", Scripts.INSTANCES);
        scripts.put("goodbye", Scripts.GOODBYE);
        scripts.put("probe", Scripts.PROBE);
        for (String file : List.of("policy", "document")) {
            scripts.put(file, Script.of(ScriptFiles.read(file)));
        }
        for (int set = 1; set <= LuaAlgorithm.ALL; set++) {
            scripts.put("decide " + set, Scripts.decide(set));
            scripts.put("give back " + set, Scripts.giveBack(set));
        }
        return scripts;
    }

    private Set<String> globals(String text) {
        return LuaGlobals.of(
                server.eval(DUMP, ScriptOutputType.VALUE, new byte[0][], text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void everyCombinationCompilesWithoutGlobals() {
        scripts().forEach((name, script) -> assertThat(KNOWN).as(name).containsAll(globals(script.text())));
    }

    @Test
    void anUndeclaredGlobalIsDetected() {
        assertThat(globals("local function f() stray = 1 end return missing"))
                .containsExactlyInAnyOrder("stray", "missing");
    }

    static Stream<Limit> algorithms() {
        return Stream.of(
                Limit.tokenBucket(10, MINUTE),
                Limit.fixedWindow(10, MINUTE),
                Limit.slidingWindowCounter(10, MINUTE),
                Limit.slidingWindowLog(10, MINUTE),
                Limit.concurrency(10));
    }

    /** Takes ten permits at once; the eleventh is rejected until one is returned. */
    @ParameterizedTest
    @MethodSource("algorithms")
    void anAlgorithmDecidesAlone(Limit limit) {
        RemoteLimit remote = new RemoteRule(Rule.of("scripts", limit), "", 30_000_000, 0).limits[0];
        byte[][] keys = {("scripts-" + System.nanoTime()).getBytes(StandardCharsets.UTF_8)};
        long now = 1_767_225_600_000_000L;
        ScriptReply last = ask(remote, keys, now);
        for (int left = 9; left > 0; left--) {
            assertThat(last.permitted()).isTrue();
            assertThat(last.next(1)[0]).isEqualTo(left);
            last = ask(remote, keys, now);
        }
        assertThat(last.permitted()).isTrue();
        assertThat(ask(remote, keys, now).permitted()).isFalse();

        Arguments returned = new Arguments(64).number(now).number(now);
        long[] numbers = last.next(1);
        remote.appendReturn(returned, 1, numbers[3], numbers[4], last.hold());
        run(Scripts.giveBack(remote.algorithm.bit()), keys, returned.toArray());
        assertThat(ask(remote, keys, now).permitted()).isTrue();
        assertThat(ask(remote, keys, now).permitted()).isFalse();
    }

    /** Takes permits one by one: the second has to wait until the first is returned. */
    @Test
    void aWarmUpDecidesAlone() {
        Limit limit = Limit.tokenBucket(10, MINUTE).warmUp(MINUTE);
        RemoteLimit remote = new RemoteRule(Rule.of("scripts", limit), "", 30_000_000, 0).limits[0];
        byte[][] keys = {("scripts-" + System.nanoTime()).getBytes(StandardCharsets.UTF_8)};
        long now = 1_767_225_600_000_000L;
        ScriptReply first = ask(remote, keys, now);
        assertThat(first.permitted()).isTrue();
        long[] numbers = first.next(1);
        ScriptReply second = ask(remote, keys, now);
        assertThat(second.permitted()).isFalse();
        long wait = second.next(1)[1];
        assertThat(wait).isPositive();
        assertThat(ask(remote, keys, now + wait - 1).permitted()).isFalse();

        Arguments returned = new Arguments(64).number(now).number(now);
        remote.appendReturn(returned, 1, numbers[3], numbers[4], first.hold());
        run(Scripts.giveBack(remote.algorithm.bit()), keys, returned.toArray());
        assertThat(ask(remote, keys, now).permitted()).isTrue();
        assertThat(ask(remote, keys, now).permitted()).isFalse();
    }

    private ScriptReply ask(RemoteLimit remote, byte[][] keys, long now) {
        byte[] hold = new byte[16];
        ByteBuffer.wrap(hold).putLong(System.nanoTime());
        Arguments asked = new Arguments(64).number(now).octet(0).number(0).number(1);
        remote.appendRequest(asked, true, 1, 0, 0, hold, now);
        ByteBuffer answer = ByteBuffer.wrap(run(Scripts.decide(remote.algorithm.bit()), keys, asked.toArray()));
        assertThat(answer.getInt()).isEqualTo(answer.remaining());
        return ScriptReply.of(answer.slice(), 0, new ServerTime(new VirtualTime()), 0, hold);
    }

    private byte[] run(Script script, byte[][] keys, byte[] argument) {
        return server.eval(
                script.text().getBytes(StandardCharsets.UTF_8),
                ScriptOutputType.VALUE,
                keys,
                List.of(argument).toArray(byte[][]::new));
    }
}
