// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.agrona.DirectBuffer;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.WireWriter;

/**
 * One kind of request, and how its answer is read.
 *
 * @param <T> the answer.
 */
abstract class Question<T>
{
    private final ApiKey apiKey;
    private final int maxVersion;
    private final byte[] clientId;

    /**
     * @param maxVersion to ask in: the highest in which topics have names, as the old API has nothing else.
     */
    Question(final ApiKey apiKey, final int maxVersion, final String clientId)
    {
        this.apiKey = apiKey;
        this.maxVersion = maxVersion;
        this.clientId = WireWriter.encode(clientId);
    }

    final ApiKey apiKey()
    {
        return apiKey;
    }

    final byte[] clientId()
    {
        return clientId;
    }

    /**
     * -1 if there is none that both sides speak.
     */
    final int version(final BrokerConnection connection)
    {
        final int version = Math.min(connection.version(apiKey), maxVersion);
        return version < apiKey.minVersion() ? -1 : version;
    }

    /**
     * The most bytes that the body takes.
     */
    abstract int maxBodyLength();

    abstract void write(WireWriter writer, int version);

    /**
     * Read the answer out of a connection that holds it.
     */
    abstract T read(BrokerConnection connection, int version);

    static String string(final DirectBuffer buffer, final int index, final int length)
    {
        return length <= 0 ? "" : buffer.getStringWithoutLengthUtf8(index, length);
    }

    /**
     * Bytes that a topic and its partitions take at most.
     */
    static int maxTopicLength(final String topic, final int partitions, final int partitionLength)
    {
        final int fixed = 2 * Integer.BYTES + Long.BYTES * 2;
        return Math.addExact(fixed + WireWriter.maxStringLength(WireWriter.encode(topic)),
            Math.multiplyExact(partitions, partitionLength));
    }
}
