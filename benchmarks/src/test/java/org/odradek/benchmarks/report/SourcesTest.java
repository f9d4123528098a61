// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.harness.GitRepository;

import java.nio.file.Path;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@EnabledIf(value = "org.odradek.harness.GitRepository#isInstalled", disabledReason = "git is not installed")
class SourcesTest
{
    private static final String CODE = "client/src/main/java/A.java";

    @TempDir
    private Path home;

    @ParameterizedTest
    @ValueSource(strings = {"docs/results/idle.json", "client/src/test/java/ATest.java", "benchmarks/README.md",
        "tools/src/main/java/A.java"})
    void shouldKnowWhatFiguresDoNotDependOn(final String file) throws Exception
    {
        final GitRepository repository = GitRepository.create(home);
        repository.commit(CODE);
        final Map<String, Object> measured = sources().describe();
        final String commit = repository.commit(file);
        repository.change(file);

        assertTrue(sources().isMeasuredBy(measured));
        assertEquals(Map.of("commit", commit, "clean", true), sources().describe());
    }

    @ParameterizedTest
    @ValueSource(strings = {CODE, "pom.xml", "flink/src/main/java/A.java", "benchmarks/pom.xml"})
    void shouldKnowWhatFiguresDependOn(final String file) throws Exception
    {
        final GitRepository repository = GitRepository.create(home);
        repository.commit(CODE);
        final Map<String, Object> measured = sources().describe();
        assertTrue(sources().isMeasuredBy(measured));

        final String commit = repository.commit(file);

        assertFalse(sources().isMeasuredBy(measured));
        assertEquals(Map.of("commit", commit, "clean", true), sources().describe());
    }

    @Test
    void shouldNotTrustWhatWasMeasuredWithOtherChanges() throws Exception
    {
        final GitRepository repository = GitRepository.create(home);
        final String commit = repository.commit(CODE);
        repository.change(CODE);

        final Map<String, Object> measured = sources().describe();

        assertEquals(Map.of("commit", commit, "clean", false), measured);
        assertFalse(sources().isMeasuredBy(measured));
        assertFalse(sources().isMeasuredBy(Map.of("commit", commit, "clean", true)), "the change is not committed");
        assertFalse(sources().isMeasuredBy(Map.of("commit", commit)), "whether it was clean is unknown");
    }

    @Test
    void shouldNotKnowAnotherRepository() throws Exception
    {
        assertEquals(Map.of(), sources().describe());
        GitRepository.create(home).commit(CODE);
        assertFalse(sources().isMeasuredBy(Map.of("commit", "0".repeat(40), "clean", true)));
    }

    private Sources sources()
    {
        return new Sources(home);
    }
}
