// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;

import java.nio.ByteBuffer;
import java.util.Random;

/** Small record sets of every magic and codec, written by kafka-clients. */
public final class RecordSeeds
{
    private static final int CAPACITY = 1 << 12;
    private static final int MAX_LENGTH = 400;
    private static final long NOW_MS = 1_700_000_000_000L;
    private static final String[] CODECS = {"none", "gzip", "snappy", "lz4", "zstd"};

    private RecordSeeds()
    {
    }

    /** One or two batches, of magic 2 most often. */
    public static byte[] recordSet(final Random random)
    {
        final int dice = random.nextInt(10);
        final byte[] first = dice == 0 ? RecordBatches.marker(random) : dice < 4 ? plain(random) :
            compressible(dice < 7 ? RecordBatch.MAGIC_VALUE_V2 : random.nextInt(3), random);
        return random.nextInt(3) == 0 ? concat(first, compressible(random.nextInt(3), random)) : first;
    }

    /** Messages of magic 0 or 1, none compressed. */
    public static byte[] messages(final Random random)
    {
        return build(random.nextInt(2), "none", 1 + random.nextInt(4), random);
    }

    private static byte[] plain(final Random random)
    {
        byte[] batch = RecordBatches.random(random);
        while (batch.length > MAX_LENGTH)
        {
            batch = RecordBatches.random(random);
        }
        return batch;
    }

    private static byte[] compressible(final int magic, final Random random)
    {
        final int codecs = magic == RecordBatch.MAGIC_VALUE_V2 ? CODECS.length : CODECS.length - 1;
        return build(magic, CODECS[random.nextInt(codecs)], random.nextInt(6), random);
    }

    private static byte[] build(final int magic, final String codec, final int extra, final Random random)
    {
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(CAPACITY), (byte) magic,
            Compression.of(codec).build(), TimestampType.CREATE_TIME, random.nextInt(300)))
        {
            for (int i = 0; i <= extra; i++)
            {
                final byte[] key = random.nextInt(3) == 0 ? null : ("k" + i).getBytes();
                final byte[] value = random.nextInt(5) == 0 ? null : "v".repeat(random.nextInt(70)).getBytes();
                builder.append(magic == 0 ? -1 : NOW_MS + random.nextInt(100), key, value, headers(magic, random));
            }
            final MemoryRecords records = builder.build();
            final byte[] bytes = new byte[records.sizeInBytes()];
            records.buffer().get(0, bytes);
            return bytes;
        }
    }

    private static Header[] headers(final int magic, final Random random)
    {
        final int count = magic == RecordBatch.MAGIC_VALUE_V2 ? Math.max(0, random.nextInt(6) - 3) : 0;
        final Header[] headers = new Header[count];
        for (int i = 0; i < count; i++)
        {
            headers[i] = new RecordHeader(i == 0 ? "k" : "key" + i, random.nextBoolean() ? null : new byte[i * 3]);
        }
        return headers;
    }

    private static byte[] concat(final byte[] first, final byte[] second)
    {
        return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
    }
}
