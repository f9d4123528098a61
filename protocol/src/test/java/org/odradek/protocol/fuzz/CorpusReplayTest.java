// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.harness.fuzz.Corpus;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * Reads every input of the corpus in all surroundings and compares what was read with what was recorded. A digest
 * covers the value of every accessor: after adding one, run {@code ./odradek fuzz --record} and read the diff.
 */
class CorpusReplayTest
{
    private static final Corpus CORPUS = new Corpus(Path.of("src/test/resources/corpus"));

    // Behaviour N163.
    @ParameterizedTest
    @EnumSource(ProtocolFuzz.class)
    void shouldReadTheRecordedResults(final ProtocolFuzz target) throws IOException
    {
        final Map<String, Corpus.Entry> entries = CORPUS.entries(target);

        assertFalse(entries.isEmpty());
        entries.forEach((name, entry) -> assertEquals(entry.digest(), target.read(entry.input()),
            () -> target.label() + " input " + name + " was not read as recorded"));
    }

    @Test
    void shouldAddEachFindingOnce(@TempDir final Path folder) throws IOException
    {
        final Corpus corpus = new Corpus(folder);
        final byte[] finding = {0, 1, -1};

        final String name = corpus.add(ProtocolFuzz.ZSTD, finding);
        corpus.add(ProtocolFuzz.ZSTD, new byte[0]);

        assertEquals(name, corpus.add(ProtocolFuzz.ZSTD, finding.clone()));
        assertEquals(2, corpus.entries(ProtocolFuzz.ZSTD).size());
        assertArrayEquals(finding, corpus.entries(ProtocolFuzz.ZSTD).get(name).input());
        assertEquals(Corpus.NOT_RECORDED, corpus.entries(ProtocolFuzz.ZSTD).get(name).digest());
        assertEquals(2, corpus.record(ProtocolFuzz.ZSTD));
        assertEquals(ProtocolFuzz.ZSTD.read(finding), corpus.entries(ProtocolFuzz.ZSTD).get(name).digest());
    }
}
