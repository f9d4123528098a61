// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.concurrent.AgentTerminationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientException;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordCopy;
import org.odradek.protocol.record.RecordFlyweight;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what workers handle, and what is acknowledged meanwhile, one step at a time. */
class WorkersTest
{
    private static final Function<Record, Action> FAILS =
        (record) ->
        {
            throw new IllegalStateException("planted");
        };

    @Test
    void shouldHandleTheRecordsOfEachWorkerInTheirOrder()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a").record(0, "1b").record(0, "0c").record(1, "1a").record(1, "0d");

            assertEquals(5, fixture.dispatch());
            fixture.work(1);
            fixture.work(0);

            assertEquals(List.of("1 0:1", "1 1:0", "0 0:0", "0 0:2", "0 1:1"), fixture.handled);
            assertEquals(3, fixture.count(0, WorkerCounters.RECORDS));
            assertEquals(List.of(), fixture.errors);
        }
    }

    @Test
    void shouldCopyEveryFieldOfARecord()
    {
        final List<String> copied = new ArrayList<>();
        final List<String> delivered = new ArrayList<>();
        try (WorkersFixture fixture = new WorkersFixture(1, HandlerErrorPolicy.STOP, (settings) -> settings.router(
            (record, workers) ->
            {
                delivered.add(fields(record));
                return 0;
            })))
        {
            fixture.handler = (record) ->
            {
                copied.add(fields(record));
                return null;
            };
            fixture.frames().timestamp(1_234_567_890_123L).offset(3, 1L << 40)
                .record(3, "key".getBytes(US_ASCII), "value".getBytes(US_ASCII), Map.of("h", "x".getBytes(US_ASCII)))
                .record(3, null, new byte[0]).record(3, new byte[0], null).record(3, null, null)
                .record(3, "k".getBytes(US_ASCII), new byte[300], Map.of("name", new byte[3]));

            fixture.dispatch();
            fixture.work(0);

            assertEquals(5, copied.size());
            assertEquals(delivered, copied);
            assertTrue(copied.get(0).contains("[h=x]"), copied::toString);
        }
    }

    private static String fields(final Record record)
    {
        final StringBuilder text = new StringBuilder(record.toString()).append(record.ownershipEpoch())
            .append(record.leaderEpoch()).append(record.isLogAppendTime())
            .append(record.keyLength() < 0 ? null : US_ASCII.decode(record.keyByteBuffer()))
            .append(record.valueLength() < 0 ? null : US_ASCII.decode(record.valueByteBuffer()));
        for (var headers = record.headers(); headers.next();)
        {
            text.append('[').append(ascii(record, headers.keyIndex(), headers.keyLength())).append('=')
                .append(ascii(record, headers.valueIndex(), headers.valueLength())).append(']');
        }
        return text.toString();
    }

    private static String ascii(final Record record, final int index, final int length)
    {
        return record.buffer().getStringWithoutLengthAscii(index, length);
    }

    @Test
    void shouldAcknowledgeWhatAllWorkersHaveCompleted()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a").record(0, "1b").record(1, "0c");
            fixture.dispatch();
            fixture.workers.doWork();
            fixture.work(0);
            fixture.workers.doWork();
            assertEquals(List.of(), fixture.acknowledged);
            assertFalse(fixture.workers.isPassed());

            fixture.work(1);
            fixture.workers.doWork();

            assertEquals(List.of("0:2", "1:1"), fixture.acknowledged);
            assertTrue(fixture.workers.isPassed());
        }
    }

    @Test
    void shouldNoteTheNextBarrierAfterTheInterval()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a").record(1, "0b");
            fixture.frames().endFrame();
            fixture.dispatch();
            fixture.work(0);
            fixture.workers.doWork();
            assertEquals(List.of("0:1", "1:1"), fixture.acknowledged);

            fixture.workers.handler().onRecord(recordOf(0, 1, "0c"));
            fixture.work(0);
            fixture.workers.doWork();
            fixture.passMs(9);
            fixture.workers.doWork();
            assertEquals(2, fixture.acknowledged.size());
            fixture.passMs(1);
            fixture.workers.doWork();
            assertEquals(List.of("0:1", "1:1", "0:2"), fixture.acknowledged);
        }
    }

    /** A view that stays valid, of a record with its own memory. */
    private static Record recordOf(final int partition, final long offset, final String key)
    {
        final List<Record> records = new ArrayList<>();
        final WorkerRing ring = new WorkerRing(4096);
        try (WorkersFixture other = new WorkersFixture(1, HandlerErrorPolicy.STOP, (settings) -> settings.router(
            (record, workers) -> ring.write(record, RecordCopy.length(record), 1) ? -1 : 0)))
        {
            other.frames().offset(partition, offset);
            other.record(partition, key).dispatch();
        }
        ring.messages.read((type, buffer, index, length) -> records.add(RecordCopy.wrap(
            new RecordFlyweight(), ring.memory, index, length)));
        return records.get(0);
    }

    @Test
    void shouldShowForWhichWorkerTheBarrierWaits()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a").record(0, "1b");
            fixture.dispatch();
            fixture.workers.doWork();
            fixture.work(0);
            fixture.passMs(9);
            fixture.workers.doWork();
            assertEquals(0, fixture.count(1, WorkerCounters.BARRIER_AGE_NS), "only once in an interval");
            fixture.passMs(1);
            fixture.workers.doWork();

            assertEquals(0, fixture.count(0, WorkerCounters.BARRIER_AGE_NS));
            assertEquals(10_000_000, fixture.count(1, WorkerCounters.BARRIER_AGE_NS));
            fixture.work(1);
            fixture.pass();
            assertEquals(0, fixture.count(1, WorkerCounters.BARRIER_AGE_NS));
        }
    }

    @Test
    void shouldDispatchNothingBeyondTheGreatestAgeOfABarrier()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a");
            fixture.dispatch();
            fixture.workers.doWork();
            fixture.passMs(10_000);
            fixture.workers.doWork();
            assertEquals(10_000_000_000L, fixture.workers.counters().barrierAgeNs());
            final Record next = recordOf(0, 1, "1b");
            assertEquals(Action.CONTINUE, fixture.workers.handler().onRecord(next));

            fixture.passMs(1);
            fixture.workers.doWork();
            fixture.workers.doWork();
            assertEquals(Action.ABORT, fixture.workers.handler().onRecord(recordOf(0, 2, "1c")));
            assertEquals(1, fixture.errors.size());
            fixture.assertError(0, "waited 10001 ms for worker 0");

            fixture.work(0);
            fixture.workers.doWork();
            assertEquals(List.of("0:1"), fixture.acknowledged);
            assertEquals(Action.CONTINUE, fixture.workers.handler().onRecord(recordOf(0, 2, "1c")));
            fixture.work(1);
            fixture.pass();
            assertEquals(List.of("0:1", "0:2", "0:3"), fixture.acknowledged);
        }
    }

    @Test
    void shouldCountARecordWithoutAWorkerAsDone()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "/a").record(0, "/b");
            assertEquals(2, fixture.dispatch());

            fixture.pass();

            assertEquals(List.of("0:2"), fixture.acknowledged);
            assertEquals(List.of(), fixture.handled);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"9", "."})
    void shouldStopAtARecordForWhichTheRouterNamesNoWorker(final String key)
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a").record(0, key).record(0, "0c");
            assertEquals(1, fixture.dispatch());
            assertEquals(0, fixture.dispatch());
            assertEquals(1, fixture.errors.size());
            fixture.assertError(0, "The router failed on the record at offset 1 of partition 0");
            assertTrue(fixture.workers.describe().contains(fixture.errors.get(0)), fixture.workers::describe);
            fixture.work(0);
            fixture.pass();

            assertEquals(List.of("0:1"), fixture.acknowledged);
        }
    }

    /** Also after an Error: it must not leave the poll, which would stop a partition. */
    @Test
    void shouldReportARouterThatThrowsAndContinueWithAnotherRecord()
    {
        final RecordRouter router = (record, workers) ->
        {
            if (record.offset() == 0)
            {
                throw new LinkageError("planted");
            }
            return 0;
        };
        try (WorkersFixture fixture = new WorkersFixture(1, HandlerErrorPolicy.STOP, (s) -> s.router(router)))
        {
            fixture.record(0, "0a");
            assertEquals(0, fixture.dispatch());
            assertEquals(Action.ABORT, fixture.workers.handler().onRecord(recordOf(0, 0, "0a")));
            assertEquals(Action.CONTINUE, fixture.workers.handler().onRecord(recordOf(0, 1, "0a")));
            fixture.assertError(0, "The router failed");
            assertTrue(fixture.errors.size() <= 2, fixture.errors::toString);
        }
    }

    @Test
    void shouldAskARouterAgainAboutARecordThatWasNotDeliveredMeanwhile()
    {
        final boolean[] isFailing = {true};
        final RecordRouter router = (record, workers) ->
        {
            if (isFailing[0])
            {
                throw new IllegalStateException("planted");
            }
            return 0;
        };
        try (WorkersFixture fixture = new WorkersFixture(1, HandlerErrorPolicy.STOP, (s) -> s.router(router)))
        {
            fixture.record(0, "0a");
            assertEquals(0, fixture.dispatch());
            isFailing[0] = false;
            final Record record = recordOf(0, 0, "0a");
            for (int i = 0; i < 3; i++)
            {
                assertEquals(Action.ABORT, fixture.workers.handler().onRecord(record));
                fixture.workers.doWork();
            }
            assertEquals(1, fixture.errors.size(), fixture.errors::toString);

            // As while the partition is paused.
            fixture.workers.doWork();

            assertEquals(Action.CONTINUE, fixture.workers.handler().onRecord(record));
        }
    }

    /** Has 100 records for worker 0, whose ring has room for less than half of them. */
    private static WorkersFixture withMoreThanARing()
    {
        final WorkersFixture fixture =
            new WorkersFixture(2, HandlerErrorPolicy.STOP, (settings) -> settings.ringLength(4096));
        for (int i = 0; i < 100; i++)
        {
            fixture.record(0, "0key");
        }
        return fixture;
    }

    @Test
    void shouldRefuseRecordsWhileARingIsFull()
    {
        try (WorkersFixture fixture = withMoreThanARing())
        {
            fixture.record(0, "1key");
            final int first = fixture.dispatch();
            assertTrue(first > 20 && first < 50, () -> first + " records");
            fixture.passMs(3);
            assertEquals(0, fixture.dispatch());
            assertEquals(3_000_000, fixture.count(0, WorkerCounters.RING_FULL_NS));
            assertTrue(fixture.count(0, WorkerCounters.RING_BYTES) > 3_000, fixture.workers::describe);

            while (!fixture.isDispatched())
            {
                fixture.work(0);
                fixture.dispatch();
            }
            fixture.workAll(0);
            fixture.workAll(1);
            fixture.pass();

            assertEquals(101, fixture.handled.size());
            assertEquals(List.of("0:101"), fixture.acknowledged);
            assertEquals(0, fixture.count(1, WorkerCounters.RING_FULL_NS));
            assertEquals(0, fixture.count(0, WorkerCounters.RING_BYTES));
        }
    }

    /** For example because its partition is paused. */
    @Test
    void shouldNotCountAFullRingWhileItsRecordIsNotOffered()
    {
        try (WorkersFixture fixture = withMoreThanARing())
        {
            fixture.dispatch();
            fixture.passMs(3);
            fixture.workers.doWork();
            fixture.dispatch();
            fixture.workers.doWork();

            fixture.workers.doWork();
            fixture.passMs(1_000);
            fixture.dispatch();

            assertEquals(3_000_000, fixture.count(0, WorkerCounters.RING_FULL_NS));
        }
    }

    /** Records of many lengths, so that there is padding of many lengths at the end of the ring. */
    @Test
    void shouldPassPaddingAtTheEndOfTheRing()
    {
        try (WorkersFixture fixture =
            new WorkersFixture(1, HandlerErrorPolicy.STOP, (settings) -> settings.ringLength(4096)))
        {
            for (int i = 0; i < 2_000; i++)
            {
                fixture.record(0, "0key", i * 7 % 430);
            }
            int dispatched = 0;
            while (dispatched < 2_000)
            {
                dispatched += fixture.dispatch();
                fixture.workAll(0);
                fixture.pass();
                assertEquals("0:" + dispatched, fixture.acknowledged.get(fixture.acknowledged.size() - 1));
                assertTrue(fixture.workers.isPassed());
            }
            assertEquals(2_000, fixture.handled.size());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldStopAtWhatIsTooLargeUnlessItIsSkipped(final boolean isSkipped)
    {
        try (WorkersFixture fixture = new WorkersFixture(
            1, HandlerErrorPolicy.STOP, (settings) -> settings.ringLength(4096).skipTooLarge(isSkipped)))
        {
            fixture.record(0, "0", 450).record(0, "0", 461).record(0, "0", 10);
            fixture.dispatch();
            fixture.dispatch();
            fixture.work(0);
            fixture.pass();

            assertEquals(isSkipped ? List.of("0 0:0", "0 0:2") : List.of("0 0:0"), fixture.handled);
            assertEquals(List.of(isSkipped ? "0:3" : "0:1"), fixture.acknowledged);
            assertEquals(1, fixture.errors.size());
            fixture.assertError(0, "of 51");
            fixture.assertError(0, "at offset 1 of partition 0");
            assertEquals(isSkipped ? 1 : 0, fixture.count(0, WorkerCounters.TOO_LARGE));
        }
    }

    @Test
    void shouldOfferARefusedRecordAgain()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a").record(0, "0b").record(0, "0c");
            fixture.handler = (record) -> record.offset() == 1 ? Action.ABORT : Action.CONTINUE;
            fixture.dispatch();
            fixture.work(0);
            fixture.work(0);
            fixture.pass();
            assertEquals(List.of("0 0:0", "0 0:1 refused", "0 0:1 refused"), fixture.handled);
            assertEquals(List.of(), fixture.acknowledged);

            fixture.handler = (record) -> Action.BREAK;
            fixture.work(0);
            fixture.work(0);
            fixture.pass();
            assertEquals(List.of("0 0:1", "0 0:2"), fixture.handled.subList(3, 5));
            assertEquals(List.of("0:3"), fixture.acknowledged);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"STOP", "THROW"})
    void shouldStopAtARecordForWhichTheHandlerThrows(final HandlerErrorPolicy policy)
    {
        try (WorkersFixture fixture = new WorkersFixture(policy))
        {
            fixture.record(0, "0a").record(0, "1b").record(0, "0c");
            fixture.dispatch();
            fixture.handler = FAILS;
            if (policy == HandlerErrorPolicy.THROW)
            {
                final ClientException thrown = assertThrows(ClientException.class, () -> fixture.work(0));
                assertEquals("planted", thrown.getCause().getMessage());
            }
            else
            {
                fixture.work(0);
            }
            fixture.assertError(
                0, "worker 0 failed on the record at offset 0 of partition 0, at which the worker stops");
            assertEquals(1, fixture.count(0, WorkerCounters.STATE));
            assertEquals(1, fixture.count(0, WorkerCounters.HANDLER_ERRORS));
            assertTrue(fixture.workers.describe().contains(fixture.errors.get(0)), fixture.workers::describe);

            fixture.handler = (record) -> Action.CONTINUE;
            fixture.work(0);
            fixture.work(1);
            fixture.pass();
            assertEquals(List.of("1 0:1"), fixture.handled);
            assertEquals(List.of(), fixture.acknowledged);

            fixture.workers.worker(0).resume();
            fixture.work(0);
            fixture.pass();
            assertEquals(List.of("1 0:1", "0 0:0", "0 0:2"), fixture.handled);
            assertEquals(List.of("0:3"), fixture.acknowledged);
            assertEquals(0, fixture.count(0, WorkerCounters.STATE));
            assertEquals(1, fixture.errors.size());
        }
    }

    /** A resume ends a stop, not the next one. */
    @Test
    void shouldStopAgainAfterAResume()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a");
            fixture.dispatch();
            fixture.handler = FAILS;
            fixture.workers.worker(0).resume();
            fixture.work(0);
            fixture.work(0);
            assertEquals(1, fixture.count(0, WorkerCounters.HANDLER_ERRORS));
            fixture.workers.worker(0).resume();
            fixture.work(0);
            fixture.work(0);
            assertEquals(2, fixture.count(0, WorkerCounters.HANDLER_ERRORS));
        }
    }

    @Test
    void shouldSkipARecordForWhichTheHandlerThrowsIfThePolicySaysSo()
    {
        try (WorkersFixture fixture = new WorkersFixture(HandlerErrorPolicy.SKIP))
        {
            fixture.record(0, "0a").record(0, "0b").record(0, "0c");
            fixture.handler = (record) -> record.offset() == 1 ? FAILS.apply(record) : Action.CONTINUE;
            fixture.dispatch();
            fixture.work(0);
            fixture.pass();

            assertEquals(List.of("0 0:0", "0 0:2"), fixture.handled);
            assertEquals(List.of("0:3"), fixture.acknowledged);
            fixture.assertError(0, "at offset 1 of partition 0, which counts as processed");
            assertEquals(2, fixture.count(0, WorkerCounters.RECORDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndAWorkerAfterAnError(final HandlerErrorPolicy policy)
    {
        try (WorkersFixture fixture = new WorkersFixture(policy))
        {
            final Error error = new LinkageError("planted");
            fixture.record(0, "0a").record(0, "0b").record(0, "1c");
            fixture.handler = (record) ->
            {
                if (record.offset() == 1)
                {
                    throw error;
                }
                return Action.CONTINUE;
            };
            fixture.dispatch();
            assertSame(error, assertThrows(LinkageError.class, () -> fixture.work(0)));
            fixture.workers.worker(0).resume();
            fixture.work(0);
            fixture.work(1);
            assertEquals(2, fixture.count(0, WorkerCounters.STATE));

            final ClientException report = assertThrows(ClientException.class, fixture.workers::doWork);
            assertSame(error, report.getCause().getCause());
            fixture.pass();
            assertEquals(List.of("0 0:0", "1 0:2"), fixture.handled);
            assertEquals(List.of(), fixture.acknowledged);
            assertEquals(Action.ABORT, fixture.workers.handler().onRecord(recordOf(0, 3, "1d")));
            fixture.assertError(0, "and the worker has ended");
            assertEquals(1, fixture.errors.size());
        }
    }

    @Test
    void shouldOfferARecordAgainWhoseHandlerEndsTheAgent()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a");
            fixture.dispatch();
            fixture.handler = (record) ->
            {
                throw new AgentTerminationException();
            };
            assertThrows(AgentTerminationException.class, () -> fixture.work(0));
            fixture.handler = (record) -> Action.CONTINUE;
            fixture.work(0);
            assertEquals(List.of("0 0:0"), fixture.handled);
            assertEquals(List.of(), fixture.errors);
        }
    }

    @Test
    void shouldReportAWorkerThatIsClosedBeforeItHasProcessedEverything()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a").record(0, "1b");
            fixture.dispatch();
            fixture.work(0);
            fixture.workers.worker(1).onClose();
            fixture.workers.worker(1).onClose();
            fixture.assertError(0, "Worker 1 was closed before the dispatcher");
            assertEquals(1, fixture.errors.size());

            assertThrows(ClientException.class, fixture.workers::doWork);
            fixture.work(1);
            fixture.pass();
            assertEquals(List.of("0 0:0"), fixture.handled);
            assertEquals(List.of(), fixture.acknowledged);
        }
    }

    @Test
    void shouldCloseWorkersSilentlyThatHaveProcessedEverything()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a");
            fixture.dispatch();
            fixture.work(0);
            fixture.pass();
            fixture.workers.worker(0).onClose();
            fixture.workers.worker(1).onClose();
            assertEquals(List.of(), fixture.errors);
        }
    }

    @Test
    void shouldRefuseASecondThread() throws InterruptedException
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.work(0);
            final List<Throwable> thrown = new ArrayList<>();
            final Thread thread = new Thread(() ->
                thrown.add(assertThrows(IllegalStateException.class, () -> fixture.work(0))));
            thread.start();
            thread.join();
            assertTrue(thrown.get(0).getMessage().startsWith("worker 0 belongs to thread"), thrown::toString);
        }
    }

    /** As a program does whose setup fails before an agent runs; no broker is needed. */
    @Test
    void shouldCloseWithoutAnAgent()
    {
        final List<String> errors = new ArrayList<>();
        final Workers workers = Workers.connect(new ConsumerContext().bootstrapServers("127.0.0.1:1").topic("topic")
            .group(new GroupSettings("group").commitPolicy(CommitPolicy.acknowledged()))
            .errorHandler((error) -> errors.add(error.getMessage())),
            new WorkerSettings(1, (worker) -> (record) -> null));
        assertSame(workers.dispatcher(), workers.dispatcher());

        workers.close();
        workers.close();
        workers.dispatcher().onClose();
        workers.worker(0).onClose();

        assertTrue(workers.consumer().describe().contains(", closed"), workers.consumer()::describe);
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldSkipWhatWasNotBegunAfterAClose()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a").record(1, "1b");
            fixture.dispatch();
            fixture.work(0);

            fixture.workers.close();
            fixture.work(1);
            fixture.workers.worker(1).onClose();

            assertEquals(List.of("0 0:0"), fixture.handled);
            assertEquals(1, fixture.count(1, WorkerCounters.RECORDS_SKIPPED));
            assertEquals(List.of(), fixture.errors);
        }
    }

    @Test
    void shouldHaveNoConsumerWithoutAGroup()
    {
        final Workers workers =
            Workers.of(new WorkerSettings(1, (worker) -> (record) -> null), (partition, epoch, offset) -> {});

        assertThrows(IllegalStateException.class, workers::consumer);
        assertThrows(IllegalStateException.class, workers::dispatcher);
        assertEquals(1, workers.count());
        assertEquals("worker-0", workers.worker(0).roleName());
    }
}
