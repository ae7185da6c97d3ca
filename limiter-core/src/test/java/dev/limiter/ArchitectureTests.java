package dev.limiter;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.conditions.ArchConditions.haveRawType;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import dev.limiter.testkit.ArchitectureRules;
import dev.limiter.testkit.ArchitectureRules.WithoutTestKit;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** The core is plain Java, algorithms and storages are independent of each other, and no thread is started. */
@AnalyzeClasses(
        packages = "dev.limiter",
        importOptions = {ImportOption.DoNotIncludeTests.class, WithoutTestKit.class})
class ArchitectureTests {

    @ArchTest
    static final ArchTests ofAllModules = ArchTests.in(ArchitectureRules.class);

    @ArchTest
    static final ArchRule dependsOnPlainJavaOnly = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "dev.limiter..");

    /** RateLimiters and RateLimiterFactory wire the implementations. */
    @ArchTest
    static final ArchRule apiDependsOnNoImplementation = noClasses()
            .that()
            .resideInAnyPackage("dev.limiter", "dev.limiter.spi")
            .and()
            .haveNameNotMatching("dev\\.limiter\\.(RateLimiters(\\$Builder)?|RateLimiterFactory)")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.limiter.algorithm..", "dev.limiter.memory..", "dev.limiter.failover..");

    /** RateLimiters creates the waiting room. */
    @ArchTest
    static final ArchRule onlyTheEntryPointKnowsTheWaitingRoom = noClasses()
            .that()
            .resideOutsideOfPackage("dev.limiter.waiting")
            .and()
            .haveNameNotMatching("dev\\.limiter\\.RateLimiters(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.limiter.waiting");

    @ArchTest
    static final ArchRule algorithmsDependOnNoStorage = no("dev.limiter.algorithm..", "dev.limiter.memory..");

    @ArchTest
    static final ArchRule storageDependsOnNoAlgorithm = no("dev.limiter.memory..", "dev.limiter.algorithm..");

    private static ArchRule no(String from, String to) {
        return noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(to);
    }

    @ArchTest
    static final ArchRule failoverKnowsNoStorage = classes()
            .that()
            .resideInAPackage("dev.limiter.failover..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "dev.limiter", "dev.limiter.spi", "dev.limiter.failover..");

    @ArchTest
    static final ArchRule algorithmsReadNoClock = noClasses()
            .that()
            .resideInAPackage("dev.limiter.algorithm..")
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.Clock")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(TimeSource.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(System.class)
            .orShould()
            .callMethodWhere(target(name("now")));

    @ArchTest
    static final ArchRule onlyTheTimeSourceReadsTheSystemsClock = noClasses()
            .that()
            .doNotHaveSimpleName("SystemTimeSource")
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");

    @ArchTest
    static final ArchRule noStaticStateChanges = fields().that()
            .areStatic()
            .should()
            .beFinal()
            .andShould(haveRawType(not(assignableTo(Map.class)
                    .or(assignableTo(AtomicLong.class))
                    .or(assignableTo(AtomicReference.class))
                    .or(assignableTo(ThreadLocal.class)))));

    /** Futures are completed in the JDK's common pool; no threads are started. */
    @ArchTest
    static final ArchRule noThreadIsStarted = noClasses()
            .should()
            .callConstructor(Thread.class)
            .orShould()
            .callConstructor(Thread.class, Runnable.class)
            .orShould()
            .callConstructor(ForkJoinPool.class)
            .orShould()
            .callConstructor(ForkJoinPool.class, int.class)
            // the common pool exists anyway
            .orShould()
            .dependOnClassesThat(assignableTo(Executor.class)
                    .and(not(equivalentTo(Executor.class)))
                    .and(not(equivalentTo(ForkJoinPool.class))));
}
