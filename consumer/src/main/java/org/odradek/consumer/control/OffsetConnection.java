// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;
import org.odradek.protocol.control.ListOffsetsResponseFlyweight;

import java.util.ArrayList;
import java.util.List;

/**
 * Asks one leader for offsets, over a connection of its own so that no question waits behind a long fetch. Opened
 * when there is a question, closed without an event when there has been none for a while.
 */
final class OffsetConnection
{
    private static final long MAX_IDLE_NS = 10_000_000_000L;

    private final ConsumerEnvironment environment;
    private final BrokerConnection connection;
    private final ListOffsetsRequestEncoder request;
    private final RequestFrame requestFrame;
    private final ListOffsetsResponseFlyweight response = new ListOffsetsResponseFlyweight();
    private final List<LeaderQuery> asked = new ArrayList<>();
    private final EpochQuestions epochs;
    private boolean isAskedForEpochs;
    private int requestVersion;
    private int seenFailures;
    private long lastUsedNs;

    OffsetConnection(
        final int nodeId,
        final BrokerAddress address,
        final ControlSettings settings,
        final String topic,
        final byte isolationLevel,
        final ConsumerEnvironment environment)
    {
        this.environment = environment;
        connection = new BrokerConnection(
            settings.connectionSettings(), environment, settings.controlBufferLength(), ApiKey.LIST_OFFSETS);
        request = new ListOffsetsRequestEncoder(settings.connectionSettings().clientId(), topic)
            .isolationLevel(isolationLevel);
        epochs = new EpochQuestions(settings.connectionSettings().clientId(), topic);
        requestFrame = new RequestFrame(environment.budget(), request.maxFrameLength(1));
        connection.open(nodeId, address);
        lastUsedNs = environment.clock().nowNs();
    }

    int doWork(final boolean isLooking)
    {
        final int work = connection.doWork(isLooking);
        if (connection.failures() != seenFailures)
        {
            seenFailures = connection.failures();
            forget();
        }
        return work;
    }

    private void forget()
    {
        asked.clear();
        epochs.asked().clear();
    }

    boolean canAsk()
    {
        return connection.canSend() && asked.isEmpty() && epochs.asked().isEmpty();
    }

    /**
     * Whether the broker answers to who asks for the end of leader epochs; known once it {@link #canAsk()}.
     */
    boolean canAskForEpochs()
    {
        return connection.version(ApiKey.OFFSET_FOR_LEADER_EPOCH) >= 0;
    }

    /**
     * Put a question about an epoch into the next request, which then holds nothing else.
     */
    void add(final PositionCheck check)
    {
        epochs.asked().add(check);
    }

    /**
     * Put a question into the next request, unless it holds one about the same partition: brokers refuse that.
     */
    void add(final LeaderQuery query)
    {
        for (final LeaderQuery other : asked)
        {
            if (other.partition() == query.partition())
            {
                return;
            }
        }
        asked.add(query);
    }

    /**
     * @return how many requests were sent.
     */
    int send(final PartitionTable table)
    {
        isAskedForEpochs = !epochs.asked().isEmpty();
        if (isAskedForEpochs)
        {
            asked.clear();
            send(epochs.build(requestFrame, connection.version(ApiKey.OFFSET_FOR_LEADER_EPOCH),
                connection.nextCorrelationId(), table));
            return 1;
        }
        if (asked.isEmpty())
        {
            return 0;
        }
        requestVersion = connection.version(ApiKey.LIST_OFFSETS);
        requestFrame.ensureCapacity(request.maxFrameLength(asked.size()));
        request.build(requestFrame.buffer(), requestVersion, asked.size());
        for (int i = 0; i < asked.size(); i++)
        {
            final LeaderQuery query = asked.get(i);
            request.entry(i, query.partition(), table.leaderEpoch(query.partition()), query.timestamp());
        }
        request.correlationId(connection.nextCorrelationId());
        send(request.frameLength());
        return 1;
    }

    private void send(final int length)
    {
        lastUsedNs = environment.clock().nowNs();
        connection.send(requestFrame, length);
    }

    /**
     * Give the answers that have come to who asked.
     *
     * @return true if there were any.
     */
    boolean takeAnswers(final OffsetResolver resolver, final PositionValidator validator)
    {
        if (!connection.hasResponse())
        {
            return false;
        }
        try
        {
            connection.checkWhole();
            if (isAskedForEpochs)
            {
                epochs.read(connection, validator);
            }
            else
            {
                readOffsets(resolver);
            }
            connection.release();
        }
        catch (final WireFormatException ex)
        {
            environment.error((isAskedForEpochs ? "OffsetForLeaderEpoch" : "ListOffsets") + " response from " +
                connection.address() + ": " + ex.getMessage() + "; will reconnect and ask again.");
            connection.fail("a response that cannot be read");
        }
        forget();
        return true;
    }

    private void readOffsets(final OffsetResolver resolver)
    {
        response.wrap(connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX,
            connection.responseLimit(), requestVersion);
        while (response.nextPartition())
        {
            final LeaderQuery query = take(response.partition());
            if (query != null)
            {
                answer(query, resolver);
            }
        }
        if (ApiKey.LIST_OFFSETS.isThrottledByClient(requestVersion))
        {
            connection.throttle(response.throttleTimeMs());
        }
    }

    private LeaderQuery take(final int partition)
    {
        for (int i = 0; i < asked.size(); i++)
        {
            if (asked.get(i).partition() == partition)
            {
                return asked.remove(i);
            }
        }
        return null;
    }

    private void answer(final LeaderQuery query, final OffsetResolver resolver)
    {
        final short errorCode = response.partitionErrorCode();
        if (errorCode == ErrorCode.NONE)
        {
            query.onAnswer(response.offset(), response.timestamp(), response.leaderEpoch());
        }
        else if (errorCode == ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT)
        {
            query.onAnswer(LeaderQuery.NULL_OFFSET, -1, -1);
        }
        else
        {
            resolver.onError(query, connection.nodeId(), errorCode);
        }
    }

    /**
     * Nothing has been asked for a while, though it could have been, or the broker has closed because of that.
     */
    boolean isIdle()
    {
        return connection.isIdle() || canAsk() && environment.clock().nowNs() - lastUsedNs > MAX_IDLE_NS;
    }

    int nodeId()
    {
        return connection.nodeId();
    }

    BrokerAddress address()
    {
        return connection.address();
    }

    long nextDeadlineNs(final long otherwiseNs)
    {
        return connection.nextDeadlineNs(otherwiseNs);
    }

    void free()
    {
        connection.free();
        requestFrame.free();
    }

    @Override
    public String toString()
    {
        return "offsets from " + connection + ", " + (asked.size() + epochs.asked().size()) +
            " questions outstanding";
    }
}
