package dev.limiter.sample;

import org.springframework.test.context.TestPropertySource;

/** The sample behaves the same on WebFlux. */
@TestPropertySource(properties = "spring.main.web-application-type=reactive")
class SampleOnWebFluxTests extends SampleApplicationTests {}
