package dev.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.operate.RequestDescription;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DescribedServletRequestTests {

    @Test
    void hasTheDescribedValues() {
        HttpServletRequest request = described(Map.of(
                "path", List.of("/a%20b;x=1/7?page=2&page=3&q=a%20b+c&flag"),
                "method", List.of("post"),
                "ip", List.of("192.0.2.7"),
                "principal", List.of("ann"),
                "role", List.of("ADMIN", "ROLE_STAFF"),
                "header.X-Api-Key", List.of("one", "two"),
                "header.Cookie", List.of("a=1; b=2=3"),
                "cookie.plan", List.of("gold")));
        assertThat(request.getMethod()).isEqualTo("POST");
        assertThat(request.getRequestURI()).isEqualTo("/a%20b;x=1/7");
        assertThat(request.getRequestURL()).hasToString("http://localhost/a%20b;x=1/7");
        assertThat(request.getServletPath()).isEqualTo("/a b/7");
        assertThat(request.getQueryString()).isEqualTo("page=2&page=3&q=a%20b+c&flag");
        assertThat(request.getParameterValues("page")).containsExactly("2", "3");
        assertThat(request.getParameter("q")).isEqualTo("a b c");
        assertThat(request.getParameter("flag")).isEmpty();
        assertThat(Collections.list(request.getParameterNames())).containsExactly("page", "q", "flag");
        assertThat(request.getParameterMap()).hasSize(3);
        assertThat(request.getRemoteAddr()).isEqualTo("192.0.2.7");
        assertThat(request.getUserPrincipal()).extracting(Principal::getName).isEqualTo("ann");
        assertThat(request.getRemoteUser()).isEqualTo("ann");
        assertThat(request.isUserInRole("ADMIN")).isTrue();
        assertThat(request.isUserInRole("STAFF")).isTrue();
        assertThat(request.isUserInRole("OTHER")).isFalse();
        assertThat(request.getHeader("x-api-key")).isEqualTo("one");
        assertThat(Collections.list(request.getHeaders("X-API-KEY"))).containsExactly("one", "two");
        assertThat(request.getCookies())
                .extracting(cookie -> cookie.getName() + ":" + cookie.getValue())
                .containsExactlyInAnyOrder("a:1", "b:2=3", "plan:gold");
    }

    @Test
    void hasNothingElse() {
        HttpServletRequest request = described(Map.of("path", List.of("/orders")));
        assertThat(request.getMethod()).isEqualTo("GET");
        assertThat(request.getContextPath()).isEmpty();
        assertThat(request.getPathInfo()).isNull();
        assertThat(request.getDispatcherType()).isEqualTo(DispatcherType.REQUEST);
        assertThat(request.getHttpServletMapping().getMappingMatch()).isNull();
        assertThat(request.getQueryString()).isNull();
        assertThat(request.getParameter("page")).isNull();
        assertThat(request.getParameterMap()).isEmpty();
        assertThat(request.getHeader("Authorization")).isNull();
        assertThat(Collections.list(request.getHeaderNames())).isEmpty();
        assertThat(request.getCookies()).isNull();
        assertThat(request.getContentLengthLong()).isZero();
        assertThat(request.getUserPrincipal()).isNull();
        assertThat(request.getRemoteAddr()).isNull();
        assertThat(request.getSession(true)).isNull();
        assertThat(request.isAsyncStarted()).isFalse();
        assertThat(Collections.list(request.getLocales())).isEmpty();
    }

    @Test
    void keepsAttributes() {
        HttpServletRequest request = described(Map.of("path", List.of("/orders")));
        request.setAttribute("a", 1);
        request.setAttribute("b", 2);
        Collections.list(request.getAttributeNames()).forEach(name -> {
            if (name.equals("a")) {
                request.removeAttribute(name);
            }
        });
        assertThat(request.getAttribute("a")).isNull();
        assertThat(request.getAttribute("b")).isEqualTo(2);
    }

    private static HttpServletRequest described(Map<String, List<String>> words) {
        return DescribedServletRequest.of(RequestDescription.of(words));
    }
}
