// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs the launch script with small scripts instead of java and mvn, which record their arguments.
 */
@DisabledOnOs(OS.WINDOWS)
class LaunchScriptTest
{
    private static final Path SCRIPT = Path.of("..", "odradek").toAbsolutePath().normalize();
    private static final List<String> MODULES = List.of(
        "protocol", "native", "affinity", "client", "consumer", "publisher", "workers", "simple-consumer", "replay",
        "testkit", "harness", "tools", "verification", "flink", "benchmarks", "benchmarks-flink");
    private static final String MVN = """
        #!/bin/sh
        if [ "$1" = --version ]
        then
            echo "Apache Maven %s (abc)"
            exit 0
        fi
        echo "$*" >> builds
        sleep 0.2
        for module in protocol native affinity client consumer publisher workers simple-consumer replay testkit \\
            harness tools verification flink benchmarks benchmarks-flink
        do
            mkdir -p "$module/target"
            touch "$module/target/odradek-$module-1.jar"
            echo "some.jar" > "$module/target/odradek.classpath"
        done
        """;
    private static final String JAVA = """
        #!/bin/sh
        if [ "$1" = -XshowSettings:properties ]
        then
            echo "    java.home = %2$s"
            echo "    java.specification.version = %1$s"
            exit 0
        fi
        for argument in "$@"
        do
            echo "<$argument>"
            [ "$previous" != --json ] || echo '{}' > "$argument"
            previous=$argument
        done
        """;

    @TempDir
    private Path folder;
    private Path root;
    private Path jdk;
    private Path bin;

    @BeforeEach
    void setUp() throws IOException
    {
        root = Files.createDirectories(folder.resolve("a root"));
        Files.copy(SCRIPT, root.resolve("odradek"));
        Files.writeString(root.resolve("pom.xml"), "");
        for (final String module : MODULES)
        {
            Files.createDirectories(root.resolve(module).resolve("src/main"));
            Files.writeString(root.resolve(module).resolve("pom.xml"), "");
        }
        bin = Files.createDirectories(folder.resolve("bin"));
        mvn("3.8.7");
        jdk = folder.resolve("a jdk");
        Files.createDirectories(jdk.resolve("bin"));
        java("17");
        script(jdk.resolve("bin/javac"), "#!/bin/sh\n");
    }

    @Test
    void shouldListTheCommandsWithoutJdkOrMaven() throws Exception
    {
        for (final List<String> arguments : List.of(List.<String>of(), List.of("help")))
        {
            final Run run = run("/nowhere", null, arguments);

            assertEquals(0, run.exitCode, run.output);
            assertTrue(run.output.contains("\n  bench "), run.output);
            for (final String command : VerificationCommand.commandLine().getSubcommands().keySet())
            {
                assertTrue(run.output.contains("\n  " + command + " "), run.output);
            }
        }
    }

    @Test
    void shouldReportWhatToInstallWithoutJava() throws Exception
    {
        assertFailure("odradek: No java found: install a JDK 17 or newer and set JAVA_HOME to it.",
            run("/nowhere", null, List.of("demo")));
    }

    @Test
    void shouldReportWhatToInstallWithoutACompiler() throws Exception
    {
        Files.delete(jdk.resolve("bin/javac"));

        assertFailure("odradek: Java was found, but no javac: install a JDK 17 or newer and set JAVA_HOME to it.",
            run(jdk.resolve("bin").toString(), null, List.of("demo")));
        assertFailure(
            "odradek: JAVA_HOME is not a JDK with java and javac: install a JDK 17 or newer and set JAVA_HOME to it.",
            run(path(), jdk, List.of("demo")));
    }

    @Test
    void shouldReportThatTheJdkIsTooOld() throws Exception
    {
        for (final String version : List.of("1.8", "11"))
        {
            java(version);

            assertFailure("odradek: The JDK found is older than 17: install a JDK 17 or newer and set JAVA_HOME to it.",
                run(path(), jdk, List.of("demo")));
        }
    }

    @Test
    void shouldReportThatMavenIsMissingOrTooOld() throws Exception
    {
        mvn("3.6.3");
        assertFailure(
            "odradek: The Maven found is older than 3.8: install Maven 3.8 or newer and put its mvn on the PATH.",
            run(path(), jdk, List.of("demo")));

        Files.delete(bin.resolve("mvn"));
        final Path tools = Files.createDirectories(folder.resolve("tools"));
        Files.createSymbolicLink(tools.resolve("sed"), Path.of(new String(
            new ProcessBuilder("/bin/sh", "-c", "command -v sed").start().getInputStream().readAllBytes()).strip()));
        assertFailure("odradek: No Maven found: install Maven 3.8 or newer and put its mvn on the PATH.",
            run(tools.toString(), jdk, List.of("demo")));
    }

