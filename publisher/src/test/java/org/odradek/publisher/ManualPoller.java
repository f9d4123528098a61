// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.NanoClock;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.PollerUser;
import org.odradek.harness.model.ModelBroker;
import org.odradek.harness.model.ModelConnection;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Sockets in memory to one model of a broker, and the clock of everything: only a wait moves it, to the next response
 * or to its end. It counts waits, and those that ended after so short a time that nothing can have become due.
 */
final class ManualPoller implements Poller, NanoClock
{
    private static final long WAY_NS = 250_000;
    private static final long LEAST_WAIT_NS = 1_000;
    private static final int MOST_CALLS = 100_000;

    /** What has passed a socket: the name of a request, or {@link #ANSWER}. */
    record Passed(int socket, String what, long atNs)
    {
    }

    static final String ANSWER = "answer";

    /** A response is on its way for a while. */
    private final class Socket implements PolledSocket
    {
        private final int number = opened++;
        private final PollerUser user;
        private final ModelConnection connection = broker.connect();
        private final ByteBuffer request = ByteBuffer.allocate(1 << 20);
        private ByteBuffer arriving;
        private long arrivalNs;
        private boolean isReading;
        private boolean isReady;

        private Socket(final PollerUser user)
        {
            this.user = user;
        }

        /** Returns when bytes can be read, or {@link Long#MAX_VALUE}. */
        private long readableNs()
        {
            if (arriving == null)
            {
                arriving = connection.response();
                arrivalNs = nowNs + WAY_NS;
            }
            return arriving != null ? arrivalNs : Math.max(nowNs, connection.nextDeadline());
        }

        private boolean isReadable()
        {
            isReady |= isReading && readableNs() <= nowNs && arriving != null;
            return isReady;
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
        public int receive(final ByteBuffer buffer)
        {
            if (readableNs() > nowNs || arriving == null)
            {
                isReady = false;
                return NOTHING;
            }
            final int length = Math.min(buffer.remaining(), arriving.remaining());
            buffer.put(arriving.slice(arriving.position(), length));
            arriving.position(arriving.position() + length);
            arriving = arriving.hasRemaining() ? arriving : null;
            if (arriving == null)
            {
                passed.add(new Passed(number, ANSWER, nowNs));
            }
            return length;
        }

        @Override
        public int send(final ByteBuffer buffer)
        {
            final int length = buffer.remaining();
            request.put(buffer);
            if (request.position() == Integer.BYTES + request.getInt(0))
            {
                request.flip().position(Integer.BYTES);
                final ApiMessageType type = ApiMessageType.fromApiKey(request.getShort(Integer.BYTES));
                passed.add(new Passed(number, type.name(), nowNs));
                if (script != null && (type == ApiMessageType.PRODUCE || type == ApiMessageType.INIT_PRODUCER_ID))
                {
                    answer(type);
                }
                else
                {
                    connection.request(request);
                }
                request.clear();
            }
            return length;
        }

        private void answer(final ApiMessageType type)
        {
            final ByteBufferAccessor reader = new ByteBufferAccessor(request);
            final short version = request.getShort(Integer.BYTES + Short.BYTES);
            final RequestHeaderData header = new RequestHeaderData(reader, type.requestHeaderVersion(version));
            final ApiMessage message = type.newRequest();
            message.read(reader, version);
            final ApiMessage response = script.apply(type, message);
            if (response != null)
            {
                final ByteBuffer frame = MessageUtil.toByteBufferAccessor(response, version).buffer();
                final ByteBuffer head = MessageUtil.toByteBufferAccessor(
                    new ResponseHeaderData().setCorrelationId(header.correlationId()),
                    type.responseHeaderVersion(version)).buffer();
                final int length = head.remaining() + frame.remaining();
                arriving = ByteBuffer.allocate(Integer.BYTES + length).putInt(length).put(head).put(frame).flip();
                arrivalNs = nowNs + WAY_NS;
            }
        }

        @Override
        public void readInterest(final boolean on)
        {
            isReading = on;
        }

        @Override
        public void writeInterest(final boolean on)
        {
        }

        @Override
        public boolean isReady()
        {
            return isReady;
        }

        @Override
        public void clearReady()
        {
            isReady = false;
        }

        @Override
        public int receiveBufferLength()
        {
            return 0;
        }

        @Override
        public void close()
        {
            connection.close();
            sockets.remove(this);
        }
    }

    /** By all sockets. */
    final List<Passed> passed = new ArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();
    private final ModelBroker broker;
    /** Answers Produce and InitProducerId, or does not with null. Without a script the model does. */
    private final BiFunction<ApiMessageType, ApiMessage, ApiMessage> script;
    private long nowNs;
    private int opened;
    private int calls;
    /** Waits that have ended with a socket that is ready, and all other ones. */
    int readyCount;
    int deadlineCount;
    /** Of the others, those that took almost no time. */
    int shortCount;

    ManualPoller(
        final ModelBroker broker,
        final BiFunction<ApiMessageType, ApiMessage, ApiMessage> script,
        final long nowNs)
    {
        this.broker = broker;
        this.script = script;
        this.nowNs = nowNs;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return openSocket(receiveBufferLength, sendBufferLength, null);
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
    {
        final Socket socket = new Socket(user);
        sockets.add(socket);
        return socket;
    }

    @Override
    public int await(final long timeoutNs)
    {
        return await(timeoutNs, null, false);
    }

    @Override
    public int await(final long timeoutNs, final PollerUser user, final boolean isAlone)
    {
        if (++calls > MOST_CALLS)
        {
            throw new IllegalStateException("the thread spins");
        }
        final long beginNs = nowNs;
        final long endNs = nowNs + Math.max(0, timeoutNs);
        int ready = ready(user, isAlone);
        while (ready == 0 && nowNs < endNs)
        {
            long nextNs = endNs;
            for (final Socket socket : sockets)
            {
                final long readableNs = socket.readableNs();
                nextNs = readableNs > nowNs ? Math.min(nextNs, readableNs) : nextNs;
            }
            nowNs = nextNs;
            ready = ready(user, isAlone);
        }
        if (timeoutNs > 0)
        {
            readyCount += ready == 0 ? 0 : 1;
            deadlineCount += ready == 0 ? 1 : 0;
            shortCount += ready == 0 && nowNs - beginNs < LEAST_WAIT_NS ? 1 : 0;
        }
        return ready;
    }

    private int ready(final PollerUser user, final boolean isAlone)
    {
        int own = 0;
        int others = 0;
        for (final Socket socket : sockets)
        {
            final int count = socket.isReadable() ? 1 : 0;
            own += user == null || user == socket.user ? count : 0;
            others += user == null || user == socket.user ? 0 : count;
        }
        return own == 0 && others > 0 && !isAlone ? OTHERS : own;
    }

    @Override
    public long nanoTime()
    {
        return nowNs;
    }

    @Override
    public void wakeup()
    {
    }

    @Override
    public String description()
    {
        return "manual";
    }

    @Override
    public void close()
    {
        sockets.clear();
    }
}
