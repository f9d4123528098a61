// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs one program with the jars on the class path and on the module path, as docs/platforms.md says. It reads records
 * of every codec over epoll and TLS by BoringSSL, and then with the SimpleConsumer, an automatic module.
 */
@ExtendWith(SharedBroker.class)
class ModulePathIT
{
    private static final Pattern LIBRARY = Pattern.compile("(odradek-(protocol|client|consumer|native|" +
        "simple-consumer)|agrona|zstd-jni|lz4-java|snappy-java|netty-.*)-\\d.*\\.jar");
    private static final int FIRST_WITH_NATIVE_ACCESS = 22;
    private static final String LOADING =
        "io.netty.common,org.odradek.client,com.github.luben.zstd_jni,org.lz4.java,org.xerial.snappy";
    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");
    private static final String RECORDS = CODECS.size() + " records, epoll, TLS by BoringSSL\n";

    private static final String MODULE = """
        module counting
        {
            requires org.odradek.consumer;
            requires org.odradek.kafka;
            requires org.odradek.natives;
        }
        """;
    private static final String PROGRAM = """
        package counting;

        import org.odradek.consumer.ConsumerContext;
        import org.odradek.consumer.StartPosition;
        import org.odradek.consumer.TopicConsumer;
        import org.odradek.client.TransportType;
        import org.odradek.client.security.SecuritySettings;
        import org.odradek.client.security.TlsProviderType;
        import org.odradek.client.security.TlsSettings;
        import org.odradek.kafka.api.FetchRequestBuilder;
        import org.odradek.kafka.javaapi.consumer.SimpleConsumer;
        import org.odradek.kafka.message.MessageAndOffset;

        import java.nio.file.Path;

        public final class CountRecords
        {
            public static void main(final String[] args)
            {
                final String topic = args[1];
                final SecuritySettings security = SecuritySettings.tlsOnly(
                    TlsSettings.trust(Path.of(args[2])).provider(TlsProviderType.BORINGSSL));
                final int count = Integer.parseInt(args[3]);
                final ConsumerContext context = new ConsumerContext().bootstrapServers(args[0]).topic(topic)
                    .startPosition(StartPosition.earliest()).transport(TransportType.EPOLL).security(security);
                int left = count;
                try (TopicConsumer consumer = TopicConsumer.connect(context))
                {
                    while (left > 0)
                    {
                        left -= consumer.poll((record) -> record.valueLength(), left, 100_000_000);
                    }
                    System.out.println(count + " records, " + consumer.transportDescription());
                }
                final String[] address = args[0].split(":");
                final SimpleConsumer simple = new SimpleConsumer(
                    address[0], Integer.parseInt(address[1]), 30_000, 0, "counting", security);
                int messages = 0;
                for (final MessageAndOffset ignored : simple.fetch(new FetchRequestBuilder().clientId("counting")
                    .addFetch(topic, 0, 0, 1 << 20).build()).messageSet(topic, 0))
                {
                    messages++;
                }
                simple.close();
                System.out.println(messages + " messages");
            }
        }
        """;

    @TempDir
    private Path folder;
    private EmbeddedBroker broker;
    private String libraries;
    private String topic;

    @BeforeEach
    void produce(final TestInfo test) throws IOException
    {
        broker = SharedBroker.broker();
        libraries = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter((entry) -> LIBRARY.matcher(Path.of(entry).getFileName().toString()).matches())
            .collect(Collectors.joining(File.pathSeparator));
        topic = test.getTestMethod().orElseThrow().getName();
        broker.createTopic(topic, 1);
        for (final String codec : CODECS)
        {
            try (Producer<byte[], byte[]> producer = broker.client().producer(Map.of("compression.type", codec)))
            {
                producer.send(new ProducerRecord<>(topic, 0, null, new byte[1_000]));
            }
        }
        Files.createDirectories(folder.resolve("src/counting"));
        Files.writeString(folder.resolve("src/counting/CountRecords.java"), PROGRAM);
        Files.writeString(folder.resolve("src/module-info.java"), MODULE);
    }

    @Test
    void shouldReadOnTheClassPath() throws IOException, InterruptedException
    {
        compile("-cp", "src/counting/CountRecords.java");

        assertEquals(RECORDS + CODECS.size() + " messages\n", run("ALL-UNNAMED", "--add-exports",
            "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", path(), "counting.CountRecords"));
    }

    @Test
    void shouldReadOnTheModulePath() throws IOException, InterruptedException
    {
        compile("-p", "src/module-info.java", "src/counting/CountRecords.java");

        assertEquals(RECORDS + CODECS.size() + " messages\n", run(LOADING, "--add-exports",
            "java.base/jdk.internal.misc=org.agrona", "-p", path(), "-m", "counting/counting.CountRecords"));
    }

    @Test
    void shouldNameTheFlagThatAgronaNeedsOnTheModulePath() throws IOException, InterruptedException
    {
        compile("-p", "src/module-info.java", "src/counting/CountRecords.java");

        final String text = run(LOADING, "-p", path(), "-m", "counting/counting.CountRecords");
        assertTrue(text.contains("--add-exports java.base/jdk.internal.misc=org.agrona: add it to the java"), text);
    }

    private void compile(final String pathFlag, final String... sources)
    {
        final List<String> arguments = new ArrayList<>(
            List.of("--release", "17", pathFlag, libraries, "-d", folder.resolve("classes").toString()));
        Arrays.stream(sources).map((source) -> folder.resolve(source).toString()).forEach(arguments::add);
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)));
    }

    private String path()
    {
        return folder.resolve("classes") + File.pathSeparator + libraries;
    }

    /** @param loading the modules that load native libraries, of which JDK 24 and later warn otherwise. */
    private String run(final String loading, final String... arguments) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= FIRST_WITH_NATIVE_ACCESS)
        {
            command.add("--enable-native-access=" + loading);
        }
        command.addAll(List.of(arguments));
        command.addAll(List.of(broker.bootstrapServers(SecureListener.SSL), topic,
            broker.security().trustPem().toString(), Integer.toString(CODECS.size())));
        final Process program = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        program.waitFor();
        return output;
    }
}
