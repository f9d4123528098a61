// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.fuzz;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * {@code odradek fuzz}: fuzzes targets longer than the build does. The exit code is 0 if nothing was found, 1 if
 * something was found, and 2 for wrong arguments.
 */
public final class FuzzCommand
{
    private static final int DEFAULT_SECONDS = 60;
    /** Valid inputs with which the corpus of a new target begins. */
    private static final int SEEDS = 10;
    private static final String USAGE = """
        Usage: odradek fuzz [--seconds N] [--keep] [TARGET...]
               odradek fuzz --record

        Searches for bytes that break the code that reads what a broker sends, with Agrona's bounds checks on and off.
        Findings are added to the corpus, which every build reads again.

          --seconds N  seconds per target and setting of the bounds checks (default: 60)
          --keep       also add the inputs that reached new code to the corpus
          --record     read every input of the corpus and record the digests of what was read

        Targets (default: all):""";

    /** The modules with the enums of their targets. */
    private static final String[][] ENUMS = {
        {"protocol", "org.odradek.protocol.fuzz.ProtocolFuzz"},
        {"consumer", "org.odradek.consumer.CountsFuzz"},
        {"client", "org.odradek.client.security.SaslFuzz"},
        {"client", "org.odradek.client.tls.TlsFuzz"},
        {"client", "org.odradek.client.tls.TlsFaultFuzz"},
        {"client", "org.odradek.client.net.SaslFaultFuzz"}};

    private final Path root;
    private final List<String> labels = new ArrayList<>();
    private final List<String> found = new ArrayList<>();
    private int fuzzed;
    private int seconds = DEFAULT_SECONDS;
    private boolean isKeeping;

    private FuzzCommand(final Path root)
    {
        this.root = root;
    }

    /** @param args the project's folder, then the arguments that the usage lists. */
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
            for (final String[] module : ENUMS)
            {
                System.out.println(new Corpus(corpusFolder(module)).record(FuzzTarget.of(module[1])) +
                    " inputs recorded in " + corpusFolder(module));
            }
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
        for (final String[] module : ENUMS)
        {
            fuzz(module);
        }
        System.out.println(fuzzed + " targets fuzzed: " + (found.isEmpty() ? "nothing found." :
            found.size() + " findings, now in the corpus"));
        return found.isEmpty() ? 0 : 1;
    }

    private Path corpusFolder(final String[] module)
    {
        return root.resolve(module[0]).resolve("src/test/resources/corpus");
    }

    private static FuzzTarget[] all()
    {
        return Arrays.stream(ENUMS).flatMap((module) -> Arrays.stream(FuzzTarget.of(module[1])))
            .toArray(FuzzTarget[]::new);
    }

    private void parse(final List<String> arguments)
    {
        for (int i = 0; i < arguments.size(); i++)
        {
            switch (arguments.get(i))
            {
                case "--seconds" -> seconds = seconds(i + 1 < arguments.size() ? arguments.get(++i) : "nothing");
                case "--keep" -> isKeeping = true;
                default -> labels.add(FuzzTarget.ofLabel(all(), arguments.get(i)).label());
            }
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

    private void fuzz(final String[] module) throws IOException, InterruptedException
    {
        final Corpus corpus = new Corpus(corpusFolder(module));
        final Fuzzer fuzzer = new Fuzzer(corpus, root.resolve(module[0]).resolve("target/fuzz"));
        for (final FuzzTarget target : FuzzTarget.of(module[1]))
        {
            if (labels.isEmpty() || labels.contains(target.label()))
            {
                fuzzed++;
                fuzz(target, corpus, fuzzer);
            }
        }
    }

    private void fuzz(final FuzzTarget target, final Corpus corpus, final Fuzzer fuzzer)
        throws IOException, InterruptedException
    {
        final boolean isNew = corpus.entries(target).isEmpty();
        final Random random = new Random(1);
        for (int i = 0; i < SEEDS && isNew; i++)
        {
            corpus.add(target, target.seed(random));
        }
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

    private static String usage()
    {
        final StringBuilder usage = new StringBuilder(USAGE);
        for (final FuzzTarget target : all())
        {
            usage.append("\n  ").append(target.label());
        }
        return usage.toString();
    }
}
