package dev.limiter.spring.expression;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.failure.LimiterConfigurationException;
import java.security.Principal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.http.ResponseEntity;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Members of types that are known are checked at the start; where a type is not known, anything goes. */
class MemberCheckTests {

    private final LimiterExpressionParser parser =
            new LimiterExpressionParser(new StaticListableBeanFactory(Map.of("plans", new Object())));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#user.id",
                "#user.address.City",
                "#user.id()",
                "#user?.id?.length()",
                "#user.address.city",
                "#user.address.getCity()",
                "#user.address.town",
                "#user.active",
                "#user.isActive()",
                "#user.id.substring(1).length()",
                "#user.id.toUpperCase().bytes.length",
                "#user.roles[0].anything",
                "#user.roles.size()",
                "#user.roles.empty",
                "#user.roles.?[length() > 4]",
                "#user.roles.![anything.at.all]",
                "#user.roles.^[#this.anything]",
                "#user.settings.theme",
                "#user.settings['theme'].anything",
                "#user.settings.get('theme').anything",
                "#user.any.thing",
                "#user.maybe.anything",
                "#user.type.anything",
                "#user.class.name",
                "#user.hashCode()",
                "#user.join('a', 'b', 'c')",
                "#user.join()",
                "#user.over(1)",
                "#user.over('a', 2)",
                "#user == null ? 'x' : #user.id",
                "#user?.id ?: 'nobody'",
                "#user.id == 'x' and #user.active",
                "#p0.id",
                "#a0.id",
                "#count.intValue()",
                "#names.length",
                "#names[0].anything",
                "#generic.anything.at.all()",
                "#open.moreThanDeclared",
                "#open.name",
                "#base.extra",
                "#object.anything()",
                "#map.anything",
                "#principal.authorities",
                "#principal.attributes['sub']",
                "#request.path.length()",
                "#request.getHeader('X')?.length()",
                "#request.principal.name",
                "#request.principal?.token.subject",
                "#request.isUserInRole('A')",
                "#request.client.address",
                "#request.unwrap(T(String)).anything",
                "@plans.anything.at(#user.id)",
                "{a: #user.id}",
                "{#user.id, #count}",
                "#{#user.id}-#{#count}",
                "T(java.lang.Math).max(#count, 5)",
                "T(Math).PI",
                "T(String).name",
                "T(String).getName().length()",
                "T(Thread$State).valueOf(#user.id).name()",
                "T(Thread.State).RUNNABLE.name()",
                "T(String[]).name",
                "T(int).name",
                "new String[] {'a', 'b'}",
                "new int[3]",
                "new String('x').length()",
                "new java.util.ArrayList(#user.roles).anything",
                "#user.id matches '[a-z]+'",
                "#count == 5L",
                "#count == null",
                "#user.id == 'x'",
                "#user.id > 'a'",
                "#object == '5'",
            })
    void whatMayBeThereIsFine(String expression) {
        assertThatCode(() -> parse(expression, "place")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "#user.idd                            | \"idd\" is unknown; User has | Did you mean id?",
                "#user?.idd                           | \"idd\"                      | Did you mean id?",
                "#{#user.idd}                         | \"idd\"                      | Did you mean id?",
                "#{'x'}-#{#user.idd}                  | \"idd\"                      | Did you mean id?",
                "#p0.idd                              | \"idd\"                      | Did you mean id?",
                "#user.address.cty                    | Address has                  | Did you mean city?",
                "#user.getAdress()                    | \"getAdress\"                | User has",
                "#user.adress()                       | \"adress\"                   | Did you mean address?",
                "#user.address(1)                     | takes 0 arguments, not 1     | \"address\"",
                "#user.id.lenght()                    | String has                   | Did you mean length?",
                "#user.roles.?[#user.idd == #this]    | \"idd\"                      | Did you mean id?",
                "#user.settings[#user.idd]            | \"idd\"                      | Did you mean id?",
                "#user.join(#user.idd)                | \"idd\"                      | Did you mean id?",
                "#count > 1 ? #user.idd : 'x'         | \"idd\"                      | Did you mean id?",
                "{a: #user.idd}                       | \"idd\"                      | Did you mean id?",
                "@plans.of(#user.idd)                 | \"idd\"                      | Did you mean id?",
                "#base.nothingLikeThat                | \"nothingLikeThat\"          | Base has",
                "#open.nme                            | \"nme\"                      | Did you mean name?",
                "#request.pth                         | RequestView has              | Did you mean path?",
                "#request.headers                     | RequestView has              | getHeader",
                "#request.getHeadr('X')               | RequestView has              | Did you mean getHeader?",
                "#request.getHeader()                 | takes 1 arguments, not 0     | getHeader",
                "#request.principal.nme               | Principal has                | Did you mean name?",
                "#root                                | #root is unknown             | no root object    ",
                "#root.path                           | #root is unknown             | no root object    ",
                "#this == 5                           | #this is unknown             | no root object    ",
                "#user.roles.?[#root == 'a']          | #root is unknown             | no root object    ",
                "#usr.id                              | #usr is unknown              | Did you mean user?",
                "T(java.lang.Strng).valueOf(#count)   | no type java.lang.Strng      | test",
                "T(LocalDate).now()                   | no type LocalDate            | java.time.LocalDate",
                "#user instanceof T(Strng)            | no type Strng                | Write",
                "#request.unwrap(T(Strng))            | no type Strng                | Write",
                "{a: T(Strng)}                        | no type Strng                | Write",
                "new java.util.ArayList(#user.roles)  | no type java.util.ArayList   | Write",
                "T(Math).maxx(#count, 5)              | \"maxx\"                     | Did you mean max?",
                "T(Math).max(#count)                  | takes 2 arguments, not 1     | \"max\"",
                "T(Math).PIE                          | \"PIE\"                      | Did you mean PI?",
                "T(String).valueOf(#count).lenght()   | String has                   | Did you mean length?",
                "T(Thread$State).RUNABLE              | \"RUNABLE\"                  | Did you mean RUNNABLE?",
                "'abc'.lenght()                       | String has                   | Did you mean length?",
                "(#user.id + 'x').lenght()            | String has                   | Did you mean length?",
                "5 / 0                                | by zero                      | 5 / 0",
                "#count == '5'                        | Integer with the text '5'    | Write 5",
                "'5' != #count                        | Integer with the text '5'    | Write 5",
                "#user.active and #count < '5'        | Integer with the text '5'    | Write 5",
                "#user.active == 'true'               | with the text 'true'         | Write true",
            })
    void whatThereIsNotStopsTheStart(String expression, String first, String second) {
        assertThatThrownBy(() -> parse(expression, "place"))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("The expression cannot work")
                .hasMessageContaining(first)
                .hasMessageContaining(second);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plain      | #result.id               | true",
                "plain      | #result.idd              | false",
                "later      | #result.id               | true",
                "later      | #result.idd              | false",
                "mono       | #result.id               | true",
                "mono       | #result.idd              | false",
                "flux       | #result == null          | true",
                "entity     | #result.statusCode       | true",
                "entity     | #result.body.anything    | true",
                "entity     | #result.statusCod        | false",
                "wild       | #result.anything         | true",
                "variable   | #result.anything         | true",
                "nothing    | #result == null          | true",
                "plain      | #exception.message       | true",
                "plain      | #exception.statusCode    | true",
                "plain      | #exception?.mesage       | false",
                "plain      | #response.status == 401  | true",
                "plain      | #response.status=='401'  | false",
                "plain      | #response.getHeader('X') | true",
                "plain      | #response.stats          | false",
                "plain      | #response.body           | false",
                "parameter  | #result.id               | true",
            })
    void outcomesAreKnownByTheirTypes(String method, String expression, boolean fine) {
        ExpressionScope scope = ExpressionScope.of(method(method)).afterCall();

        if (fine) {
            assertThatCode(() -> parser.parse(expression, "test", scope)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> parser.parse(expression, "test", scope))
                    .isInstanceOf(LimiterConfigurationException.class);
        }
    }

    @Test
    void parameterOfTheNameOfTheRequestIsToldByItsNumber() {
        assertThatThrownBy(() -> parse("#request.customer", "hidden"))
                .hasMessageContaining("#request is the HTTP request; the parameter of that name is #p1.");
        assertThatThrownBy(() -> parse("#request.customer", "plain"))
                .hasMessageContaining("RequestView has")
                .hasMessageNotContaining("#p");
        assertThatThrownBy(() -> parse("#requested.customer", "hidden")).hasMessageNotContaining("#p1.");
    }

    @Test
    void parameterOfTheNameOfAnOutcomeIsToldByItsNumberAfterTheCall() {
        ExpressionScope scope = ExpressionScope.of(method("parameter")).afterCall();

        assertThatThrownBy(() -> parser.parse("#result.idd", "test", scope))
                .hasMessageContaining("#result is the outcome of the call; the parameter of that name is #p0.");
    }

    @Test
    void parameterOfTheNameOfAnOutcomeIsItselfBeforeTheCall() {
        assertThatCode(() -> parse("#result.anything", "parameter")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"#response.status = 401", "#user.id = 'x'", "#count++", "--#count", "#x = 1", "#a.b.c = #d"})
    void assignmentsAreRefused(String expression) {
        assertThatThrownBy(() -> parser.parse(expression, "test", ExpressionScope.ANY.afterCall()))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("assign");
    }

    @ParameterizedTest
    @ValueSource(strings = {"#root", "#this", "#this.path", "#{#root}"})
    void thereIsNoRootObjectAnywhere(String expression) {
        assertThatThrownBy(() -> parser.parse(expression, "test", ExpressionScope.ANY))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("is unknown");
    }

    @Test
    void ofVariablesThatAreNotKnownNothingIsSaid() {
        assertThatCode(() -> parser.parse("#user.whatever.there.may(#be)", "test", ExpressionScope.ANY))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"#response.stats", "#request.pth"})
    void requestAndResponseAreKnownEverywhere(String expression) {
        assertThatThrownBy(() -> parser.parse(expression, "test", ExpressionScope.ANY.afterCall()))
                .isInstanceOf(LimiterConfigurationException.class);
        assertThatThrownBy(() -> parser.parse(expression, "test", ExpressionScope.REQUEST.afterRequest()))
                .isInstanceOf(LimiterConfigurationException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "@plans.of(#request)     | true",
                "@plans.of('x').length() | true",
                "@plans.foo(#request)    | false",
                "@plans.of()             | false",
                "@plans.of('x').lngth()  | false",
                "@made.of(#request)      | true",
                "@made.more(#request)    | true",
                "@made.off(#request)     | false",
                "@made.of('x').lngth()   | false",
            })
    void beansAreKnownByTheirClasses(String expression, boolean fine) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("plans", new RootBeanDefinition(Plans.class));
        beans.registerBeanDefinition("made", made());
        LimiterExpressionParser parser = new LimiterExpressionParser(beans);

        if (fine) {
            assertThatCode(() -> parser.parse(expression, "test", ExpressionScope.REQUEST))
                    .doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> parser.parse(expression, "test", ExpressionScope.REQUEST))
                    .isInstanceOf(LimiterConfigurationException.class);
        }
    }

    /** As a method of a configuration declares it, which may make something else. */
    private static RootBeanDefinition made() {
        RootBeanDefinition definition = new RootBeanDefinition(MemberCheckTests.class);
        definition.setFactoryMethodName("plans");
        return definition;
    }

    static Plans plans() {
        return new Plans();
    }

    public static class Plans {

        public String of(Object request) {
            return "gold";
        }
    }

    private LimiterExpression parse(String expression, String method) {
        return parser.parse(expression, "test", ExpressionScope.of(method(method)));
    }

    private static java.lang.reflect.Method method(String name) {
        return Arrays.stream(Orders.class.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    public record User(
            String id,
            Address address,
            List<String> roles,
            Map<String, Object> settings,
            Object any,
            Optional<String> maybe,
            Class<?> type) {

        public boolean isActive() {
            return true;
        }

        public String join(String... texts) {
            return String.join(",", texts);
        }

        public String over(int one) {
            return id + one;
        }

        public Object over(String one, int two) {
            return one + two;
        }
    }

    public static class Address {

        public final String town = "";

        public String getCity() {
            return "";
        }
    }

    public static class Base {

        public String getExtra() {
            return "";
        }
    }

    public interface Open {

        String getName();
    }

    interface Orders {

        <T> void place(
                User user,
                int count,
                String[] names,
                T generic,
                Open open,
                Base base,
                Object object,
                Map<String, User> map,
                Principal principal);

        User plain();

        CompletableFuture<User> later();

        Mono<User> mono();

        Flux<User> flux();

        ResponseEntity<User> entity();

        CompletableFuture<?> wild();

        <T extends User> T variable();

        void nothing();

        User parameter(Object result);

        User hidden(User user, Object request);
    }
}
