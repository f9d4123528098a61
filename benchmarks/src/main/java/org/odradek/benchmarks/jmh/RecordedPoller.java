// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.handler.Poller;

/**
 * Stands where the sockets of the system would: every socket is connected and ready at once, and every request is
 * answered at once by a {@link RecordedBroker} of its own, without a system call.
 */
final class RecordedPoller implements Poller
{
    private final RecordedBatches batches;

    RecordedPoller(final RecordedBatches batches)
    {
        this.batches = batches;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return new RecordedSocket(new RecordedBroker(batches));
    }

    /** There is always an answer to be read. */
    @Override
    public int await(final long timeoutNs)
    {
        return 1;
    }

    @Override
    public void wakeup()
    {
    }

    @Override
    public String description()
    {
        return "recorded";
    }

    @Override
    public void close()
    {
    }

    /**
     * The answer to a fetch is copied into the receive buffer only the first time and stays there, as if the kernel had
     * just written it; then it is renewed.
     */
    private static final class RecordedSocket implements PolledSocket
    {
        private final RecordedBroker broker;
        private ByteBuffer answer;
        private ByteBuffer copied;
        private ByteBuffer copiedInto;

        private RecordedSocket(final RecordedBroker broker)
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
            final int length = buffer.remaining();
            answer = broker.answer(buffer);
            buffer.position(buffer.limit());
            return length;
        }

        @Override
        public int receive(final ByteBuffer buffer)
        {
            if (answer == null)
            {
                return NOTHING;
            }
            final int index = buffer.position();
            if (answer == copied && buffer == copiedInto)
            {
                broker.renew(buffer, index);
            }
            else
            {
                buffer.put(index, answer, 0, answer.limit());
                copied = answer;
                copiedInto = buffer;
            }
            answer = null;
            buffer.position(index + copied.limit());
            return copied.limit();
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
            return true;
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
        }
    }
}
