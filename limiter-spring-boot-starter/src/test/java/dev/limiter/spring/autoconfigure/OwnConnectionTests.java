package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

/** The connection for limits has the settings of the application and never waits. */
class OwnConnectionTests {

    private static final ClientResources RESOURCES = ClientResources.create();

    @AfterAll
    static void shutdown() {
        var unused = RESOURCES.shutdown();
    }

    @Test
    void keepsTheConfigurationOfTheApplication() {
        SslOptions ssl = SslOptions.builder().jdkSslProvider().build();
        LettuceClientConfiguration own = own(
                LettuceClientConfiguration.builder()
                        .clientName("shop")
                        .clientOptions(ClientOptions.builder()
                                .autoReconnect(false)
                                .sslOptions(ssl)
                                .build())
                        .readFrom(ReadFrom.REPLICA)
                        .useSsl()
                        .startTls()
                        .disablePeerVerification()
                        .build(),
                false);

        ClientOptions options = own.getClientOptions().orElseThrow();
        assertThat(options.getSslOptions()).isSameAs(ssl);
        assertThat(own.isUseSsl()).isTrue();
        assertThat(own.isStartTls()).isTrue();
        assertThat(own.isVerifyPeer()).isFalse();
        assertThat(own.getClientName()).contains("shop");
        assertThat(own.getReadFrom())
                .as("limits are read where they are written")
                .isEmpty();
    }

    @Test
    void neverWaitsForAConnection() {
        ClientOptions options = own(
                        LettuceClientConfiguration.builder()
                                .clientOptions(ClientOptions.builder()
                                        .autoReconnect(false)
                                        .build())
                                .build(),
                        false)
                .getClientOptions()
                .orElseThrow();

        assertThat(options.isAutoReconnect()).isTrue();
        assertThat(options.getDisconnectedBehavior()).isEqualTo(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS);
        assertThat(options.getRequestQueueSize()).isLessThan(100_000);
        assertThat(options.getSocketOptions().getConnectTimeout()).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void followsAClusterThatChanges() {
        ClusterTopologyRefreshOptions refresh = topologyRefresh(LettuceClientConfiguration.defaultConfiguration());

        assertThat(refresh.isPeriodicRefreshEnabled()).isTrue();
        assertThat(refresh.getAdaptiveRefreshTriggers()).isNotEmpty();
    }

    @Test
    void followsAClusterAsTheApplicationDoes() {
        ClusterTopologyRefreshOptions given = ClusterTopologyRefreshOptions.builder()
                .enablePeriodicRefresh(Duration.ofMinutes(5))
                .build();

        assertThat(topologyRefresh(LettuceClientConfiguration.builder()
                        .clientOptions(ClusterClientOptions.builder()
                                .topologyRefreshOptions(given)
                                .build())
                        .build()))
                .isSameAs(given);
    }

    private static ClusterTopologyRefreshOptions topologyRefresh(LettuceClientConfiguration application) {
        ClusterClientOptions options =
                (ClusterClientOptions) own(application, true).getClientOptions().orElseThrow();
        assertThat(options.getDisconnectedBehavior()).isEqualTo(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS);
        return options.getTopologyRefreshOptions();
    }

    private static LettuceClientConfiguration own(LettuceClientConfiguration application, boolean cluster) {
        return new OwnClientConfiguration(application, RESOURCES, Duration.ofMillis(500)).create(cluster);
    }
}
