// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Counts the batches of each magic and codec that were compared, and the features that a reader may get wrong. It
 * counts what kafka-clients has written, not what it was configured to write.
 */
final class OracleTally
{
    static final String[] FEATURES =
    {
        "idempotent", "transactional", "control", "LogAppendTime", "delete horizon", "offset gap at end", "empty batch",
        "null key", "empty key", "null value", "empty value", "headers", "repeated header key", "null header value",
        "cut off", "below fetch offset", "skipped as aborted"
    };

    private final long[] batches = new long[RandomBatches.COMBINATIONS];
    private final long[] records = new long[RandomBatches.COMBINATIONS];
    private final long[] bytes = new long[RandomBatches.COMBINATIONS];
    private final Map<String, Long> features = new TreeMap<>();
    private long controlBatches;
    private long delivered;
    private long deliveredBytes;

    /** Counts one batch, or one set of messages of magic 0 or 1. */
    void batch(final int combination, final MemoryRecords built)
    {
        batches[combination]++;
        bytes[combination] += built.sizeInBytes();
        for (final MutableRecordBatch batch : built.batches())
        {
            records[combination] += count(batch);
        }
    }

    private static int count(final MutableRecordBatch batch)
    {
        if (batch.countOrNull() != null)
        {
            return batch.countOrNull();
        }
        int count = 0;
        for (final Iterator<Record> iterator = batch.iterator(); iterator.hasNext(); iterator.next())
        {
            count++;
        }
        return count;
    }

    void header(final MutableRecordBatch batch)
    {
        controlBatches += batch.isControlBatch() ? 1 : 0;
        add("control", batch.isControlBatch());
        add("transactional", batch.isTransactional() && !batch.isControlBatch());
        add("idempotent", batch.hasProducerId() && !batch.isTransactional());
        add("LogAppendTime", batch.timestampType() == TimestampType.LOG_APPEND_TIME);
        add("delete horizon", batch.deleteHorizonMs().isPresent());
        final Integer count = batch.countOrNull();
        add("empty batch", count != null && count == 0);
        add("offset gap at end", count != null && count > 0 && batch.lastOffset() - batch.baseOffset() >= count);
    }

    void delivered(final List<ConsumerRecord<byte[], byte[]>> read)
    {
        delivered += read.size();
        for (final ConsumerRecord<byte[], byte[]> record : read)
        {
            deliveredBytes += Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
            add("null key", record.key() == null);
            add("empty key", record.serializedKeySize() == 0);
            add("null value", record.value() == null);
            add("empty value", record.serializedValueSize() == 0);
            final Set<String> keys = new HashSet<>();
            for (final Header header : record.headers())
            {
                add("headers", keys.isEmpty());
                add("repeated header key", !keys.add(header.key()));
                add("null header value", header.value() == null);
            }
        }
    }

    void cutOff()
    {
        add("cut off", true);
    }

    void add(final String feature, final boolean isThere)
    {
        if (isThere)
        {
            features.merge(feature, 1L, Long::sum);
        }
    }

    long batches()
    {
        long sum = controlBatches;
        for (final long count : batches)
        {
            sum += count;
        }
        return sum;
    }

    /** Checks a minimum for each combination and each feature, as a share of all batches. */
    void assertCovered()
    {
        final long floor = batches() / 50;
        for (int i = 0; i < batches.length; i++)
        {
            assertTrue(batches[i] >= floor, "too few batches of " + name(i) + "\n" + this);
        }
        for (final String feature : FEATURES)
        {
            assertTrue(features.getOrDefault(feature, 0L) >= floor / 5, "too few of " + feature + "\n" + this);
        }
    }

    private static String name(final int combination)
    {
        return "magic " + RandomBatches.magic(combination) + " " +
            RandomBatches.codec(combination).name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder();
        long wireBytes = 0;
        for (int i = 0; i < batches.length; i++)
        {
            wireBytes += bytes[i];
            text.append(String.format(Locale.ROOT, "  %-14s %,9d batches %,11d records %,13d bytes%n",
                name(i), batches[i], records[i], bytes[i]));
        }
        text.append(String.format(Locale.ROOT, "  %-14s %,9d batches%n", "control", controlBatches));
        text.append(String.format(Locale.ROOT,
            "  %-14s %,9d batches, %,d bytes; %,d records delivered with %,d bytes of keys and values%n",
            "all", batches(), wireBytes, delivered, deliveredBytes));
        return text.append("  occurrences: ").append(features).toString();
    }
}
