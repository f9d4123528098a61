// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.consumer.GroupOffsets;
import org.odradek.consumer.OffsetFile;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** After a topic was created again, or seems to have been, brokers name the id that it had before. */
class ReplacedTopicIdTest
{
    private volatile boolean isCreatedAgain;

    private final OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a");
    private Reading reading;

    /** The topic is created again, which the consumer learns. */
    @BeforeEach
    void createAgain()
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
        reading = Reading.start(
            Reading.context(broker).metadataMaxAgeMs(20).startPosition(StartPosition.offset(0)));
        reading.untilCount(0, 1);
        isCreatedAgain = true;
        reading.until("the stop", () -> recreations() > 0);
    }

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
    }

    private long recreations()
    {
        return reading.errors().stream().filter((error) -> error.contains("was deleted and created again")).count();
    }

    private void untilRefreshes(final int count)
    {
        final long refreshes = reading.consumer().counters().get(ConsumerCounters.METADATA_REFRESHES);
        reading.until("metadata",
            () -> reading.consumer().counters().get(ConsumerCounters.METADATA_REFRESHES) >= refreshes + count);
    }

    // Behaviour D38, tried 2026-12-01: Metadata with an older leader epoch than the known one is ignored until all
    // brokers return it. A leader epoch for a new topic id is not compared with the epochs for the old id. Metadata
    // without a topic id does not change the known id. Metadata with the previous topic id is ignored until all brokers
    // return only this id.
    @Test
    void shouldNotTakeTheIdBeforeForAnother()
    {
        isCreatedAgain = false;
        // Not a whole round over all brokers, which are one here.
        untilRefreshes(3);
        isCreatedAgain = true;
        untilRefreshes(4);

        assertEquals(1, recreations(), () -> reading.errors().toString());
    }

    /** Otherwise the restarted program would continue at an offset of the deleted topic, and skip records. */
    // Behaviour D38.
    @Test
    void shouldCommitAndStoreNoOffsetOfTheDeletedTopic(@TempDir final Path folder)
    {
        final GroupOffsets offsets = reading.consumer().groupOffsets("group");
        try (OffsetFile file = OffsetFile.map(folder.resolve("offsets"), OneTopicBroker.TOPIC, 1))
        {
            offsets.commitAsync();
            reading.consumer().storeOffsets(file);
            assertTrue(offsets.areCommitsDone());
            assertEquals(OffsetFile.NULL_OFFSET, file.offset(0));

            reading.consumer().seek(0, 0);
            offsets.commitAsync();
            reading.consumer().storeOffsets(file);
            assertFalse(offsets.areCommitsDone());
            assertEquals(0, file.offset(0));
        }
    }

    /** The broker that named the other id was the one that had not learnt: the topic has the id of before for ever. */
    // Behaviour D38.
    @Test
    void shouldBelieveAnIdAgainThatAllBrokersName()
    {
        isCreatedAgain = false;
        reading.until("the id of before", () -> recreations() == 2);
        reading.consumer().seek(0, 0);
        reading.forget(0);

        reading.untilCount(0, 1);

        assertEquals(List.of("a"), reading.values(0));
    }
}
