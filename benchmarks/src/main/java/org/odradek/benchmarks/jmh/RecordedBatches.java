// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * What one fetch brings: full batches as the stock producer makes them, written by kafka-clients. Values are text such
 * as metrics come in, of which a codec can make something; keys are null and there are no headers.
 *
 * @param recordCount of all batches, of which each has the same number.
 * @param indexes     of the batches in the bytes.
 * @param sum         {@link #touch} of all records, from offset 0.
 * @param bytes       the batches in heap memory, one after the other; a view of its own for each caller.
 */
record RecordedBatches(int recordCount, int[] indexes, long sum, ByteBuffer bytes)
{
    static final int BATCH_LENGTH = 16 * 1024;

    private static final int RECORD_OVERHEAD = 9;
    private static final int BATCH_HEADER_LENGTH = 61;
    private static final int RECORDS_PER_MS = 5;
    private static final long FIRST_TIMESTAMP = 1_700_000_000_000L;
    private static final long SEED = 23;
    private static final String[] WORDS = {
        "cpu.user ", "cpu.system ", "mem.used ", "disk.read ", "net.in ", "web-", "db-", "region=eu ", "region=us "};

    /**
     * @param valueLength of each record, in bytes.
     * @param codec       as Kafka names it.
     * @param batchCount  how many batches of {@link #BATCH_LENGTH} bytes before compression.
     */
    static RecordedBatches of(final int valueLength, final String codec, final int batchCount)
    {
        final Compression compression = Compression.of(CompressionType.forName(codec)).build();
        final int recordsPerBatch = recordsPerBatch(valueLength);
        final Random random = new Random(SEED);
        final ByteBuffer written = ByteBuffer.allocate(2 * batchCount * BATCH_LENGTH);
        final int[] indexes = new int[batchCount];
        long sum = 0;
        for (int batch = 0; batch < batchCount; batch++)
        {
            final long baseOffset = (long)batch * recordsPerBatch;
            indexes[batch] = written.position();
            try (MemoryRecordsBuilder builder = MemoryRecords.builder(
                written.slice(), compression, TimestampType.CREATE_TIME, baseOffset))
            {
                for (long offset = baseOffset; offset < baseOffset + recordsPerBatch; offset++)
                {
                    final long timestamp = FIRST_TIMESTAMP + offset / RECORDS_PER_MS;
                    final byte[] value = text(random, valueLength);
                    builder.append(timestamp, null, value);
                    sum += touch(offset, timestamp, -1, value[0], value[valueLength - 1]);
                }
                written.position(written.position() + builder.build().sizeInBytes());
            }
        }
        return new RecordedBatches(batchCount * recordsPerBatch, indexes, sum, written.flip());
    }

    static int recordsPerBatch(final int valueLength)
    {
        return Math.max(1, (BATCH_LENGTH - BATCH_HEADER_LENGTH) / (valueLength + RECORD_OVERHEAD));
    }

    /** What every reader adds up, so that none can leave anything out. */
    static long touch(
        final long offset, final long timestamp, final int keyLength, final byte firstByte, final byte lastByte)
    {
        return offset + timestamp + keyLength + firstByte + lastByte;
    }

    private static byte[] text(final Random random, final int length)
    {
        final StringBuilder text = new StringBuilder();
        while (text.length() < length)
        {
            text.append(WORDS[random.nextInt(WORDS.length)]).append(random.nextInt(1_000)).append(' ');
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public ByteBuffer bytes()
    {
        return bytes.slice();
    }
}
