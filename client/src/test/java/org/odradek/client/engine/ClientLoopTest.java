// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.engine;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ClientLoopTest
{
    @Test
    void shouldWaitUntilTheEarlierOfTwoTimes()
    {
        assertEquals(6, ClientLoop.untilEarlierNs(15, 20, 9));
        assertEquals(6, ClientLoop.untilEarlierNs(20, 15, 9));
        assertEquals(1, ClientLoop.untilEarlierNs(20, 8, 9));
        assertEquals(10, ClientLoop.untilEarlierNs(15, 5 + Long.MAX_VALUE, 5));
        assertEquals(1, ClientLoop.untilEarlierNs(4, 5 + Long.MAX_VALUE, 5));
    }
}
