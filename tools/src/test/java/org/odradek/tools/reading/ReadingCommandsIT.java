// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.PrintableText;
import org.odradek.replay.CapturedFrames;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.tools.OdradekCommand;
import org.odradek.tools.status.GroupsCommand;
import picocli.CommandLine;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs the commands that read a topic against a broker with records of known times. Tests of signals and pipes run a
 * command in a child JVM.
 */
class ReadingCommandsIT
{
    private static final long FIRST_MS = 1_700_000_000_000L;
    private static final int RECORDS = 20;
    private static final long AWAIT_MS = 120_000;

    private static EmbeddedBroker broker;

    private String bootstrap = broker.bootstrapServers();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start(new BrokerSettings().secured());
        // Its records are years old: with a retention the broker would delete them after 30 s.
        broker.client().createTopic("orders", 2, Map.of("retention.ms", "-1"));
        broker.createTopic("many", 1);
        broker.produce("many", 0, 100_000, (i) -> ("value-" + i).getBytes(StandardCharsets.UTF_8));
        try (Producer<byte[], byte[]> producer = broker.producer(5, "1"))
        {
            for (int i = 0; i < 2 * RECORDS; i++)
            {
                final int number = i / 2;
                final ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("orders", i % 2,
                    FIRST_MS + 1000L * number, number == 3 ? null : bytes("k" + number), bytes("v" + number));
                record.headers().add("shop", bytes(number % 5 == 0 ? "berlin" : "rome"));
                if (number % 10 == 0)
                {
                    record.headers().add("flag", null);
                }
                producer.send(record);
            }
        }
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    private static byte[] bytes(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Runs a command in this JVM. */
    private void end(final int exitCode, final CommandLine commandLine, final String... args)
    {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final String[] all = Arrays.copyOf(args, args.length + 2);
        all[args.length] = "--bootstrap";
        all[args.length + 1] = bootstrap;
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));

