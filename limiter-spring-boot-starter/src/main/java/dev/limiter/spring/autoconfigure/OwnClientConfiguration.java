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
 * The client configuration of the application, with options for decisions, which must not wait: commands fail at once
 * without a connection, and reconnecting is fast.
 *
 * @param timeout the timeout of connecting, and of commands without their own
 */
record OwnClientConfiguration(LettuceClientConfiguration application, ClientResources resources, Duration timeout) {

    /**
     * Twice the bound of {@code LettuceRedis}, so that its bound is reached first: Lettuce logs a stack trace for each
     * command above its own.
     */
    private static final int REQUEST_QUEUE_SIZE = 20_000;

    private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(30);

    /** Drops {@code ReadFrom}, because limits are always read from the node that they are written to. */
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
            // otherwise a change of the master would go unnoticed
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
                // decisions have their own timeout; this saves a timer per command
                .timeoutOptions(TimeoutOptions.create())
                .socketOptions(socket.build());
    }
}
