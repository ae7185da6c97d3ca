package dev.limiter.spring.expression;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.failure.LimiterConfigurationException;
import java.math.BigDecimal;
import java.security.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.http.HttpStatusCode;

/** A comparison that is the same for each request, or a condition that is none, is no limit: it stops the start. */
class OperandCheckTests {

    private static final String STATUS = "T(org.springframework.http.HttpStatus)";

    private final LimiterExpressionParser parser =
            new LimiterExpressionParser(new StaticListableBeanFactory(Map.of("plans", new Object())));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "#response.status == STATUS.UNAUTHORIZED  | Integer with one of type HttpStatus  | STATUS.UNAUTHORIZED.value()",
                "STATUS.UNAUTHORIZED != #response.status  | HttpStatus with one of type Integer  | such as 401",
                "#response.status.equals(STATUS.OK)       | Integer with one of type HttpStatus  | STATUS.OK.value()",
                "#code == 401                             | HttpStatusCode with one of type      | #code.value()",
                "#response.status == true                 | Integer with one of type Boolean     | of one type",
                "#response.status == #request.method      | Integer with one of type String      | of one type",
                "#response.status == {401, 403}           | Integer with one of type List        | {401,403}.contains(#response.status)",
                "#response.status == null                 | which is never null, with null        | Remove",
                "null != #response.status                 | which is never null, with null        | Remove",
                "#request.method.length() == null         | which is never null, with null        | Remove",
                "(#count > 1) == null                     | which is never null, with null        | Remove",
                "#response == 401                         | ResponseView with one of type        | #response.status",
                "#request.principal == 'bob'              | Principal with the text 'bob'        | #request.principal.name",
                "#request == 'GET'                        | RequestView with the text 'GET'      | #request.method",
                "#kind == 'NEW'                           | State with the text 'NEW'            | #kind.name()",
                "#response.status == '401'                | with the text '401'                  | Write 401 without quotes",
                "#response.status.equals('401')           | with the text '401'                  | Write 401 without quotes",
                "#object == 1 or '401'.equals(#response.status) | with the text '401'                  | Write 401 without quotes",
                "#response.status.equals(401L)            | Integer with one of type Long        | of one type",
                "{'401'}.contains(#response.status)       | with the text '401'                  | Write 401 without quotes",
                "{'401', '403'}.contains(#response.status)| with the text '401'                  | Write 401 without quotes",
                "{401}.contains(#request.method)          | text with 401                        | Write '401' in quotes",
                "#response.status between {'400', '499'}  | with the text '400'                  | Write 400 without quotes",
                "#request.method == 1                     | text with 1                          | Write '1' in quotes",
                "#time < 'x'                              | Instant with the text 'x'            | of one type",
            })
    void whatIsNeverEqualStopsTheStart(String expression, String types, String advice) {
        assertThatThrownBy(() -> parse(expression))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("never equal")
                .hasMessageContaining(types)
                .hasMessageContaining(advice.replace("STATUS", STATUS));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#response.status == 401",
                "#response.status == 401L",
                "#response.status == 401.0",
                "#response.status == #amount",
                "#response.status.equals(401)",
                "#response.status.equals(#object)",
                "#response?.status == null",
                "#response.status == STATUS.UNAUTHORIZED.value()",
                "#response.status between {400, 499}",
                "#code == STATUS.UNAUTHORIZED",
                "#code.value() == 401",
                "{401, 403}.contains(#response.status)",
                "{#object}.contains(#response.status)",
                "{null}.contains(#response.status)",
                "#request.principal == null",
                "#request.principal.name == 'bob'",
                "#request.principal.equals(#base)",
                "#request.getHeader('X') == null",
                "#request.getHeader('X')?.length() == null",
                "#request.getHeader('X') == #chars",
                "#chars == 'x'",
                "#base == #open",
                "#kind == T(Thread$State).NEW",
                "#result == null",
                "#exception == null",
                "#exception == #open",
                "#count == null",
                "#boxed == null",
                "#version > '1.2'",
                "#time < T(java.time.Instant).now()",
                "#object == 401",
                "#list == {1, 2}",
                "#list.contains('a')",
            })
    void whatMayBeEqualIsFine(String expression) {
        assertThatCode(() -> parse(expression)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "#request.method == 'GET' || 'POST'         ; 'POST' for       ; #request.method == 'POST'",
                "#response.status == 401 || 403             ; 403             ; #response.status == 403",
                "#response.status == 401 or 403 or 429      ; 403             ; #response.status == 403",
                "#flag and ('GET' || #request.method == 'POST') ; 'GET' for        ; #request.method == 'GET'",
                "#request.method == 'GET' and #request.path ; #request.path   ; is of type String",
                "#request.principal && #request.path == '/' ; #request.principal ; != null",
                "!#response.status == 401                   ; #response.status ; !(#response.status == 1)",
                "!#request.path                             ; #request.path   ; is of type String",
                "#response.status ? true : false            ; #response.status ; is of type Integer",
                "#flag || 'GET'                             ; 'GET' for       ; Compare something with it",
                "#request.method == 'GET' || null           ; takes null      ; never has a value",
                "#request.method == 'GET' && (#count > 1 || 2) ; 2            ; #count > 2",
                "#request.path == '/' ? #count > 1 || 2 : true ; 2            ; #count > 2",
            })
    void operandThatIsNoConditionStopsTheStart(String expression, String operand, String advice) {
        assertThatThrownBy(() -> parse(expression))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("neither true nor false")
                .hasMessageContaining(operand)
                .hasMessageContaining(advice);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#object || #unknown.open",
                "#flag && !#flag",
                "!#response.getHeader('X').isEmpty()",
                "!{401, 403}.contains(#response.status)",
                "!(#response.status == 401)",
                "#request.isUserInRole('A') or true",
                "#list[0] and #unknown.anything",
                "@plans.any() || @plans.other()",
                "#flag ? 'a' : 'b'",
            })
    void operandThatMayBeAConditionIsFine(String expression) {
        assertThatCode(() -> parse(expression)).doesNotThrowAnyException();
    }

    @Test
    void unknownTypesAreNotCompared() {
        assertThatCode(() -> parser.parse("#a == '1' && #b.c == 2", "test", ExpressionScope.ANY))
                .doesNotThrowAnyException();
    }

    private void parse(String expression) {
        String text = expression.replace("STATUS", STATUS);
        boolean anywhere = text.contains("#unknown");
        ExpressionScope scope = anywhere ? ExpressionScope.ANY : ExpressionScope.of(PLACE);
        parser.parse(text, "test", scope.afterCall());
    }

    private static final java.lang.reflect.Method PLACE = Orders.class.getDeclaredMethods()[0];

    public static class Base {}

    @SuppressWarnings("ComparableType") // compares itself with texts
    public static class Version implements Comparable<String> {

        @Override
        public int compareTo(String other) {
            return 0;
        }
    }

    public interface Open {}

    interface Orders {

        int place(
                int count,
                Integer boxed,
                boolean flag,
                Number amount,
                Object object,
                CharSequence chars,
                List<String> list,
                Base base,
                Open open,
                Thread.State kind,
                HttpStatusCode code,
                Version version,
                Instant time,
                BigDecimal decimal,
                Principal principal);
    }
}
