package dev.limiter.benchmarks.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** An empty {@code redis-server} on a free port of the loopback address. It ends when this is closed. */
public final class LocalRedis implements AutoCloseable {

    private final int port;
    private final Process process;
    private final RedisClient client;
    private final RedisCommands<byte[], byte[]> commands;

    private LocalRedis(int port, Process process) {
        this.port = port;
        this.process = process;
        this.client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        this.commands = connect().sync();
    }

    public static LocalRedis start() throws IOException, InterruptedException {
        Path program =
                program().orElseThrow(() -> new IllegalStateException("No redis-server on the PATH; install one"));
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Process process = new ProcessBuilder(List.of(
                        program.toString(),
                        "--port",
                        "" + port,
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--appendonly",
                        "no"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        awaitPort(port, process);
        return new LocalRedis(port, process);
    }

    static Optional<Path> program() {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static void awaitPort(int port, Process process) throws InterruptedException {
        for (int attempt = 0; attempt < 500 && process.isAlive(); attempt++) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException notYet) {
                Thread.sleep(10);
            }
        }
        process.destroy();
        throw new IllegalStateException("redis-server does not reply on port " + port);
    }

    public int port() {
        return port;
    }

    /** Opens a connection; all of them use one client with default options. */
    StatefulRedisConnection<byte[], byte[]> connect() {
        return client.connect(ByteArrayCodec.INSTANCE);
    }

    /** Commands that are not measured. */
    RedisCommands<byte[], byte[]> commands() {
        return commands;
    }

    String version() {
        return info("server", "redis_version");
    }

    /** Returns the CPU time of the server so far, in microseconds. */
    public double cpuMicros() {
        String cpu = commands.info("cpu");
        return 1e6 * (Double.parseDouble(field(cpu, "used_cpu_user")) + Double.parseDouble(field(cpu, "used_cpu_sys")));
    }

    /** Returns the time of the server, in microseconds. */
    long timeMicros() {
        List<byte[]> time = commands.time();
        return Long.parseLong(new String(time.get(0))) * 1_000_000 + Long.parseLong(new String(time.get(1)));
    }

    private String info(String section, String name) {
        return field(commands.info(section), name);
    }

    private static String field(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("INFO does not contain " + name));
    }

    @Override
    public void close() throws InterruptedException {
        client.shutdown();
        process.destroy();
        process.waitFor();
    }
}
