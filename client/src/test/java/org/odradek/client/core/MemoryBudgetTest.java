// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MemoryBudgetTest
{
    private static final int BUDGET = 10 << 20;

    private final AtomicLong left = new AtomicLong();
    private final List<Long> refused = new ArrayList<>();
    private final MemoryBudget budget = new MemoryBudget(BUDGET, (bytes) -> {}, left::get, refused::add);

    /** Several consumers may have declared the same memory. */
    @Test
    void shouldFindNoRoomWithinTheBudgetThatTheJvmDoesNotHave()
    {
        left.set(1_000);
        assertTrue(budget.findRoom(1_000));
        assertFalse(budget.findRoom(1_001));
        assertFalse(budget.findRoom(1_001));
        assertEquals(List.of(1_001L), refused);
    }

    /** Neither the budget nor the JVM has it twice. */
    @Test
    void shouldNotReserveWhatIsReserved()
    {
        left.set(BUDGET + (1 << 20));
        assertTrue(budget.reserve(BUDGET - 1_000));
        assertFalse(budget.reserve(1_001));
        assertFalse(budget.isWithin(1_001));
        left.addAndGet(-1);
        assertFalse(budget.reserve(1_000));
        left.addAndGet(1);
        assertTrue(budget.reserve(1_000));
        assertEquals(BUDGET, budget.reservedBytes());

        assertTrue(budget.reserve(-2_000));
        budget.endReservation(BUDGET - 2_000);
        assertEquals(0, budget.reservedBytes());
        budget.hold(BUDGET);
        assertFalse(budget.reserve(1));
        assertEquals(List.of(), refused);
    }

    @Test
    void shouldLeaveSomeOfWhatTheJvmHasBeyondTheBudget()
    {
        budget.hold(BUDGET);
        left.set((1 << 20) + 1_000);
        assertTrue(budget.findRoom(1_000));
        assertFalse(budget.findRoom(1_001));
    }
}
