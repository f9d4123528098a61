// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.AfterEach;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

/**
 * A broker that leads two partitions with one record each, another one whose logs have a second record, and a consumer
 * that begins with the first broker.
 */
abstract class TwoBrokersFixture
{
    static final int OTHER_ID = 8;

    final OneTopicBroker broker = OneTopicBroker.start(2).append(0, "a").append(1, "x");
    final OneTopicBroker other = OneTopicBroker.start(OTHER_ID, 2).append(0, "a", "b").append(1, "x", "y");
    Reading reading;

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
        other.close();
    }

    ConsumerContext context()
    {
        return Reading.context(broker).startPosition(StartPosition.offset(0)).fetchMaxWaitMs(1);
    }

    /** Reads the first record of each partition. */
    void start(final ConsumerContext context)
    {
        reading = Reading.start(context);
        reading.untilCount(0, 1);
        reading.untilCount(1, 1);
        reading.untilRefreshed();
    }

    /** Returns metadata that names both brokers, and the first as the leader of both partitions. */
    MetadataResponseData ofBoth(final MetadataResponseData metadata)
    {
        OneTopicBroker.addBroker(metadata, OTHER_ID, other.peer().port());
        return metadata;
    }

    /** Has brokers return metadata that names both, and the first as the leader. */
    void nameBoth(final OneTopicBroker... asked)
    {
        for (final OneTopicBroker each : asked)
        {
            each.script(ApiMessageType.METADATA, (call) -> call.answer(ofBoth(broker.metadata(call))));
        }
    }
}
