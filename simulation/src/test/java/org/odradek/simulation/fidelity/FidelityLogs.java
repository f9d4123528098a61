// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation.fidelity;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelTopic;

import java.util.Arrays;

/** The logs that {@link ModelFidelityIT} reads. */
final class FidelityLogs
{
    private FidelityLogs()
    {
    }

    /** Batches of all codecs, timestamps that do not ascend, two epochs and holes; large batches; small batches. */
    static void fillPlain(final ModelTopic topic)
    {
        final ModelLog log = topic.partition(0).log();
        log.append(BatchTemplate.ofValues("a", "b", "c"));
        for (final CompressionType codec : CompressionType.values())
        {
            log.append(template((byte)2, codec, TimestampType.CREATE_TIME, 5, 40), codec.id * 1_000L);
        }
        log.leaderEpoch(1);
        log.append(template((byte)2, CompressionType.NONE, TimestampType.LOG_APPEND_TIME, 2, 10), 20_000);
        log.skipOffsets(3);
        log.append(BatchTemplate.compacted((byte)2, Compression.NONE, TimestampType.CREATE_TIME, new int[]{0, 2}, 5,
            record(1_500, 10), record(1_400, 20)), 30_000);
        log.append(BatchTemplate.empty(4));
        log.append(template((byte)2, CompressionType.NONE, TimestampType.CREATE_TIME, 3, 10), 5_000);

        final ModelLog large = topic.partition(1).log();
        for (int i = 0; i < 4; i++)
        {
            large.append(template((byte)2, CompressionType.NONE, TimestampType.CREATE_TIME, 10, 1_000), i);
        }
        topic.partition(2).log().append(BatchTemplate.ofValues("0", "1"));
        topic.partition(2).log().append(BatchTemplate.ofValues("2", "3"));
        topic.partition(2).log().append(BatchTemplate.ofValues("4", "5"));
    }

    /** Messages of magic 0 and 1, alone and in wrappers, before a batch. */
    static void fillOld(final ModelLog log)
    {
        for (final byte magic : new byte[]{0, 1})
        {
            log.append(template(magic, CompressionType.NONE, TimestampType.CREATE_TIME, 1, 30));
            log.append(template(magic, CompressionType.GZIP, TimestampType.CREATE_TIME, 3, 30));
            log.append(template(magic, CompressionType.SNAPPY, TimestampType.CREATE_TIME, 2, 30));
            log.append(template(magic, CompressionType.LZ4, TimestampType.CREATE_TIME, 2, 30));
        }
        log.append(template((byte)2, CompressionType.NONE, TimestampType.CREATE_TIME, 2, 30), 500);
    }

    /** Two producers whose transactions overlap, one of them aborted twice, and one that is open. */
    static void fillTransactions(final ModelLog log)
    {
        final BatchTemplate batch = template((byte)2, CompressionType.NONE, TimestampType.CREATE_TIME, 3, 20);
        log.appendTransactional(batch, 0, 100, (short)0);
        log.appendTransactional(batch, 0, 200, (short)0);
        log.append(batch, 0);
        log.endTransaction(100, (short)0, false, 0);
        log.appendTransactional(batch, 0, 100, (short)0);
        log.endTransaction(200, (short)0, true, 0);
        log.endTransaction(100, (short)0, false, 0);
        log.append(batch, 0);
        log.appendTransactional(batch, 0, 300, (short)0);
        log.append(batch, 0);
    }

    private static BatchTemplate template(
        final byte magic, final CompressionType codec, final TimestampType type, final int count, final int length)
    {
        final SimpleRecord[] records = new SimpleRecord[count];
        Arrays.setAll(records, (i) -> magic < 2 ?
            new SimpleRecord(1_000 + i, ("k" + i).getBytes(), new byte[length]) : record(1_000 + i, length));
        return BatchTemplate.of(magic, Compression.of(codec).build(), type, records);
    }

    private static SimpleRecord record(final long timestamp, final int length)
    {
        return new SimpleRecord(timestamp, ("k" + timestamp).getBytes(), new byte[length],
            new Header[]{new RecordHeader("h", new byte[]{1})});
    }
}
