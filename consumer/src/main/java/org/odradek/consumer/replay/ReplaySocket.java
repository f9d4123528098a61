// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.replay;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ResponseHeader;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A connection to a {@link ReplayBroker}: what is sent is a request, and its answer is there when it is looked for. The
 * answer is copied to the receiver as the kernel would, in pieces if the buffer is too small, and carries the
 * correlation id of the request.
 */
final class ReplaySocket implements PolledSocket
{
    private static final int API_KEY_INDEX = 4;
    private static final int VERSION_INDEX = 6;
    private static final int CORRELATION_ID_INDEX = 8;
    private static final int FIRST_VERSION_WITH_SESSION = 7;

    private final ReplayBroker broker;
    private boolean isAnswerDue;
    private short apiKey;
    private short version;
    private int correlationId;
    private int given;

    ReplaySocket(final ReplayBroker broker)
    {
        this.broker = broker;
    }

    @Override
    public boolean connect(final InetSocketAddress address)
    {
        return true;
    }

    @Override
    public boolean finishConnect()
    {
        return true;
    }

    @Override
    public int send(final ByteBuffer buffer)
    {
        final int from = buffer.position();
        apiKey = buffer.getShort(from + API_KEY_INDEX);
        version = buffer.getShort(from + VERSION_INDEX);
        correlationId = buffer.getInt(from + CORRELATION_ID_INDEX);
        isAnswerDue = true;
        given = 0;
        buffer.position(buffer.limit());
        return buffer.limit() - from;
    }

    @Override
    public int receive(final ByteBuffer buffer)
    {
        if (!isAnswerDue || given == 0 && !broker.answer(apiKey, version))
        {
            return NOTHING;
        }
        final int from = buffer.position();
        final int length = Math.min(buffer.remaining(), broker.answerLength() - given);
        buffer.put(from, broker.answer(), broker.answerIndex() + given, length);
        if (given == 0)
        {
            renew(buffer, from, length);
        }
        given += length;
        isAnswerDue = given < broker.answerLength();
        buffer.position(from + length);
        return length;
    }

    /**
     * It is another request that is answered, it is answered now and not later, and it has no session.
     */
    private void renew(final ByteBuffer buffer, final int from, final int length)
    {
        buffer.putInt(from + ResponseHeader.CORRELATION_ID_FIELD_OFFSET, correlationId);
        if (apiKey == ApiKey.FETCH.key())
        {
            final int throttleIndex = from + ResponseHeader.LENGTH + ApiKey.FETCH.responseHeaderVersion(version);
            final int sessionIndex = throttleIndex + Integer.BYTES + Short.BYTES;
            if (sessionIndex + Integer.BYTES <= from + length)
            {
                buffer.putInt(throttleIndex, 0);
                if (version >= FIRST_VERSION_WITH_SESSION)
                {
                    buffer.putInt(sessionIndex, 0);
                }
            }
        }
    }

    @Override
    public void readInterest(final boolean on)
    {
    }

    @Override
    public void writeInterest(final boolean on)
    {
    }

    @Override
    public boolean isReady()
    {
        return isAnswerDue;
    }

    @Override
    public void clearReady()
    {
    }

    @Override
    public int receiveBufferLength()
    {
        return 0;
    }

    @Override
    public void close()
    {
        isAnswerDue = false;
    }
}
