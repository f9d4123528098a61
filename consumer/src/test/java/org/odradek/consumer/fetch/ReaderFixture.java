// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.odradek.client.NameResolver;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.BrokerConnection;
import org.odradek.client.net.Pollers;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Everything that a {@link FetchReader} needs, without a connection: a test writes the response itself.
 */
final class ReaderFixture
{
    /** Producer id, first offset, no tags. */
    private static final int ABORTED_LENGTH = 2 * Long.BYTES + 1;

    final CounterWriter counters = new CounterWriter();
    final List<Throwable> errors = new ArrayList<>();
    final PartitionTable table;
    final RecordMemory memory;
    final BrokerFetcher fetcher;
    /** The time, which only a test changes. */
    long nowNs;
    /** How often it was read, and what each reading takes. */
    int reads;
    long readNs;
    private final Poller poller = Pollers.open(TransportType.NIO);
    private final PartitionErrors partitionErrors;
    private final DecompressedBatch decompressed;
    private int filled;

    private final ConsumerSettings settings = new ConsumerSettings();
    private final Environment environment;

    ReaderFixture(final int partitionCount, final int memoryLength)
    {
        this(partitionCount, memoryLength, 1 << 16, 1 << 20);
    }

    ReaderFixture(
        final int partitionCount, final int memoryLength, final int outputLength, final int outputMaxLength)
    {
        table = new PartitionTable(settings);
        memory = new RecordMemory(memoryLength);
        final DutyClock clock = new DutyClock(this::nanoTime, System::currentTimeMillis);
        settings.topic = "topic";
        settings.sessionMinPartitions = Integer.MAX_VALUE;
        settings.fetchMaxBytes = 1;
        settings.receiveBufferMaxLength = 100;
        settings.decompressionBufferMaxLength = outputMaxLength;
        environment = new Environment(
            settings, poller, clock, UnlimitedMemory.budget(0), counters, ConsumerListener.NONE, errors::add);
        partitionErrors = new PartitionErrors(table, environment);
        fetcher = new BrokerFetcher(new FetchConnections(1, table, environment),
            new BrokerConnection(environment, 100, ApiKey.FETCH, settings.reconnectBackoff(), 0), null,
            new TopicIdentity("topic"), partitionErrors, table, environment);
        fetcher.address(new BrokerAddress("127.0.0.1", 9092, true, NameResolver.SYSTEM, clock, counters));
        decompressed = new DecompressedBatch(environment, outputLength);
        table.ensureCapacity(partitionCount);
        fetcher.clearPartitions(partitionCount);
    }

    private long nanoTime()
    {
        reads++;
        nowNs += readNs;
        return nowNs;
    }

    /** Makes the consumer a member of a group. */
    void joinGroup()
    {
        settings.group = new ConsumerSettings.Group("group");
    }

    FetchReader reader(final boolean isReadCommitted)
    {
        settings.isReadCommitted = isReadCommitted;
        return new FetchReader(decompressed, partitionErrors, table, environment);
    }

    FetchReader reader(final HandlerErrorPolicy policy)
    {
        settings.handlerErrorPolicy = policy;
        return reader(false);
    }

    /** Begins a response; the one before cannot be read any more. */
    void begin()
    {
        filled = 0;
        fetcher.responses.frame.begin(memory, ApiKey.FETCH.maxVersion(), 0);
    }

    /** Length of the response in bytes. */
    int filled()
    {
        return filled;
    }

    /** Cuts the response off. */
    void filled(final int length)
    {
        filled = length;
    }

    void append(final ByteBuffer bytes)
    {
        final int length = bytes.remaining();
        memory.buffer().putBytes(filled, bytes, length);
        filled += length;
    }

    void append(final MemoryRecords... batches)
    {
        for (final MemoryRecords records : batches)
        {
            append(records.buffer().duplicate());
        }
    }

    /** Assigns a partition at an offset; the given part of the response is its record set. */
    void entry(final int partition, final long nextOffset, final int index, final int length)
    {
        table.assignAtOffset(partition, nextOffset, PartitionTable.NULL_EPOCH);
        fetcher.responses.frame.add(partition, table.generation(partition), nextOffset, index, length);
    }

    /**
     * Assigns a partition at an offset, and adds its aborted transactions and its record set to the response.
     *
     * @return the record set's index.
     */
    int entry(
        final int partition, final long nextOffset, final List<AbortedTransaction> aborted,
        final MemoryRecords... batches)
    {
        final int abortedIndex = filled;
        for (final AbortedTransaction transaction : aborted)
        {
            append(ByteBuffer.allocate(ABORTED_LENGTH).putLong(transaction.producerId())
                .putLong(transaction.firstOffset()).rewind());
        }
        final int index = filled;
        append(batches);
        entry(partition, nextOffset, index, filled - index);
        fetcher.responses.frame.aborted(abortedIndex, aborted.size());
        return index;
    }

    List<String> errorMessages()
    {
        return errors.stream().map(Throwable::getMessage).toList();
    }

    void free()
    {
        fetcher.free();
        decompressed.free();
        memory.free();
        poller.close();
    }
}
