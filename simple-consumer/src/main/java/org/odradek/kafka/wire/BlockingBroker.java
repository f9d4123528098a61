// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.kafka.api.FetchRequest;
import org.odradek.kafka.api.FetchResponsePartitionData;
import org.odradek.kafka.api.PartitionFetchInfo;
import org.odradek.kafka.common.OffsetMetadataAndError;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.FetchResponse;
import org.odradek.kafka.javaapi.OffsetCommitRequest;
import org.odradek.kafka.javaapi.OffsetCommitResponse;
import org.odradek.kafka.javaapi.OffsetFetchRequest;
import org.odradek.kafka.javaapi.OffsetFetchResponse;
import org.odradek.kafka.javaapi.OffsetRequest;
import org.odradek.kafka.javaapi.OffsetResponse;
import org.odradek.kafka.javaapi.TopicMetadataRequest;
import org.odradek.kafka.javaapi.TopicMetadataResponse;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a SimpleConsumer asks of its broker. Every method waits; used by one thread at a time.
 */
public final class BlockingBroker
{
    private final String clientId;
    private final BrokerChannel channel;
    private final Coordinator coordinator;
    private final MessageSets sets = new MessageSets();

    /**
     * @param host               of the broker.
     * @param port               of the broker.
     * @param timeoutMs          to connect within, and to be answered within.
     * @param socketBufferLength of the socket; 0 or less leaves it to the system.
     * @param clientId           that the broker logs.
     */
    public BlockingBroker(
        final String host, final int port, final int timeoutMs, final int socketBufferLength, final String clientId)
    {
        this.clientId = clientId;
        channel = new BrokerChannel(host, port, timeoutMs, socketBufferLength, clientId);
        coordinator = new Coordinator(channel, timeoutMs, socketBufferLength, clientId);
    }

    /**
     * A partition of which nothing but a transaction's end or a compacted rest came is asked for again behind it:
     * the program, which sees messages only, could not go on.
     *
     * @throws IOException if there is no answer.
     */
    public FetchResponse fetch(final FetchRequest request) throws IOException
    {
        final Map<TopicAndPartition, FetchResponsePartitionData> data = new LinkedHashMap<>();
        FetchRequest next = request;
        do
        {
            final Map<TopicAndPartition, PartitionFetchInfo> barren = new LinkedHashMap<>();
            for (final Map.Entry<TopicAndPartition, FetchedPartition> entry :
                channel.ask(new FetchQuestion(next, sets)).entrySet())
            {
                final FetchedPartition fetched = entry.getValue();
                data.put(entry.getKey(), fetched.data());
                if (fetched.isBarren())
                {
                    final int fetchSize = request.requestInfo().get(entry.getKey()).fetchSize();
                    barren.put(entry.getKey(), new PartitionFetchInfo(fetched.nextOffset(), fetchSize));
                }
            }
            next = new FetchRequest(request.correlationId(), request.clientId(), 0, 0, request.maxBytes(), barren);
        }
        while (!next.requestInfo().isEmpty());

        return new FetchResponse(data);
    }

    /**
     * @throws IOException if there is no answer.
     */
    public TopicMetadataResponse metadata(final TopicMetadataRequest request) throws IOException
    {
        return channel.ask(new MetadataQuestion(clientId, request.topics()));
    }

    /**
     * @throws IOException if there is no answer.
     */
    public OffsetResponse offsets(final OffsetRequest request) throws IOException
    {
        return channel.ask(new ListOffsetsQuestion(request.clientId(), request.requestInfo()));
    }

    /**
     * @throws IOException if there is no answer.
     */
    public OffsetCommitResponse commit(final OffsetCommitRequest request) throws IOException
    {
        return new OffsetCommitResponse(
            coordinator.ask(request.groupId(), new CommitQuestion(request), BlockingBroker::isCommitElsewhere));
    }

    /**
     * @throws IOException if there is no answer.
     */
    public OffsetFetchResponse fetchOffsets(final OffsetFetchRequest request) throws IOException
    {
        return new OffsetFetchResponse(
            coordinator.ask(request.groupId(), new OffsetFetchQuestion(request), BlockingBroker::isFetchElsewhere));
    }

    private static boolean isCommitElsewhere(final Map<TopicAndPartition, Short> errors)
    {
        for (final short error : errors.values())
        {
            if (Coordinator.isElsewhere(error))
            {
                return true;
            }
        }
        return false;
    }

    private static boolean isFetchElsewhere(final Map<TopicAndPartition, OffsetMetadataAndError> offsets)
    {
        for (final OffsetMetadataAndError offset : offsets.values())
        {
            if (Coordinator.isElsewhere(offset.error()))
            {
                return true;
            }
        }
        return false;
    }

    /**
     * Close the connections; the next question opens them anew.
     */
    public void close()
    {
        coordinator.close();
        channel.close();
        sets.close();
    }
}
