// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.verification.chaos.MemberLedger.Entry;
import org.odradek.verification.chaos.MemberLedger.Kind;

import java.io.File;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MemberLedgerTest
{
    @Test
    void shouldReadWhatHasBeenAppendedSinceTheLastRead(@TempDir final File folder)
    {
        final File file = new File(folder, "ledger");
        final List<Entry> entries = new ArrayList<>();
        final long beforeNs = System.nanoTime();
        try (MemberLedger writer = MemberLedger.create(file);
            MemberLedger reader = MemberLedger.open(file))
        {
            reader.readTo(entries);
            assertEquals(List.of(), entries);

            writer.epoch(5);
            writer.beginPoll();
            writer.append(Kind.ASSIGNED, 3, 1L << 40, 0);
            writer.beginPoll();
            writer.append(Kind.DELIVERED, 3, 1L << 40, 77);
            reader.readTo(entries);
            writer.append(Kind.LOST, 3, 0, 0);
            reader.readTo(entries);
        }

        assertEquals(3, entries.size());
        assertEquals(
            new Entry(Kind.ASSIGNED, entries.get(0).ns(), 3, 1L << 40, 0, 5, 1), entries.get(0));
        assertEquals(
            new Entry(Kind.DELIVERED, entries.get(1).ns(), 3, 1L << 40, 77, 5, 2), entries.get(1));
        assertEquals(Kind.LOST, entries.get(2).kind());
        assertTrue(entries.get(0).ns() - beforeNs >= 0 && entries.get(2).ns() - entries.get(1).ns() >= 0);
    }
}
