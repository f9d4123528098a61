// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.TransportType;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Counts and prints the stack frames from a poll that finds data without waiting to the socket's receive call and to
 * the handler.
 */
@Timeout(60)
class PollStackTest
{
    private static final int MAX_FRAMES_ABOVE_HANDLER = 6;
    private static final int MAX_FRAMES_ABOVE_RECV = 9;
    /** The receive method of the socket, which calls that of the operating system. */
    private static final int FRAMES_IN_SOCKET = 1;

    private final Poller poller = TopicConsumer.openPoller(TransportType.AUTO);
    private final ScriptedBroker broker = ScriptedBroker.start(1).append(0, "a", "b");
    private List<String> receiveStack = List.of();
    private List<String> handlerStack = List.of();

    @AfterEach
    void close()
    {
        poller.close();
        broker.close();
    }

    @Test
    void shouldHaveFewFramesAboveReceiveAndHandler()
    {
        final ConsumerContext context = Reading.context(broker).poller(new StackPoller());
        final RecordHandler handler = (record) -> handlerStack = stack();
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            while (handlerStack.isEmpty())
            {
                consumer.poll(handler, 10);
            }
        }

        print("handler", handlerStack);
        print("receive", receiveStack);
        assertEquals("TopicConsumer.poll", handlerStack.get(handlerStack.size() - 1));
        assertEquals("TopicConsumer.poll", receiveStack.get(receiveStack.size() - 1));
        assertTrue(handlerStack.size() <= MAX_FRAMES_ABOVE_HANDLER, "above the handler: " + handlerStack);
        assertTrue(receiveStack.size() + FRAMES_IN_SOCKET <= MAX_FRAMES_ABOVE_RECV, "above receive: " + receiveStack);
    }

    private static void print(final String end, final List<String> stack)
    {
        System.out.println("frames above " + end + ": " + stack.size());
        stack.forEach((frame) -> System.out.println("    " + frame));
    }

    /** The frames of the library that are on the stack, the innermost first. */
    private static List<String> stack()
    {
        return StackWalker.getInstance().walk((frames) -> frames
            .filter((frame) -> frame.getClassName().startsWith("org.odradek."))
            .filter((frame) -> !frame.getClassName().contains("PollStackTest"))
            .map((frame) -> frame.getClassName().replaceFirst(".*\\.", "") + "." + frame.getMethodName())
            .toList());
    }

    /** Opens sockets that record the stack of each receive call. */
    private final class StackPoller implements Poller
    {
        @Override
        public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
        {
            return new StackSocket(poller.openSocket(receiveBufferLength, sendBufferLength));
        }

        @Override
        public int await(final long timeoutNs)
        {
            return poller.await(timeoutNs);
        }

        @Override
        public void wakeup()
        {
            poller.wakeup();
        }

        @Override
        public String description()
        {
            return poller.description();
        }

        @Override
        public void close()
        {
        }
    }

    private final class StackSocket implements PolledSocket
    {
        private final PolledSocket socket;

        StackSocket(final PolledSocket socket)
        {
            this.socket = socket;
        }

        @Override
        public int receive(final ByteBuffer buffer) throws IOException
        {
            final int bytes = socket.receive(buffer);
            if (bytes > 0)
            {
                receiveStack = stack();
            }
            return bytes;
        }

        @Override
        public boolean connect(final InetSocketAddress address) throws IOException
        {
            return socket.connect(address);
        }

        @Override
        public boolean finishConnect() throws IOException
        {
            return socket.finishConnect();
        }

        @Override
        public int send(final ByteBuffer buffer) throws IOException
        {
            return socket.send(buffer);
        }

        @Override
        public void readInterest(final boolean isOn)
        {
            socket.readInterest(isOn);
        }

        @Override
        public void writeInterest(final boolean isOn)
        {
            socket.writeInterest(isOn);
        }

        @Override
        public void receiveLowWaterMark(final int length)
        {
            socket.receiveLowWaterMark(length);
        }

        @Override
        public boolean isReady()
        {
            return socket.isReady();
        }

        @Override
        public void clearReady()
        {
            socket.clearReady();
        }

        @Override
        public int receiveBufferLength()
        {
            return socket.receiveBufferLength();
        }

        @Override
        public void close()
        {
            socket.close();
        }
    }
}
