package dev.limiter.testkit;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Architecture rules for every module. The {@code ArchitectureTests} of a module include them with {@code
 * ArchTests.in}, and add rules for their own packages.
 */
public final class ArchitectureRules {

    /** The packages of the public API. */
    private static final String API = "dev.limiter";

    private ArchitectureRules() {}

    /**
     * Each package is a slice, including nested ones; only the API and the types that extend it form one slice. The
     * entry points RateLimiters and RateLimiterFactory may depend on implementations.
     */
    @ArchTest
    static final ArchRule packagesHaveNoCycles = slices().assignedFrom(new Packages())
            .should()
            .beFreeOfCycles()
            .ignoreDependency(nameMatching("dev\\.limiter\\.(RateLimiters(\\$.*)?|RateLimiterFactory)"), alwaysTrue());

    private static final class Packages implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName();
            if (!name.startsWith(API)) {
                return SliceIdentifier.ignore();
            }
            return SliceIdentifier.of(name.equals(API + ".spi") ? API : name);
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }

    /**
     * Excludes two classes of limiter-test, which add the filters of an application to MockMvc or warn about their
     * absence. They need both servlets and Spring Boot, which limiter-spring-webmvc does not depend on.
     */
    @ArchTest
    static final ArchRule onlyTheEdgeKnowsServlets = noClasses()
            .that()
            .resideOutsideOfPackages("dev.limiter.spring.web..", "dev.limiter.benchmarks.web..")
            .and()
            .haveNameNotMatching("dev\\.limiter\\.test\\.(LimiterMockMvc|MissingFiltersWarning)(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("jakarta.servlet..")
            .allowEmptyShould(true);

    /** Futures without an executor run in the common pool, which tasks of the application may occupy. */
    @ArchTest
    static final ArchRule noneRunsInTheCommonPool = noClasses()
            .should()
            .callMethodWhere(DescribedPredicate.describe("a future runs it in the common pool", call -> {
                AccessTarget target = call.getTarget();
                List<JavaClass> parameters = ((CodeUnitAccessTarget) target).getRawParameterTypes();
                boolean given = parameters.stream().anyMatch(type -> type.isEquivalentTo(Executor.class));
                return target.getOwner().isAssignableTo(CompletionStage.class)
                        && !given
                        && (target.getName().endsWith("Async")
                                || target.getName().equals("delayedExecutor"));
            }))
            .allowEmptyShould(true);

    /** The other rules would pass without any classes. */
    @ArchTest
    static void findsClasses(JavaClasses classes) {
        if (classes.isEmpty()) {
            throw new AssertionError("There are no classes to check.");
        }
    }

    /** Excludes the test kit, which is only on the test class path. */
    public static final class WithoutTestKit implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("/dev/limiter/testkit/");
        }
    }
}
