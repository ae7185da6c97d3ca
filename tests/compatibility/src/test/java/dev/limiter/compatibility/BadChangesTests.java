package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Invalid change requests change nothing, and the response states why. */
@Tag("each-line")
class BadChangesTests {

    private static final String[] RULES = Applications.limiter("""
        rules:
          orders: &banning
            { paths: /orders, limit: 3, window: 1h, key: "header:X-Api-Key",
              ban: { after: 2, within: 1h, for: 1d } }
          watched: { <<: *banning, mode: shadow }
          idle: { <<: *banning, mode: "off" }
          few: { <<: *banning, rollout: 0.01% }
          costly: { paths: /orders, limit: 3, window: 1h, key: "header:X-Api-Key", cost: 3 }
          several:
            { paths: /orders,
              limits: { per-sec: { limit: 100, window: 1s }, per-day: { limit: 5, window: 1d, cost: 2, algorithm: fixed-window } } }
          plans: { <<: *banning, tier-by: ip, tiers: { gold: { limit: 9 }, silver: { limit: 8 } } }
        """);

    @AutoClose
    private static final ConfigurableApplicationContext application = Operator.start(Limited.class, RULES);

    private static final Operator operator = Operator.of(application);

    /** {@code where} and {@code code}: of the problem that the response lists, if it lists one. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        # path   | body                                       | where   | code    | text
        orders   | {}                                         | orders  | LIM-501 | The change is empty
        orders   | null                                       | orders  | LIM-501 | The change is empty
        orders   | ''                                         | orders  | LIM-501 | The change is empty
        orders   | {'until':'2h'}                             | orders  | LIM-501 | The change is empty
        orders   | {'limit':0}                                | limit   | LIM-107 | from 1 to 1000000000000000
        orders   | {'limit':'many'}                           | limit   | LIM-102 | whole number
        orders   | {'limit':'٥'}                              | limit   | LIM-102 | whole number
        orders   | {'burst':-99999999999999999999999}         | burst   | LIM-107 | from 1 to 1000000000000000
        orders   | {'window':'10'}                            | window  | LIM-108 | ns us ms s m h d
        orders   | {'mode':'enforced'}                        | mode    |         | Did you mean enforce?
        orders   | {'named':'x','limit':1}                    |         |         | only one limit
        orders   | {'limit':9,'version':'x'}                  | version | LIM-102 | whole number
        several  | {'limit':1}                                | named   | LIM-501 | Write which
        several  | {'named':'per-day','burst':5}              | burst   | LIM-204 | has no burst
        several  | {'named':'per-week','limit':5}             | named   | LIM-501 | no limit of this name
        Limited.annotated | {'burst':5}                       | burst   | LIM-204 | has no burst
        plans    | {'window':'1x'}                            | window  | LIM-108 |
        # one flat JSON object
        orders   | [1]                                        |         | LIM-501 | one flat JSON object
        orders   | {'limit':{'a':1}}                          |         | LIM-501 | one flat JSON object
        orders   | {'limit':[1,2]}                            |         | LIM-501 | one flat JSON object
        orders   | {'limit'                                   |         | LIM-501 | one flat JSON object
        # words: unknown, without a value, in the URL, several things at once
        orders   | {'Key':'acme','limit':1000}                |         |         | is unknown. Known: named, limit, window
        orders   | {'limit':8,'unitl':'2h'}                   |         |         | is unknown. Known: named, limit, window
        orders   | {'limit':8,'<b>':null}                     |         |         | is unknown. Known: named, limit, window
        orders   | {'enforce':'10%'}                          |         |         | renamed to \\"rollout
        orders   | {'key':null,'limit':5}                     |         |         | key\\" is null
        orders   | {'limit':5,'version':null}                 |         |         | version\\" is null
        orders?key=carl | {'key':'bob','limit':9,'until':'1h'} |        |         | Remove from the URL: key.
        orders?limit=91 | {'limit':92}                        |         |         | Remove from the URL: limit.
        orders   | {'limit':44,'observe':true}                |         |         | must be the only change
        # one key
        orders   | {'key':'acme','limit':9}                   |         |         | together with \\"until
        orders   | {'key':'acme','until':'2h'}                |         |         | together with \\"until
        orders   | {'key':'acme','limit':9,'until':'2h','mode':'off'}    | |        | For a key
        orders   | {'key':'acme','limit':9,'until':'2h','rollout':'9%'}  | |        | For a key
        orders   | {'key':'acme','limit':0,'until':'1h'}      | limit   | LIM-107 | from 1 to 1000000000000000
        orders   | {'key':'acme','limit':ten,'until':'2h'}    |         |         |
        orders   | {'key':'acme','limit':9,'until':'2h','named':'x'}     | | LIM-    |
        several  | {'key':'','limit':5,'until':'1h'}          | named   | LIM-501 | Write which:
        several  | {'key':'','limit':5,'until':'2h','named':'per-week'}  | | LIM-    |
        several  | {'key':'','limit':1,'until':'2h','named':'per-day'}   | | LIM-    | more than can be granted at once: 1
        costly   | {'key':'acme','limit':2,'until':'2h'}      |         | LIM-    | more than can be granted at once: 2
        # until
        orders   | {'limit':9,'until':'soon'}                 |         |         | must be a time such as
        orders   | {'key':'acme','limit':9,'until':'soon'}    |         |         | must be a time such as
        orders   | {'limit':9,'until':'2020-01-01T00:00:00Z'} |         |         | within 366 days
        orders   | {'key':'acme','limit':9,'until':'367d'}    |         |         | within 366 days
        orders   | {'key':'acme','limit':9,'until':'0s'}      |         |         | within 366 days
        # bans of no key, or of a key that is served nevertheless
        orders   | {'ban':true}                               |         |         | The key of this rule consists of
        orders   | {'key':'acme','ban':true,'limit':9}        |         |         | true alone
        orders   | {'key':'acme','ban':false}                 |         |         | To end a ban
        orders   | {'key':'header:X-Api-Key=unresolved','ban':true} |   |         | shared by all unidentified clients
        several  | {'key':'','ban':true}                      |         |         | does not ban keys
        several  | {'ban':true}                               |         |         | does not ban keys
        watched  | {'key':'acme','ban':true}                  |         |         | the rule is in mode shadow
        idle     | {'key':'acme','ban':true}                  |         |         | the rule is in mode off
        few      | {'key':'acme','ban':true}                  |         |         | enforced for 0.01% of the keys
        """)
    void changesNothingAndIsReported(
            String path, String body, @Nullable String where, @Nullable String code, @Nullable String text) {
        String rule = path.replaceFirst("\\?.*", "");
        String before = operator.rule(rule);

        String answer = Operator.body(400, operator.post(path, body));

        assertThat(answer).contains(text == null ? "" : text, code == null ? "" : code);
        if (where != null) {
            assertThat(JsonPath.<List<Map<String, String>>>read(answer, "$.problems"))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem).containsEntry("where", where));
            assertThat(JsonPath.<String>read(answer, "$.error")).startsWith(where);
        }
        assertThat(operator.version()).isZero();
        assertThat(operator.rule(rule)).isEqualTo(before).doesNotContain("\"overrides\"");
        assertThat(operator.rule("orders?key=acme")).contains("\"banned\":false");
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Limited {

        @GetMapping("/orders")
        String get() {
            return "ok";
        }

        @GetMapping("/annotated")
        @RateLimiter(limit = 2, window = "1h", algorithm = Algorithm.FIXED_WINDOW)
        String annotated() {
            return "ok";
        }
    }
}
