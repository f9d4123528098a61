// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.tls.TlsFaultFuzz;
import org.odradek.harness.fuzz.Corpus;
import org.odradek.harness.fuzz.FuzzTarget;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Runs the targets whose engine or mechanism throws, on every input of the corpus, and on some hundred others. */
class FaultFuzzTest
{
    private static final Corpus CORPUS = new Corpus(Path.of("src/test/resources/corpus"));
    private static final int MORE_INPUTS = 300;

    private static Stream<FuzzTarget> targets()
    {
        return Stream.<FuzzTarget[]>of(TlsFaultFuzz.values(), SaslFaultFuzz.values()).flatMap(Arrays::stream);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void shouldEndAsRecorded(final FuzzTarget target) throws IOException
    {
        final Map<String, Corpus.Entry> entries = CORPUS.entries(target);

        assertFalse(entries.isEmpty());
        entries.forEach((name, entry) -> assertEquals(entry.digest(), target.read(entry.input()),
            () -> target.label() + " input " + name + " did not end as recorded"));
    }

    @ParameterizedTest
    @MethodSource("targets")
    void shouldFailForGoodAtAnyInput(final FuzzTarget target)
    {
        final Random random = new Random(1);
        for (int i = 0; i < MORE_INPUTS; i++)
        {
            target.read(target.seed(random));
        }
    }
}
