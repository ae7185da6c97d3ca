package dev.limiter.spring.autoconfigure;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;

/**
 * The client that the application configured, with the options of decisions that must not wait: commands are rejected
 * without a connection, and reconnecting is fast.
 *
 * @param timeout of connecting, and of commands that have no other
 */
record OwnClientConfiguration(LettuceClientConfiguration application, ClientResources resources, Duration timeout) {

    /**
     * Twice as many commands as {@code LettuceRedis} leaves without an answer, so that its bound is met first: Lettuce
     * logs a stack trace for each command above this one.
     */
    private static final int REQUEST_QUEUE_SIZE = 20_000;

    private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(30);

    /** Without a {@code ReadFrom}: limits are always read where they are written. */
    LettuceClientConfiguration create(boolean cluster) {
        ClientOptions given = application.getClientOptions().orElseGet(ClientOptions::create);
        LettuceClientConfigurationBuilder own = LettuceClientConfiguration.builder()
                .clientResources(resources)
                .clientOptions(
                        cluster ? ofCluster(given) : own(given, given.mutate()).build())
                .commandTimeout(timeout)
                .shutdownTimeout(application.getShutdownTimeout())
                .shutdownQuietPeriod(application.getShutdownQuietPeriod());
        application.getClientName().ifPresent(own::clientName);
        application.getRedisCredentialsProviderFactory().ifPresent(own::redisCredentialsProviderFactory);
        if (application.isUseSsl()) {
            own.useSsl().verifyPeer(application.getVerifyMode());
        }
        if (application.isStartTls()) {
            own.useSsl().startTls();
        }
        return own.build();
    }

    private ClientOptions ofCluster(ClientOptions given) {
        ClusterClientOptions options =
                given instanceof ClusterClientOptions cluster ? cluster : ClusterClientOptions.create();
        ClusterClientOptions.Builder builder =
                given instanceof ClusterClientOptions cluster ? cluster.mutate() : ClusterClientOptions.builder(given);
        own(given, builder);
        ClusterTopologyRefreshOptions refresh = options.getTopologyRefreshOptions();
        if (refresh == null
                || !refresh.isPeriodicRefreshEnabled()
                        && refresh.getAdaptiveRefreshTriggers().isEmpty()) {
            // without it a change of the master would go unnoticed
            builder.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                    .enablePeriodicRefresh(TOPOLOGY_REFRESH)
                    .enableAllAdaptiveRefreshTriggers()
                    .build());
        }
        return builder.build();
    }

    private ClientOptions.Builder own(ClientOptions given, ClientOptions.Builder builder) {
        SocketOptions.Builder socket = given.getSocketOptions().mutate().connectTimeout(timeout);
        return builder.autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(REQUEST_QUEUE_SIZE)
                // decisions have a time-out of their own; a timer for each command would be a second one
                .timeoutOptions(TimeoutOptions.create())
                .socketOptions(socket.build());
    }
}
