package dev.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class ServletRequestViewTests {

    private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/orders/7");

    @Test
    void addressIsThePeersWhateverAWrapperClaims() {
        request.setRemoteAddr("192.0.2.1");
        HttpServletRequest claimed = new HttpServletRequestWrapper(request) {
            @Override
            public String getRemoteAddr() {
                return "203.0.113.9";
            }
        };

        assertThat(new ServletRequestView(new HttpServletRequestWrapper(claimed)).clientAddress())
                .isEqualTo("192.0.2.1");
    }

    @Test
    void unknownAddressIsNone() {
        request.setRemoteAddr(null);

        assertThat(new ServletRequestView(request).clientAddress()).isNull();
    }

    @Test
    void unwrapsToTheGivenType() {
        ServletRequestView view = new ServletRequestView(new HttpServletRequestWrapper(request));

        assertThat(view.unwrap(MockHttpServletRequest.class)).isSameAs(request);
        assertThat(view.unwrap(HttpServletRequestWrapper.class)).isNotNull();
        assertThat(view.unwrap(String.class)).isNull();
    }

    @Test
    void whatIsNotThereIsNull() {
        ServletRequestView view = new ServletRequestView(request);

        assertThat(view.getHeader("X")).isNull();
        assertThat(view.getParameter("x")).isNull();
        assertThat(view.cookie("x")).isNull();
        assertThat(view.pathVariable("x")).isNull();
        assertThat(view.sessionId()).isNull();
        assertThat(view.principal()).isNull();
        assertThat(view.path()).isEqualTo("/orders/7");
    }
}
