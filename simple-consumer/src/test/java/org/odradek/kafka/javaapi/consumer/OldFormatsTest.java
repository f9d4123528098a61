// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.harness.Answer;
import org.odradek.harness.RequestFrame;
import org.odradek.harness.ScriptedPeer;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.javaapi.FetchResponse;
import org.odradek.kafka.message.InvalidMessageException;
import org.odradek.kafka.message.MessageAndOffset;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads logs from before Kafka 0.11 with the old API: Kafka's own code for magic 0 and 1 writes the sets, and the
 * messages must equal those that the same code reads.
 */
class OldFormatsTest
{
    private static final String TOPIC = "old";
    private static final int SETS = 40;
    private static final int FETCH_SIZE = 700;

    /** The fields of a message, as either side reads it. */
    private record Read(long offset, int magic, long timestamp, ByteBuffer key, ByteBuffer payload)
    {
    }

    private final Random random = new Random(0x0DDADE);
    private final List<MemoryRecords> log = new ArrayList<>();
    private final ScriptedPeer peer = ScriptedPeer.start(this::onRequest);
    private final SimpleConsumer consumer =
        new SimpleConsumer("127.0.0.1", peer.port(), 60_000, 64 * 1024, "simple");

    @AfterEach
    void close()
    {
        consumer.close();
        peer.close();
    }

    private Answer onRequest(final RequestFrame frame)
    {
        final ApiMessage response = frame.type() == ApiMessageType.FETCH ?
            fetched((FetchRequestData)frame.message()) :
            RequestFrame.versions(ApiMessageType.FETCH, ApiMessageType.METADATA, ApiMessageType.LIST_OFFSETS,
                ApiMessageType.API_VERSIONS);
        return frame.answer(response);
    }

    /** From the set that holds the offset on, cut off at the limit as a broker does. */
    private FetchResponseData fetched(final FetchRequestData request)
    {
        final FetchPartition requested = request.topics().get(0).partitions().get(0);
        final ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
        log.stream().filter((set) -> lastOffset(set) >= requested.fetchOffset())
            .forEach((set) -> bytes.put(set.buffer().duplicate()));
        final int first = log.stream().filter((set) -> lastOffset(set) >= requested.fetchOffset())
            .mapToInt(MemoryRecords::sizeInBytes).findFirst().orElse(0);
        bytes.flip().limit(Math.min(bytes.limit(), Math.max(first, requested.partitionMaxBytes())));
        final PartitionData partition = new PartitionData().setPartitionIndex(0).setHighWatermark(endOffset())
            .setRecords(MemoryRecords.readableRecords(bytes));
        return new FetchResponseData().setResponses(
            List.of(new FetchableTopicResponse().setTopic(TOPIC).setPartitions(List.of(partition))));
    }

    private static long lastOffset(final MemoryRecords set)
    {
        long last = -1;
        for (final RecordBatch batch : set.batches())
        {
            last = batch.lastOffset();
        }
        return last;
    }

    private long endOffset()
    {
        return log.isEmpty() ? 0 : lastOffset(log.get(log.size() - 1)) + 1;
    }

    private byte[] bytes(final int maxLength)
    {
        final byte[] bytes = new byte[random.nextInt(maxLength + 1)];
        random.nextBytes(bytes);
        return random.nextInt(5) == 0 ? null : bytes;
    }

    /** Offsets as compaction leaves them, keys and values null and empty at times. */
    private void fill(final byte magic, final CompressionType codec)
    {
        final TimestampType[] types = magic == RecordBatch.MAGIC_VALUE_V0 ?
            new TimestampType[] {TimestampType.NO_TIMESTAMP_TYPE} :
            new TimestampType[] {TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME};
        for (int i = 0; i < SETS; i++)
        {
            long offset = endOffset() + random.nextInt(3);
            try (MemoryRecordsBuilder builder = new MemoryRecordsBuilder(ByteBuffer.allocate(1 << 14), magic,
                Compression.of(codec).build(), types[i % types.length], offset, 5_000 + i, -1, (short) -1, -1, false,
                false, -1, 1 << 14))
            {
                for (int count = 1 + random.nextInt(5); count > 0; count--)
                {
                    builder.appendWithOffset(
                        offset, magic == 0 ? RecordBatch.NO_TIMESTAMP : 1_000 + offset, bytes(20), bytes(200));
                    offset += 1 + random.nextInt(3);
                }
                log.add(builder.build());
            }
        }
    }

