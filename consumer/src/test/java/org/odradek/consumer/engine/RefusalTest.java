// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a consumer learns of the broker while a handler refuses records. */
class RefusalTest
{
    private static final int PARTITIONS = 4;
    private static final int BATCHES = 4;
    private static final int REFUSALS = 50;
    private static final long BETWEEN_POLLS_NS = TimeUnit.MICROSECONDS.toNanos(300);

    private int calls;

    /**
     * The thread waits for its handler, not for bytes: more bytes per fetch, or more connections, bring nothing. Time
     * passes only after refusals, so that the broker takes none.
     */
    @Test
    void shouldNotTakeRefusalsForAWaitForTheBroker()
    {
        // Each batch fills a response.
        final String value = "a".repeat(1_000_000);
        final AtomicLong nowNs = new AtomicLong();
        try (OneTopicBroker broker = OneTopicBroker.start(PARTITIONS))
        {
            for (int i = 0; i < PARTITIONS * BATCHES; i++)
            {
                broker.append(i % PARTITIONS, value);
            }
            try (Reading reading = Reading.start(Reading.context(broker).nanoClock(nowNs::get)))
            {
                final TopicConsumer consumer = reading.consumer();
                int delivered = 0;
                while (delivered < PARTITIONS * BATCHES)
                {
                    final int before = calls;
                    delivered += consumer.controlledPoll(
                        (record) -> ++calls % REFUSALS == 0 ? Action.CONTINUE : Action.ABORT, 1);
                    nowNs.addAndGet(calls > before ? BETWEEN_POLLS_NS : 0);
                    final String description = consumer.describe();
                    assertTrue(calls == 0 || description.contains(" 1 of 1 connections") &&
                        description.contains(" up to 1048576 bytes per fetch"), description);
                }
            }
        }
    }
}
