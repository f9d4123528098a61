// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One of our consumers that reads one topic. It must deliver the expected records once and in order.
 */
final class SmokeReading implements AutoCloseable, RecordHandler
{
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long POLL_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int RECORD_LIMIT = 1_000;
    private static final int FETCHES_AFTER = 3;
    private static final byte[] HEADER = SmokeTopic.HEADER.getBytes(StandardCharsets.UTF_8);

    private final String name;
    private final SmokeTopic topic;
    private final int[] expected;
    private final int[] seen;
    private final StringBuilder errors = new StringBuilder();
    private final TopicConsumer consumer;
    private int count;
    private int wrong;
    private int last = -1;

    /**
     * @param name     of the topic.
     * @param topic    how it was written.
     * @param expected numbers of the records, ascending.
     */
    SmokeReading(
        final Map<String, String> connection,
        final String name,
        final SmokeTopic topic,
        final StartPosition position,
        final IsolationLevel isolation,
        final int[] expected)
    {
        this.name = name;
        this.topic = topic;
        this.expected = expected;
        seen = new int[SmokeTopic.COUNT + SmokeTopic.MORE];
        consumer = TopicConsumer.connect(ConsumerContext.from(connection)
            .topic(name)
            .startPosition(position)
            .isolationLevel(isolation)
            .fetchMaxBytes(64 * 1024)
            .fetchMaxWaitMs(50)
            .errorHandler((error) -> errors.append(error.getMessage()).append(' ')));
    }

    /** Returns when the start offset is known and can be fetched. */
    SmokeReading ready()
    {
        if (!consumer.awaitReady(LIMIT_NS))
        {
            throw new IllegalStateException(name + " cannot be fetched: " + errors + consumer.describe());
        }
        return this;
    }

    /**
     * Reads until all expected records were delivered or the time limit has expired, and a few more fetches.
     *
     * @param sum to which the findings are added.
     */
    void read(final Tally sum)
    {
        final long startNs = System.nanoTime();
        while (count < expected.length && System.nanoTime() - startNs < LIMIT_NS)
        {
            consumer.poll(this, RECORD_LIMIT, POLL_TIMEOUT_NS);
        }
        final long fetches = consumer.counters().fetches();
        while (consumer.counters().fetches() < fetches + FETCHES_AFTER && System.nanoTime() - startNs < LIMIT_NS)
        {
            consumer.poll(this, RECORD_LIMIT, POLL_TIMEOUT_NS);
        }
        int lost = 0;
        int repeated = 0;
        for (int i = 0; i < seen.length; i++)
        {
            final boolean isExpected = Arrays.binarySearch(expected, i) >= 0;
            lost += isExpected && seen[i] == 0 ? 1 : 0;
            repeated += seen[i] > 1 ? seen[i] - 1 : 0;
            wrong += !isExpected && seen[i] > 0 ? 1 : 0;
        }
        sum.add(count, lost, repeated, wrong);
        if (errors.length() > 0 || lost + repeated + wrong > 0)
        {
            sum.problems.add(name + ": " + lost + " lost, " + repeated + " repeated, " + wrong + " wrong; " + errors);
        }
    }

    @Override
    public void onRecord(final Record record)
    {
        final byte[] key = bytes(record, record.keyIndex(), record.keyLength());
        final int number = key.length == 2 ? (key[0] & 0xff) << 8 | key[1] & 0xff : -1;
        if (number < 0 || number >= seen.length)
        {
            wrong++;
            return;
        }
        count++;
        seen[number]++;
        wrong += number > last && isRight(record, number) ? 0 : 1;
        last = number;
    }

    private boolean isRight(final Record record, final int number)
    {
        // Each transaction is followed by a marker.
        final long offset = name.equals(SmokeTopic.TRANSACTIONS) ?
            number + number / SmokeTopic.TRANSACTION_LENGTH : number;
        return record.offset() == offset &&
            Arrays.equals(SmokeTopic.value(number), bytes(record, record.valueIndex(), record.valueLength())) &&
            (!topic.hasTimestamps() || record.timestamp() == SmokeTopic.timestamp(number)) &&
            record.headerCount() == (topic.hasHeaders() ? 1 : 0) &&
            (!topic.hasHeaders() || hasHeader(record, number));
    }

    private static boolean hasHeader(final Record record, final int number)
    {
        final RecordHeadersFlyweight headers = record.headers();
        return headers.next(HEADER) && Arrays.equals(SmokeTopic.key(number),
            bytes(record, headers.valueIndex(), headers.valueLength()));
    }

    private static byte[] bytes(final Record record, final int index, final int length)
    {
        final byte[] bytes = new byte[Math.max(0, length)];
        record.buffer().getBytes(index, bytes);
        return bytes;
    }

    @Override
    public void close()
    {
        consumer.close();
    }

    /**
     * The findings of all readings of one version.
     */
    static final class Tally
    {
        final List<String> problems = new ArrayList<>();
        int readings;
        long records;
        /** Acknowledged to our publisher. */
        long published;
        long lost;
        long repeated;
        long wrong;

        void add(final long newRecords, final long newLost, final long newRepeated, final long newWrong)
        {
            readings++;
            records += newRecords;
            lost += newLost;
            repeated += newRepeated;
            wrong += newWrong;
        }
    }
}
