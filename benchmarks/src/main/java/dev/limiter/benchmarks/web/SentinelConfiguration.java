package dev.limiter.benchmarks.web;

import com.alibaba.csp.sentinel.adapter.spring.webmvc_v6x.SentinelWebInterceptor;
import com.alibaba.csp.sentinel.adapter.spring.webmvc_v6x.callback.DefaultBlockExceptionHandler;
import com.alibaba.csp.sentinel.adapter.spring.webmvc_v6x.config.SentinelWebMvcConfig;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Configures Sentinel as its documentation shows; it has no auto-configuration. */
@Configuration(proxyBeanMethods = false)
@Profile("sentinel")
class SentinelConfiguration implements WebMvcConfigurer {

    /** A limit for each origin that no other rule names. */
    private static final String EACH_ORIGIN = RuleConstant.LIMIT_APP_OTHER;

    SentinelConfiguration(@Value("${hello.limit}") long limit) {
        FlowRule rule = new FlowRule("/hello");
        rule.setGrade(RuleConstant.FLOW_GRADE_QPS);
        rule.setLimitApp(EACH_ORIGIN);
        rule.setCount(limit);
        FlowRuleManager.loadRules(List.of(rule));
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        SentinelWebMvcConfig config = new SentinelWebMvcConfig();
        config.setOriginParser(HttpServletRequest::getRemoteAddr);
        config.setBlockExceptionHandler(new DefaultBlockExceptionHandler());
        registry.addInterceptor(new SentinelWebInterceptor(config)).addPathPatterns("/**");
    }
}
