// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Counts and prints the stack frames from a poll that finds data without waiting to the socket's receive call and to
 * the handler.
 */
class PollStackTest
{
    private static final int MAX_FRAMES_ABOVE_HANDLER = 6;
    private static final int MAX_FRAMES_ABOVE_RECV = 8;
    /** The receive method of the socket, which calls that of the operating system. */
    private static final int FRAMES_IN_SOCKET = 1;

    private final Poller poller = new StackPoller();
    private final OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a", "b");
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
        final ConsumerContext context = Reading.context(broker).poller(poller);
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
    private final class StackPoller extends ForwardingPoller
    {
        StackPoller()
        {
            super(ConsumerContext.openPoller(TransportType.AUTO));
        }

        @Override
        public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
        {
            return new Socket(super.openSocket(receiveBufferLength, sendBufferLength))
            {
                @Override
                public int receive(final ByteBuffer buffer) throws IOException
                {
                    final int bytes = super.receive(buffer);
                    if (bytes > 0)
                    {
                        receiveStack = stack();
                    }
                    return bytes;
                }
            };
        }
    }
}
