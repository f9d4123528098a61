// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * One partition of a random fetch response: batches of every kind, transactions of several producers across them, and
 * the list of the aborted ones, which may begin before the record set and end after it.
 */
final class RandomLog
{
    private static final int PRODUCERS = 3;
    private static final int MAX_BATCHES = 8;
    private static final long NOT_OPEN = -1;

    private final RandomBatches batches = new RandomBatches();
    private final long[] openSince = new long[PRODUCERS];
    private final List<AbortedTransaction> aborted = new ArrayList<>();
    private final OracleTally tally;
    private final ByteBuffer bytes;
    private Random random;
    private long offset;

    /**
     * @param capacity in bytes, of the batches before the last.
     */
    RandomLog(final OracleTally tally, final int capacity)
    {
        this.tally = tally;
        bytes = ByteBuffer.allocate(capacity + 2 * RandomBatches.MAX_LENGTH);
    }

    /**
     * Makes the next record set from the random numbers.
     *
     * @param maxLength after which no batch follows.
     * @return the record set; valid until the next call.
     */
    MemoryRecords next(final Random newRandom, final int maxLength)
    {
        random = newRandom;
        batches.begin(newRandom);
        bytes.clear();
        aborted.clear();
        offset = random.nextInt(4) == 0 ? random.nextLong() >>> 2 : random.nextInt(1_000);
        Arrays.setAll(openSince, (i) -> random.nextInt(4) == 0 ? Math.max(0, offset - 10) : NOT_OPEN);
        boolean isCutOff = false;
        int count = 1 + random.nextInt(MAX_BATCHES);
        while (bytes.position() == 0 || !isCutOff && count-- > 0 && bytes.position() < maxLength)
        {
            isCutOff = append();
        }
        for (int i = 0; i < PRODUCERS; i++)
        {
            if (openSince[i] != NOT_OPEN && random.nextBoolean())
            {
                abort(i);
            }
        }
        Collections.shuffle(aborted, random);
        return MemoryRecords.readableRecords(bytes.duplicate().flip().slice());
    }

    /** In random order; a producer may be listed twice. */
    List<AbortedTransaction> aborted()
    {
        return aborted;
    }

    private boolean append()
    {
        final int producer = random.nextInt(PRODUCERS);
        final int dice = random.nextInt(12);
        if (dice == 0)
        {
            final boolean isAbort = random.nextBoolean();
            add(batches.marker(
                offset, 1_000 + producer, isAbort ? ControlRecordType.ABORT : ControlRecordType.COMMIT));
            if (isAbort && openSince[producer] != NOT_OPEN)
            {
                abort(producer);
            }
            openSince[producer] = NOT_OPEN;
            return false;
        }
        if (dice == 1 && random.nextInt(4) == 0)
        {
            add(batches.leaderChange(offset));
            return false;
        }
        return appendData(batches.combination(), producer);
    }

    private boolean appendData(final int combination, final int producer)
    {
        final boolean isTransactional =
            RandomBatches.magic(combination) == RecordBatch.MAGIC_VALUE_V2 && random.nextBoolean();
        if (isTransactional && openSince[producer] == NOT_OPEN)
        {
            openSince[producer] = offset;
        }
        MemoryRecords records = batches.batch(combination, offset, 1_000 + producer, isTransactional);
        if (random.nextInt(4) == 0)
        {
            records = batches.compacted(records);
        }
        if (records.sizeInBytes() == 0)
        {
            offset = batches.lastOffset() + 1;
            return false;
        }
        // In a set of old messages, the part before the cut would still count as a batch.
        if (bytes.position() > 0 && random.nextInt(20) == 0 && RandomBatches.magic(combination) > 1)
        {
            bytes.put(records.buffer().duplicate().limit(1 + random.nextInt(records.sizeInBytes() - 1)));
            tally.cutOff();
            return true;
        }
        tally.batch(combination, records);
        add(records);
        return false;
    }

    private void add(final MemoryRecords records)
    {
        bytes.put(records.buffer().duplicate());
        offset = batches.lastOffset() + 1 + (random.nextInt(8) == 0 ? random.nextInt(50) : 0);
    }

    private void abort(final int producer)
    {
        final int copies = random.nextInt(5) == 0 ? 2 : 1;
        for (int i = 0; i < copies; i++)
        {
            aborted.add(new AbortedTransaction().setProducerId(1_000 + producer).setFirstOffset(openSince[producer]));
        }
    }
}
