// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * An unchanged consumer reads frames that were made of records.
 */
final class FrameBuilderTest
{
    private static final int PARTITION = 3;

    /** Each as partition, offset, timestamp, key, value and headers. */
    private final List<String> records = new ArrayList<>();
    /** Each as first to last offset and codec. */
    private final List<String> batches = new ArrayList<>();

    private static byte[] bytes(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(final Record record, final int index, final int length)
    {
        return length < 0 ? "null" : "'" + record.buffer().getStringWithoutLengthUtf8(index, length) + "'";
    }

    private void onRecord(final Record record)
    {
        final StringBuilder line = new StringBuilder().append(record.partition()).append(' ').append(record.offset())
            .append(' ').append(record.timestamp())
            .append(' ').append(text(record, record.keyIndex(), record.keyLength()))
            .append(' ').append(text(record, record.valueIndex(), record.valueLength()));
        final RecordHeadersFlyweight headers = record.headers();
        while (headers.next())
        {
            line.append(' ').append(text(record, headers.keyIndex(), headers.keyLength()))
                .append('=').append(text(record, headers.valueIndex(), headers.valueLength()));
        }
        records.add(line.toString());
    }

    private void read(final CapturedFrames frames)
    {
        try (FrameReplay replay = new FrameReplay(frames, () -> new ConsumerContext().errorHandler((error) ->
        {
            throw new AssertionError("the error handler was called: " + error.getMessage(), error);
        })))
        {
            while (!replay.isDone())
            {
                replay.poll(this::onRecord, 100);
            }
            replay.rewind();
            while (!replay.isDone())
            {
                replay.pollBatches((batch) ->
                {
                    batches.add(
                        batch.baseOffset() + "-" + batch.lastOffset() + " " +
                        CompressionType.name(batch.compressionType()));
                    return Action.CONTINUE;
                }, 100);
            }
        }
    }

    @Test
    void shouldDeliverRecordsInTheOrderOfTheCalls()
    {
        final Map<String, byte[]> headers = new LinkedHashMap<>();
        headers.put("région", bytes("eu"));
        headers.put("trace", null);

        read(new FrameBuilder("metrics")
            .record(PARTITION, bytes("cpu"), bytes("17"))
            .record(0, null, bytes(""))
            .timestamp(1_700_000_000_000L)
            .record(PARTITION, bytes(""), null, headers)
            .record(PARTITION, bytes("cpu"), bytes("18"))
            .build());

        assertEquals(List.of(
            "3 0 0 'cpu' '17'",
            "0 0 0 null ''",
            "3 1 1700000000000 '' null 'région'='eu' 'trace'=null",
            "3 2 1700000000000 'cpu' '18'"), records);
    }

    @Test
    void shouldEndBatchesAndFramesWhereCalledFor()
    {
        final CapturedFrames frames = new FrameBuilder("metrics")
            .endFrame()
            .record(PARTITION, null, bytes("a"))
            .endBatch()
            .endBatch()
            .record(PARTITION, null, bytes("b"))
            .record(PARTITION, null, bytes("c"))
            .endFrame()
            .endFrame()
            .record(PARTITION, null, bytes("d"))
            .build();

        read(frames);

        assertEquals(2, frames.count());
        assertEquals("metrics", frames.topic());
        assertEquals(List.of("0-0 none", "1-2 none", "3-3 none"), batches);
        assertEquals(4, records.size());
    }

    @Test
    void shouldLeaveOutOffsets()
    {
        read(new FrameBuilder("metrics")
            .offset(PARTITION, 1_000)
            .record(PARTITION, null, bytes("a"))
            .offset(PARTITION, 1_001)
            .record(PARTITION, null, bytes("b"))
            .offset(PARTITION, 5_000_000_000L)
            .record(PARTITION, null, bytes("c"))
            .build());

        assertEquals(
            List.of("3 1000 0 null 'a'", "3 1001 0 null 'b'", "3 5000000000 0 null 'c'"), records);
    }

    @Test
    void shouldDeliverAnyPartitionThatATopicMayHave()
    {
        read(new FrameBuilder("metrics")
            .record(99_999, null, bytes("a"))
            .record(5_000, null, bytes("b"))
            .build());

        assertEquals(List.of("99999 0 0 null 'a'", "5000 0 0 null 'b'"), records);
    }

    @Test
    void shouldFillBatchesAndFramesAsAProducerAndABrokerDo()
    {
        final int count = 3_000;
        final FrameBuilder builder = new FrameBuilder("metrics");
        final byte[] value = new byte[1_000];
        for (int i = 0; i < count; i++)
        {
            builder.record(PARTITION, null, value);
        }
        builder.record(PARTITION, null, new byte[2_000_000]);
        final CapturedFrames frames = builder.build();

        read(frames);

        // 16 records of 1,009 bytes and a header are 16,205 bytes: 65 such batches are more than 1 MiB.
        assertEquals("0-15 none", batches.get(0));
        assertEquals((count + 15) / 16 + 1, batches.size());
        assertEquals(3, frames.count());
        assertEquals(count + 1, records.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {CompressionType.GZIP, CompressionType.SNAPPY, CompressionType.LZ4, CompressionType.ZSTD})
    void shouldCompressWhatBecomesShorter(final int codec)
    {
        final String value = "a long value ".repeat(100);

        read(new FrameBuilder("metrics")
            .record(PARTITION, null, bytes(value))
            .compressionType(codec)
            .record(PARTITION, null, bytes(value))
            .endBatch()
            .record(PARTITION, null, bytes("b"))
            .build());

        assertEquals(
            List.of("3 0 0 null '" + value + "'", "3 1 0 null '" + value + "'", "3 2 0 null 'b'"), records);
        assertEquals(List.of("0-0 none", "1-1 " + CompressionType.name(codec), "2-2 none"), batches);
    }

    @Test
    void shouldBuildAgainWithWhatIsAdded()
    {
        final FrameBuilder builder = new FrameBuilder("metrics");
        final CapturedFrames none = builder.build();
        final CapturedFrames one = builder.record(PARTITION, null, bytes("a")).build();
        final CapturedFrames two = builder.record(PARTITION, null, bytes("b")).build();

        assertThrows(IllegalArgumentException.class, () -> read(none));
        read(one);
        assertEquals(List.of("3 0 0 null 'a'"), records);
        records.clear();
        read(two);
        assertEquals(List.of("3 0 0 null 'a'", "3 1 0 null 'b'"), records);
    }

    @Test
    void shouldRefuseWhatNoTopicHolds()
    {
        final FrameBuilder builder = new FrameBuilder("metrics").record(PARTITION, null, bytes("a"));

        refuse("topic is 'my topic': it must have 1 to 249 letters, digits, dots, underscores or dashes",
            () -> new FrameBuilder("my topic"));
        refuse("the partition is -1: it must be 0 to 99999", () -> builder.record(-1, null, null));
        refuse("the partition is 100000: it must be 0 to 99999", () -> builder.offset(100_000, 0));
        refuse("the next offset of partition 3 is 0: it must be 1 to 4611686018427387903",
            () -> builder.offset(PARTITION, 0));
        refuse("the timestamp is -1: it must be 0 or more", () -> builder.timestamp(-1));
        refuse("compressionType is 5: it must be 0 (none) to 4 (zstd)", () -> builder.compressionType(5));
    }

    private static void refuse(final String message, final Executable call)
    {
        assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
    }

    @Test
    void shouldLookLikeARecordOfALiveTopic()
    {
        final int[] epochs = new int[1];
        try (FrameReplay replay = new FrameReplay(
            new FrameBuilder("metrics").record(PARTITION, null, bytes("a")).build()))
        {
            final int delivered = replay.poll((record) ->
            {
                epochs[0] = record.leaderEpoch();
                assertTrue(record.ownershipEpoch() > 0, "ownership epoch " + record.ownershipEpoch());
            }, 1);
            assertEquals(1, delivered);
        }
        assertEquals(0, epochs[0]);
    }
}
