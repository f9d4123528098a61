// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupOffsets;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.Answer;
import org.odradek.protocol.ErrorCode;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests the return to the bootstrap servers, because a broker requires it or because no broker responds.
 */
class RebootstrapTest
{
    private static final String CLUSTER = "cluster-A";

    private final AtomicInteger lookUps = new AtomicInteger();
    private OneTopicBroker broker;

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(1).append(0, "a", "b");
        broker.change(() -> broker.model().broker().cluster().clusterId(CLUSTER));
    }

    @AfterEach
    void close()
    {
        broker.close();
    }

    private ConsumerContext context()
    {
        return Reading.context("bootstrap.test:" + broker.peer().port(), OneTopicBroker.TOPIC)
            .nameResolver((host) ->
            {
                lookUps.incrementAndGet();
                return new InetAddress[] {InetAddress.getByName("127.0.0.1")};
            });
    }

    /** Returns a flag that has the next answer with metadata demand a rebootstrap. */
    private AtomicBoolean scriptDemand()
    {
        final AtomicBoolean isRequired = new AtomicBoolean();
        broker.script(ApiMessageType.METADATA, (call) -> call.answer(isRequired.getAndSet(false) ?
            new MetadataResponseData().setErrorCode(ErrorCode.REBOOTSTRAP_REQUIRED) : broker.metadata(call)));
        return isRequired;
    }

    private void assertContinues(final Reading reading)
    {
        final int before = reading.count(0);
        broker.append(0, "more");
        reading.untilCount(0, before + 1);
        assertEquals(before + 1L, reading.consumer().nextOffset(0));
    }

    private static long rebootstraps(final Reading reading)
    {
        return reading.consumer().counters().get(ConsumerCounters.REBOOTSTRAPS);
    }

    // Behaviour B31.
    @Test
    void shouldRebootstrapWhenMetadataRequiresIt()
    {
        final AtomicBoolean isRequired = scriptDemand();
        try (Reading reading = Reading.start(context().metadataMaxAgeMs(20)))
        {
            reading.untilCount(0, 2);
            final int before = lookUps.get();
            isRequired.set(true);
            reading.until("the event", () -> reading.hasEvent("rebootstrap: broker"));

            assertContinues(reading);
            assertEquals(1, rebootstraps(reading));
            assertTrue(lookUps.get() > before, "the name was not looked up again");
            assertTrue(reading.events().stream().anyMatch((event) -> event.contains("REBOOTSTRAP_REQUIRED")),
                () -> reading.events().toString());
        }
    }

    // Behaviour D49.
    @Test
    void shouldSendTheExpectedClusterAndNodeAndRebootstrapWhenTheyDiffer()
    {
        final List<ApiVersionsRequestData> probes = new CopyOnWriteArrayList<>();
        final AtomicInteger refused = new AtomicInteger();
        broker.script(ApiMessageType.API_VERSIONS, (call) ->
        {
            final ApiVersionsRequestData probe = (ApiVersionsRequestData)call.request();
            probes.add(probe);
            return probe.nodeId() == OneTopicBroker.NODE_ID && refused.getAndIncrement() == 0 ?
                call.answer(new ApiVersionsResponseData().setErrorCode(ErrorCode.REBOOTSTRAP_REQUIRED)) : null;
        });
        try (Reading reading = Reading.start(context()))
        {
            reading.until("the event", () -> reading.hasEvent("rebootstrap: broker 7 at "));
            reading.untilCount(0, 2);

            assertContinues(reading);
            assertEquals(1, rebootstraps(reading));
            assertTrue(probes.stream().anyMatch(
                (probe) -> CLUSTER.equals(probe.clusterId()) && probe.nodeId() == 7), probes::toString);
            assertTrue(probes.stream().anyMatch((probe) -> probe.clusterId() == null), probes::toString);
            assertTrue(probes.stream().allMatch(
                (probe) -> (probe.clusterId() == null) == (probe.nodeId() == -1)), probes::toString);
        }
    }

    @Test
    void shouldLimitHowOftenItRebootstraps()
    {
        final AtomicLong nowNs = new AtomicLong(1);
        broker.script(ApiMessageType.METADATA, (call) -> broker.requestCount(ApiMessageType.METADATA) % 2 == 1 ?
            call.answer(broker.metadata(call)) :
            call.answer(new MetadataResponseData().setErrorCode(ErrorCode.REBOOTSTRAP_REQUIRED)));
        try (Reading reading = Reading.start(context().nanoClock(nowNs::get).metadataMaxAgeMs(1)
            .reconnectBackoffMs(1, 1).retryBackoffMs(1, 60_000)))
        {
            // However often brokers require it, it happens at most once within the longest retry backoff.
            reading.until("many refusals", () ->
            {
                nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(2));
                return broker.requestCount(ApiMessageType.METADATA) >= 10;
            });
            final long atOnce = rebootstraps(reading);
            assertTrue(atOnce >= 1 && atOnce <= 1 + nowNs.get() / TimeUnit.SECONDS.toNanos(60),
                atOnce + " within " + nowNs + " ns");

            reading.until("the next", () ->
            {
                nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
                return rebootstraps(reading) > atOnce;
            });
        }
    }

    // Behaviour B31, tried 2026-11-30: If no broker has answered a metadata request for the trigger interval, or a
    // broker requires it, the client returns to the bootstrap servers, and looks up the coordinators of groups again.
    // Every round of reconnects also tries the bootstrap servers.
    @Test
    void shouldRebootstrapWhenNoBrokerHasAnsweredForLong()
    {
        final AtomicBoolean isAnswering = new AtomicBoolean(true);
        broker.script(ApiMessageType.METADATA, (call) -> isAnswering.get() ?
            call.answer(broker.metadata(call)) : Answer.reset());
        // The clock is that of the machine plus what is skipped, so that no answer is too late before.
        final AtomicLong skippedNs = new AtomicLong();
        try (Reading reading = Reading.start(context().metadataMaxAgeMs(20).rebootstrapTriggerMs(60_000)
            .nanoClock(() -> System.nanoTime() + skippedNs.get())))
        {
            reading.untilCount(0, 2);
            final int before = lookUps.get();
            isAnswering.set(false);
            reading.until("the event", () ->
            {
                skippedNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
                return reading.hasEvent("rebootstrap: no broker has answered for metadata for 60000 ms");
            });
            isAnswering.set(true);

            assertContinues(reading);
            assertTrue(rebootstraps(reading) >= 1);
            assertTrue(lookUps.get() > before, "the name was not looked up again");
        }
    }

    /** The trigger interval has not passed. */
    // Behaviour B31.
    @Test
    void shouldAskABootstrapServerWhenNoKnownBrokerCanBeReached()
    {
        final OneTopicBroker known = OneTopicBroker.start(8, 1).append(0, "a", "b");
        known.change(() -> known.model().broker().cluster().clusterId(CLUSTER));
        broker.script(ApiMessageType.METADATA, (call) -> call.answer(known.metadata(call)));
        try (Reading reading = Reading.start(context()))
        {
            reading.untilCount(0, 2);
            assertEquals(0, broker.requestCount(ApiMessageType.FETCH));
            broker.lead(OneTopicBroker.LEADER_EPOCH + 1);
            broker.script(ApiMessageType.METADATA, (call) -> call.answer(broker.metadata(call)));
            known.close();
            broker.peer().cut();

            assertContinues(reading);
            assertEquals(0, rebootstraps(reading));
        }
        finally
        {
            known.close();
        }
    }

    // Behaviour D49, tried 2026-11-29: A connection to another cluster is detected and reported.
    @Test
    void shouldReportThatTheClusterIsAnother()
    {
        final AtomicBoolean isOther = new AtomicBoolean();
        broker.script(ApiMessageType.METADATA, (call) -> call.answer(isOther.get() ?
            broker.metadata(call).setClusterId("cluster-B") : broker.metadata(call)));
        try (Reading reading = Reading.start(context().metadataMaxAgeMs(20)))
        {
            reading.untilCount(0, 2);
            isOther.set(true);
            reading.until("the error", () -> reading.hasError("cluster cluster-B where cluster-A was known"));

            assertContinues(reading);
            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
        }
    }

    @Test
    void shouldReportATopLevelMetadataErrorOnce()
    {
        final AtomicInteger answers = new AtomicInteger();
        broker.script(ApiMessageType.METADATA, (call) -> call.answer(answers.getAndIncrement() < 4 ?
            broker.metadata(call).setErrorCode(ErrorCode.CLUSTER_AUTHORIZATION_FAILED) : broker.metadata(call)));
        try (Reading reading = Reading.start(context()))
        {
            reading.untilCount(0, 2);

            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
            assertTrue(reading.hasError("CLUSTER_AUTHORIZATION_FAILED"), () -> reading.errors().toString());
        }
    }

    // Behaviour B31.
    @Test
    void shouldLookForTheCoordinatorOfAGroupAgain()
    {
        final AtomicBoolean isRequired = scriptDemand();
        try (Reading reading = Reading.start(context().metadataMaxAgeMs(20)))
        {
            reading.untilCount(0, 2);
            final GroupOffsets offsets = reading.consumer().groupOffsets("group");
            offsets.commitAsync(0, 1);
            reading.until("a commit", () -> offsets.committedOffset(0) == 1);
            assertEquals(1, broker.requestCount(ApiMessageType.FIND_COORDINATOR));
            isRequired.set(true);
            reading.until("the event", () -> reading.hasEvent("rebootstrap: broker"));

            offsets.commitAsync(0, 2);
            reading.until("another commit", () -> offsets.committedOffset(0) == 2);
            assertEquals(2, broker.requestCount(ApiMessageType.FIND_COORDINATOR));
        }
    }
}
