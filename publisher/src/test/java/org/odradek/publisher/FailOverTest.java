// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.Test;
import org.odradek.harness.Answer;
import org.odradek.protocol.ErrorCode;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** How soon another leader is found, on a clock that stands still unless a test sets it forward. */
class FailOverTest
{
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int OTHER_ID = 2;

    private long nowNs;

    private Publishing start(final ProducingBroker broker)
    {
        return Publishing.start(Publishing.context(broker.address()).retryBackoffMs(100, 1_000)
            .metadataMaxAgeMs(Integer.MAX_VALUE).nanoClock(() -> nowNs), ProducingBroker.TOPIC);
    }

    /** Its connection for metadata had not failed before. */
    // Behaviour D41.
    @Test
    void shouldNotAskABrokerThatHasLetARequestTimeOut()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            ProducingBroker other = broker.another(OTHER_ID);
            Publishing client = start(broker))
        {
            broker.lead(0, OTHER_ID);
            broker.always((call, response) -> Answer.never());
            broker.isSilent = true;
            client.offer(0, "a");
            client.workUntil(() -> broker.requestCount(ApiMessageType.PRODUCE) == 1);

            client.workUntil(() ->
            {
                final boolean isOver = client.publisher.describe().contains("no response within 30000 ms");
                nowNs += isOver ? 0 : SECOND_NS;
                return isOver;
            });
            client.workUntil(() -> client.ends.size() == 1);

            assertEquals(1, other.requestCount(ApiMessageType.PRODUCE));
        }
    }

    @Test
    void shouldReturnToTheBootstrapServersAfterTheTrigger()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(
            Publishing.context(broker.address()).metadataMaxAgeMs(20).rebootstrapTriggerMs(100), ProducingBroker.TOPIC))
        {
            broker.isSilent = true;
            client.workUntil(() -> client.rebootstraps > 0);
            broker.isSilent = false;

            client.offer(0, "a");
            client.workUntil(() -> client.ends.size() == 1);
        }
    }

    // Behaviour D41.
    @Test
    void shouldNotWaitForTheBackoffOfAnotherTopic()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(broker))
        {
            client.publisher.topic("missing");
            for (int i = 0; i < 5; i++)
            {
                final int before = broker.requestCount(ApiMessageType.METADATA);
                client.workUntil(() ->
                {
                    nowNs += TimeUnit.MILLISECONDS.toNanos(1);
                    return broker.requestCount(ApiMessageType.METADATA) > before;
                });
            }
            final int before = broker.requestCount(ApiMessageType.METADATA);
            client.offer(0, "a");
            client.workUntil(() -> client.ends.size() == 1);
            assertEquals(before, broker.requestCount(ApiMessageType.METADATA));

            broker.answer(0, ErrorCode.NOT_LEADER_OR_FOLLOWER);
            client.offer(0, "b");
            client.workUntil(() -> broker.requestCount(ApiMessageType.METADATA) > before);
        }
    }
}
