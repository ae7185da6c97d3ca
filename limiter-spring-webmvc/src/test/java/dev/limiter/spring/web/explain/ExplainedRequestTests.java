package dev.limiter.spring.web.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.limiter.spring.operate.HypotheticalRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;

class ExplainedRequestTests {

    @Test
    void hasWhatIsDescribed() {
        ExplainedRequest request = explained(
                Map.of(
                        "path", List.of("/orders/7?page=2&page=3&q=a%20b"),
                        "method", List.of("post"),
                        "ip", List.of("192.0.2.7"),
                        "principal", List.of("ann"),
                        "role", List.of("ADMIN", "ROLE_STAFF"),
                        "header.X-Api-Key", List.of("one", "two"),
                        "cookie.plan", List.of("gold")),
                "");
        assertThat(request.getMethod()).isEqualTo("POST");
        assertThat(request.getRequestURI()).isEqualTo("/orders/7");
        assertThat(request.getQueryString()).isEqualTo("page=2&page=3&q=a%20b");
        assertThat(request.getParameterValues("page")).containsExactly("2", "3");
        assertThat(request.getParameter("q")).isEqualTo("a b");
        assertThat(request.getRemoteAddr()).isEqualTo("192.0.2.7");
        assertThat(request.peer()).isEqualTo("192.0.2.7");
        assertThat(request.getUserPrincipal()).extracting(Principal::getName).isEqualTo("ann");
        assertThat(request.isUserInRole("ADMIN")).isTrue();
        assertThat(request.isUserInRole("STAFF")).isTrue();
        assertThat(request.isUserInRole("OTHER")).isFalse();
        assertThat(request.getHeader("x-api-key")).isEqualTo("one");
        assertThat(Collections.list(request.getHeaders("X-API-KEY"))).containsExactly("one", "two");
        assertThat(request.getCookies())
                .singleElement()
                .satisfies(cookie ->
                        assertThat(cookie.getName() + cookie.getValue()).isEqualTo("plangold"));
        assertThat(request.getHeader("Cookie")).isEqualTo("plan=gold");
    }

    @Test
    void hasNothingOfTheOperator() {
        MockHttpServletRequest operators = new MockHttpServletRequest("DELETE", "/actuator/limiter");
        operators.addHeader("Authorization", "secret");
        operators.addParameter("who", "operator");
        operators.setAttribute("user", "operator");
        operators.setUserPrincipal(() -> "operator");
        operators.addUserRole("OPERATOR");
        operators.setRemoteAddr("198.51.100.1");
        operators.getSession(true);
        ExplainedRequest request =
                new ExplainedRequest(operators, HypotheticalRequest.of(Map.of("path", List.of("/orders"))), "");

        assertThat(request.getMethod()).isEqualTo("GET");
        assertThat(request.getHeader("Authorization")).isNull();
        assertThat(request.getParameter("who")).isNull();
        assertThat(request.getParameterMap()).isEmpty();
        assertThat(request.getAttribute("user")).isNull();
        assertThat(request.getUserPrincipal()).isNull();
        assertThat(request.isUserInRole("OPERATOR")).isFalse();
        assertThat(request.getRemoteAddr()).isNull();
        assertThat(request.getSession(true)).isNull();
        assertThat(request.getCookies()).isNull();
        assertThatIllegalStateException().isThrownBy(request::getInputStream);

        request.setAttribute("routed", "yes");
        assertThat(operators.getAttribute("routed")).isNull();
        request.removeAttribute("routed");
        assertThat(request.getAttribute("routed")).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/orders, '', /orders, ",
        "/a%20b;x=1/c, '', /a b/c, ",
        "/mvc/orders, /mvc, /mvc, /orders",
        "/orders, /mvc, /mvc, "
    })
    void pathIsReadAsAContainerWould(String path, String servlet, String servletPath, @Nullable String pathInfo) {
        ExplainedRequest request = explained(Map.of("path", List.of(path)), servlet);
        assertThat(request.getRequestURI()).isEqualTo(path);
        assertThat(request.getServletPath()).isEqualTo(servletPath);
        assertThat(request.getPathInfo()).isEqualTo(pathInfo);
        assertThat(request.getHttpServletMapping().getPattern()).isEqualTo(servlet.isEmpty() ? "/" : "/mvc/*");
    }

    @ParameterizedTest
    @CsvSource({"42, 42, 42", "4294967296, 4294967296, -1", "x, -1, -1", "-5, -1, -1", ", -1, -1"})
    void lengthOfABodyIsThatOfItsHeader(@Nullable String header, long length, int asInt) {
        ExplainedRequest request = explained(
                header == null
                        ? Map.of("path", List.of("/"))
                        : Map.of("path", List.of("/"), "header.Content-Length", List.of(header)),
                "");
        assertThat(request.getContentLengthLong()).isEqualTo(length);
        assertThat(request.getContentLength()).isEqualTo(asInt);
    }

    private static ExplainedRequest explained(Map<String, List<String>> words, String servlet) {
        return new ExplainedRequest(new MockHttpServletRequest(), HypotheticalRequest.of(words), servlet);
    }
}
