// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerCluster;
import org.odradek.testkit.EmbeddedBroker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

@ExtendWith(SharedBroker.class)
class SimpleConsumerMigrationIT
{
    private static final String TOPIC = "old";
    private static final int COUNT = 100;
    private static final int BROKER_COUNT = 3;

    @Test
    void shouldDifferFromTheOldProgramByItsPrefixAlone() throws IOException
    {
        final String old = oldProgram();
        final String now = Files.readString(
            Path.of("src/main/java/org/odradek/examples/SimpleConsumerMigration.java"), StandardCharsets.UTF_8);

        assertFalse(old.contains("odradek.kafka"), "the old program knows us");
        // A name that begins with kafka, in an import or in full.
        assertEquals(old.replaceAll("(?<![\\w.])kafka\\.(?=\\w+\\.)", "org.odradek.kafka."), now);
    }

    private static String oldProgram() throws IOException
    {
        try (InputStream in = SimpleConsumerMigrationIT.class.getResourceAsStream("SimpleConsumerMigration.txt"))
        {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldReadOverATombstone() throws Exception
    {
        final EmbeddedBroker broker = SharedBroker.broker();
        broker.createTopic("tombstones", 1);
        broker.produce("tombstones", 0, 3, (i) -> i == 1 ? null : ("value-" + i).getBytes(StandardCharsets.UTF_8));
        final ByteArrayOutputStream out = new ByteArrayOutputStream();

        new SimpleConsumerMigration(broker.bootstrapServers(), "tombstones", 0,
            new PrintStream(out, true, StandardCharsets.UTF_8)).run(3);

        assertEquals(List.of("0: value-0", "1: null", "2: value-2"),
            out.toString(StandardCharsets.UTF_8).lines().toList());
    }

    @Tag("slow")
    @Test
    void shouldReadThroughChangesOfTheLeader() throws Exception
    {
        try (BrokerCluster cluster = BrokerCluster.start(BROKER_COUNT))
        {
            cluster.createTopic(TOPIC, 1);
            cluster.awaitIsr(TOPIC, 0, BROKER_COUNT);
            produce(cluster, 0);
            final ByteArrayOutputStream out = new ByteArrayOutputStream();
            final FutureTask<Boolean> program = start(cluster, new PrintStream(out, true, StandardCharsets.UTF_8));
            Await.until("the first records", () -> records(out).size() == COUNT);

            final int moved = cluster.leaderOf(TOPIC, 0) % BROKER_COUNT + 1;
            cluster.moveLeader(TOPIC, 0, moved);
            produce(cluster, COUNT);
            Await.until("those behind the move", () -> records(out).size() == 2 * COUNT);

            cluster.broker(moved).kill();
            cluster.awaitLeaderOtherThan(TOPIC, 0, moved);
            produce(cluster, 2 * COUNT);
            program.get();

            assertEquals(IntStream.range(0, 3 * COUNT).mapToObj((i) -> i + ": value-" + i).toList(), records(out));
        }
    }

    private static FutureTask<Boolean> start(final BrokerCluster cluster, final PrintStream out)
    {
        final FutureTask<Boolean> program = new FutureTask<>(() ->
        {
            new SimpleConsumerMigration(cluster.bootstrapServers(), TOPIC, 0, out).run(3 * COUNT);
            return true;
        });
        final Thread thread = new Thread(program, "old program");
        thread.setDaemon(true);
        thread.start();
        return program;
    }

    private static void produce(final BrokerCluster cluster, final int from)
    {
        cluster.produce(TOPIC, 0, COUNT, (i) -> ("value-" + (from + i)).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Whole lines only: the program may be about to end one.
     */
    private static List<String> records(final ByteArrayOutputStream out)
    {
        final String text = out.toString(StandardCharsets.UTF_8);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().filter((line) -> line.contains(": value-"))
            .toList();
    }
}
