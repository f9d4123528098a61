// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;
import org.odradek.client.NameResolver;
import org.odradek.client.net.BrokerAddress;
import org.odradek.consumer.engine.Conductor;
import org.odradek.consumer.fetch.PartitionErrors;

import java.util.List;

import static org.apache.kafka.common.message.ApiMessageType.METADATA;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_COMMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Tests how many polls it takes to find a coordinator and to connect to it. Each poll may deliver a batch that takes
 * seconds, so a poll takes every step that needs no wait.
 */
class CoordinatorPollsTest extends CoordinatorFixture
{
    private static final int MAX_POLLS = 100;

    private Conductor conductor;

    private void poll()
    {
        poller.await(0);
        conductor.doWork(true);
        conductor.sendToCoordinators();
    }

    private int pollsUntil(final ApiMessageType type)
    {
        int polls = 0;
        while (count(type) == 0 && polls < MAX_POLLS)
        {
            poll();
            polls++;
        }
        return polls;
    }

    private static ApiMessage metadata(final ApiMessage request)
    {
        final MetadataResponseData response = new MetadataResponseData();
        response.brokers().add(new MetadataResponseBroker().setNodeId(BROKER).setHost("127.0.0.1").setPort(9_001));
        response.topics().add(new MetadataResponseTopic().setName("topic").setPartitions(
            List.of(new MetadataResponsePartition().setLeaderId(BROKER))));
        return response;
    }

    @Test
    void shouldSendFourRequestsInTwoPollsIfTheyAreAnsweredAtOnce()
    {
        versions.put(METADATA, 8);
        script(METADATA, CoordinatorPollsTest::metadata);
        settings.topic = "topic";
        final BrokerAddress bootstrap =
            new BrokerAddress("127.0.0.1", 9_001, true, NameResolver.SYSTEM, clock, counters);
        conductor = new Conductor(
            new BrokerAddress[] {bootstrap}, null, topic, table, new PartitionErrors(table, environment), environment);
        coordinator = conductor.group("group");
        pollsUntil(METADATA);
        poll();
        commit(1);

        // Two requests ask for versions, one finds the coordinator, and the fourth is the commit.
        assertEquals(2, pollsUntil(OFFSET_COMMIT), () -> sent + " " + coordinator + errors);
    }
}
