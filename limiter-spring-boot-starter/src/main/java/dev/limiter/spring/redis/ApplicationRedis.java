package dev.limiter.spring.redis;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * What the application's own connections go to, and how: everything that it configured for Spring Data Redis.
 *
 * @param server one server, Sentinel, a cluster, a socket, or a master with replicas
 * @param client credentials, TLS, names, resources
 */
public record ApplicationRedis(RedisConfiguration server, LettuceClientConfiguration client) {

    /** Of {@link LettuceConnectionFactory}, which has no getter for a master with replicas. */
    private static final String CONFIGURATION_FIELD = "configuration";

    /**
     * @param factory null if there is none, or none of several is primary
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if it is none of Lettuce
     */
    public static ApplicationRedis of(@Nullable RedisConnectionFactory factory) {
        if (factory == null) {
            throw RedisProblems.of("There is no RedisConnectionFactory bean, or there are several and none is primary."
                    + " Leave it to Spring Boot, or mark one of yours as @Primary.");
        }
        Object target = AopProxyUtils.getSingletonTarget(factory);
        if ((target == null ? factory : target) instanceof LettuceConnectionFactory lettuce) {
            return new ApplicationRedis(server(lettuce), lettuce.getClientConfiguration());
        }
        throw RedisProblems.notLettuce(factory.getClass());
    }

    private static RedisConfiguration server(LettuceConnectionFactory factory) {
        if (factory.getClusterConfiguration() != null) {
            return factory.getClusterConfiguration();
        }
        if (factory.getSentinelConfiguration() != null) {
            return factory.getSentinelConfiguration();
        }
        if (factory.getSocketConfiguration() != null) {
            return factory.getSocketConfiguration();
        }
        RedisConfiguration replicas = masterWithReplicas(factory);
        return replicas != null ? replicas : factory.getStandaloneConfiguration();
    }

    private static @Nullable RedisConfiguration masterWithReplicas(LettuceConnectionFactory factory) {
        Field field = configurationField();
        if (field == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(field);
        return ReflectionUtils.getField(field, factory) instanceof RedisStaticMasterReplicaConfiguration replicas
                ? replicas
                : null;
    }

    /** Null if this version of Spring Data Redis has none. */
    public static @Nullable Field configurationField() {
        return ReflectionUtils.findField(LettuceConnectionFactory.class, CONFIGURATION_FIELD, RedisConfiguration.class);
    }
}
