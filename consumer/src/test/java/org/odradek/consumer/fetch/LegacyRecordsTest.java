/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer.fetch;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.net.ConnectionSettings;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.DutyClock;
import org.odradek.consumer.net.MemoryBudget;
import org.odradek.consumer.net.Poller;
import org.odradek.consumer.net.TransportType;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Logs from before Kafka 0.11, as no broker of today would write them, where they are damaged or cut off; what they
 * hold when they are not is compared in {@link FetchOracleTest}.
 */
class LegacyRecordsTest
{
    private final ConsumerCounters counters = new ConsumerCounters();
    private final Poller poller = Poller.open(TransportType.NIO);
    private final List<String> errors = new ArrayList<>();
    private final List<Long> delivered = new ArrayList<>();
    private final PartitionTable table = new PartitionTable();
    private final ConsumerEnvironment environment = new ConsumerEnvironment(poller, new DutyClock(System::nanoTime),
        new MemoryBudget(0, counters), counters, ConsumerListener.NONE, (error) -> errors.add(error.getMessage()));
    private final PartitionErrors partitionErrors = new PartitionErrors(
        "topic", 1, new ResetSettings(ResetSettings.Kind.FAIL, 0), table, environment);
    private final BrokerFetcher fetcher = new BrokerFetcher(1, 100,
        new ConnectionSettings("id", 1, 1, 1, 1, 0, 100), new FetchSettings(
            1, 1, 1, 1, false, "", 1, 1, FetchSessionMode.OFF),
        new FetchTopic("topic"), partitionErrors, table);
    private final DecompressedBatch decompressed = new DecompressedBatch(environment, 1 << 16, 1 << 20);
    private final FetchReader reader = new FetchReader(true, false, false, decompressed, partitionErrors, table);
    private final RecordMemory memory = new RecordMemory(1 << 20);
    private final Random random = new Random(0x0DDADE);
    private int filled;

    LegacyRecordsTest()
    {
        table.ensureCapacity(1);
        fetcher.clearPartitions(1);
    }

    @AfterEach
    void free()
    {
        fetcher.free();
        decompressed.free();
        memory.free();
        poller.close();
    }

    private void begin()
    {
        filled = 0;
        delivered.clear();
        fetcher.frame().begin(memory, ApiKey.FETCH.maxVersion());
    }

    private void append(final ByteBuffer bytes)
    {
        final int length = bytes.remaining();
        memory.buffer().putBytes(filled, bytes, length);
        filled += length;
    }

    private void deliver(final long nextOffset)
    {
        table.assignAtOffset(0, nextOffset);
        fetcher.frame().add(0, table.generation(0), 0, filled);
        reader.deliverRecordsTo(this::onRecord);
        reader.open(fetcher);
        while (reader.isOpen())
        {
            reader.poll(1 + random.nextInt(10));
        }
    }

    private Action onRecord(final RecordFlyweight record)
    {
        if (random.nextInt(20) == 0)
        {
            return Action.ABORT;
        }
        delivered.add(record.offset());
        return Action.CONTINUE;
    }

    private byte[] bytes(final int maxLength)
    {
        final byte[] bytes = new byte[random.nextInt(maxLength + 1)];
        random.nextBytes(bytes);
        return random.nextInt(8) == 0 ? null : bytes;
    }

    private MemoryRecords set(final byte magic, final CompressionType codec, final long baseOffset)
    {
        final TimestampType timestampType = magic == RecordBatch.MAGIC_VALUE_V0 ? TimestampType.NO_TIMESTAMP_TYPE :
            random.nextInt(3) == 0 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        try (MemoryRecordsBuilder builder = new MemoryRecordsBuilder(ByteBuffer.allocate(1 << 16), magic,
            Compression.of(codec).build(), timestampType, baseOffset, 5_000, -1, (short) -1, -1, false, false, -1,
            1 << 16))
        {
            long offset = baseOffset;
            for (int i = random.nextInt(6); i >= 0; i--)
            {
                builder.appendWithOffset(offset, magic == 0 ? -1 : 1_000 + offset, bytes(20), bytes(100));
                offset += 1 + (random.nextInt(4) == 0 ? random.nextInt(5) : 0);
            }
            return builder.build();
        }
    }

    @Test
    void shouldStopAtAWrongChecksum()
    {
        begin();
        append(set(RecordBatch.MAGIC_VALUE_V1, CompressionType.NONE, 7).buffer());
        memory.buffer().putByte(filled - 1, (byte) (memory.buffer().getByte(filled - 1) ^ 1));

        deliver(7);

        assertEquals(1, errors.size());
        assertTrue(errors.get(0).matches(
            ".*CRC [0-9a-f]+ where [0-9a-f]+ was expected, in the message at offset \\d+.*"), errors.get(0));
        assertEquals(PartitionTable.STOPPED, table.state(0));
    }

    @Test
    void shouldReadEveryPrefixToItsLastWholeMessage()
    {
        begin();
        final MemoryRecords set = set(RecordBatch.MAGIC_VALUE_V1, CompressionType.NONE, 3);
        append(set.buffer().duplicate());
        append(set(RecordBatch.MAGIC_VALUE_V0, CompressionType.GZIP, 100).buffer());
        final int whole = filled;
        for (int length = set.sizeInBytes(); length < whole; length++)
        {
            filled = length;
            errors.clear();
            delivered.clear();
            fetcher.frame().begin(memory, ApiKey.FETCH.maxVersion());
            deliver(3);
            assertEquals(List.of(), errors);
            assertTrue(delivered.size() > 0);
            assertTrue(table.nextOffset(0) <= 100);
        }
    }
}
