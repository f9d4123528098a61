// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code odradek fuzz}: fuzzes targets longer than the build does. The exit code is 0 if nothing was found, 1 if
 * something was found, and 2 for wrong arguments.
 */
public final class FuzzCommand
{
    private static final int DEFAULT_SECONDS = 60;
    private static final String USAGE = """
        Usage: odradek fuzz [--seconds N] [--keep] [TARGET...]
               odradek fuzz --record

        Searches for bytes that break the code that reads responses, with Agrona's bounds checks on and off.
        Findings are added to the corpus, which every build reads again.

          --seconds N  seconds per target and setting of the bounds checks (default: 60)
          --keep       also add the inputs that reached new code to the corpus
          --record     read every input of the corpus and record the digests of what was read

        Targets (default: all):""";

    private final Corpus corpus;
    private final Path corpusFolder;
    private final Fuzzer fuzzer;
    private final List<FuzzTarget> targets = new ArrayList<>();
    private int seconds = DEFAULT_SECONDS;
    private boolean isKeeping;

    private FuzzCommand(final Path protocol)
    {
        corpusFolder = protocol.resolve("src/test/resources/corpus");
        corpus = new Corpus(corpusFolder);
        fuzzer = new Fuzzer(corpus, protocol.resolve("target/fuzz"));
    }

    /** @param args the folder of this module, then the arguments that the usage lists. */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final FuzzCommand command = new FuzzCommand(Path.of(args[0]).toAbsolutePath());
        System.exit(command.run(List.of(args).subList(1, args.length)));
    }

    private int run(final List<String> arguments) throws IOException, InterruptedException
    {
        if (arguments.contains("--help"))
        {
            System.out.println(usage());
            return 0;
        }
        if (arguments.equals(List.of("--record")))
        {
            System.out.println(corpus.record() + " inputs recorded in " + corpusFolder);
            return 0;
        }
        try
        {
            parse(arguments);
        }
        catch (final IllegalArgumentException ex)
        {
            System.err.println("odradek: " + ex.getMessage() + "; see odradek fuzz --help.");
            return 2;
        }
        return fuzz();
    }

    private void parse(final List<String> arguments)
    {
        for (int i = 0; i < arguments.size(); i++)
        {
            switch (arguments.get(i))
            {
                case "--seconds" -> seconds = seconds(i + 1 < arguments.size() ? arguments.get(++i) : "nothing");
                case "--keep" -> isKeeping = true;
                default -> targets.add(FuzzTarget.ofLabel(arguments.get(i)));
            }
        }
        if (targets.isEmpty())
        {
            targets.addAll(List.of(FuzzTarget.values()));
        }
    }

    private static int seconds(final String text)
    {
        if (!text.matches("[1-9]\\d{0,6}"))
        {
            throw new IllegalArgumentException("--seconds is " + text + " but must be a number above 0");
        }
        return Integer.parseInt(text);
    }

    private int fuzz() throws IOException, InterruptedException
    {
        final List<String> found = new ArrayList<>();
        for (final FuzzTarget target : targets)
        {
            for (final boolean isChecking : new boolean[]{true, false})
            {
                final Fuzzer.Result result = fuzzer.run(target, seconds, isChecking);
                System.out.printf("%-16s bounds checks %-3s  %,12d inputs  %d findings%n",
                    target.label(), isChecking ? "on" : "off", result.inputs(), result.findings().size());
                for (final byte[] finding : result.findings())
                {
                    found.add(target.label() + ' ' + corpus.add(target, finding));
                    System.out.println("  " + found.get(found.size() - 1) + "; see " + result.log());
                }
            }
            if (isKeeping && found.isEmpty())
            {
                fuzzer.merge(target);
            }
        }
        if (found.isEmpty())
        {
            System.out.println(targets.size() + " targets fuzzed: nothing found.");
            return 0;
        }
        System.out.println(targets.size() + " targets fuzzed: " + found.size() + " findings, now in " + corpusFolder);
        return 1;
    }

    private static String usage()
    {
        final StringBuilder usage = new StringBuilder(USAGE);
        for (final FuzzTarget target : FuzzTarget.values())
        {
            usage.append("\n  ").append(target.label());
        }
        return usage.toString();
    }
}
