// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.harness.fuzz.Corpus;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Runs every TLS input of the corpus and compares what was delivered, and how it ended, with what was recorded. */
class TlsFuzzTest
{
    private static final Corpus CORPUS = new Corpus(Path.of("src/test/resources/corpus"));

    @ParameterizedTest
    @EnumSource(TlsFuzz.class)
    void shouldDeliverWhatWasRecorded(final TlsFuzz target) throws IOException
    {
        final Map<String, Corpus.Entry> entries = CORPUS.entries(target);

        assertFalse(entries.isEmpty());
        entries.forEach((name, entry) -> assertEquals(entry.digest(), target.read(entry.input()),
            () -> target.label() + " input " + name + " did not end as recorded"));
    }
}
