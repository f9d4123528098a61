// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.concurrent.Agent;
import org.agrona.concurrent.CompositeAgent;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.protocol.record.Record;
import org.odradek.publisher.InputBarrier;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.TopicPublisher;
import org.odradek.testkit.internal.JavaProcess;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests members of a group at a real broker, each with two workers on threads of their own. */
@ExtendWith(SharedBroker.class)
class WorkersIT
{
    private static final int PARTITIONS = 4;
    private static final int ROUNDS = 5;
    private static final int NUMBERS = 40;
    private static final int KILLS = 3;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final Processed processed = new Processed();
    private final List<String> errors = Collections.synchronizedList(new ArrayList<>());
    private final String topic = SharedBroker.topic(PARTITIONS);

    private ControlledRecordHandler handler(final Worker worker)
    {
        return (record) ->
        {
            add(record);
            return Action.CONTINUE;
        };
    }

    private void add(final Record record)
    {
        processed.add(record.partition(), record.offset(), US_ASCII.decode(record.keyByteBuffer()).toString(),
            Integer.parseInt(US_ASCII.decode(record.valueByteBuffer()).toString()), false);
    }

    private RunningWorkers start(final GroupProtocol protocol, final WorkerSettings settings)
    {
        return new RunningWorkers(Workers.connect(
            SharedBroker.context(SharedBroker.broker().bootstrapServers(), topic, protocol)
            .errorHandler((error) -> errors.add(error.getMessage())), settings), (worker) -> worker,
            (thrown) -> errors.add(thrown.toString()));
    }

