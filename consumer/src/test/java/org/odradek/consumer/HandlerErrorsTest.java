// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.LangUtil;
import org.agrona.concurrent.AgentTerminationException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.ClientException;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.support.Events;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.protocol.record.Record;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests what happens to a partition when the handler throws, under each policy, and how it is resumed.
 */
final class HandlerErrorsTest
{
    private static final RuntimeException PLANTED = new IllegalArgumentException("planted");
    private static final long MS = 1_000_000;

    private final OneTopicBroker broker = OneTopicBroker.start(2).append(0, "a0", "a1", "a2").append(1, "b0", "b1");
    private final AtomicLong nowNs = new AtomicLong(1);
    private final List<String> values = new ArrayList<>();
    private final List<Throwable> errors = new ArrayList<>();
    private final Events events = new Events();
    /** The value of the record at which the handler throws. */
    private String failing = "a1";
    private Throwable thrown = PLANTED;
    private Runnable beforeThrow = () -> { };
    private TopicConsumer consumer;

    private void start(final HandlerErrorPolicy policy)
    {
        final ConsumerContext context = Reading.withoutTimeouts(Reading.context(broker)).nanoClock(nowNs::get)
            .listener(events).errorHandler(errors::add);
        consumer = TopicConsumer.connect(policy == null ? context : context.handlerErrorPolicy(policy));
    }

    @AfterEach
    void close()
    {
        consumer.close();
        broker.close();
    }

    private void onRecord(final Record record)
    {
        final String value = record.buffer().getStringWithoutLengthUtf8(record.valueIndex(), record.valueLength());
        if (value.equals(failing))
        {
            beforeThrow.run();
            LangUtil.rethrowUnchecked(thrown);
        }
        values.add(value);
    }

