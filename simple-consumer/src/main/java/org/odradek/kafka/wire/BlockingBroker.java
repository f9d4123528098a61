// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.agrona.CloseHelper;
import org.agrona.concurrent.NanoClock;
import org.odradek.client.AuthenticationException;
import org.odradek.client.ClientException;
import org.odradek.client.security.SecuritySettings;
import org.odradek.kafka.api.FetchRequest;
import org.odradek.kafka.api.FetchResponsePartitionData;
import org.odradek.kafka.api.PartitionFetchInfo;
import org.odradek.kafka.blocking.BlockingConnection;
import org.odradek.kafka.common.ErrorMapping;
import org.odradek.kafka.common.KafkaException;
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
import org.odradek.protocol.ErrorCode;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The broker of a SimpleConsumer, and the coordinator of its group. One thread at a time may use an object. */
public final class BlockingBroker
{
    private static final long RETRY_BACKOFF_MS = 100;
    private static final long NS_PER_MS = 1_000_000;

    private final int timeoutMs;
    private final String clientId;
    private final NanoClock clock;
    private final BlockingConnection connection;
    private final MessageSets sets = new MessageSets();
    private final Map<TopicAndPartition, Skipped> skipped = new HashMap<>();
    private String groupId;
    private BlockingConnection coordinator;
    private long deadlineNs;

    private record Skipped(long offset, long nextOffset)
    {
    }

    public BlockingBroker(
        final String host,
        final int port,
        final int timeoutMs,
        final int socketBufferLength,
        final String clientId,
        final SecuritySettings security,
        final NanoClock clock)
    {
        this.timeoutMs = timeoutMs;
        this.clientId = clientId;
        this.clock = clock;
        connection = new BlockingConnection(host, port, timeoutMs, socketBufferLength, clientId, security, clock);
    }

    /**
     * Fetches messages. A partition whose response has complete batches without messages is fetched again from the
     * offset after these batches.
     */
    public FetchResponse fetch(final FetchRequest request) throws IOException
    {
        final long beginNs = begin();
        final Map<TopicAndPartition, FetchResponsePartitionData> data = new LinkedHashMap<>();
        final Map<TopicAndPartition, PartitionFetchInfo> wanted = new LinkedHashMap<>(request.requestInfo());
        wanted.replaceAll(this::afterSkipped);
        final Set<TopicAndPartition> repeated = new HashSet<>();
        Map<TopicAndPartition, PartitionFetchInfo> empty;
        boolean isAnswered = false;
        FetchRequest next = withPartitions(request, request.maxWait(), request.minBytes(), wanted);
        do
        {
            if (!isAnswered)
            {
                sets.begin();
            }
            empty = new LinkedHashMap<>();
            for (final Map.Entry<TopicAndPartition, MessageSets.Fetched> entry :
                send(connection, new TopicRequests.Fetch(next, sets)).entrySet())
            {
                final MessageSets.Fetched fetched = entry.getValue();
                final PartitionFetchInfo requested = request.requestInfo().get(entry.getKey());
                if (fetched.data().error() == ErrorMapping.OffsetOutOfRangeCode() &&
                    next.requestInfo().get(entry.getKey()).offset() != requested.offset() &&
                    repeated.add(entry.getKey()))
                {
                    // The log has become shorter than what was skipped; the offset of the program may be in the log.
                    skipped.remove(entry.getKey());
                    empty.put(entry.getKey(), requested);
                    continue;
                }
                if (fetched.isLeftOut())
                {
                    // An earlier response may have had the partition.
                    data.putIfAbsent(entry.getKey(), fetched.data());
                }
                else
                {
                    data.put(entry.getKey(), fetched.data());
                }
                isAnswered |= fetched.isAnswer();
                if (fetched.isWithoutMessages())
                {
                    skipped.put(entry.getKey(), new Skipped(requested.offset(), fetched.nextOffset()));
                    empty.put(entry.getKey(), new PartitionFetchInfo(fetched.nextOffset(), requested.fetchSize()));
                    sets.drop(fetched);
                }
            }
            wanted.putAll(empty);
            final long waitedMs = (clock.nanoTime() - beginNs) / NS_PER_MS;
            next = isAnswered ? withPartitions(request, 0, 0, empty) : withPartitions(
                request, (int)Math.max(0, request.maxWait() - waitedMs), request.minBytes(), wanted);
        }
        while (!empty.isEmpty());

        skipped.keySet().removeAll(data.keySet());
        return new FetchResponse(data);
    }

    private PartitionFetchInfo afterSkipped(final TopicAndPartition partition, final PartitionFetchInfo requested)
    {
        final Skipped last = skipped.get(partition);
        return last == null || last.offset() != requested.offset() ? requested :
            new PartitionFetchInfo(last.nextOffset(), requested.fetchSize());
    }

