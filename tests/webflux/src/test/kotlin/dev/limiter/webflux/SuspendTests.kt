package dev.limiter.webflux

import dev.limiter.Algorithm
import dev.limiter.RateLimitExceededException
import dev.limiter.spring.annotation.RateLimiter
import dev.limiter.spring.decide.PermitHolders
import dev.limiter.spring.integration.WebStack
import dev.limiter.testkit.Clients
import dev.limiter.testkit.Conditions.await
import kotlinx.coroutines.*
import kotlinx.coroutines.flow.*
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.*
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import
import org.springframework.web.bind.annotation.*

/** Suspending functions and flows of Kotlin. Each test has a key or a rule of its own. */
@Timeout(60)
class SuspendTests {
    @Test
    fun `decides when the function starts`() = runBlocking<Unit> {
        assertThat(List(2) { stock.count("a") }).containsExactly(1, 2)
        assertThat(assertThrows<RateLimitExceededException> { stock.count("a") }.decision().rule().name())
            .isEqualTo("count")
        assertThat(stock.calls).isEqualTo(2)
        assertThat(stock.count("b")).isEqualTo(3)
    }

    @Test
    fun `permit is held until the end, an exception or the cancellation`() = runBlocking<Unit> {
        val end = CompletableDeferred<String>()
        val first = launch(Dispatchers.Default) { stock.hold(end) }
        await { holders.permits("hold") == 1L }
        assertThrows<RateLimitExceededException> { stock.hold(end) }
        first.cancel()
        first.join()
        assertThat(holders.permits("hold")).isZero()
        assertThat(stock.hold(CompletableDeferred("done"))).isEqualTo("done")
        val failed = CompletableDeferred<String>().apply { completeExceptionally(IllegalStateException("on purpose")) }
        assertThrows<IllegalStateException> { stock.hold(failed) }
        assertThat(holders.permits("hold")).isZero()
    }

    @Test
    fun `each collection of a flow is decided`() = runBlocking<Unit> {
        val numbers = stock.numbers()
        assertThat(numbers.toList()).containsExactly(1, 2, 3)
        assertThat(stock.numbersLater().toList()).containsExactly(1, 2, 3)
        assertThrows<RateLimitExceededException> { numbers.toList() }
        assertThrows<RateLimitExceededException> { stock.numbersLater().toList() }
    }

    @Test
    fun `fallback is a plain function with the same parameters`() = runBlocking<Unit> {
        assertThat(List(2) { stock.fresh("tea") }).containsExactly("fresh tea", "stale tea by fresh")
        assertThatThrownBy { applications.start(SuspendingFallback::class.java, "limiter.enabled: true") }
            .hasStackTraceContaining("SuspendingFallback needs a method \"Object stale(String)\"")
            .hasStackTraceContaining("It must not be a suspending function.")
    }

    @Test
    fun `handlers are rejected with 429`() {
        for (path in listOf("/suspending/1", "/flowing/1", "/calling")) {
            assertThat(List(3) { clients.get(path).statusCode() }).`as`(path).containsExactly(200, 200, 429)
        }
        assertThat(clients.get("/suspending/2").body()).isEqualTo("2")
        assertThat(clients.get("/flowing/2").body()).isEqualTo("[1,2]")
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(WebStack::class, Handlers::class, Stock::class)
    open class Application

    @RestController
    open class Handlers(private val stock: Stock) {
        @RateLimiter(limit = 2, window = "1h", key = "#id")
        @GetMapping("/suspending/{id}")
        open suspend fun suspending(@PathVariable id: String): String {
            delay(1)
            return id
        }

        @RateLimiter(limit = 2, window = "1h", key = "#id")
        @GetMapping("/flowing/{id}")
        open fun flowing(@PathVariable id: String): Flow<Int> = flowOf(1, 2)

        @GetMapping("/calling")
        open suspend fun calling(): Int = stock.count("called")
    }

    open class Stock {
        @Volatile
        open var calls = 0

        @RateLimiter(name = "count", limit = 2, window = "1h", key = "#item")
        open suspend fun count(item: String): Int {
            delay(1)
            return ++calls
        }

        @RateLimiter(algorithm = Algorithm.CONCURRENCY, name = "hold", limit = 1)
        open suspend fun hold(end: CompletableDeferred<String>): String = end.await()

        @RateLimiter(name = "numbers", limit = 1, window = "1h")
        open fun numbers(): Flow<Int> = flow { (1..3).forEach { emit(it) } }

        @RateLimiter(name = "numbers-later", limit = 1, window = "1h")
        open suspend fun numbersLater(): Flow<Int> = flowOf(1, 2, 3)

        @RateLimiter(name = "fresh", limit = 1, window = "1h", fallback = "stale")
        open suspend fun fresh(item: String): String = "fresh $item"

        fun stale(item: String, rejection: RateLimitExceededException): String =
            "stale $item by ${rejection.decision().rule().name()}"
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    open class SuspendingFallback {
        @RateLimiter(limit = 1, window = "1h", fallback = "stale")
        open suspend fun fresh(item: String): String = item

        suspend fun stale(item: String): String = item
    }

    companion object {
        private val applications = Applications()
        private lateinit var clients: Clients
        private lateinit var stock: Stock
        private lateinit var holders: PermitHolders

        @BeforeAll
        @JvmStatic
        fun start() {
            val application = applications.start(Application::class.java, "limiter.enabled: true")
            clients = Applications.clients(application)
            stock = application.getBean(Stock::class.java)
            holders = application.getBean(PermitHolders::class.java)
        }

        @AfterAll
        @JvmStatic
        fun stop() = applications.close()
    }
}