        assertEquals(exitCode, commandLine.execute(all), err.toString());
        out.toString().lines().forEach(lines::add);
        err.toString().lines().forEach(errors::add);
    }

    private void tail(final String... args)
    {
        final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
        end(0, new CommandLine(new TailCommand(stdout, false, false)), args);
        stdout.toString(StandardCharsets.UTF_8).lines().forEach(lines::add);
    }

    private void perf(final int exitCode, final String... args)
    {
        end(exitCode, new CommandLine(new PerfCommand()), args);
    }

    private void assertLimit()
    {
        assertTrue((errors.remove() + errors.remove()).matches("\\d+ fetch(es)? of .* over 1 connection; .*Limit: .*"));
    }

    @Test
    void shouldWriteEveryPartOfARecordUntilTheEnd()
    {
        tail("orders", "--partitions", "1", "--from", "3", "--until", "latest",
            "--format", "%t|%p|%o|%T|%k|%K|%s|%S|%h|%%\\n");

        final List<String> expected = new ArrayList<>();
        for (int i = 3; i < RECORDS; i++)
        {
            expected.add("orders|1|" + i + "|" + (FIRST_MS + 1000L * i) + "|" + (i == 3 ? "NULL|-1" : "k" + i + "|" +
                ("k" + i).length()) + "|v" + i + "|" + ("v" + i).length() + "|shop=" +
                (i % 5 == 0 ? "berlin" : "rome") + (i % 10 == 0 ? ",flag=NULL" : "") + "|%");
        }
        assertEquals(expected, List.copyOf(lines));
        assertEquals(List.of(), List.copyOf(errors));
    }

    @Test
    void shouldFilterByHeadersBetweenTwoTimes()
    {
        tail("orders", "--from", "@" + (FIRST_MS + 1000), "--until", "2023-11-14T22:13:35Z",
            "--header", "shop=berlin", "--format", "%o\\n", "--summary");

        assertEquals(List.of("10", "10", "5", "5"), lines.stream().sorted().toList());
        assertTrue(errors.peek().matches("4 records, \\d+ bytes of keys and values in [0-9.]+ s; " +
            "24 more were filtered out"), errors.toString());
    }

    @Test
    void shouldStopAfterTheGivenNumberOfLastRecords()
    {
        tail("orders", "--partitions", "0", "--from", "-7", "--count", "3");

        assertEquals(List.of("v13", "v14", "v15"), List.copyOf(lines));
    }

    @Test
    void shouldWaitForNewRecordsAndPrintASummaryWhenStopped()
    {
        broker.createTopic("live", 1);
        try (JavaProcess process = JavaProcess.of(OdradekCommand.class).startingQuickly()
            .flags("-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
            .args("tail", "live", "--from", "earliest", "--bootstrap", broker.bootstrapServers())
            .onStdout(lines::add).onStderr(errors::add).start())
        {
            broker.produce("live", 0, 1, (i) -> bytes("first"));
            Await.until("the first record", AWAIT_MS, () -> lines.contains("first"));
            broker.produce("live", 0, 1, (i) -> bytes("second"));
            Await.until("the second record", AWAIT_MS, () -> lines.contains("second"));
            // Process.destroy() would close the pipes before the command writes its summary.
            assertTrue(ProcessHandle.of(process.pid()).orElseThrow().destroy());

            assertEquals(143, process.exitCode(60, TimeUnit.SECONDS), process.outputTail());
        }
        assertEquals(List.of("first", "second"), List.copyOf(lines));
        assertTrue(errors.peek().startsWith("2 records, 11 bytes of keys and values in "), errors.toString());
    }

    @Test
    void shouldLeaveItsGroupWhenStopped()
    {
        try (JavaProcess process = JavaProcess.of(OdradekCommand.class).startingQuickly().onStdout(lines::add)
            .flags("-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
            .args("tail", "orders", "--group", "stopped", "--from", "earliest", "--bootstrap", bootstrap).start())
        {
            Await.until("all records", AWAIT_MS, () -> lines.size() == 2 * RECORDS);
            assertTrue(ProcessHandle.of(process.pid()).orElseThrow().destroy());
            assertEquals(143, process.exitCode(60, TimeUnit.SECONDS), process.outputTail());
        }

        groups(0, "stopped");

        assertTrue(lines.contains("no members"), lines::toString);
        assertTrue(lines.stream().anyMatch((line) -> line.matches("all +0 *")), lines::toString);
    }

    /** Like {@code odradek tail | head -n 1}: the reader ends while there are more records than a pipe can hold. */
    @Test
    void shouldEndWithoutErrorWhenItsReaderHasEnded() throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"));
        if (Runtime.version().feature() > 21)
        {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
            "-cp", System.getProperty("java.class.path"), OdradekCommand.class.getName(),
            "tail", "many", "--from", "earliest", "--bootstrap", broker.bootstrapServers()));
        final Process process = new ProcessBuilder(command).start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()), 64))
        {
            assertEquals("value-0", out.readLine());
        }

        assertEquals("", new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(0, process.waitFor());
    }

    @Test
    void shouldPrintTheColumnsOfKafkasOwnTool()
    {
        perf(0, "many", "--messages", "100000");

        assertEquals(2, lines.size(), lines.toString());
        assertEquals("start.time, end.time, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, " +
            "rebalance.time.ms, fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec, cpu.us.per.nMsg, allocated.bytes",
            lines.remove());
        final String[] columns = lines.remove().split(", ");
        assertEquals(12, columns.length);
        // 1,088,890 bytes: 10 values of 7 letters, 90 of 8, and so on.
        assertEquals(List.of("1.0384", "100000"), List.of(columns[2], columns[4]));
        assertTrue(Double.parseDouble(columns[10]) > 0 && Long.parseLong(columns[11]) >= 0);
        assertLimit();
    }

    @Test
    void shouldReplayCapturedFrames(@TempDir final Path folder) throws IOException
    {
        final String file = folder.resolve("frames").toString();
        tail("orders", "--from", "earliest", "--until", "latest", "--format", "%p|%o|%T|%k|%s|%h\\n",
            "--capture", file, "--capture-limit", "1000000");
        final List<String> captured = List.copyOf(lines);
        assertEquals(2 * RECORDS, captured.size());
        lines.clear();

        assertEquals(List.of(), List.copyOf(errors));
        replay(file, "--format", "%p|%o|%T|%k|%s|%h\\n");
        assertEquals(captured, List.copyOf(lines));
        assertTrue(errors.remove().startsWith("topic orders: "));
        assertTrue(errors.remove().matches("40 records, 196 bytes of keys and values, [0-9.]+ [num]s per record"));
        lines.clear();

        replay(file, "--count", "7", "--repeat", "2");
        assertTrue(lines.remove().startsWith("topic orders: "));
        assertEquals(2, lines.size(), lines.toString());
        assertTrue(lines.stream().allMatch((line) -> line.startsWith("7 records, ")), lines.toString());
    }

    private void replay(final String... args)
    {
        final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final CommandLine commandLine = new CommandLine(new ReplayCommand(stdout, false, false));
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        assertEquals(0, commandLine.execute(args), err.toString());
        stdout.toString(StandardCharsets.UTF_8).lines().forEach(lines::add);
        out.toString().lines().forEach(lines::add);
        err.toString().lines().forEach(errors::add);
    }

    @Test
    void shouldAddCapturedFramesToACorpus(@TempDir final Path folder) throws IOException
    {
        final Path file = folder.resolve("frames");
        final Path corpus = folder.resolve("corpus");
        perf(0, "many", "--messages", "100000", "--fetch-size", "100000", "--capture", file.toString(),
            "--capture-limit", "4000000");
        lines.clear();

        replay(file.toString(), "--to-corpus", corpus.toString(), "--max-bytes", "1000000");

        try (CapturedFrames frames = CapturedFrames.open(file))
        {
            assertTrue(frames.count() > 5, "frames " + frames.count());
            final Set<ByteBuffer> expected = new HashSet<>();
            for (int frame = 0; frame < frames.count(); frame++)
            {
                final byte[] seed = new byte[frames.frameLength(frame) - 7];
                frames.buffer().getBytes(frames.frameIndex(frame) + 8, seed, 1, seed.length - 1);
                seed[0] = (byte)(frames.version(frame) - ApiKey.FETCH.minVersion());
                expected.add(ByteBuffer.wrap(seed));
            }
            final Set<ByteBuffer> found = new HashSet<>();
            for (final String line : Files.readAllLines(corpus))
            {
                found.add(ByteBuffer.wrap(HexFormat.of().parseHex(line.split("\t")[2])));
            }
            assertEquals(expected, found);
        }
        replay(file.toString(), "--to-corpus", folder.resolve("none").toString(), "--max-bytes", "10");
        assertTrue(lines.stream().reduce((first, second) -> second).orElseThrow().startsWith("0 frames added to "));
    }

    @Test
    void shouldPrintIntervals()
    {
        perf(0, "many", "--messages", "100000", "--show-detailed-stats", "--reporting-interval", "1", "--hide-header");

        assertTrue(lines.stream().allMatch((line) -> line.split(", ").length == 12), lines.toString());
        assertTrue(lines.stream().reduce((first, second) -> second).orElseThrow().contains(", 100000, "),
            lines.toString());
        assertLimit();
    }

    @Test
    void shouldNotCallTheEndOfALogAWindow()
    {
        perf(1, "orders", "--messages", "1000", "--timeout", "5000");

        assertTrue(errors.stream().anyMatch((line) -> line.startsWith("Limit: the ends of the logs, where ")),
            errors::toString);
    }

    @Test
    void shouldRefuseACaptureLimitThatIsSmallerThanTheFirstFrame(@TempDir final Path folder)
    {
        final String file = folder.resolve("frames").toString();

        perf(1, "many", "--messages", "100000", "--capture", file, "--capture-limit", "65536");

        assertTrue(errors.contains("odradek: " + file + " is empty: the first frame does not fit into the 65536 " +
            "bytes of --capture-limit, which raises the limit"), errors::toString);
        final StringWriter err = new StringWriter();
        assertEquals(1, OdradekCommand.commandLine().setOut(new PrintWriter(new StringWriter()))
            .setErr(new PrintWriter(err, true)).execute("replay", file));
        assertEquals("the capture of topic many holds no frame, so there is nothing to replay: the first one did not " +
            "fit into the file, whose limit must be raised\n", err.toString());
    }

    @Test
    void shouldFailWhenNoRecordsArrive()
    {
        broker.createTopic("empty", 1);

        perf(1, "empty", "--messages", "1", "--timeout", "1");

        assertTrue(lines.stream().reduce((first, second) -> second).orElseThrow().contains(", 0.0000, 0.0000, 0, "),
            lines.toString());
        assertTrue(errors.contains("Only 0 of 1 records arrived."), errors.toString());
    }

    @Test
    void shouldReadWithThePropertiesOfKafka(@TempDir final Path folder) throws IOException
    {
        final Path config = Files.writeString(folder.resolve("client.properties"),
            "isolation.level=read_committed\nfetch.max.wait.ms=20\nacks=all\n");

        tail("orders", "--from", "earliest", "--until", "latest", "--config", config.toString());

        assertEquals(2 * RECORDS, lines.size());
        assertEquals(List.of("odradek: " + config + ": acks is ignored: Kafka's consumer has no such key"),
            List.copyOf(errors));
    }

    @Test
    void shouldReadASecuredCluster()
    {
        bootstrap = broker.bootstrapServers(SecureListener.SASL_SSL);
        final String config =
            broker.security().writeClientProperties(SecureListener.SASL_SSL, "SCRAM-SHA-512").toString();

        tail("orders", "--from", "earliest", "--until", "latest", "--config", config);
        assertEquals(2 * RECORDS, lines.size());
        perf(0, "many", "--messages", "100000", "--config", config);
        assertEquals(2 * RECORDS + 2, lines.size());
        assertLimit();
    }

    private void groups(final int exitCode, final String... args)
    {
        lines.clear();
        end(exitCode, new CommandLine(new GroupsCommand()), args);
    }

    private void failingGroups(final String... args)
    {
        end(1, new CommandLine(new GroupsCommand()).setExecutionExceptionHandler((ex, failed, parsed) ->
        {
            failed.getErr().println(ex.getMessage());
            return 1;
        }), args);
    }

    @Test
    void shouldShowTheMembersAndTheLagOfAGroup() throws InterruptedException
    {
        try (KafkaConsumer<byte[], byte[]> member = new KafkaConsumer<>(Map.of(
            "bootstrap.servers", bootstrap, "group.id", "stock", "group.protocol", "consumer",
            "group.instance.id", "stock-1", "client.id", "reader", "enable.auto.commit", false),
            new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            member.subscribe(List.of("orders"));
            Await.until("both partitions", AWAIT_MS, () ->
            {
                member.poll(Duration.ofMillis(100));
                return member.assignment().size() == 2;
            });
            member.commitSync(Map.of(new TopicPartition("orders", 1), new OffsetAndMetadata(RECORDS - 7)));

            groups(0, "stock");
            final String all = String.join("\n", lines);
            assertTrue(all.startsWith("Group stock: Stable, protocol consumer, group epoch "), all);
            assertTrue(all.contains(", assignor uniform, coordinator " + bootstrap + "."), all);
            assertTrue(all.matches("(?s).*\\n\\S+ +stock-1 +reader +\\S+ +consumer +\\d+ +orders 0-1 +orders 0-1\\n.*"),
                all);
            assertTrue(all.matches(
                "(?s).*\\norders +0 +- +20 +- +\\S+\\norders +1 +13 +20 +7 +\\S+\\nall +7\\s*"), all);
            assertEquals(List.of(), List.copyOf(errors));
        }
        // A static member leaves for a while only.
        broker.client().admin().removeMembersFromConsumerGroup("stock",
            new RemoveMembersFromConsumerGroupOptions(List.of(new MemberToRemove("stock-1"))));
        Await.until("the group without members", AWAIT_MS, () ->
        {
            groups(0, "stock");
            return lines.contains("no members");
        });

        groups(0);

        assertTrue(lines.stream().anyMatch((line) -> line.matches("stock +consumer +Empty +0 +1 +7")), lines::toString);
        assertTrue(errors.contains("odradek: stock has no members: the brokers delete the offsets of a group 7 days " +
            "after its last member has left, or after the last commit if it never had one"), errors.toString());
    }

    @Test
    void shouldContinueWhereTheGroupStopped()
    {
        tail("orders", "--group", "tailing", "--from", "earliest", "--count", "7", "--format", "%p %o\\n");
        tail("orders", "--group", "tailing", "--protocol", "CLASSIC", "--from", "earliest", "--count", "33",
            "--format", "%p %o\\n");

        assertEquals(2 * RECORDS, Set.copyOf(lines).size(), lines.toString());
        groups(0, "tailing");
        assertTrue(lines.stream().anyMatch((line) -> line.matches("all +0 *")), lines.toString());
        assertEquals(1, errors.size(), errors.toString());
    }

    /** Like {@code odradek tail --group | head}: what the reader has not taken is for the next one. */
    @Test
    void shouldNotCommitWhatItCouldNotWrite() throws IOException
    {
        final OutputStream closed = OutputStream.nullOutputStream();
        closed.close();
        end(0, new CommandLine(new TailCommand(closed, false, false)), "orders", "--group=unread", "--from=earliest");

        tail("orders", "--group", "unread", "--from", "earliest", "--count", String.valueOf(2 * RECORDS));

        assertEquals(2 * RECORDS, lines.size(), lines.toString());
    }

    @Test
    void shouldShowAMemberWithoutItsControlCharacters()
    {
        try (KafkaConsumer<byte[], byte[]> member = new KafkaConsumer<>(Map.of(
            "bootstrap.servers", bootstrap, "group.id", "evil\u001b[2J\nforged", "group.protocol", "consumer",
            "client.id", "evil\u001b[2J\u009b31m\u202e\nforged", "enable.auto.commit", false),
            new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            member.subscribe(List.of("orders"));
            Await.until("both partitions", AWAIT_MS, () ->
            {
                member.poll(Duration.ofMillis(100));
                return member.assignment().size() == 2;
            });

            groups(0);
            assertTrue(lines.stream().anyMatch((line) -> line.startsWith("evil?[2J?forged ")), lines::toString);
            final List<String> listed = List.copyOf(lines);
            groups(0, "evil\u001b[2J\nforged");
            assertTrue(lines.stream().anyMatch((line) -> line.contains(" evil?[2J?31m??forged ")), lines::toString);
            for (final String line : listed)
            {
                assertTrue(PrintableText.isPrintable(line), line);
            }
        }
    }

    @Test
    void shouldReportAGroupThatDoesNotExistInOneSentence()
    {
        bootstrap = broker.bootstrapServers(SecureListener.SASL_SSL);
        failingGroups("nobody", "--config",
            broker.security().writeClientProperties(SecureListener.SASL_SSL, "SCRAM-SHA-512").toString());

        assertEquals(List.of("Group nobody cannot be read at " + bootstrap + ": Group nobody not found."),
            List.copyOf(errors));
    }

    @Test
    void shouldReportAWrongPasswordInOneSentence(@TempDir final Path folder) throws IOException
    {
        bootstrap = broker.bootstrapServers(SecureListener.SASL_SSL);
        final Path config = Files.write(folder.resolve("client.properties"),
            broker.security().clientProperties(SecureListener.SASL_SSL, "SCRAM-SHA-512").entrySet().stream()
                .map((entry) -> entry.toString().replace("password=\"", "password=\"wrong")).toList());

        failingGroups("--config", config.toString());

        assertEquals(List.of("The groups cannot be read at " + bootstrap + ": Authentication failed during " +
            "authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512"), List.copyOf(errors));
    }

    @Test
    void shouldRefuseInOneSentencePropertiesThatCannotBeUsed(@TempDir final Path folder) throws IOException
    {
        final Path config = Files.writeString(folder.resolve("client.properties"),
            "security.protocol=SSL\nssl.keystore.password=canary-9f3a\n");

        end(2, new CommandLine(new TailCommand()), "orders", "--config", config.toString());
        end(2, new CommandLine(new PerfCommand()), "orders", "--messages", "1", "--config", folder + "/none");

        final String all = String.join("\n", errors);
        assertTrue(all.contains("ssl.keystore.password is hidden: it needs ssl.keystore.location"), all);
        assertTrue(all.contains("--config " + folder + "/none cannot be read: "), all);
        assertFalse(all.contains("canary-9f3a"), all);
    }
}