    private List<Read> expected()
    {
        final List<Read> all = new ArrayList<>();
        for (final MemoryRecords set : log)
        {
            for (final RecordBatch batch : set.batches())
            {
                for (final Record record : batch)
                {
                    all.add(new Read(
                        record.offset(), batch.magic(), record.timestamp(), record.key(), record.value()));
                }
            }
        }
        return all;
    }

    private FetchResponse fetch(final long offset)
    {
        return consumer.fetch(new FetchRequestBuilder().clientId("simple").maxWait(100).minBytes(1)
            .addFetch(TOPIC, 0, offset, FETCH_SIZE).build());
    }

    @ParameterizedTest
    @CsvSource({"0, NONE", "0, GZIP", "0, SNAPPY", "0, LZ4", "1, NONE", "1, GZIP", "1, SNAPPY", "1, LZ4"})
    void shouldReadWhatKafkasOwnCodeReads(final byte magic, final CompressionType codec)
    {
        fill(magic, codec);
        final List<Read> read = new ArrayList<>();
        long offset = 0;
        int below = 0;
        while (offset < endOffset())
        {
            final FetchResponse response = fetch(offset);
            assertEquals(0, response.errorCode(TOPIC, 0));
            assertEquals(endOffset(), response.highWatermark(TOPIC, 0));
            final long requested = offset;
            for (final MessageAndOffset entry : response.messageSet(TOPIC, 0))
            {
                assertTrue(entry.message().isValid());
                if (entry.offset() >= offset)
                {
                    read.add(new Read(entry.offset(), entry.message().magic(), entry.message().timestamp(),
                        entry.message().key(), entry.message().payload()));
                    offset = entry.nextOffset();
                    // Continue from within a set, which then begins below the requested offset.
                    if (random.nextInt(10) == 0)
                    {
                        break;
                    }
                }
                else
                {
                    below++;
                }
            }
            assertTrue(offset > requested, "nothing at " + requested);
        }
        assertEquals(expected(), read);
        assertTrue(below > 0, "no set began below the requested offset");
    }

    @Test
    void shouldStopAtADamagedMessage()
    {
        fill(RecordBatch.MAGIC_VALUE_V1, CompressionType.NONE);
        final ByteBuffer bytes = log.get(0).buffer();
        final int last = log.get(0).sizeInBytes() - 1;
        bytes.put(last, (byte) (bytes.get(last) ^ 1));

        final InvalidMessageException refusal = assertThrows(InvalidMessageException.class,
            () -> fetch(0).messageSet(TOPIC, 0).forEach((entry) -> assertTrue(entry.message().isValid())));
        assertTrue(refusal.getMessage().contains("fails its CRC"), refusal.getMessage());
    }

    /** A program may catch the exception in its loop over the messages. */
    @Test
    void shouldReportADamagedMessageOnce()
    {
        fill(RecordBatch.MAGIC_VALUE_V1, CompressionType.NONE);
        final ByteBuffer bytes = log.get(0).buffer();
        final int last = log.get(0).sizeInBytes() - 1;
        bytes.put(last, (byte) (bytes.get(last) ^ 1));
        final Iterator<MessageAndOffset> messages = fetch(0).messageSet(TOPIC, 0).iterator();
        int refusals = 0;
        while (messages.hasNext() && refusals < 2)
        {
            try
            {
                messages.next();
            }
            catch (final InvalidMessageException ex)
            {
                refusals++;
            }
        }

        assertEquals(1, refusals);
        assertThrows(NoSuchElementException.class, messages::next);
    }
}
