package dev.limiter.compatibility;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A test that is run for each algorithm, given as it is written in configuration. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ParameterizedTest
@ValueSource(strings = {"token-bucket", "leaky-bucket", "fixed-window", "sliding-window-counter", "sliding-window-log"})
@interface EachAlgorithm {}
