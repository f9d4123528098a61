// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.StopReason;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.testkit.internal.JavaProcess;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Has a batch decompress to more than the direct memory of a JVM, which other memory than that of the consumer is. */
class DirectMemoryTest
{
    private static final int LARGE = 40 << 20;

    /** Prints the records and errors of both partitions, until it has read the last record of the second one. */
    public static final class Reader implements ConsumerListener
    {
        private Reader()
        {
        }

        @Override
        public void onPartitionStopped(
            final int partition, final long nextOffset, final StopReason reason, final short errorCode)
        {
            System.out.println("stopped for " + reason);
        }

        public static void main(final String[] args)
        {
            final boolean[] isDone = new boolean[1];
            final boolean[] isStopped = new boolean[1];
            try (TopicConsumer consumer = TopicConsumer.connect(Reading.context(args[0], OneTopicBroker.TOPIC)
                .startPosition(StartPosition.offset(0)).corruptBatchPolicy(CorruptBatchPolicy.valueOf(args[1]))
                .fetchMaxBytes(1 << 20).listener(new Reader())
                .errorHandler((error) ->
                {
                    System.out.println(error.getMessage());
                    isStopped[0] |= error.getMessage().contains("stopped");
                })))
            {
                while (!isDone[0] || !isStopped[0])
                {
                    consumer.poll((record) ->
                    {
                        isDone[0] |= record.partition() == 1;
                        System.out.println("record " + record.partition() + " " + record.offset());
                    }, 10, TimeUnit.MILLISECONDS.toNanos(20));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameTheBatchThatThereIsNoMemoryForAndReadOn(final CorruptBatchPolicy policy)
    {
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (OneTopicBroker broker = OneTopicBroker.start(2).append(0, "a").append(1, "x"))
        {
            final MemoryRecords large = MemoryRecords.withRecords(
                7, Compression.gzip().build(), OneTopicBroker.LEADER_EPOCH, new SimpleRecord(new byte[LARGE]));
            broker.script(0, (requested) -> OneTopicBroker.data(0, 8, large));
            try (JavaProcess process = JavaProcess.of(Reader.class).startingQuickly()
                .flags("-XX:MaxDirectMemorySize=24m", "-Xmx128m")
                .args(broker.address(), policy.name()).onStdout(lines::add).start())
            {
                assertEquals(0, process.exitCode(60, TimeUnit.SECONDS), process::outputTail);
            }
        }
        assertEquals(4, lines.size(), lines::toString);
        Collections.sort(lines);
        final int length = 16 << 20;
        assertEquals("No direct memory is left for a buffer of " + length + " bytes: the JVM's limit is " + (24 << 20) +
            " bytes. The partitions that need the buffer wait until there is memory: raise " +
            "-XX:MaxDirectMemorySize (it equals -Xmx unless set), and set expectedLeaders, by which the memory is " +
            "checked at the start.", lines.get(0));
        assertEquals("Partition 0 of topic " + OneTopicBroker.TOPIC + " at offset 0, from broker " +
            OneTopicBroker.NODE_ID + ", stopped: its content needs a buffer of " + length +
            " bytes, for which no direct memory is left: raise -XX:MaxDirectMemorySize (it equals -Xmx unless set), " +
            "in the batch at offset 7; seek past it to continue.", lines.get(1));
        assertEquals("record 1 0", lines.get(2));
        assertEquals("stopped for TOO_LARGE", lines.get(3));
    }
}