    private void until(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + 60_000 * MS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, consumer.describe());
            nowNs.addAndGet(MS);
            consumer.poll(this::onRecord, 1_000);
        }
    }

    private void untilRead(final String... expected)
    {
        until(() -> values.size() >= expected.length);
        final List<String> sorted = new ArrayList<>(values);
        sorted.sort(null);
        assertEquals(List.of(expected), sorted);
    }

    private void untilStopped()
    {
        until(() -> consumer.isAssigned(0) && consumer.isStopped(0));
    }

    private long count(final int counter)
    {
        return consumer.counters().get(counter);
    }

    /** @throws ClientException or the Error that left the poll. */
    private Throwable untilThrown()
    {
        try
        {
            until(() -> false);
            return null;
        }
        catch (final RuntimeException | Error ex)
        {
            return ex;
        }
    }

    // Behaviour J129.
    @Test
    void shouldStopAtTheRecordAndDeliverItAgainWhenResumed()
    {
        start(null);
        untilRead("a0", "b0", "b1");
        untilStopped();
        assertEquals(1, consumer.nextOffset(0));
        assertEquals(3, count(ConsumerCounters.RECORDS));
        assertEquals(1, count(ConsumerCounters.HANDLER_ERRORS));
        assertEquals(1, count(ConsumerCounters.PARTITIONS_STOPPED));
        assertEquals(1, count(ConsumerCounters.STOPPED_PARTITIONS));
        assertEquals(0, count(ConsumerCounters.PARTITION_ERRORS));
        assertEquals(List.of("The handler failed on the record at offset 1 of partition 0 of topic scripted, " +
            "which stops at offset 1; resume continues there."), errors.stream().map(Throwable::getMessage).toList());
        assertSame(PLANTED, errors.get(0).getCause());
        assertTrue(consumer.describe().contains("partition 0 stopped for HANDLER: nextOffset=1"));
        assertEquals(List.of("stopped 0 at 1 for HANDLER error 0"), events.of("stopped"));

        // It stays so, while the other partition is read.
        broker.append(1, "b2");
        untilRead("a0", "b0", "b1", "b2");
        assertTrue(consumer.isStopped(0));

        failing = null;
        consumer.resume(0);
        assertFalse(consumer.isStopped(0));
        untilRead("a0", "a1", "a2", "b0", "b1", "b2");
        assertEquals(0, count(ConsumerCounters.STOPPED_PARTITIONS));
        assertEquals(1, errors.size());
        assertEquals(6, count(ConsumerCounters.RECORDS));
    }

    // Behaviour J129.
    @Test
    void shouldThrowAtTheEndOfThePollAndStopThePartition()
    {
        start(HandlerErrorPolicy.THROW);
        final ClientException failure = (ClientException)untilThrown();
        assertSame(PLANTED, failure.getCause());
        assertTrue(failure.getMessage().contains("the record at offset 1 of partition 0"), failure.getMessage());
        assertTrue(consumer.isStopped(0));
        assertEquals(1, consumer.nextOffset(0));
        assertEquals(values.size(), count(ConsumerCounters.RECORDS));
        untilRead("a0", "b0", "b1");
        assertEquals(List.of(), errors);

        failing = null;
        consumer.resume(0);
        untilRead("a0", "a1", "a2", "b0", "b1");
    }

    // Behaviour J129.
    @Test
    void shouldSkipTheRecord()
    {
        start(HandlerErrorPolicy.SKIP);
        untilRead("a0", "a2", "b0", "b1");
        assertFalse(consumer.isStopped(0));
        assertEquals(3, consumer.nextOffset(0));
        assertEquals(5, count(ConsumerCounters.RECORDS));
        assertEquals(1, count(ConsumerCounters.HANDLER_ERRORS));
        assertEquals(List.of("The handler failed on the record at offset 1 of partition 0 of topic scripted, " +
            "which counts as delivered."), errors.stream().map(Throwable::getMessage).toList());
    }

    @ParameterizedTest
    @EnumSource(HandlerErrorPolicy.class)
    void shouldStopThePartitionAndThrowAnErrorUnchanged(final HandlerErrorPolicy policy)
    {
        thrown = new StackOverflowError("planted");
        start(policy);
        assertSame(thrown, untilThrown());
        assertTrue(consumer.isStopped(0));
        assertEquals(1, consumer.nextOffset(0));
        assertEquals(values.size(), count(ConsumerCounters.RECORDS));
        assertEquals(1, count(ConsumerCounters.HANDLER_ERRORS));
        untilRead("a0", "b0", "b1");
        assertEquals(List.of(), errors);
    }

    // Behaviour J129.
    @ParameterizedTest
    @EnumSource(HandlerErrorPolicy.class)
    void shouldThrowATerminationUnchangedAndDeliverTheRecordAgain(final HandlerErrorPolicy policy)
    {
        thrown = new AgentTerminationException("planted");
        start(policy);
        assertSame(thrown, untilThrown());
        assertFalse(consumer.isStopped(0));
        assertEquals(1, consumer.nextOffset(0));
        assertEquals(values.size(), count(ConsumerCounters.RECORDS));
        assertEquals(0, count(ConsumerCounters.HANDLER_ERRORS));
        failing = null;
        untilRead("a0", "a1", "a2", "b0", "b1");
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldStopWhereTheHandlerHasSought()
    {
        beforeThrow = () -> consumer.seek(0, 2);
        start(null);
        untilStopped();
        assertEquals(2, consumer.nextOffset(0));
        assertTrue(errors.get(0).getMessage().endsWith("which stops at offset 2; resume continues there."));
        consumer.resume(0);
        untilRead("a0", "a2", "b0", "b1");
    }

    @Test
    void shouldOnlyReportTheErrorOfAHandlerThatHasUnassigned()
    {
        beforeThrow = () -> consumer.unassign(0);
        start(null);
        until(() -> !errors.isEmpty());
        assertFalse(consumer.isAssigned(0));
        assertTrue(errors.get(0).getMessage().endsWith(" of topic scripted, which is not assigned any more."));
        assertEquals(0, count(ConsumerCounters.PARTITIONS_STOPPED));
        untilRead("a0", "b0", "b1");
    }

    @Test
    void shouldEndAPauseBeforeAStop()
    {
        beforeThrow = () -> consumer.pause(0);
        start(null);
        untilStopped();
        failing = null;
        assertTrue(consumer.isPaused(0));
        consumer.resume(0);
        assertFalse(consumer.isPaused(0));
        assertTrue(consumer.isStopped(0));
        consumer.resume(0);
        untilRead("a0", "a1", "a2", "b0", "b1");
    }

    @Test
    void shouldNotResumeWhatHasStoppedForAnotherReason()
    {
        failing = null;
        broker.script(0, (requested) -> OneTopicBroker.error(0, 2));
        start(null);
        untilStopped();
        broker.heal(0);
        consumer.resume(0);
        assertTrue(consumer.isStopped(0));
        consumer.seek(0, 0);
        assertFalse(consumer.isStopped(0));
        untilRead("a0", "a1", "a2", "b0", "b1");
    }

    // Behaviour J129.
    @Test
    void shouldDeliverAgainLessAndLessOftenWhileTheSameOffsetFails()
    {
        final List<Long> failuresNs = new ArrayList<>();
        beforeThrow = () -> failuresNs.add(nowNs.get());
        start(null);
        until(() ->
        {
            if (consumer.isAssigned(0) && consumer.isStopped(0))
            {
                consumer.resume(0);
            }
            return failuresNs.size() == 6;
        });
        // The backoff is 20 ms, doubles up to 100 ms, and varies by 20 percent.
        final long[] leastMs = {16, 32, 64, 80, 80};
        for (int i = 0; i < leastMs.length; i++)
        {
            final long delayNs = failuresNs.get(i + 1) - failuresNs.get(i);
            assertTrue(delayNs >= leastMs[i] * MS, failuresNs::toString);
        }
    }

    @Test
    void shouldValidateTheOffsetWithALeaderThatIsNewerThanTheStop()
    {
        start(null);
        untilStopped();
        final int before = broker.requestCount(ApiMessageType.OFFSET_FOR_LEADER_EPOCH);
        broker.truncate(0, 0);
        broker.lead(9);
        broker.append(9, 0, new String[] {"other"});
        broker.append(1, "b2");
        untilRead("a0", "b0", "b1", "b2");
        failing = null;
        consumer.resume(0);
        // The record that was delivered is gone.
        until(() -> errors.size() == 2);
        assertTrue(broker.requestCount(ApiMessageType.OFFSET_FOR_LEADER_EPOCH) > before);
        assertTrue(errors.get(1).getMessage().contains("truncated its log"), errors.get(1).getMessage());
        consumer.resume(0);
        assertTrue(consumer.isStopped(0));
        assertEquals(List.of(), values.stream().filter("other"::equals).toList());
    }

    @Test
    void shouldNotResumeInATopicThatWasCreatedAgain()
    {
        start(null);
        untilStopped();
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData response = broker.metadata(call);
            response.topics().forEach((topic) -> topic.setTopicId(new Uuid(1, 2)));
            return call.answer(response);
        });
        nowNs.addAndGet(400_000 * MS);
        until(() -> errors.size() == 2);
        assertTrue(errors.get(1).getMessage().contains("deleted and created again"), errors.get(1).getMessage());
        consumer.resume(0);
        assertTrue(consumer.isStopped(0));
    }

    @ParameterizedTest
    @EnumSource(HandlerErrorPolicy.class)
    void shouldGoBackToTheOffsetAtWhichABatchWasOffered(final HandlerErrorPolicy policy)
    {
        start(policy);
        final List<Long> offered = new ArrayList<>();
        Throwable left = null;
        while (offered.isEmpty())
        {
            nowNs.addAndGet(MS);
            try
            {
                consumer.pollBatches((batch) ->
                {
                    if (batch.partition() == 0)
                    {
                        offered.add(batch.fromOffset());
                        throw PLANTED;
                    }
                    return Action.CONTINUE;
                }, 10);
            }
            catch (final ClientException ex)
            {
                left = ex;
            }
        }
        final boolean isSkipped = policy == HandlerErrorPolicy.SKIP;
        assertEquals(isSkipped ? 3 : 0, consumer.nextOffset(0));
        assertEquals(!isSkipped, consumer.isStopped(0));
        assertEquals(policy == HandlerErrorPolicy.THROW, left != null);
        final Throwable reported = left == null ? errors.get(0) : left;
        assertTrue(reported.getMessage().startsWith("The handler failed on the batch at offsets 0 to 2 of partition 0"),
            reported.getMessage());
        assertEquals(1, errors.size() + (left == null ? 0 : 1));
    }

    @Test
    void shouldRefuseNoPolicy()
    {
        final ConsumerContext context = Reading.context(broker).handlerErrorPolicy(null);
        consumer = TopicConsumer.connect(Reading.context(broker));
        assertEquals("handlerErrorPolicy is null: it must be set",
            assertThrows(IllegalArgumentException.class, context::conclude).getMessage());
    }
}
