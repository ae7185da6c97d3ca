package dev.limiter.spring.autoconfigure;

import io.lettuce.core.RedisURI;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * The application's configuration of Spring Data Redis.
 *
 * @param server a single server, Sentinel, a cluster, a socket, or a master with replicas
 * @param client TLS, client name and resources
 */
record ApplicationRedisConfiguration(RedisConfiguration server, LettuceClientConfiguration client) {

    /** A private field of {@link LettuceConnectionFactory}. */
    private static final String CONFIGURATION_FIELD = "configuration";

    /**
     * Returns the configuration of a connection factory.
     *
     * @param factory null if there is none, or several without a primary one
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if it does not use Lettuce
     */
    public static ApplicationRedisConfiguration of(@Nullable RedisConnectionFactory factory) {
        if (factory == null) {
            throw RedisConfigurationProblems.of(
                    "There is no RedisConnectionFactory bean, or there are several and none is primary."
                            + " Let Spring Boot create it, or mark one of yours as @Primary.");
        }
        Object target = AopProxyUtils.getSingletonTarget(factory);
        if ((target == null ? factory : target) instanceof LettuceConnectionFactory lettuce) {
            return new ApplicationRedisConfiguration(server(lettuce), lettuce.getClientConfiguration());
        }
        throw RedisConfigurationProblems.notLettuce(factory.getClass());
    }

    /**
     * Returns the configuration of a dedicated server for limits.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the URL is invalid
     */
    public static ApplicationRedisConfiguration of(String url) {
        try {
            RedisURI uri = RedisURI.create(url.strip());
            return new ApplicationRedisConfiguration(
                    LettuceConnectionFactory.createRedisConfiguration(uri),
                    LettuceClientConfiguration.builder().apply(uri).build());
        } catch (RuntimeException exception) {
            // without the URL, which may contain a password
            throw RedisConfigurationProblems.url();
        }
    }

    /** Reads a private field, because the getters return no configuration of a master with replicas. */
    private static RedisConfiguration server(LettuceConnectionFactory factory) {
        Field field = ReflectionUtils.findField(
                LettuceConnectionFactory.class, CONFIGURATION_FIELD, RedisConfiguration.class);
        if (field != null) {
            ReflectionUtils.makeAccessible(field);
            if (ReflectionUtils.getField(field, factory) instanceof RedisConfiguration server) {
                return server;
            }
        }
        return fromGetters(factory);
    }

    /** Returns the address of the server or its nodes, without credentials. */
    String address() {
        if (server instanceof RedisClusterConfiguration cluster) {
            return nodes(cluster.getClusterNodes());
        }
        if (server instanceof RedisSentinelConfiguration sentinel) {
            return "the master of " + nodes(sentinel.getSentinels());
        }
        if (server instanceof RedisConfiguration.WithHostAndPort standalone) {
            return standalone.getHostName() + ":" + standalone.getPort();
        }
        return server instanceof RedisConfiguration.WithDomainSocket local ? local.getSocket() : "several nodes";
    }

    private static String nodes(Collection<RedisNode> nodes) {
        return nodes.stream().map(RedisNode::asString).collect(Collectors.joining(", "));
    }

    private static RedisConfiguration fromGetters(LettuceConnectionFactory factory) {
        if (factory.getClusterConfiguration() != null) {
            return factory.getClusterConfiguration();
        }
        if (factory.getSentinelConfiguration() != null) {
            return factory.getSentinelConfiguration();
        }
        return factory.getSocketConfiguration() != null
                ? factory.getSocketConfiguration()
                : factory.getStandaloneConfiguration();
    }
}
