// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.protocol.compression.Decompressor;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.protocol.record.RecordMemory;
import org.xerial.snappy.Snappy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads log segments that a broker stored for librdkafka with the flyweights and with kafka-clients. Both must read
 * what the producing script has written. See the README next to the files.
 */
class GoldenSegmentsTest
{
    private static final int SNAPPY = 2;
    private static final int MAX_BATCH_LENGTH = 1 << 20;
    private static final int BLOCK_LENGTH = 128 * 1024;
    private static final byte[] XERIAL_MAGIC = {(byte)0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};

    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordFlyweight record = new RecordFlyweight();
    private final int[] batchCounts = new int[5];
    private int longestBatch;

    @ParameterizedTest
    @CsvSource({"none, 0, 29", "gzip, 1, 157", "snappy, 2, 157", "lz4, 3, 157", "zstd, 4, 157"})
    void shouldReadEveryCodec(final String name, final int codec, final int count)
    {
        final List<String> expected = compare(name);

        assertEquals(count, expected.size());
        // A batch that compression does not make smaller is stored without compression.
        assertTrue(batchCounts[codec] >= (codec == 0 ? 3 : 5), Arrays.toString(batchCounts));
        assertTrue(codec == 0 || longestBatch > BLOCK_LENGTH, longestBatch + " bytes");
    }

    @Test
    void shouldReadTransactions()
    {
        final List<String> expected = compare("transactions");

        assertEquals(192, expected.size());
        final long aborted = expected.stream().filter((line) -> line.contains("\taborted\t")).count();
        assertTrue(aborted > 20 && aborted < 172, aborted + " records aborted");
    }

    @Test
    void shouldContainRawSnappy() throws IOException
    {
        final byte[] bytes = bytes("snappy.log");
        int count = 0;
        for (final RecordBatch stored : MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)).batches())
        {
            final ByteBuffer written = ByteBuffer.allocate(stored.sizeInBytes());
            stored.writeTo(written);
            final byte[] stream =
                Arrays.copyOfRange(written.array(), RecordBatchFlyweight.HEADER_LENGTH, stored.sizeInBytes());
            if (stored.compressionType().id == SNAPPY)
            {
                assertTrue(Snappy.isValidCompressedBuffer(stream));
                assertTrue(Arrays.mismatch(XERIAL_MAGIC, stream) < XERIAL_MAGIC.length);
                count++;
            }
        }
        assertTrue(count >= 5, count + " batches of snappy");
    }

    private List<String> compare(final String name)
    {
        final byte[] segment = bytes(name + ".log");
        final List<String> expected = new String(bytes(name + ".tsv"), StandardCharsets.US_ASCII).lines().toList();
        assertEquals(expected, readByKafka(segment));
        assertEquals(expected, readByFlyweights(segment));
        return expected;
    }

    private static byte[] bytes(final String name)
    {
        try (InputStream stream = GoldenSegmentsTest.class.getResourceAsStream("/golden/" + name))
        {
            return stream.readAllBytes();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static List<String> readByKafka(final byte[] segment)
    {
        final GoldenLines lines = new GoldenLines();
        for (final RecordBatch stored : MemoryRecords.readableRecords(ByteBuffer.wrap(segment)).batches())
        {
            stored.ensureValid();
            if (stored.isControlBatch())
            {
                lines.endTransaction(stored.producerId(),
                    ControlRecordType.parse(stored.iterator().next().key()) == ControlRecordType.ABORT);
                continue;
            }
            lines.beginBatch(stored.producerId(), stored.isTransactional());
            for (final Record found : stored)
            {
                final StringJoiner headers = new StringJoiner(",");
                Arrays.stream(found.headers()).forEach((header) -> headers.add(
                    GoldenLines.header(header.key().getBytes(StandardCharsets.UTF_8), header.value())));
                lines.add(found.offset(), found.timestamp(), bytes(found.key()), bytes(found.value()),
                    headers.toString());
            }
        }
        return lines.lines();
    }

    private List<String> readByFlyweights(final byte[] segment)
    {
        final GoldenLines lines = new GoldenLines();
        final RecordMemory memory = new RecordMemory(segment.length);
        memory.buffer().putBytes(0, segment);
        try (Decompressor decompressor = new Decompressor(MAX_BATCH_LENGTH, MAX_BATCH_LENGTH))
        {
            final RecordMemory decompressed = new RecordMemory(decompressor.output());
            for (int index = 0; index < segment.length; index = batch.limit())
            {
                assertEquals(RecordBatchFlyweight.COMPLETE, batch.wrap(memory, index, segment.length));
                assertEquals(batch.crc(), batch.computeCrc());
                wrapRecords(memory, decompressor, decompressed);
                addBatch(lines);
            }
        }
        memory.free();
        return lines.lines();
    }

    private void wrapRecords(
        final RecordMemory memory, final Decompressor decompressor, final RecordMemory decompressed)
    {
        final int codec = batch.compressionType();
        final int index = batch.recordsIndex();
        batchCounts[codec]++;
        if (codec == 0)
        {
            record.wrap(batch, memory, index, batch.limit(), 0);
            return;
        }
        final int length =
            decompressor.decompress(codec, batch.magic(), memory.byteBuffer(), index, batch.limit() - index);
        longestBatch = Math.max(longestBatch, length);
        record.wrap(batch, decompressed, 0, length, 0);
    }

    private void addBatch(final GoldenLines lines)
    {
        if (batch.isControl())
        {
            assertTrue(record.next(), record::flaw);
            final short type = record.buffer().getShort(record.keyIndex() + Short.BYTES, BIG_ENDIAN);
            lines.endTransaction(batch.producerId(), type == ControlRecordType.ABORT.type());
            return;
        }
        lines.beginBatch(batch.producerId(), batch.isTransactional());
        for (int i = 0; i < batch.recordCount(); i++)
        {
            assertTrue(record.next(), record::flaw);
            final byte[] value = bytes(record.buffer(), record.valueIndex(), record.valueLength());
            assertArrayEquals(value, bytes(record.valueByteBuffer()));
            lines.add(record.offset(), record.timestamp(),
                bytes(record.buffer(), record.keyIndex(), record.keyLength()), value, headers());
        }
        assertFalse(record.next());
        assertNull(record.flaw());
    }

    private String headers()
    {
        final StringJoiner joined = new StringJoiner(",");
        final RecordHeadersFlyweight headers = record.headers();
        while (headers.next())
        {
            joined.add(GoldenLines.header(
                bytes(record.buffer(), headers.keyIndex(), headers.keyLength()),
                bytes(record.buffer(), headers.valueIndex(), headers.valueLength())));
        }
        return joined.toString();
    }

    private static byte[] bytes(final DirectBuffer buffer, final int index, final int length)
    {
        if (length == RecordFlyweight.NULL_LENGTH)
        {
            return null;
        }
        final byte[] bytes = new byte[length];
        buffer.getBytes(index, bytes);
        return bytes;
    }

    private static byte[] bytes(final ByteBuffer buffer)
    {
        if (buffer == null)
        {
            return null;
        }
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
