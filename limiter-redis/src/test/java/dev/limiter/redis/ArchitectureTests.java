package dev.limiter.redis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import dev.limiter.testkit.ArchitectureRules;

/** The module depends on the core and Lettuce only, and another client can replace Lettuce. */
@AnalyzeClasses(packages = "dev.limiter.redis", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchTests ofAllModules = ArchTests.in(ArchitectureRules.class);

    @ArchTest
    static final ArchRule dependsOnTheCoreAndLettuceOnly = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "io.lettuce.core..",
                    // Lettuce encodes commands into these buffers
                    "io.netty.buffer..",
                    "dev.limiter",
                    "dev.limiter.spi",
                    "dev.limiter.failover",
                    "dev.limiter.redis..");

    /** So that another client can replace Lettuce. */
    @ArchTest
    static final ArchRule onlyLettuceRedisKnowsTheClient = noClasses()
            .that()
            .haveNameNotMatching("dev\\.limiter\\.redis\\.(LettuceRedis|RedisErrors|SlotRequestBatcher)(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.lettuce..", "io.netty..");
}
