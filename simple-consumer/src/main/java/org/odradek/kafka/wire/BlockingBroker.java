// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.agrona.CloseHelper;
import org.odradek.consumer.blocking.BlockingConnection;
import org.odradek.consumer.handler.AuthenticationException;
import org.odradek.consumer.handler.ConsumerException;
import org.odradek.consumer.security.SecuritySettings;
import org.odradek.kafka.api.FetchRequest;
import org.odradek.kafka.api.FetchResponsePartitionData;
import org.odradek.kafka.api.PartitionFetchInfo;
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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The broker of a SimpleConsumer, and the coordinator of its group. Every method sends requests and waits for the
 * responses. Used by one thread at a time.
 */
public final class BlockingBroker
{
    private static final long RETRY_BACKOFF_MS = 100;

    private final int timeoutMs;
    private final String clientId;
    private final BlockingConnection connection;
    private final MessageSets sets = new MessageSets();
    private String groupId;
    private BlockingConnection coordinator;

    /**
     * @param host               of the broker.
     * @param port               of the broker.
     * @param timeoutMs          of connecting and of each request.
     * @param socketBufferLength in bytes; 0 or less leaves it to the system.
     * @param clientId           shown in the broker's logs.
     * @param security           how connections are encrypted and authenticated.
     */
    public BlockingBroker(
        final String host,
        final int port,
        final int timeoutMs,
        final int socketBufferLength,
        final String clientId,
        final SecuritySettings security)
    {
        this.timeoutMs = timeoutMs;
        this.clientId = clientId;
        connection = new BlockingConnection(host, port, timeoutMs, socketBufferLength, clientId, security);
    }

    /**
     * Fetches messages. A partition whose response holds only transaction markers or compacted batches is fetched again
     * from the offset after them: the program sees only messages, so it could not continue by itself. As long as no
     * partition has messages, such a fetch waits for them as the request says.
     */
    public FetchResponse fetch(final FetchRequest request) throws IOException
    {
        final Map<TopicAndPartition, FetchResponsePartitionData> data = new LinkedHashMap<>();
        final Map<TopicAndPartition, PartitionFetchInfo> wanted = new LinkedHashMap<>(request.requestInfo());
        Map<TopicAndPartition, PartitionFetchInfo> empty;
        boolean isAnswered = false;
        FetchRequest next = request;
        do
        {
            empty = new LinkedHashMap<>();
            for (final Map.Entry<TopicAndPartition, MessageSets.Fetched> entry :
                send(connection, new TopicRequests.Fetch(next, sets)).entrySet())
            {
                final MessageSets.Fetched fetched = entry.getValue();
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
                    final int fetchSize = request.requestInfo().get(entry.getKey()).fetchSize();
                    empty.put(entry.getKey(), new PartitionFetchInfo(fetched.nextOffset(), fetchSize));
                }
            }
            wanted.putAll(empty);
            next = isAnswered ?
                new FetchRequest(request.correlationId(), request.clientId(), 0, 0, request.maxBytes(), empty) :
                new FetchRequest(request.correlationId(), request.clientId(), request.maxWait(), request.minBytes(),
                    request.maxBytes(), wanted);
        }
        while (!empty.isEmpty());

        return new FetchResponse(data);
    }

    public TopicMetadataResponse metadata(final TopicMetadataRequest request) throws IOException
    {
        return send(connection, new TopicRequests.Metadata(clientId, request.topics()));
    }

    public OffsetResponse offsets(final OffsetRequest request) throws IOException
    {
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
     * Finds the coordinator and sends it a request. Repeats both while the broker cannot be reached, or its response
     * says that it is not, or not yet, the coordinator, until the timeout has passed. With the old brokers the program
     * had to do this.
     */
    private <T> T sendToCoordinator(
        final String group, final Request<T> request, final Predicate<T> isNotCoordinator) throws IOException
    {
        final long deadlineNs = System.nanoTime() + timeoutMs * 1_000_000L;
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
        while (deadlineNs - System.nanoTime() > 0);

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

    /** A coordinator that has not answered is looked for again, because another broker may have taken its place. */
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

    private static <T> T send(final BlockingConnection connection, final Request<T> request) throws IOException
    {
        try
        {
            return connection.send(request);
        }
        catch (final AuthenticationException ex)
        {
            throw ex;
        }
        catch (final ConsumerException ex)
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

    /** Closes the connections; the next request opens them again. */
    public void close()
    {
        CloseHelper.closeAll(this::closeCoordinator, connection::close, sets::close);
    }
}
