// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.odradek.affinity.ThreadPinning;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.TopicPublisher;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.internal.JavaProcess;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A pipeline of consumer and publisher on a pinned thread allocates nothing, its commits and its barrier included. */
@Tag("zero-allocation")
@ExtendWith(SharedBroker.class)
class PipelineAllocationIT
{
    private static final int PARTITIONS = 2;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final List<String> stdout = Collections.synchronizedList(new ArrayList<>());
    private final List<String> stderr = Collections.synchronizedList(new ArrayList<>());

    @Test
    void shouldAllocateNothingWithoutCollector()
    {
        run(300_000);
    }

    @Tag("slow")
    @Test
    void shouldPublishAMillionRecordsWithoutCollector()
    {
        run(1_000_000);
    }

    private void run(final int records)
    {
        final int core = core();
        final String input = "input-of-" + records;
        final String output = "output-of-" + records;
        final EmbeddedBroker broker = SharedBroker.broker();
        broker.createTopic(input, PARTITIONS);
        broker.createTopic(output, PARTITIONS);
        try (Publisher publisher = Publisher.connect(
            new PublisherContext().bootstrapServers(broker.bootstrapServers()));
            JavaProcess process = JavaProcess.of(PipelineProbe.class)
                .args(broker.bootstrapServers(), input, output, Integer.toString(records), Integer.toString(core))
                .onStdout(stdout::add).onStderr(stderr::add)
                .flags("-Xms64m", "-Xmx64m", "-XX:MaxDirectMemorySize=128m", "-XX:TieredStopAtLevel=1",
                    "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-XX:+AlwaysPreTouch",
                    "-XX:+ExitOnOutOfMemoryError")
                .start())
        {
            write(publisher, input, process);
            final int exitCode = process.exitCode(1, TimeUnit.SECONDS);
            stdout.forEach(System.out::println);
            assertEquals(List.of(), stderr);
            assertEquals(0, exitCode);
            assertTrue(core < 0 || stdout.contains("allowed on core " + core), () -> "it left core " + core);
        }
    }

    /** The first core that the system allows, or -1 if it lets no thread be pinned. */
    private static int core()
    {
        try (ThreadPinning pinning = ThreadPinning.pin(ThreadPinning.allowedCores().nextCore(0)))
        {
            return pinning.core();
        }
        catch (final IllegalStateException ex)
        {
            System.out.println("not pinned: " + ex.getMessage());
            return -1;
        }
    }

    /** About 100,000 records per second until the process ends. */
    private static void write(final Publisher publisher, final String name, final JavaProcess process)
    {
        final UnsafeBuffer value = new UnsafeBuffer(new byte[23]);
        final TopicPublisher topic = publisher.topic(name);
        assertTrue(publisher.awaitReady(TIMEOUT_NS), publisher::describe);
        for (int i = 0; process.isAlive();)
        {
            value.putLong(0, i);
            final long result = topic.offer(i % PARTITIONS, value, 0, Long.BYTES, value, 0, value.capacity());
            i += result > 0 ? 1 : 0;
            if (result < 0 || i % 100 == 0)
            {
                publisher.doWork();
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        assertTrue(publisher.awaitAcknowledged(TIMEOUT_NS), publisher::describe);
    }
}
