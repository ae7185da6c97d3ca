package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** All possible scripts, and each algorithm on its own, without the Java code that calls them. */
class ScriptsTests {

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
}
