package dev.limiter.spring.operate.series;

/** A resource that a rule covers. */
record RuleResource(String rule, String resource) {}
