// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.kafka.common.KafkaException;
import org.odradek.protocol.ErrorCode;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.function.Predicate;

/**
 * The broker that keeps a group's offsets. Whoever asks is sent there, and asks again while it is moving or loading;
 * the old brokers left that to the program.
 */
final class Coordinator
{
    private static final long PAUSE_MS = 100;

    private final BrokerChannel anyBroker;
    private final int timeoutMs;
    private final int socketBufferLength;
    private final String clientId;
    private String groupId;
    private BrokerChannel channel;

    Coordinator(
        final BrokerChannel anyBroker, final int timeoutMs, final int socketBufferLength, final String clientId)
    {
        this.anyBroker = anyBroker;
        this.timeoutMs = timeoutMs;
        this.socketBufferLength = socketBufferLength;
        this.clientId = clientId;
    }

    /**
     * Ask until the answer does not say that this is not, or not yet, the coordinator, or the time is over.
     */
    <T> T ask(final String group, final Question<T> question, final Predicate<T> isElsewhere) throws IOException
    {
        final long deadlineNs = System.nanoTime() + timeoutMs * 1_000_000L;
        T answer = null;
        short errorCode = ErrorCode.NONE;
        do
        {
            errorCode = find(group);
            if (errorCode == ErrorCode.NONE)
            {
                answer = channel.ask(question);
                if (!isElsewhere.test(answer))
                {
                    return answer;
                }
                close();
            }
            else if (!ErrorCode.isRetriable(errorCode))
            {
                break;
            }
            pause();
        }
        while (deadlineNs - System.nanoTime() > 0);

        if (answer == null)
        {
            throw new KafkaException("No coordinator of group " + group + ": " + ErrorCode.name(errorCode));
        }
        return answer;
    }

    static boolean isElsewhere(final short errorCode)
    {
        return errorCode == ErrorCode.NOT_COORDINATOR || errorCode == ErrorCode.COORDINATOR_NOT_AVAILABLE ||
            errorCode == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS;
    }

    private short find(final String group) throws IOException
    {
        if (channel != null && group.equals(groupId))
        {
            return ErrorCode.NONE;
        }
        close();
        final CoordinatorQuestion.Place place = anyBroker.ask(new CoordinatorQuestion(clientId, group));
        if (place.errorCode() == ErrorCode.NONE)
        {
            groupId = group;
            channel = new BrokerChannel(place.host(), place.port(), timeoutMs, socketBufferLength, clientId);
        }
        return place.errorCode();
    }

    private static void pause() throws ClosedByInterruptException
    {
        try
        {
            Thread.sleep(PAUSE_MS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new ClosedByInterruptException();
        }
    }

    void close()
    {
        if (channel != null)
        {
            channel.close();
            channel = null;
        }
    }
}
