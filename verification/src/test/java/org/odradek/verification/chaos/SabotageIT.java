// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.testkit.Await;
import org.odradek.testkit.EmbeddedBroker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The ledger must find a sabotaged record. The test uses the reader, ledger and stock client of a run on one broker.
 */
class SabotageIT
{
    private static final String TOPIC = "sabotaged";
    private static final int COUNT = 5_000;
    private static final long LIMIT_MS = 120_000;

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start();
        broker.createTopic(TOPIC, 1);
        broker.produce(TOPIC, 0, COUNT, (i) -> ChaosRecord.value(0, i));
    }

    @AfterAll
    static void close()
    {
        broker.close();
    }

    @Test
    void shouldFindNothingWrongWithoutSabotage()
    {
        final ChaosLedger.Tally tally = tally(ChaosSettings.Sabotage.NONE);

        assertTrue(tally.isClean(), tally.toString());
        assertEquals(COUNT, tally.right);
    }

    @Test
    void shouldFindADroppedRecord()
    {
        final ChaosLedger.Tally tally = tally(ChaosSettings.Sabotage.DROP);

        assertFalse(tally.isClean(), tally.toString());
        assertEquals(1, tally.lost);
        assertEquals(COUNT - 1, tally.right);
    }

    @Test
    void shouldFindARepeatedRecord()
    {
        final ChaosLedger.Tally tally = tally(ChaosSettings.Sabotage.REPEAT);

        assertFalse(tally.isClean(), tally.toString());
        assertEquals(1, tally.repeated);
        assertEquals(COUNT, tally.right);
    }

    private static ChaosLedger.Tally tally(final ChaosSettings.Sabotage sabotage)
    {
        final ChaosLedger ledger = new ChaosLedger(false);
        final ChaosLedger.Partition partition = ledger.partition(0);
        final ConsumerContext context = new ConsumerContext()
            .bootstrapServers(broker.bootstrapServers())
            .topic(TOPIC)
            .startPosition(StartPosition.earliest());
        try (StockLog log = new StockLog(broker.bootstrapServers(), TOPIC);
            ChaosReader reader = new ChaosReader("sabotaged-reader", context, ledger, sabotage, 0))
        {
            Await.until("the last record", LIMIT_MS, () -> partition.next() == COUNT || reader.failure() != null);
            partition.compare(log.read(0, 0));
        }
        return ledger.tally();
    }
}
