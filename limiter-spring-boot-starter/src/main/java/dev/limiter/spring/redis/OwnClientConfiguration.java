package dev.limiter.spring.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Optional;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * The client that the application configured, with the options of decisions that must not wait: commands are rejected
 * without a connection, and reconnecting is fast.
 */
final class OwnClientConfiguration implements LettuceClientConfiguration {

    /**
     * Twice as many commands as {@code LettuceRedis} leaves without an answer, so that its bound is met first: Lettuce
     * logs a stack trace for each command above this one.
     */
    private static final int REQUEST_QUEUE_SIZE = 20_000;

    private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(30);

    private final LettuceClientConfiguration application;
    private final ClientResources resources;
    private final Duration timeout;
    private final ClientOptions options;

    /**
     * @param timeout of connecting, and of commands that have no other
     * @param cluster whether it is a client of a cluster
     */
    OwnClientConfiguration(
            LettuceClientConfiguration application, ClientResources resources, Duration timeout, boolean cluster) {
        this.application = application;
        this.resources = resources;
        this.timeout = timeout;
        ClientOptions given = application.getClientOptions().orElseGet(ClientOptions::create);
        this.options = cluster ? ofCluster(given) : own(given, given.mutate()).build();
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

    @Override
    public Optional<ClientResources> getClientResources() {
        return Optional.of(resources);
    }

    @Override
    public Optional<ClientOptions> getClientOptions() {
        return Optional.of(options);
    }

    @Override
    public Duration getCommandTimeout() {
        return timeout;
    }

    /** Limits are always read where they are written. */
    @Override
    public Optional<ReadFrom> getReadFrom() {
        return Optional.empty();
    }

    @Override
    public boolean isUseSsl() {
        return application.isUseSsl();
    }

    @Override
    @SuppressWarnings("deprecation") // what the older line has may still be asked for
    public boolean isVerifyPeer() {
        return application.isVerifyPeer();
    }

    @Override
    public SslVerifyMode getVerifyMode() {
        return application.getVerifyMode();
    }

    @Override
    public boolean isStartTls() {
        return application.isStartTls();
    }

    @Override
    public Optional<String> getClientName() {
        return application.getClientName();
    }

    @Override
    public Optional<RedisCredentialsProviderFactory> getRedisCredentialsProviderFactory() {
        return application.getRedisCredentialsProviderFactory();
    }

    @Override
    public Duration getShutdownTimeout() {
        return application.getShutdownTimeout();
    }

    @Override
    public Duration getShutdownQuietPeriod() {
        return application.getShutdownQuietPeriod();
    }
}
