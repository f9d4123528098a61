// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.net.SaslFaultFuzz;
import org.odradek.client.security.SaslFuzz;
import org.odradek.client.tls.TlsFaultFuzz;
import org.odradek.client.tls.TlsFuzz;
import org.odradek.harness.fuzz.Corpus;
import org.odradek.harness.fuzz.FuzzTarget;
import org.odradek.harness.fuzz.Fuzzer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

/**
 * Fuzzes SASL messages, TLS records, and what follows a failure of both for a short time; {@code odradek fuzz} runs
 * longer, with other inputs in every run.
 */
@Tag("slow")
class ClientFuzzIT
{
    private static final int INPUTS = 3_000;
    private static final int SECONDS = 3;

    private static Stream<FuzzTarget> targets()
    {
        return Stream.of(SaslFuzz.values(), TlsFuzz.values(), SaslFaultFuzz.values(), TlsFaultFuzz.values())
            .flatMap(Arrays::stream);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void shouldFindNothing(final FuzzTarget target) throws IOException, InterruptedException
    {
        final Corpus corpus = new Corpus(Path.of("src/test/resources/corpus").toAbsolutePath());
        final Fuzzer.Result result =
            new Fuzzer(corpus, Path.of("target/fuzz").toAbsolutePath()).tryOut(target, INPUTS, SECONDS, false);

        for (final byte[] finding : result.findings())
        {
            fail(target.label() + " broke at " + HexFormat.of().formatHex(finding) + "\n" +
                Files.readString(result.log(), StandardCharsets.ISO_8859_1));
        }
        assertTrue(result.inputs() >= corpus.entries(target).size(), result.inputs() + " inputs; see " + result.log());
    }
}
