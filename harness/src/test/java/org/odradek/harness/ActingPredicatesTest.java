// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ActingPredicatesTest
{
    @Test
    void shouldFindEachKindOfAction()
    {
        assertEquals(List.of(
            "ActingPredicatesTest$Acting.canGrow calls List.add",
            "ActingPredicatesTest$Acting.hasRead calls ByteBuffer.flip",
            "ActingPredicatesTest$Acting.hasWaited calls Thread.sleep",
            "ActingPredicatesTest$Acting.isCounted calls ActingPredicatesTest$Acting.step writes " +
                "ActingPredicatesTest$Acting.count",
            "ActingPredicatesTest$Acting.isMarked writes an array",
            "ActingPredicatesTest$Acting.isOver calls ActingPredicatesTest$Countdown.next writes " +
                "ActingPredicatesTest$Countdown.left",
            "ActingPredicatesTest$Acting.lambda$isNoted$0 writes ActingPredicatesTest$Acting.count",
            "ActingPredicatesTest$Acting.mayReport calls ActingPredicatesTest$Listener.onReport"),
            ActingPredicates.in(ActingPredicatesTest.class).stream()
                .filter((line) -> line.startsWith("ActingPredicatesTest$")).toList());
    }

    private interface Listener
    {
        void onReport();
    }

    /** Its predicates act, or look as if they did. */
    private static final class Acting
    {
        private final List<String> list = new ArrayList<>();
        private final ByteBuffer buffer = ByteBuffer.allocate(1);
        private final boolean[] marks = new boolean[1];
        private Listener listener;
        private int count;

        boolean canGrow()
        {
            return list.add("");
        }

        boolean hasRead()
        {
            return !buffer.flip().hasRemaining();
        }

        boolean hasWaited() throws InterruptedException
        {
            Thread.sleep(1);
            return true;
        }

        boolean isCounted()
        {
            return step() > 0;
        }

        private int step()
        {
            return ++count;
        }

        boolean isMarked()
        {
            marks[0] = true;
            return true;
        }

        boolean isNoted()
        {
            return list.stream().anyMatch((text) -> ++count > 0);
        }

        boolean isOver(final Steps steps)
        {
            return !steps.next();
        }

        boolean mayReport()
        {
            listener.onReport();
            return true;
        }

        boolean isAsMany(final int... counts)
        {
            return new Acting().count == count && new int[] {count}[0] == counts.length && marks[0] && list.isEmpty();
        }

        boolean issue()
        {
            return step() > 0;
        }
    }

    private interface Steps
    {
        boolean next();
    }

    private static final class Countdown implements Steps
    {
        private int left;

        @Override
        public boolean next()
        {
            return --left > 0;
        }
    }
}
