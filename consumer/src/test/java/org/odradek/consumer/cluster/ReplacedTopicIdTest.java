// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A broker that has not learnt yet that the topic was created again names the id that it had before. */
@Timeout(60)
class ReplacedTopicIdTest
{
    private volatile boolean isCreatedAgain;

    @Test
    void shouldNotTakeTheIdBeforeForAnother()
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a"))
        {
            broker.script(ApiMessageType.METADATA, (call) ->
            {
                final MetadataResponseData response = broker.metadata(call);
                if (isCreatedAgain)
                {
                    response.topics().iterator().next().setTopicId(new Uuid(7, 8));
                }
                return call.answer(response);
            });
            try (Reading reading = Reading.start(
                Reading.context(broker).metadataMaxAgeMs(20).startPosition(StartPosition.offset(0))))
            {
                reading.untilCount(0, 1);
                isCreatedAgain = true;
                reading.until("the stop", () -> !reading.errors().isEmpty());
                isCreatedAgain = false;
                final long refreshes = reading.consumer().counters().get(ConsumerCounters.METADATA_REFRESHES);
                reading.until("metadata of before",
                    () -> reading.consumer().counters().get(ConsumerCounters.METADATA_REFRESHES) > refreshes + 3);
                isCreatedAgain = true;
                reading.until("metadata of after",
                    () -> reading.consumer().counters().get(ConsumerCounters.METADATA_REFRESHES) > refreshes + 6);

                assertEquals(1, reading.errors().stream()
                    .filter((error) -> error.contains("was deleted and created again")).count(),
                    () -> reading.errors().toString());
            }
        }
    }
}
