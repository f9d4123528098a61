// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.client.Acknowledgements;
import org.odradek.client.TransportType;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.protocol.record.StoredBatch;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The measured work of an allocation test: polls a consumer of a prefilled topic in every form, with records, without
 * any, and across metadata refreshes. A test can move its clock forward, so that a refresh is due when the test needs
 * it. Values have {@link #VALUE_LENGTH} bytes; three longs are read from each. The headers of every record are walked,
 * and a long is read from the one with the name {@link #HEADER}.
 */
public final class ReadingLoop implements AutoCloseable
{
    public static final int VALUE_LENGTH = 23;
    /**
     * Passes over the topic in a reading, record by record: both handlers, each without and with a wait.
     */
    public static final int PASSES = 4;
    public static final String HEADER = "number";

    private static final byte[] HEADER_BYTES = HEADER.getBytes(StandardCharsets.UTF_8);
    private static final int METADATA_MAX_AGE_MS = 100_000;
    /**
     * Longer than any response takes on the clock of the test.
     */
    private static final int REQUEST_TIMEOUT_MS = 10_000_000;
    private static final int RECORD_LIMIT = 1_000;
    private static final int BATCH_LIMIT = 20;
    /**
     * After this time, an offset connection counts as idle.
     */
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long READY_NS = TimeUnit.SECONDS.toNanos(30);
    /**
     * One wait is longer and one shorter than the millisecond of the selector.
     */
    private static final long LONG_WAIT_NS = 5_000_000;
    private static final long SHORT_WAIT_NS = 300_000;

    /** These sums are printed at the end, so that the JIT cannot remove the reads. */
    private long firstLongs;
    private long middleLongs;
    private long lastLongs;
    private long headerLongs;
    private long headerBytes;
    private Object planted;
    private boolean isPlanting;
    private boolean isPlantingOn;

    private final int partitions;
    private final long recordsPerPass;
    private long clockShiftNs;
    private long refusedOffset = -1;
    private long refusedBatchOffset = -1;
    private long records;
    private long recordsWithHeader;
    private long headers;
    private long batchRecords;
    private long batchBytes;
    private long emptyPolls;
    private final RecordHandler handler = this::onRecord;
    private final ControlledRecordHandler controlledHandler = this::onControlledRecord;
    private final BatchHandler batchHandler = this::onBatch;
    private final TopicConsumer consumer;
    /** Null unless the consumer is a member of a group that commits what is acknowledged. */
    private final Acknowledgements acknowledgements;

    /**
     * @param context        with bootstrap servers and topic.
     * @param partitions     of the topic.
     * @param recordsPerPass that the topic holds.
     * @param transport      to use.
     */
    public ReadingLoop(
        final ConsumerContext context, final int partitions, final long recordsPerPass, final TransportType transport)
    {
        this.partitions = partitions;
        this.recordsPerPass = recordsPerPass;
        consumer = TopicConsumer.connect(context
            .startPosition(StartPosition.earliest())
            .transport(transport)
            .fetchMaxWaitMs(1)
            .requestTimeoutMs(REQUEST_TIMEOUT_MS)
            .metadataMaxAgeMs(METADATA_MAX_AGE_MS)
            .nanoClock(() -> System.nanoTime() + clockShiftNs));
        if (!consumer.awaitReady(READY_NS))
        {
            throw new IllegalStateException("Not ready:\n" + consumer.describe());
        }
        if (context.group() != null && !consumer.group().awaitStable(READY_NS))
        {
            throw new IllegalStateException("Not stable:\n" + consumer.describe());
        }
        acknowledgements = context.group() != null && context.group().commitPolicy().isAcknowledged() ?
            consumer.group().acknowledgements() : null;
        clockShiftNs += IDLE_NS;
    }

    private void onRecord(final Record record)
    {
        final int index = record.valueIndex();
        firstLongs += record.buffer().getLong(index);
        middleLongs += record.buffer().getLong(index + 8);
        lastLongs += record.buffer().getLong(index + VALUE_LENGTH - 8);
        readHeaders(record);
        if (acknowledgements != null)
        {
            acknowledgements.acknowledge(record.partition(), record.ownershipEpoch(), record.offset() + 1);
        }
        if (isPlanting)
        {
            plant();
        }
    }

    private void readHeaders(final Record record)
    {
        final RecordHeadersFlyweight walk = record.headers();
        while (walk.next())
        {
            headers++;
            headerBytes += walk.keyLength() + walk.valueLength();
        }
        final RecordHeadersFlyweight lookup = record.headers();
        if (lookup.next(HEADER_BYTES))
        {
            recordsWithHeader++;
            headerLongs += record.buffer().getLong(lookup.valueIndex());
        }
    }

    private Action onControlledRecord(final Record record)
    {
        final long offset = record.offset();
        if (offset % 10_000 == 0 && offset != refusedOffset)
        {
            refusedOffset = offset;
            return Action.ABORT;
        }
        refusedOffset = -1;
        onRecord(record);
        return offset % 3_000 == 1 ? Action.BREAK : Action.CONTINUE;
    }

    private Action onBatch(final StoredBatch batch)
    {
        final long offset = batch.baseOffset();
        if (batch.recordCount() % 3 == 0 && offset != refusedBatchOffset)
        {
            refusedBatchOffset = offset;
            return Action.ABORT;
        }
        refusedBatchOffset = -1;
        batchRecords += batch.recordCount();
        if (acknowledgements != null)
        {
            acknowledgements.acknowledge(batch.partition(), batch.ownershipEpoch(), batch.lastOffset() + 1);
        }
        batchBytes += batch.byteBuffer().remaining() + batch.buffer().getByte(batch.index() + batch.length() - 1);
        return batch.recordCount() % 5 == 0 ? Action.CONTINUE : batch.recordCount() % 5 == 1 ? Action.BREAK : null;
    }

    private void plant()
    {
        isPlanting = isPlantingOn;
        planted = new Object();
    }

    /**
     * Makes the handler create one object for the next record.
     */
    public void plantNext()
    {
        isPlanting = true;
    }

    /**
     * Makes the handler create one object for each record from now on.
     */
    public void plantOn()
    {
        isPlanting = true;
        isPlantingOn = true;
    }

    private void seekToStart()
    {
        for (int partition = 0; partition < partitions; partition++)
        {
            consumer.seek(partition, 0);
        }
    }

    /**
     * Reads the whole topic {@link #PASSES} times, and once more in whole batches.
     */
    public void read()
    {
        seekToStart();
        final long batchesEnd = batchRecords + recordsPerPass;
        for (int i = 0; batchRecords < batchesEnd; i++)
        {
            consumer.pollBatches(batchHandler, BATCH_LIMIT, (i & 1) * SHORT_WAIT_NS);
        }
        for (int pass = 0; pass < PASSES; pass++)
        {
            seekToStart();
            final long end = records + recordsPerPass;
            while (records < end)
            {
                records += poll(pass);
            }
        }
    }

    private int poll(final int form)
    {
        switch (form)
        {
            case 0:
                return consumer.poll(handler, RECORD_LIMIT);
            case 1:
                return consumer.poll(handler, RECORD_LIMIT, LONG_WAIT_NS);
            case 2:
                return consumer.controlledPoll(controlledHandler, RECORD_LIMIT);
            default:
                return consumer.controlledPoll(controlledHandler, RECORD_LIMIT, SHORT_WAIT_NS);
        }
    }

    /**
     * Polls at the end of the topic without waiting.
     *
     * @param count of polls, each of which finds nothing.
     */
    public void pollAtEnd(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final int found = poll(2 * (i & 1));
            if (found != 0)
            {
                throw new IllegalStateException(found + " records after the end of the topic");
            }
            emptyPolls++;
        }
    }

    /**
     * Polls at the end of the topic, waiting, until responses without records have arrived.
     *
     * @param count of responses.
     */
    public void awaitEmptyFetches(final int count)
    {
        final long end = emptyFetches() + count;
        for (int i = 0; emptyFetches() < end; i++)
        {
            records += poll(2 * (i & 1) + 1);
        }
    }

    /**
     * Lets the metadata become too old. The next polls refresh it.
     */
    public void age()
    {
        clockShiftNs += TimeUnit.MILLISECONDS.toNanos(METADATA_MAX_AGE_MS) + 1;
    }

    /**
     * Several times lets the metadata become too old and polls until it has been refreshed.
     *
     * @param count how often.
     */
    public void refresh(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final long before = metadataRefreshes();
            age();
            for (int form = 0; metadataRefreshes() == before; form = (form + 1) % PASSES)
            {
                records += poll(form);
            }
        }
    }

    public long records()
    {
        return records;
    }

    /**
     * Returns the number of headers that were read.
     */
    public long headers()
    {
        return headers;
    }

    /**
     * Returns the number of records in which the header was found.
     */
    public long recordsWithHeader()
    {
        return recordsWithHeader;
    }

    /**
     * Returns the sum of the longs in the headers that were found.
     */
    public long headerLongs()
    {
        return headerLongs;
    }

    public long emptyPolls()
    {
        return emptyPolls;
    }

    public long emptyFetches()
    {
        return consumer.counters().emptyFetches();
    }

    public long counter(final int id)
    {
        return consumer.counters().get(id);
    }

    public long metadataRefreshes()
    {
        return consumer.counters().get(ConsumerCounters.METADATA_REFRESHES);
    }

    public long keyUpdates()
    {
        return consumer.counters().get(ConsumerCounters.TLS_KEY_UPDATES);
    }

    /**
     * Returns the sum of the first longs of all values, which proves that they were read.
     */
    public long firstLongs()
    {
        return firstLongs;
    }

    @Override
    public void close()
    {
        consumer.close();
    }

    @Override
    public String toString()
    {
        return batchRecords + " records in batches of " + batchBytes + " bytes\nsums " +
            firstLongs + ' ' + middleLongs + ' ' + lastLongs + ' ' + headerBytes +
            ", planted " + (planted != null) + '\n' +
            consumer.describe();
    }
}
