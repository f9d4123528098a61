// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.rig.EachSecond.Second;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class EachSecondTest
{
    @Test
    void shouldReadARemarkAsItWasWritten()
    {
        final Second second = new Second(3, 15_000, 1_234_567, 9.817, 142.412, 1_310.25);

        assertTrue(Second.isIn(second.toRemark()));
        assertEquals(second, Second.parse(second.toRemark()));
        assertFalse(Second.isIn("filling the topic, 40 %"));
    }

    @Test
    void shouldFindTheFirstRecordsMissingInAWholeTopic()
    {
        final Sink live = Sink.ofLiveTopic(0, 1);
        final Sink whole = Sink.ofWholeTopic(0, 1);
        for (final Sink sink : new Sink[]{live, whole})
        {
            sink.onValue(0, 0, 23, 0, 0);
            sink.onValue(1, 7, 23, 0, 0);
            sink.onValue(1, 8, 23, 0, 0);
        }

        assertEquals(0, live.missing());
        assertEquals(7, whole.missing());
    }
}
