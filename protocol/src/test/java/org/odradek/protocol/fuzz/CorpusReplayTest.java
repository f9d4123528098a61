// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * Reads every input of the corpus in all its surroundings and compares what comes of it with what was recorded.
 */
class CorpusReplayTest
{
    private static final Corpus CORPUS = new Corpus(Path.of("src/test/resources/corpus"));
    private static final Map<String, String> DIGESTS = CORPUS.digests();

    @ParameterizedTest
    @EnumSource(FuzzTarget.class)
    void shouldReadWhatWasRecorded(final FuzzTarget target)
    {
        final Map<String, byte[]> inputs = CORPUS.inputs(target);

        assertFalse(inputs.isEmpty());
        inputs.forEach((name, input) ->
        {
            final String key = Corpus.key(target, name);
            assertEquals(DIGESTS.get(key), target.read(input),
                () -> key + " is read as something else than digests.tsv recorded");
        });
    }

    @Test
    void shouldHaveOneDigestForEachInput()
    {
        final TreeSet<String> names = new TreeSet<>();
        for (final FuzzTarget target : FuzzTarget.values())
        {
            CORPUS.inputs(target).keySet().forEach((name) -> names.add(Corpus.key(target, name)));
        }

        assertEquals(names, DIGESTS.keySet());
    }
}
