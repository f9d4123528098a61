// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.harness.fuzz.Corpus;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Runs every input with counts of the corpus, and further ones, and compares how it ended with what was recorded. */
class CountsFuzzTest
{
    private static final Corpus CORPUS = new Corpus(Path.of("src/test/resources/corpus"));
    private static final int RANDOM_INPUTS = 100;

    @ParameterizedTest
    @EnumSource(CountsFuzz.class)
    void shouldEndAsRecorded(final CountsFuzz target) throws IOException
    {
        final Map<String, Corpus.Entry> entries = CORPUS.entries(target);

        assertFalse(entries.isEmpty());
        entries.forEach((name, entry) -> assertEquals(entry.digest(), target.read(entry.input()),
            () -> target.label() + " input " + name + " did not end as recorded"));
    }

    @ParameterizedTest
    @EnumSource(CountsFuzz.class)
    void shouldGoOnAfterAnyCounts(final CountsFuzz target)
    {
        final Random random = new Random(1);
        for (int i = 0; i < RANDOM_INPUTS; i++)
        {
            target.read(target.seed(random));
        }
    }
}
