// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.Test;
import org.odradek.client.TransportType;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** A callback that takes long leaves less time for the wait after it. */
class WaitAfterCallbackTest
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long CALLBACK_NS = TimeUnit.SECONDS.toNanos(4);

    private long skippedNs;
    private long longestNs;

    private final class WaitsPoller extends ForwardingPoller
    {
        WaitsPoller()
        {
            super(ConsumerContext.openPoller(TransportType.NIO));
        }

        @Override
        public int await(final long timeoutNs)
        {
            longestNs = skippedNs == 0 ? 0 : Math.max(longestNs, timeoutNs);
            skippedNs += skippedNs == 0 ? 0 : Math.max(0, timeoutNs);
            return super.await(Math.min(timeoutNs, 1_000_000));
        }
    }

    @Test
    void shouldWaitOnlyForTheRestOfTheTime()
    {
        final FetchFrameHandler handler = new FetchFrameHandler()
        {
            @Override
            public void onConnect(final String topic, final EpochClock clock, final ConsumerListener listener)
            {
            }

            @Override
            public boolean onFrame(final Frame frame)
            {
                skippedNs = skippedNs == 0 ? CALLBACK_NS : skippedNs;
                return true;
            }

            @Override
            public void close()
            {
            }
        };
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a");
            WaitsPoller poller = new WaitsPoller();
            TopicConsumer consumer = TopicConsumer.connect(Reading.context(broker).poller(poller)
                .nanoClock(() -> System.nanoTime() + skippedNs).frameHandler(handler)))
        {
            for (int i = 0; i < 1_000 && skippedNs == 0; i++)
            {
                consumer.await(() -> false, TIMEOUT_NS);
            }
            assertTrue(longestNs > 0 && longestNs <= TIMEOUT_NS - CALLBACK_NS, () -> longestNs + " ns");
        }
    }
}
