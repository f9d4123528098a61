// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.harness.fuzz.Corpus;
import org.odradek.harness.fuzz.Fuzzer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

/**
 * Fuzzes every target for a short time without Agrona's bounds checks, where a missing check of our own does the most
 * harm. The inputs are the same in every run, but fewer on a slow machine. {@code odradek fuzz} runs longer, with other
 * inputs in every run, and also with the bounds checks; every build replays the corpus in both settings.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class FuzzIT
{
    private static final int INPUTS = 3_000;
    private static final int SECONDS = 2;

    private final Corpus corpus = new Corpus(Path.of("src/test/resources/corpus").toAbsolutePath());
    private final Fuzzer fuzzer = new Fuzzer(corpus, Path.of("target/fuzz").toAbsolutePath());

    // Behaviour N163.
    @ParameterizedTest
    @EnumSource(ProtocolFuzz.class)
    void shouldFindNothingWithoutBoundsChecks(final ProtocolFuzz target) throws IOException, InterruptedException
    {
        final Fuzzer.Result result = fuzzer.tryOut(target, INPUTS, SECONDS, false);

        for (final byte[] finding : result.findings())
        {
            fail(target.label() + " broke at " + HexFormat.of().formatHex(finding) + "\n" +
                Files.readString(result.log(), StandardCharsets.ISO_8859_1));
        }
        assertTrue(result.inputs() >= corpus.entries(target).size(), result.inputs() + " inputs; see " + result.log());
    }
}
