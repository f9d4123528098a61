// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests when an offset is validated with a leader whose log has lost records, and how often that is reported. */
class OffsetValidationTest
{
    private static final int NEW_EPOCH = OneTopicBroker.LEADER_EPOCH + 1;
    private static final String TRUNCATION = "truncation of 0 at 4 from 2 epoch 5";

    private final OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a", "b").append(0, "c", "d");
    private Reading reading;

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
    }

    private void readAll(final OffsetResetPolicy policy)
    {
        reading = Reading.start(Reading.context(broker).offsetResetPolicy(policy));
        reading.untilCount(0, 4);
    }

    private void loseTwo()
    {
        broker.change(() ->
        {
            broker.truncate(0, 2);
            broker.append(NEW_EPOCH, 0, new String[]{"e", "f", "g"});
            broker.lead(NEW_EPOCH);
        });
    }

    /** Metadata has named the leader before the committed offset arrives. */
    // Behaviour L148.
    @Test
    void shouldValidateACommittedOffsetWithALeaderThatIsKnown()
    {
        readAll(OffsetResetPolicy.nearest());
        reading.consumer().groupOffsets("group").commitAsync();
        reading.until("the commit", () -> reading.consumer().groupOffsets("group").committedOffset(0) == 4);
        reading.close();
        loseTwo();

        reading = Reading.start(Reading.context(broker).offsetResetPolicy(OffsetResetPolicy.nearest())
            .startPosition(StartPosition.committed("group", StartPosition.earliest())));
        reading.untilCount(0, 3);

        assertEquals(List.of(TRUNCATION, "reset 0 from 4 to 2"), reading.turns());
        assertEquals(List.of("e", "f", "g"), reading.values(0));
    }

    // Behaviour L146.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldApplyThePolicyOnceThoughTheListenerPauses(final boolean isReset)
    {
        readAll(isReset ? OffsetResetPolicy.nearest() : OffsetResetPolicy.fail());
        reading.onTruncation(() -> reading.consumer().pause(0));
        loseTwo();
        reading.until("the policy", () -> reading.turns().size() >= 2);

        assertEquals(List.of(TRUNCATION, isReset ? "reset 0 from 4 to 2" : "stopped 0 at 4 for TRUNCATED error 0"),
            reading.turns());
        assertEquals(1, reading.consumer().counters().get(ConsumerCounters.TRUNCATIONS));
        assertTrue(reading.consumer().isPaused(0));
    }
}