    private static FetchRequest withPartitions(
        final FetchRequest request,
        final int maxWait,
        final int minBytes,
        final Map<TopicAndPartition, PartitionFetchInfo> partitions)
    {
        return new FetchRequest(
            request.correlationId(), request.clientId(), maxWait, minBytes, request.maxBytes(), partitions);
    }

    private long begin()
    {
        final long nowNs = clock.nanoTime();
        deadlineNs = nowNs + timeoutMs * NS_PER_MS;
        return nowNs;
    }

    public TopicMetadataResponse metadata(final TopicMetadataRequest request) throws IOException
    {
        begin();
        return send(connection, new TopicRequests.Metadata(clientId, request.topics()));
    }

    public OffsetResponse offsets(final OffsetRequest request) throws IOException
    {
        begin();
        return send(connection, new TopicRequests.ListOffsets(request.clientId(), request.requestInfo()));
    }

    public OffsetCommitResponse commit(final OffsetCommitRequest request) throws IOException
    {
        return new OffsetCommitResponse(sendToCoordinator(request.groupId(), new GroupRequests.CommitOffsets(request),
            (errors) -> errors.values().stream().anyMatch(BlockingBroker::isNotCoordinator)));
    }

    public OffsetFetchResponse fetchOffsets(final OffsetFetchRequest request) throws IOException
    {
        return new OffsetFetchResponse(sendToCoordinator(request.groupId(), new GroupRequests.FetchOffsets(request),
            (offsets) -> offsets.values().stream().anyMatch((offset) -> isNotCoordinator(offset.error()))));
    }

    /**
     * Finds the coordinator and sends it a request. Repeats both until the timeout, while the coordinator cannot be
     * reached or the response shows that the broker is not the coordinator yet or any more.
     */
    private <T> T sendToCoordinator(
        final String group, final Request<T> request, final Predicate<T> isNotCoordinator) throws IOException
    {
        begin();
        T response = null;
        IOException failure = null;
        short errorCode = ErrorCode.NONE;
        do
        {
            errorCode = findCoordinator(group);
            if (errorCode == ErrorCode.NONE)
            {
                try
                {
                    response = sendToFound(request);
                    failure = null;
                    if (!isNotCoordinator.test(response))
                    {
                        return response;
                    }
                    closeCoordinator();
                }
                catch (final ClosedByInterruptException ex)
                {
                    throw ex;
                }
                catch (final IOException ex)
                {
                    failure = ex;
                }
            }
            else if (!ErrorCode.isRetriable(errorCode))
            {
                break;
            }
            pause();
        }
        while (deadlineNs - clock.nanoTime() > 0);

        if (failure != null)
        {
            throw failure;
        }
        if (response == null)
        {
            throw new KafkaException("No coordinator of group " + group + ": " + ErrorCode.name(errorCode));
        }
        return response;
    }

    private <T> T sendToFound(final Request<T> request) throws IOException
    {
        boolean isAnswered = false;
        try
        {
            final T response = send(coordinator, request);
            isAnswered = true;
            return response;
        }
        finally
        {
            if (!isAnswered)
            {
                closeCoordinator();
            }
        }
    }

    private <T> T send(final BlockingConnection to, final Request<T> request) throws IOException
    {
        try
        {
            return to.send(request, deadlineNs);
        }
        catch (final AuthenticationException ex)
        {
            throw ex;
        }
        catch (final ClientException ex)
        {
            throw new KafkaException(ex.getMessage(), ex);
        }
    }

    private static boolean isNotCoordinator(final short errorCode)
    {
        return errorCode == ErrorCode.NOT_COORDINATOR || errorCode == ErrorCode.COORDINATOR_NOT_AVAILABLE ||
            errorCode == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS;
    }

    private short findCoordinator(final String group) throws IOException
    {
        if (coordinator != null && group.equals(groupId))
        {
            return ErrorCode.NONE;
        }
        closeCoordinator();
        final GroupRequests.CoordinatorAddress found =
            send(connection, new GroupRequests.FindCoordinator(clientId, group));
        if (found.errorCode() == ErrorCode.NONE)
        {
            groupId = group;
            coordinator = connection.toBroker(found.nodeId(), found.host(), found.port());
        }
        return found.errorCode();
    }

    private static void pause() throws ClosedByInterruptException
    {
        try
        {
            Thread.sleep(RETRY_BACKOFF_MS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new ClosedByInterruptException();
        }
    }

    private void closeCoordinator()
    {
        if (coordinator != null)
        {
            final BlockingConnection former = coordinator;
            coordinator = null;
            former.close();
        }
    }

    public void close()
    {
        CloseHelper.closeAll(this::closeCoordinator, connection::close, sets::close);
    }
}
