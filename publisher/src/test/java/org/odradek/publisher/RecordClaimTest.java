// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.odradek.testkit.internal.JavaProcess;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Claims that are left open, as by a handler that throws, and views of a claim that are kept after its end. */
class RecordClaimTest
{
    private static final int LENGTH = 500;

    private static long claim(final TopicPublisher topic)
    {
        return topic.tryClaim(0, TopicPublisher.NULL_LENGTH, LENGTH);
    }

    private static void shouldGoOnAfter(final Consumer<Publisher> work)
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final TopicPublisher topic = client.topic();
            client.offer(0, "a");
            assertEquals(2, claim(topic));
            assertThrows(IllegalStateException.class, () -> client.tryOfferTo(topic, 0, "b"));
            assertEquals(0, client.counter(PublisherCounters.CLAIMS_ABORTED));

            work.accept(client.publisher);

            assertEquals(1, client.counter(PublisherCounters.CLAIMS_ABORTED));
            assertEquals(1, client.errors.size());
            assertTrue(client.errors.get(0).startsWith("A record that was claimed for partition 0 of topic published " +
                "was neither committed nor aborted"), client.errors::toString);
            assertThrows(IllegalStateException.class, () -> topic.claim().commit());
            client.offer(0, "b");
            assertEquals(3, claim(topic));
            topic.claim().abort();
            client.acknowledge();
            assertEquals(2, client.topic().acknowledgedPosition(0));
            assertEquals(1, client.counter(PublisherCounters.CLAIMS_ABORTED));
        }
    }

    // Behaviour Q223.
    @Test
    void shouldAbortAClaimThatWasLeftOpen()
    {
        shouldGoOnAfter(Publisher::doWork);
        shouldGoOnAfter((publisher) -> publisher.awaitAcknowledged(1));
        shouldGoOnAfter((publisher) -> publisher.awaitReady(1));
    }

    // Behaviour Q223.
    @Test
    void shouldAbortAnOpenClaimAtAClose()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            client.offer(0, "a");
            claim(client.topic());
            client.publisher.close();

            assertEquals(List.of("acknowledged 0: 1+1"), client.events);
            assertEquals(1, client.counter(PublisherCounters.CLAIMS_ABORTED));
            assertEquals(1, client.errors.size(), client.errors::toString);
            assertEquals(1, broker.sent.get(0).count());
        }
    }

    // Behaviour Q223.
    @Test
    void shouldBeAbortedByTheEndOfATryStatementOnlyIfItIsOpen()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final TopicPublisher topic = client.topic();
            assertThrows(ArithmeticException.class, () ->
            {
                claim(topic);
                try (RecordClaim claim = topic.claim())
                {
                    claim.value().putByte(0, (byte)(1 / client.errors.size()));
                }
            });
            assertEquals(1, claim(topic));
            try (RecordClaim claim = topic.claim())
            {
                assertEquals(1, claim.commit());
            }
            topic.claim().close();
            client.acknowledge();

            assertEquals(1, client.topic().acknowledgedPosition(0));
            assertEquals(0, client.counter(PublisherCounters.CLAIMS_ABORTED));
            assertEquals(List.of(), client.errors);
        }
    }

    @Test
    void shouldRefuseToWriteThroughAViewThatWasKept()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final TopicPublisher topic = client.topic();
            claim(topic);
            final MutableDirectBuffer kept = topic.claim().value();
            topic.claim().commit();

            assertEquals(0, kept.capacity());
            assertThrows(IndexOutOfBoundsException.class, () -> kept.putByte(0, (byte)1));
        }
    }

    /** Without checks of bounds such a write would end the JVM, or be in a record that was accepted. */
    // Behaviour Q223.
    @Test
    void shouldHaveLateWritesLandWhereNobodyReads()
    {
        try (JavaProcess process = JavaProcess.of(LateWrites.class).flags("-Xmx64m", "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=/dev/null", "-Dagrona.disable.bounds.checks=true").start())
        {
            assertEquals(0, process.exitCode(50, TimeUnit.SECONDS), process::outputTail);
        }
    }

    /** Main class of a JVM that writes through views which it has kept; 0 if the record was sent as committed. */
    public static final class LateWrites
    {
        private LateWrites()
        {
        }

        /** No arguments. */
        public static void main(final String[] args)
        {
            final ProducingBroker broker = ProducingBroker.start(1);
            final Publishing client = Publishing.start(broker);
            final TopicPublisher topic = client.topic();
            claim(topic);
            final MutableDirectBuffer kept = topic.claim().value();
            kept.setMemory(0, LENGTH, (byte)'a');
            topic.claim().commit();
            write(kept);
            client.acknowledge();
            claim(topic);
            topic.claim().value().setMemory(0, LENGTH, (byte)'a');
            client.publisher.doWork();
            write(kept);
            client.publisher.close();
            write(kept);
            final String sent = new String(broker.sent.get(0).bytes(), StandardCharsets.ISO_8859_1);
            System.exit(broker.sent.size() == 1 && sent.contains("a".repeat(LENGTH)) ? 0 : 1);
        }

        private static void write(final MutableDirectBuffer kept)
        {
            kept.setMemory(0, LENGTH, (byte)'b');
            kept.putBytes(0, new UnsafeBuffer(new byte[LENGTH]), 0, LENGTH);
            kept.putLong(LENGTH - Long.BYTES, -1);
        }
    }
}