    private void until(final String what, final Callable<Boolean> condition) throws Exception
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!condition.call())
        {
            assertTrue(deadlineNs - System.nanoTime() > 0, () -> "timed out: " + what + ", " + processed.count() +
                " records, errors " + errors);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private void assertCommittedOnlyWhatIsProcessed() throws Exception
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            processed.assertProcessedBefore(p, SharedBroker.committed(topic, p));
        }
    }

    private void assertAllProcessedAndCommitted() throws Exception
    {
        assertNull(processed.failure());
        assertEquals(NUMBERS * SharedBroker.KEYS, processed.count());
        assertEquals(NUMBERS * SharedBroker.KEYS, SharedBroker.committedRecords(topic, PARTITIONS));
        assertEquals(List.of(), errors);
    }

    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldProcessEachRecordOnceWhilePartitionsMove(final GroupProtocol protocol) throws Exception
    {
        int numbers = 0;
        try (RunningWorkers first = start(protocol, new WorkerSettings(2, this::handler)))
        {
            for (int round = 0; round < ROUNDS; round++)
            {
                SharedBroker.write(topic, PARTITIONS, numbers, numbers + NUMBERS);
                numbers += NUMBERS;
                final int all = numbers * SharedBroker.KEYS;
                until("the first records", () -> processed.count() > all - NUMBERS * SharedBroker.KEYS);
                try (RunningWorkers second = start(protocol, new WorkerSettings(2, this::handler)))
                {
                    final int more = numbers;
                    until("a move", () ->
                    {
                        assertCommittedOnlyWhatIsProcessed();
                        return second.workers().consumer().counters().get(ConsumerCounters.PARTITIONS_ASSIGNED) > 0;
                    });
                    SharedBroker.write(topic, PARTITIONS, more, more + NUMBERS);
                    numbers += NUMBERS;
                    until("records of the second", () -> second.workers().counters().get(0, WorkerCounters.RECORDS) +
                        second.workers().counters().get(1, WorkerCounters.RECORDS) > 0);
                }
                assertCommittedOnlyWhatIsProcessed();
            }
            final int all = numbers * SharedBroker.KEYS;
            until("all records", () -> processed.count() >= all);
            assertEquals(0, first.workers().counters().get(0, WorkerCounters.HANDLER_ERRORS));
        }

        assertNull(processed.failure());
        assertEquals(numbers * SharedBroker.KEYS, processed.count());
        assertEquals(List.of(), errors);
        assertEquals(numbers * SharedBroker.KEYS, SharedBroker.committedRecords(topic, PARTITIONS));
    }

    private Workers connect(final WorkerSettings settings)
    {
        return Workers.connect(
            SharedBroker.context(SharedBroker.broker().bootstrapServers(), topic, GroupProtocol.CONSUMER)
            .errorHandler((error) -> errors.add(error.getMessage())), settings);
    }

    /** Dispatches all records, but leaves most of them to be processed. Returns an agent for one thread. */
    private Agent dispatchAll(final Workers workers) throws Exception
    {
        SharedBroker.write(topic, PARTITIONS, 0, NUMBERS);
        final Agent dispatcher = workers.dispatcher();
        final Agent all = new CompositeAgent(dispatcher, workers.worker(0), workers.worker(1));
        all.onStart();
        until("all records", () ->
        {
            dispatcher.doWork();
            return workers.consumer().counters().records() == NUMBERS * SharedBroker.KEYS || all.doWork() < 0;
        });
        return all;
    }

    /** The close commits what a barrier has passed since the last commit, although nothing else moves the barrier. */
    @Test
    void shouldCommitEverythingInACloseOnOneThread() throws Exception
    {
        dispatchAll(connect(
            new WorkerSettings(2, this::handler).barrierIntervalMs(60_000).barrierMaxAgeMs(60_000))).onClose();

        assertAllProcessedAndCommitted();
    }

    @Test
    void shouldLoseNothingIfACallbackTriesToClose() throws Exception
    {
        final Workers workers = connect(new WorkerSettings(2, this::handler));
        final Agent all = dispatchAll(workers);

        workers.consumer().await(() ->
        {
            assertThrows(IllegalStateException.class, workers::close);
            return true;
        }, TIMEOUT_NS);
        until("all records", () ->
        {
            all.doWork();
            return processed.count() == NUMBERS * SharedBroker.KEYS;
        });
        all.onClose();

        assertAllProcessedAndCommitted();
    }

    @Test
    void shouldBeginNoRecordAfterTheTimeOfAClose() throws Exception
    {
        final Workers workers = connect(new WorkerSettings(2, this::handler));
        final Agent all = dispatchAll(workers);
        final int count = processed.count();
        assertTrue(count < NUMBERS * SharedBroker.KEYS, () -> count + " records");

        workers.consumer().close(0);
        all.onClose();

        assertEquals(count, processed.count());
        assertCommittedOnlyWhatIsProcessed();
    }

    @Test
    void shouldLoseNothingWhenAWorkerStops() throws Exception
    {
        final AtomicBoolean isFailing = new AtomicBoolean(true);
        SharedBroker.write(topic, PARTITIONS, 0, NUMBERS);
        final WorkerSettings settings = new WorkerSettings(2, (worker) -> (record) ->
        {
            if (isFailing.get() && record.partition() == 1 && record.offset() == 7)
            {
                throw new IllegalStateException("planted");
            }
            add(record);
            return null;
        });
        try (RunningWorkers first = start(GroupProtocol.CONSUMER, settings))
        {
            until("a stop", () -> first.workers().counters().get(0, WorkerCounters.STATE) +
                first.workers().counters().get(1, WorkerCounters.STATE) == 1);
            TimeUnit.MILLISECONDS.sleep(100);
            assertTrue(SharedBroker.committed(topic, 1) <= 7);
            assertCommittedOnlyWhatIsProcessed();
            until("the error", () -> errors.size() == 1);

            isFailing.set(false);
            first.workers().worker(0).resume();
            first.workers().worker(1).resume();
            until("all records", () -> processed.count() == NUMBERS * SharedBroker.KEYS);
        }
        assertNull(processed.failure());
        assertEquals(NUMBERS * SharedBroker.KEYS, SharedBroker.committedRecords(topic, PARTITIONS));
        assertEquals(1, errors.size(), errors::toString);
    }

    /** A publisher for each worker, whose acknowledged output completes the input. */
    @Test
    void shouldCommitTheInputAfterTheOutput() throws Exception
    {
        final String output = SharedBroker.topic(PARTITIONS);
        SharedBroker.write(topic, PARTITIONS, 0, NUMBERS);
        final Publisher[] publishers = new Publisher[2];
        final WorkerSettings settings = new WorkerSettings(2, (worker) ->
        {
            final Publisher publisher = Publisher.connect(
                new PublisherContext().bootstrapServers(SharedBroker.broker().bootstrapServers()));
            publishers[worker.index()] = publisher;
            final TopicPublisher topicPublisher = publisher.topic(output);
            assertTrue(publisher.awaitReady(TIMEOUT_NS));
            final InputBarrier barrier = publisher.inputBarrier(worker.completion(), 1);
            return (record) ->
            {
                final int partition =
                    topicPublisher.partitionForKey(record.buffer(), record.keyIndex(), record.keyLength());
                if (topicPublisher.offer(partition, record.buffer(), record.keyIndex(), record.keyLength(),
                    record.buffer(), record.valueIndex(), record.valueLength()) < 0)
                {
                    return Action.ABORT;
                }
                add(record);
                barrier.processed(0, 1, worker.position());
                return Action.CONTINUE;
            };
        });
        try (RunningWorkers running = new RunningWorkers(connect(settings), (worker) -> publishing(worker, publishers),
            (thrown) -> errors.add(thrown.toString())))
        {
            until("all records", () -> processed.count() == NUMBERS * SharedBroker.KEYS);
            assertEquals(2, running.workers().count());
        }

        assertAllProcessedAndCommitted();
        long published = 0;
        for (int p = 0; p < PARTITIONS; p++)
        {
            published += SharedBroker.broker().admin().listOffsets(Map.of(
                new TopicPartition(output, p), OffsetSpec.latest())).all().get().values().iterator().next().offset();
        }
        assertEquals(NUMBERS * SharedBroker.KEYS, published);
    }

    /** A worker, and the publisher that its handler has made. */
    private static Agent publishing(final Worker worker, final Publisher[] publishers)
    {
        return new Agent()
        {
            @Override
            public void onStart()
            {
                worker.onStart();
            }

            @Override
            public int doWork()
            {
                return worker.doWork() + publishers[worker.index()].doWork();
            }

            @Override
            public void onClose()
            {
                worker.onClose();
                publishers[worker.index()].close();
            }

            @Override
            public String roleName()
            {
                return worker.roleName();
            }
        };
    }

    @Test
    void shouldLoseNothingWhenAMemberIsKilled() throws Exception
    {
        final Processed repeated = new Processed();
        int numbers = 0;
        for (int kill = 0; kill <= KILLS; kill++)
        {
            SharedBroker.write(topic, PARTITIONS, numbers, numbers + NUMBERS);
            numbers += NUMBERS;
            final int all = numbers * SharedBroker.KEYS;
            final int enough = kill == KILLS ? all : all - NUMBERS * SharedBroker.KEYS / 2;
            try (JavaProcess member = JavaProcess.of(MemberMain.class)
                .args(SharedBroker.broker().bootstrapServers(), topic)
                .onStdout((line) ->
                {
                    final String[] words = line.split(" ");
                    repeated.add(Integer.parseInt(words[0]), Long.parseLong(words[1]), words[2],
                        Integer.parseInt(words[3]), true);
                }).onStderr(this::keepUnlessRemoved).start())
            {
                until("records of the member", () -> repeated.distinct() >= enough);
                member.kill();
            }
            for (int p = 0; p < PARTITIONS; p++)
            {
                repeated.assertProcessedBefore(p, SharedBroker.committed(topic, p));
            }
        }
        assertEquals(numbers * SharedBroker.KEYS, repeated.distinct());
        assertNull(repeated.failure());
        assertEquals(List.of(), errors);
    }

    /** A member that stands still for longer than its short session is removed, and joins again. */
    private void keepUnlessRemoved(final String error)
    {
        if (!error.contains(" has removed "))
        {
            errors.add(error);
        }
    }
}
