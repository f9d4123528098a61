// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.odradek.testkit.model.BatchTemplate;

import java.util.ArrayList;
import java.util.List;

/**
 * The batches that producers append: built once for all runs, and drawn by the features of a run. The timestamps of all
 * are the same; the log shifts them.
 */
final class BatchPool
{
    /** The timestamp of the first record of each batch, in ms. */
    static final long TIMESTAMP = 1_000_000;

    private static final int VARIANTS = 12;
    private static final int MAX_RECORDS = 120;
    private static final int MAX_LARGE_VALUE = 30_000;
    private static final byte MAGIC_2 = RecordBatch.MAGIC_VALUE_V2;
    private static final CompressionType[] CODECS = {CompressionType.SNAPPY, CompressionType.LZ4, CompressionType.ZSTD};
    private static final BatchTemplate[] PLAIN;
    private static final BatchTemplate[] COMPRESSED;
    private static final BatchTemplate[] GZIP;
    private static final BatchTemplate[] OLD;
    private static final BatchTemplate[] COMPACTED;
    private static final BatchTemplate STEADY;

    static
    {
        final Draw draw = new Draw(1, "batches");
        PLAIN = build((i) -> build(draw, MAGIC_2, CompressionType.NONE, count(draw), i == 0));
        COMPRESSED = build((i) -> build(draw, MAGIC_2, CODECS[i % CODECS.length], count(draw), i == 0));
        GZIP = build((i) -> build(draw, (byte)(i % 3), CompressionType.GZIP, count(draw), false));
        OLD = build((i) -> build(draw, (byte)(i & 1), i % 4 < 2 ? CompressionType.NONE : CODECS[i / 4 % 2],
            i % 4 < 2 ? 1 : count(draw), false));
        COMPACTED = build((i) -> i == 0 ? BatchTemplate.empty(draw.below(MAX_RECORDS)) : compacted(draw));
        STEADY = build(draw, MAGIC_2, CompressionType.NONE, 10, false);
    }

    private final List<BatchTemplate[]> allowed = new ArrayList<>();
    private final boolean isSteady;

    BatchPool(final Scenario scenario)
    {
        isSteady = scenario.settings.load() == RunSettings.LoadProfile.STEADY;
        allowed.add(PLAIN);
        allowed.add(PLAIN);
        addIf(scenario.isOn(Feature.COMPRESSION), COMPRESSED);
        addIf(scenario.isOn(Feature.GZIP), GZIP);
        addIf(scenario.isOn(Feature.OLD_FORMATS), OLD);
        addIf(scenario.isOn(Feature.COMPACTION), COMPACTED);
    }

    private void addIf(final boolean isOn, final BatchTemplate[] templates)
    {
        if (isOn)
        {
            allowed.add(templates);
        }
    }

    BatchTemplate next(final Draw draw)
    {
        return isSteady ? STEADY : draw.pick(allowed.get(draw.below(allowed.size())));
    }

    /** Returns a batch that can be part of a transaction. */
    BatchTemplate nextTransactional(final Draw draw)
    {
        return draw.pick(PLAIN);
    }

    private interface Builder
    {
        BatchTemplate build(int number);
    }

    private static BatchTemplate[] build(final Builder builder)
    {
        final BatchTemplate[] templates = new BatchTemplate[VARIANTS];
        for (int i = 0; i < VARIANTS; i++)
        {
            templates[i] = builder.build(i);
        }
        return templates;
    }

    private static int count(final Draw draw)
    {
        return (int)draw.logBetween(1, MAX_RECORDS);
    }

    private static BatchTemplate build(
        final Draw draw, final byte magic, final CompressionType codec, final int count, final boolean isLarge)
    {
        return BatchTemplate.of(
            magic, Compression.of(codec).build(), timestampType(draw), records(draw, magic, count, isLarge));
    }

    private static BatchTemplate compacted(final Draw draw)
    {
        final int[] deltas = new int[count(draw)];
        int next = draw.below(3);
        for (int i = 0; i < deltas.length; i++)
        {
            deltas[i] = next;
            next += (int)draw.logBetween(1, 20);
        }
        return BatchTemplate.compacted(MAGIC_2, Compression.of(draw.pick(CODECS)).build(), timestampType(draw), deltas,
            next - 1, records(draw, MAGIC_2, deltas.length, false));
    }

    private static TimestampType timestampType(final Draw draw)
    {
        return draw.oneIn(3) ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
    }

    private static SimpleRecord[] records(final Draw draw, final byte magic, final int count, final boolean isLarge)
    {
        final SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++)
        {
            final byte[] key = draw.oneIn(2) ? null : bytes(draw, draw.below(20));
            final byte[] value = !isLarge && draw.oneIn(20) ? null :
                bytes(draw, isLarge ? draw.below(MAX_LARGE_VALUE / count) : 8 + draw.below(100));
            final long timestamp = magic == 0 ? RecordBatch.NO_TIMESTAMP : TIMESTAMP + i;
            records[i] = magic == MAGIC_2 && draw.oneIn(4) ?
                new SimpleRecord(timestamp, key, value, headers(draw)) : new SimpleRecord(timestamp, key, value);
        }
        return records;
    }

    private static Header[] headers(final Draw draw)
    {
        final Header[] headers = new Header[1 + draw.below(3)];
        for (int i = 0; i < headers.length; i++)
        {
            headers[i] = new RecordHeader("header-" + i, draw.oneIn(4) ? null : bytes(draw, draw.below(12)));
        }
        return headers;
    }

    private static byte[] bytes(final Draw draw, final int length)
    {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)('a' + draw.below(26));
        }
        return bytes;
    }
}
