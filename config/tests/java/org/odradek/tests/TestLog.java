// SPDX-License-Identifier: Apache-2.0
package org.odradek.tests;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Prints one line for each test class, when it has ended, and what tests publish through their {@code TestReporter}.
 * All else that tests, brokers and Kafka's clients print goes to files in the folder that a system property names.
 * After a failure it prints the stack trace, and the paths and last lines of the files that were written since the
 * class began. Each module compiles this class with its tests, and JUnit finds it as a service.
 */
public final class TestLog implements TestExecutionListener
{
    /** Broker processes write to this folder, too. */
    private static final String FOLDER = "odradek.testkit.logs";
    private static final String FILE = "odradek.test.output";
    private static final int LINES = 50;
    private static final int FILES = 3;

    private final PrintStream console = System.out;
    private final Path folder;
    private TestPlan plan;
    private long beginNs;
    private long beginMs;
    private int passed;
    private int failed;
    private int skipped;

    public TestLog() throws IOException
    {
        final String name = System.getProperty(FOLDER);
        folder = name == null ? null : Files.createDirectories(Path.of(name));
        final String file = System.getProperty(FILE);
        if (folder != null && file != null)
        {
            final PrintStream output = new PrintStream(new FileOutputStream(folder.resolve(file).toFile()), true);
            System.setOut(output);
            System.setErr(output);
        }
    }

    @Override
    public void testPlanExecutionStarted(final TestPlan testPlan)
    {
        plan = testPlan;
    }

    @Override
    public void executionStarted(final TestIdentifier test)
    {
        if (isOutermostClass(test))
        {
            beginNs = System.nanoTime();
            beginMs = System.currentTimeMillis();
            passed = 0;
            failed = 0;
            skipped = 0;
        }
    }

    @Override
    public void executionSkipped(final TestIdentifier test, final String reason)
    {
        skipped += (int)plan.countTestIdentifiers((other) -> other.isTest() && isBelow(other, test));
        if (isOutermostClass(test))
        {
            console.println(nameOf(test) + ": skipped, " + reason);
        }
    }

    @Override
    public void executionFinished(final TestIdentifier test, final TestExecutionResult result)
    {
        if (result.getStatus() == TestExecutionResult.Status.FAILED)
        {
            failed++;
            report(test, result.getThrowable().orElse(null));
        }
        else if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL)
        {
            passed++;
        }
        else if (test.isTest())
        {
            skipped++;
        }
        if (isOutermostClass(test))
        {
            console.printf(Locale.ROOT, "%s: %d passed%s%s, %.1f s%n", nameOf(test), passed,
                failed == 0 ? "" : ", " + failed + " FAILED", skipped == 0 ? "" : ", " + skipped + " skipped",
                (System.nanoTime() - beginNs) / 1e9);
        }
    }

    @Override
    public void reportingEntryPublished(final TestIdentifier test, final ReportEntry entry)
    {
        entry.getKeyValuePairs().values().forEach(console::println);
    }

    private void report(final TestIdentifier test, final Throwable failure)
    {
        synchronized (console)
        {
            console.println("FAILED: " + nameOf(test));
            if (failure != null)
            {
                failure.printStackTrace(console);
            }
            for (final Path file : newestLogs())
            {
                console.println("The last lines of " + file + ":");
                lastLines(file).forEach(console::println);
            }
        }
    }

    private List<Path> newestLogs()
    {
        if (folder == null)
        {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder))
        {
            return files.filter((file) -> file.toFile().length() > 0 && file.toFile().lastModified() >= beginMs)
                .sorted(Comparator.comparingLong((Path file) -> file.toFile().lastModified()).reversed())
                .limit(FILES).toList();
        }
        catch (final IOException ex)
        {
            console.println("The logs of " + folder + " cannot be listed: " + ex.getMessage());
            return List.of();
        }
    }

    private static List<String> lastLines(final Path file)
    {
        try
        {
            // A broker may write bytes that are no UTF-8.
            final List<String> lines = Files.readString(file, StandardCharsets.ISO_8859_1).lines().toList();
            return lines.subList(Math.max(0, lines.size() - LINES), lines.size());
        }
        catch (final IOException ex)
        {
            return List.of("It cannot be read: " + ex.getMessage());
        }
    }

    private boolean isOutermostClass(final TestIdentifier test)
    {
        return isClass(test) && outermostClass(test).equals(test);
    }

    /** The class around a test, or around all nested classes; the test itself where there is none. */
    private TestIdentifier outermostClass(final TestIdentifier test)
    {
        TestIdentifier outermost = test;
        for (TestIdentifier it = test; it != null; it = plan.getParent(it).orElse(null))
        {
            outermost = isClass(it) ? it : outermost;
        }
        return outermost;
    }

    private boolean isBelow(final TestIdentifier test, final TestIdentifier container)
    {
        TestIdentifier it = test;
        while (it != null && !it.equals(container))
        {
            it = plan.getParent(it).orElse(null);
        }
        return it != null;
    }

    private static boolean isClass(final TestIdentifier test)
    {
        return test.getSource().filter(ClassSource.class::isInstance).isPresent();
    }

    private String nameOf(final TestIdentifier test)
    {
        final TestIdentifier outermost = outermostClass(test);
        final String name = outermost.getSource().filter(ClassSource.class::isInstance)
            .map((source) -> ((ClassSource)source).getClassName()).orElseGet(outermost::getDisplayName);
        return outermost.equals(test) ? name : name + ", " + test.getDisplayName();
    }
}
