// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.simulation.RunSettings.LoadProfile;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.testkit.internal.JavaProcessBuilder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Shows that the oracles find each {@link PlantedDefect}. A child JVM has the class with the defect ahead of all others
 * on its class path, and runs seeds until an oracle fails, which must not fail at this seed without the defect. A run
 * that crashes proves nothing, and the next seed is run.
 */
public final class DefectRuns
{
    static final long MAX_SEEDS = 20_000;
    static final String NOT_FOUND = "**not found**";

    private static final String RESULTS = "docs/results/planted-defects.md";
    /** Of processor time, so that the result does not depend on what else the machine does. */
    private static final long MAX_MINUTES = 15;
    private static final int MAX_SECONDS_AFTER_END = 60;
    private static final String FAILED = "failed ";

    private final Path home;
    private final int simulatedMinutes;
    private final long maxSeeds;
    private final Consumer<String> lines;
    private final AtomicInteger next = new AtomicInteger();

    /** What the runs with one defect have come to. */
    private static final class Search
    {
        private final PlantedDefect defect;
        private final CountDownLatch end = new CountDownLatch(1);
        private volatile String oracle;
        private volatile String message = "";
        private volatile long seeds;
        private volatile long crashes;

        Search(final PlantedDefect defect)
        {
            this.defect = defect;
        }

        String row()
        {
            return "| " + defect.name() + " | " + defect.breaks() + " | " +
                (oracle == null ? NOT_FOUND : oracle) + " | " + seeds + " | " +
                defect.load().name().toLowerCase(Locale.ROOT) + " | " + defect.draw() + " |";
        }

        @Override
        public String toString()
        {
            return defect.name() + ": " + (oracle == null ?
                "NOT FOUND in " + seeds + " seeds" : "found by " + oracle + " at seed " + seeds) +
                (crashes == 0 ? "" : ", " + crashes + " crashed") + (oracle == null ? "" : ". " + message);
        }
    }

    /**
     * @param home             root of the project.
     * @param simulatedMinutes of each seed.
     * @param maxSeeds         to run with each defect.
     * @param lines            receives a line for each defect.
     */
    DefectRuns(final Path home, final int simulatedMinutes, final long maxSeeds, final Consumer<String> lines)
    {
        this.maxSeeds = maxSeeds;
        this.home = home;
        this.simulatedMinutes = simulatedMinutes;
        this.lines = lines;
    }

    /**
     * Runs the defects whose names contain a text, and writes the row of each into docs/results/planted-defects.md when
     * its search ends, unless the other rows there are of another number of seeds or minutes. Without a text, such rows
     * are replaced, and the defects that the fewest seeds have found are run first.
     *
     * @param name        text; empty for all defects.
     * @param threadCount defects that run at the same time.
     * @return whether each was found.
     */
    boolean run(final String name, final int threadCount) throws IOException
    {
        final List<PlantedDefect> defects = PlantedDefect.all(home);
        final SortedMap<String, String> rows = readRows(home, limits());
        rows.keySet().retainAll(defects.stream().map(PlantedDefect::name).toList());
        final boolean isWritten = name.isEmpty() || !rows.isEmpty();
        final List<PlantedDefect> chosen = defects.stream().filter((defect) -> defect.name().contains(name))
            .sorted(Comparator.comparingLong((defect) -> seeds(rows.get(defect.name())))).toList();
        if (chosen.isEmpty())
        {
            throw new IllegalArgumentException("--defects " + name + " is part of the name of no planted defect.");
        }
        for (final PlantedDefect defect : chosen)
        {
            // A defect that does not apply ends the run here. Later it would end one thread of the run.
            defect.apply(home);
        }
        final List<Search> searches = run(chosen, threadCount,
            isWritten ? (search) -> write(rows, search) : (search) -> { });
        final long found = searches.stream().filter((search) -> search.oracle != null).count();
        lines.accept(found + " of " + searches.size() + " defects were found by an oracle.");
        return found == searches.size();
    }

    /** Runs some defects, and returns the row of each. */
    List<String> rows(final List<PlantedDefect> defects, final int threadCount)
    {
        return run(defects, threadCount, (search) -> { }).stream().map(Search::row).toList();
    }

    private static long seeds(final String row)
    {
        return row == null ? 0 : Long.parseLong(row.split(" \\| ")[3].trim());
    }

    private List<Search> run(
        final List<PlantedDefect> defects, final int threadCount, final Consumer<Search> onEnd)
    {
        final List<Search> searches = defects.stream().map(Search::new).toList();
        final Thread[] threads = new Thread[threadCount];
        for (int i = 0; i < threadCount; i++)
        {
            threads[i] = new Thread(() -> searchAll(searches, onEnd), "defects-" + i);
            threads[i].start();
        }
        for (final Thread thread : threads)
        {
            join(thread);
        }
        return searches;
    }

    private static void join(final Thread thread)
    {
        try
        {
            thread.join();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException("interrupted while defects were run", ex);
        }
    }