    @Test
    void shouldBuildOnceAndAgainWhenASourceIsNewer() throws Exception
    {
        final Run first = run(path(), jdk, List.of("demo"));
        assertEquals(0, first.exitCode, first.output);
        assertTrue(first.output.startsWith("building odradek (first run takes a minute)"), first.output);
        assertEquals(1, builds().size());

        final Run second = run(path(), jdk, List.of("demo"));
        assertFalse(second.output.contains("building"), second.output);
        assertEquals(1, builds().size());

        final Path source = Files.writeString(root.resolve("consumer/src/main/A.java"), "");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(2)));
        run(path(), jdk, List.of("demo"));
        assertEquals(2, builds().size());
    }

    @Test
    void shouldBuildAgainWhenAModuleWasCleaned() throws Exception
    {
        run(path(), jdk, List.of("demo"));
        Files.delete(root.resolve("protocol/target/odradek-protocol-1.jar"));

        run(path(), jdk, List.of("demo"));

        assertEquals(2, builds().size());
    }

    @Test
    void shouldBuildOnceForTwoProcessesAndTakeOverTheLockOfADeadProcess() throws Exception
    {
        final Process dead = new ProcessBuilder("/bin/sh", "-c", "exit 0").start();
        dead.waitFor();
        Files.createDirectories(root.resolve("target/odradek"));
        Files.createSymbolicLink(root.resolve("target/odradek/lock"), Path.of(Long.toString(dead.pid())));
        final Process other = builder(path(), jdk, root.resolve("odradek"), List.of("demo"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();

        final Run run = run(path(), jdk, List.of("demo"));

        assertEquals(0, other.waitFor());
        assertEquals(0, run.exitCode, run.output);
        assertEquals(1, builds().size());
        assertFalse(Files.isSymbolicLink(root.resolve("target/odradek/lock")));
    }

    /** In a container each run may have the same process id, and a run that was killed leaves its lock. */
    @Test
    void shouldTakeOverTheLockOfAnEarlierProcessWithItsOwnId() throws Exception
    {
        Files.createDirectories(root.resolve("target/odradek"));
        final Path sameId = folder.resolve("same-id");
        script(sameId, """
            #!/bin/sh
            ln -s $$ '%1$s/target/odradek/lock'
            exec '%1$s/odradek' "$@"
            """.formatted(root));

        final Process process = builder(path(), jdk, sameId, List.of("demo"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();

        assertEquals(0, process.waitFor());
        assertEquals(1, builds().size());
        assertFalse(Files.isSymbolicLink(root.resolve("target/odradek/lock")));
    }

    @Test
    void shouldSayThatRecordFollowsTheScenario() throws Exception
    {
        assertFailure("odradek: --record follows the scenario: ./odradek bench SCENARIO --record",
            run(path(), jdk, List.of("bench", "--record", "budget")));
    }

    /**
     * The other process reads the lock of the dead owner, and looks at it again only when this one has taken it and
     * builds.
     */
    @Test
    void shouldNotRemoveALockThatAnotherProcessHasTakenSinceItWasRead() throws Exception
    {
        final Process dead = new ProcessBuilder("/bin/sh", "-c", "exit 0").start();
        dead.waitFor();
        Files.createDirectories(root.resolve("target/odradek"));
        Files.createSymbolicLink(root.resolve("target/odradek/lock"), Path.of(Long.toString(dead.pid())));
        final Path slowBin = Files.createDirectories(folder.resolve("slow"));
        final Path hasRead = folder.resolve("has-read");
        script(slowBin.resolve("readlink"), """
            #!/bin/sh
            owner=$(/usr/bin/readlink "$1") || exit 1
            touch "%s"
            until [ -f "%s" ]; do sleep 0.01; done
            echo "$owner"
            """.formatted(hasRead, root.resolve("builds")));
        final Process other = builder(slowBin + ":" + path(), jdk, root.resolve("odradek"), List.of("demo"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        while (!Files.exists(hasRead))
        {
            Thread.sleep(1);
        }

        final Run run = run(path(), jdk, List.of("demo"));

        assertEquals(0, other.waitFor());
        assertEquals(0, run.exitCode, run.output);
        assertEquals(1, builds().size());
    }

    @Test
    void shouldPassArgumentsAsTheyAreFromAnywhereThroughALink() throws Exception
    {
        final Path link = Files.createSymbolicLink(folder.resolve("a link"), Path.of("a root", "odradek"));

        final Run run = Run.of(builder(path(), jdk, link, List.of("perf", "--json", "my file.json")));

        assertEquals(0, run.exitCode, run.output);
        final String realRoot = root.toRealPath().toString();
        assertTrue(run.output.contains("<-Dodradek.home=" + realRoot + ">\n"), run.output);
        assertTrue(run.output.contains("<" + realRoot + "/tools/target/classes:some.jar>\n" +
            "<org.odradek.tools.OdradekCommand>\n<perf>\n<--json>\n<my file.json>\n"), run.output);
        assertTrue(run.output.contains("<--add-exports>\n<java.base/jdk.internal.misc=ALL-UNNAMED>\n"), run.output);
        assertFalse(run.output.contains("native-access"), run.output);
        assertFalse(run.output.contains("<-ea"), run.output);
    }

    @Test
    void shouldAllowNativeAccessWhenTheJdkSupportsTheFlag() throws Exception
    {
        java("25");

        final Run run = run(path(), jdk, List.of("demo"));

        assertTrue(run.output.contains("<--enable-native-access=ALL-UNNAMED>\n"), run.output);
    }

    @Test
    void shouldRunBenchFromItsOwnModule() throws Exception
    {
        final Run run = run(path(), jdk, List.of("bench", "catchup", "--quick"));

        assertTrue(run.output.endsWith("benchmarks/target/classes:some.jar>\n" +
            "<org.odradek.benchmarks.BenchCommand>\n<catchup>\n<--quick>\n"), run.output);
        assertTrue(builds().get(0).contains("-pl benchmarks -am"), builds().get(0));
    }

    @Test
    void shouldRunWhatVerifiesOdradekFromItsOwnModule() throws Exception
    {
        final Run run = run(path(), jdk, List.of("help", "chaos"));

        assertTrue(run.output.endsWith("verification/target/classes:some.jar>\n" +
            "<org.odradek.verification.VerificationCommand>\n<chaos>\n<--help>\n"), run.output);
        assertTrue(run.output.contains("<-ea:org.odradek...>\n<--add-exports>\n"), run.output);
        assertTrue(builds().get(0).contains("-pl verification -am"), builds().get(0));
    }

    @Test
    void shouldRunASoakWithAsserts() throws Exception
    {
        final Run run = run(path(), jdk, List.of("soak", "--hours", "3"));

        assertTrue(run.output.endsWith("<org.odradek.verification.VerificationCommand>\n<soak>\n<--hours>\n<3>\n"),
            run.output);
        assertTrue(run.output.contains("<-ea:org.odradek...>\n"), run.output);
    }

    /** A build of the script skips the tests, which ends the profile with what only they need. */
    @Test
    void shouldNotBuildTheHarnessForACommandOfUsers() throws Exception
    {
        run(path(), jdk, List.of("tail", "t"));

        assertTrue(builds().get(0).contains("-Dmaven.test.skip=true"), builds().get(0));
        assertTrue(builds().get(0).contains("-pl tools -am"), builds().get(0));
        for (final String module : List.of(
            "protocol", "native", "affinity", "client", "consumer", "replay", "testkit", "tools"))
        {
            final String pom = Files.readString(Path.of("..", module, "pom.xml"));
            assertFalse(pom.split("<profiles>")[0].contains("odradek-harness"), module);
            assertTrue(!pom.contains("odradek-harness") || pom.contains("<name>!maven.test.skip</name>"), module);
        }
    }

    @Test
    void shouldRunTheScenarioOfFlinkFromAModuleOfItsOwn() throws Exception
    {
        final Run run = run(path(), jdk, List.of("bench", "flink", "--quick"));

        assertTrue(run.output.endsWith("benchmarks-flink/target/classes:some.jar>\n" +
            "<org.odradek.benchmarks.BenchCommand>\n<flink>\n<--quick>\n"), run.output);
        assertTrue(builds().get(0).contains("-pl benchmarks-flink -am"), builds().get(0));
    }

    @Test
    void shouldRunTheDemoAsAScenario() throws Exception
    {
        final Run run = run(path(), jdk, List.of("demo", "--quick"));

        assertTrue(run.output.endsWith("<org.odradek.benchmarks.BenchCommand>\n<demo>\n<--quick>\n"), run.output);
    }

    @Test
    void shouldRecordABenchmarkAndThenWriteTheNumbers() throws Exception
    {
        final Run run = run(path(), jdk, List.of("bench", "catchup", "--record", "--quick"));

        assertEquals(0, run.exitCode, run.output);
        final String realRoot = root.toRealPath().toString();
        final String measured = realRoot + "/target/odradek/measured/catchup.json";
        final String recorded = realRoot + "/docs/results/catchup.json";
        assertTrue(run.output.contains("<catchup>\n<--quick>\n<--json>\n<" + measured + ">\n"), run.output);
        assertTrue(run.output.contains("<report>\n<" + recorded + ">\n<--html>\n"), run.output);
        assertTrue(run.output.contains("<--aims>\n<" + realRoot + "/docs/results/aims.json>\n"), run.output);
        assertTrue(run.output.endsWith("<org.odradek.verification.VerificationCommand>\n<numbers>\n"), run.output);
    }

    @Test
    void shouldLeaveItToAllToRecordEachScenario() throws Exception
    {
        final Run run = run(path(), jdk, List.of("bench", "all", "--record", "--resume"));

        assertTrue(run.output.endsWith("<org.odradek.benchmarks.BenchCommand>\n<all>\n<--resume>\n<--record>\n"),
            run.output);
    }

    @Test
    void shouldRecordAnotherJdkAsAResultOfItsOwn() throws Exception
    {
        final Run run = run(path(), jdk, List.of("demo", "--record", "--jdk25"));

        assertEquals(0, run.exitCode, run.output);
        assertTrue(run.output.contains("<demo>\n<--jdk25>\n<--full>\n<--json>\n<" + root.toRealPath() +
            "/target/odradek/measured/demo-jdk25.json>\n"), run.output);
    }

    @Test
    void shouldRecordChainsBelowAnotherLimitAsAResultOfItsOwn() throws Exception
    {
        final Run run = run(path(), jdk, List.of("bench", "chain", "--below", "10", "--record"));

        assertEquals(0, run.exitCode, run.output);
        assertTrue(run.output.contains("<chain>\n<--below>\n<10>\n<--json>\n<" + root.toRealPath() +
            "/target/odradek/measured/chain-below.json>\n"), run.output);
    }

    @Test
    void shouldRecordTheFullFormOfTheDemoOnly() throws Exception
    {
        final String full = "<demo>\n<--full>\n<--json>\n";

        assertTrue(run(path(), jdk, List.of("demo", "--record")).output.contains(full));
        assertTrue(run(path(), jdk, List.of("demo", "--full", "--record")).output.contains(full));
    }

    private static void assertFailure(final String sentence, final Run run)
    {
        assertEquals(sentence, run.output.strip());
        assertEquals(1, run.exitCode);
    }

    private void mvn(final String version) throws IOException
    {
        script(bin.resolve("mvn"), MVN.formatted(version));
    }

    private void java(final String version) throws IOException
    {
        script(jdk.resolve("bin/java"), JAVA.formatted(version, jdk));
    }

    private static void script(final Path file, final String text) throws IOException
    {
        Files.writeString(file, text);
        assertTrue(file.toFile().setExecutable(true));
    }

    private String path()
    {
        return bin + ":/usr/bin:/bin";
    }

    private List<String> builds() throws IOException
    {
        return Files.readAllLines(root.resolve("builds"));
    }

    private Run run(final String path, final Path javaHome, final List<String> arguments) throws Exception
    {
        return Run.of(builder(path, javaHome, root.resolve("odradek"), arguments));
    }

    private ProcessBuilder builder(
        final String path, final Path javaHome, final Path script, final List<String> arguments)
    {
        final List<String> command = new ArrayList<>(List.of("/bin/sh", script.toString()));
        command.addAll(arguments);
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).directory(folder.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", path);
        if (javaHome != null)
        {
            builder.environment().put("JAVA_HOME", javaHome.toString());
        }
        return builder;
    }

    private record Run(int exitCode, String output)
    {
        static Run of(final ProcessBuilder builder) throws IOException, InterruptedException
        {
            final Process process = builder.start();
            final String output = new String(process.getInputStream().readAllBytes());
            return new Run(process.waitFor(), output);
        }
    }
}