    private void searchAll(final List<Search> searches, final Consumer<Search> onEnd)
    {
        for (int i = next.getAndIncrement(); i < searches.size(); i = next.getAndIncrement())
        {
            final Search search = searches.get(i);
            try
            {
                search(search);
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
            lines.accept(search.toString());
            onEnd.accept(search);
        }
    }

    private void search(final Search search) throws IOException
    {
        final Path folder = Files.createTempDirectory("odradek-defect-");
        try
        {
            try (StandardJavaFileManager files =
                ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null))
            {
                search.defect.compile(home, folder, files);
            }
            final JavaProcessBuilder builder = JavaProcess.of(DefectRuns.class);
            if (maxSeeds < MAX_SEEDS)
            {
                builder.startingQuickly();
            }
            try (JavaProcess child = builder
                .classPath(folder + System.getProperty("path.separator") + System.getProperty("java.class.path"))
                // An oracle is to find the defect, by what a user would notice, not an assert.
                .flags("-da:org.odradek...", "-Xmx512m", "-XX:+UseSerialGC")
                .args(Integer.toString(simulatedMinutes), Long.toString(maxSeeds), search.defect.load().name())
                .onStdout((line) -> onLine(search, line)).start())
            {
                // Its last line may still be checked by a run without the defect after it has ended.
                int secondsAfterEnd = 0;
                while (!search.end.await(1, TimeUnit.SECONDS) && secondsAfterEnd < MAX_SECONDS_AFTER_END &&
                    processorMinutes(child) < MAX_MINUTES)
                {
                    secondsAfterEnd += child.isAlive() ? 0 : 1;
                }
                child.kill();
            }
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException("interrupted while a defect was run", ex);
        }
        finally
        {
            delete(folder);
        }
    }

    private static long processorMinutes(final JavaProcess child)
    {
        return ProcessHandle.of(child.pid()).flatMap((process) -> process.info().totalCpuDuration())
            .map(Duration::toMinutes).orElse(0L);
    }

    /** A line of the child: the seed that it begins, an oracle's failure, or a crash. */
    private void onLine(final Search search, final String line)
    {
        if (search.oracle != null)
        {
            return;
        }
        if (line.startsWith("seed "))
        {
            search.seeds = Long.parseLong(line.substring("seed ".length()));
        }
        else if (line.equals("crashed"))
        {
            search.crashes++;
        }
        else if (line.equals("end"))
        {
            search.end.countDown();
        }
        else if (line.startsWith(FAILED) && isCleanWithout(search))
        {
            final int tab = line.indexOf('\t');
            search.message = line.substring(tab + 1);
            search.oracle = line.substring(FAILED.length(), tab);
            search.end.countDown();
        }
    }

    private boolean isCleanWithout(final Search search)
    {
        return RunResult.of(
            new RunSettings(search.seeds, simulatedMinutes, search.defect.load(), Set.of()), null).isClean();
    }

    private static void delete(final Path folder) throws IOException
    {
        try (Stream<Path> paths = Files.walk(folder))
        {
            for (final Path path : paths.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(path);
            }
        }
    }

    private synchronized void write(final SortedMap<String, String> rows, final Search search)
    {
        rows.put(search.defect.name(), search.row());
        try
        {
            write(rows.values());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private void write(final Collection<String> rows) throws IOException
    {
        final StringBuilder text = new StringBuilder("""
            # Planted defects

            `./odradek simulate --defects` compiles each defect as one class ahead of the others, and runs seeds from 1
            on until an oracle fails that does not fail without the defect. The last columns are the number of seeds,
            the load with which they were run (`--load`), and the fault or feature that was made to find the defect. A
            row may be older than the text of its defect: the whole table is run again before a release.

            """);
        text.append(rows.stream().filter((row) -> !row.contains(NOT_FOUND)).count()).append(" of ")
            .append(rows.size()).append(" were found, in at most ").append(limits()).append(".\n\n")
            .append("| defect | what is wrong | found by oracle | seeds | load | draw |\n|---|---|---|---|---|---|\n");
        rows.forEach((row) -> text.append(row).append('\n'));
        Files.writeString(home.resolve(RESULTS), text);
    }

    private String limits()
    {
        return maxSeeds + " seeds of " + simulatedMinutes + " simulated minutes each";
    }

    /**
     * Returns the rows of docs/results/planted-defects.md by the names of the defects.
     *
     * @param limits that the page must contain; else there are no rows.
     */
    static SortedMap<String, String> readRows(final Path home, final String limits) throws IOException
    {
        final SortedMap<String, String> rows = new TreeMap<>();
        final String text = Files.readString(home.resolve(RESULTS));
        if (text.contains(limits))
        {
            text.lines().filter((line) -> line.startsWith("| ") && !line.startsWith("| defect |"))
                .forEach((line) -> rows.put(line.substring(2, line.indexOf(" |", 2)), line));
        }
        return rows;
    }

    /**
     * The child: runs seeds from 1 on.
     *
     * @param args simulated minutes of each seed, the number of seeds, and the load.
     */
    public static void main(final String[] args)
    {
        for (long seed = 1; seed <= Long.parseLong(args[1]); seed++)
        {
            System.out.println("seed " + seed);
            final RunResult result = RunResult.of(new RunSettings(
                seed, Integer.parseInt(args[0]), LoadProfile.valueOf(args[2]), Set.of()), null);
            if (!result.isClean())
            {
                System.out.println(result.oracle().equals(RunResult.CRASH) ? "crashed" :
                    FAILED + result.oracle() + "\t" + result.failure().getMessage().lines().findFirst().orElse(""));
            }
        }
        System.out.println("end");
        System.exit(0);
    }
}
