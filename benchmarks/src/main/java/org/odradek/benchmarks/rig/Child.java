// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.testkit.internal.JavaProcessBuilder;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The parent's side of a process of the rig, a JVM or a native program. The package page describes the lines that both
 * exchange. A client is started ahead; then run, warmUp, measure and stop come as often as wanted.
 */
public final class Child implements AutoCloseable
{
    public static final String RUN = "run";
    public static final String MEASURE = "measure";
    public static final String STOP = "stop";
    public static final String OPEN = "open";
    public static final String PASS = "pass";
    static final String READ = "read";
    static final String PARTS = "parts";
    /** The setting of a process that is started by another command, which becomes it: the words of that. */
    public static final String THROUGH = "through";
    /** The setting of a JVM that uses other classes than this one: its class path. */
    public static final String CLASS_PATH = "classPath";
    static final String PRACTISE = "practise";
    static final String COMPILED = "compiled";
    private static final long ANSWER_TIMEOUT_NS = TimeUnit.MINUTES.toNanos(10);
    private static final long LOOK_INTERVAL_MS = 250;
    private static final int QUIET_SECONDS = 10;
    private static final int QUIET_MS_PER_SECOND = 5;
    private static final int MOST_WARM_UP_TIMES = 6;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final String name;
    private final boolean isJvm;
    private final JavaProcess process;
    /** Volatile: the thread that reads the process's lines calls it. */
    private volatile Consumer<String> remarks = (line) -> { };

    /** The JVM that a client runs in: the program java and its flags. */
    public record Jvm(Path java, List<String> flags)
    {
        /** One more flag of all clients. Tests of the rig set it, because they need nothing that C2 compiles. */
        public static final String FLAGS_PROPERTY = "odradek.bench.flags";
        private static final String COLLECTOR = "-XX:\\+Use\\w*GC";

        /** This JVM's Java with the flags of all clients. */
        public static final Jvm STANDARD = new Jvm(
            Path.of(System.getProperty("java.home"), "bin", "java"), List.of("-Xms256m", "-Xmx256m", "-XX:+UseG1GC"))
            .with(Stream.ofNullable(System.getProperty(FLAGS_PROPERTY)).toList());

        public Jvm with(final List<String> moreFlags)
        {
            return new Jvm(java, Stream.of(flags, moreFlags).flatMap(List::stream).toList());
        }

        /** The JVM of an arm: jdk25 chooses that JDK, jvmFlags adds flags; a collector replaces the standard one. */
        private Jvm with(final Settings settings)
        {
            final List<String> more =
                settings.has("jvmFlags") ? List.of(settings.text("jvmFlags").split(" ")) : List.of();
            final boolean hasCollector = more.stream().anyMatch((flag) -> flag.matches(COLLECTOR));
            return new Jvm(settings.is(Jdk25.SETTING) ? Jdk25.find() : java, flags.stream()
                .filter((flag) -> !hasCollector || !flag.matches(COLLECTOR)).toList()).with(more);
        }
    }

    private Child(final String name, final boolean isJvm, final JavaProcessBuilder builder)
    {
        this.name = name;
        this.isJvm = isJvm;
        process = builder.onStdout((line) ->
        {
            final Consumer<String> taker = line.startsWith("{") ? answers::add : remarks;
            taker.accept(line);
        }).start();
    }

    /** Starts a JVM for a {@link RigMain.Task}; the name is that of the process in messages. */
    public static Child start(final String name, final Class<?> task, final Settings settings, final Jvm jvm)
    {
        final Jvm chosen = jvm.with(settings);
        final JavaProcessBuilder builder = JavaProcess.of(RigMain.class).java(chosen.java());
        if (settings.has(CLASS_PATH))
        {
            builder.classPath(settings.text(CLASS_PATH));
        }
        return new Child(name, true, builder.through(through(settings))
            .flags("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn").flags(chosen.flags().toArray(new String[0]))
            .args(task.getName()).args(settings.toArguments()));
    }

    /** Starts a program that exchanges the same lines. */
    public static Child start(final String name, final Settings settings, final List<String> command)
    {
        return new Child(name, false, JavaProcess.ofProgram(
            Stream.of(through(settings), command).flatMap(List::stream).toList()));
    }

    private static List<String> through(final Settings settings)
    {
        return settings.has(THROUGH) ? List.of(settings.text(THROUGH).split(" ")) : List.of();
    }

    /** Starts a {@link PacedProducer}, which does nothing yet. */
    public static Child producer(final Settings settings)
    {
        return start("producer", PacedProducer.class, settings, Jvm.STANDARD);
    }

    /** Lets the consumer get each line that is no answer, on a thread of its own. */
    public Child onRemark(final Consumer<String> consumer)
    {
        remarks = consumer;
        return this;
    }

    public long cpuNs()
    {
        return Kernel.cpuNs(process.pid());
    }

    /** Ends the process as a crash would. */
    public void kill()
    {
        process.kill();
    }

    public void checkAlive()
    {
        if (!process.isAlive())
        {
            throw new IllegalStateException(name + " has ended:\n" + process.outputTail());
        }
    }

    /** Waits until the process takes words. Once, before anything is asked. */
    public void awaitStart()
    {
        answer("its start", JsonNode.class);
    }

    /** Returns when the client polls with these settings besides, or the producer sends, perhaps at this rate. */
    public void run(final Object... arguments)
    {
        ask(Stream.concat(Stream.of(RUN), Stream.of(arguments)).map(Object::toString).collect(Collectors.joining(" ")));
    }

    /**
     * Lets clients run until their JVMs are warm; the package page says when that is. Returns how long it took.
     *
     * @param leastSeconds also of a client that is not a JVM; 0 for no warm-up at all.
     */
    public static int warmUp(final List<Child> clients, final int leastSeconds) throws InterruptedException
    {
        final int window = Math.min(QUIET_SECONDS, leastSeconds);
        final int mostSeconds = MOST_WARM_UP_TIMES * leastSeconds;
        final long[] compilerMs = new long[mostSeconds + 1];
        int seconds = 0;
        compilerMs[0] = compilerMs(clients);
        while (seconds < leastSeconds || seconds < mostSeconds &&
            !isQuiet(compilerMs[seconds] - compilerMs[seconds - window], window * clients.size()))
        {
            TimeUnit.SECONDS.sleep(1);
            seconds++;
            compilerMs[seconds] = compilerMs(clients);
        }
        return seconds;
    }

    /** @param compilerMs of one JVM within these seconds. */
    public static boolean isQuiet(final long compilerMs, final double seconds)
    {
        return compilerMs <= QUIET_MS_PER_SECOND * seconds;
    }

    private static long compilerMs(final List<Child> clients)
    {
        return clients.stream().filter((client) -> client.isJvm).mapToLong(Child::compilerMs).sum();
    }

    /** How long the compilers of this JVM have worked. */
    long compilerMs()
    {
        return ask(COMPILED).get("compilerMs").asLong();
    }

    /** Throws if a record was missing before and the client says so. */
    public void measure()
    {
        final Usage before = new Usage();
        before.missing = ask(MEASURE).path("missing").asLong();
        before.mustBeComplete(name);
    }

    /** Closes the client, not its process. Returns what was used since measure, or throws if a record was missing. */
    public Usage stop()
    {
        return ask(STOP, Usage.class).mustBeComplete(name);
    }

    /** Reads a log from its first records on for these times one after the other, and returns what was used in each. */
    public List<Usage> read(final int... timesMs)
    {
        final List<Usage> usages = new ArrayList<>();
        final JsonNode parts = ask(IntStream.of(timesMs).mapToObj(Integer::toString)
            .collect(Collectors.joining(" ", READ + " ", ""))).get(PARTS);
        parts.forEach((part) -> usages.add(MAPPER.convertValue(part, Usage.class).mustBeComplete(name)));
        return usages;
    }

    /** Sends a line and waits for the answer, up to ten minutes. */
    public JsonNode ask(final String line)
    {
        return ask(line, JsonNode.class);
    }

    /** As {@link #ask(String)}, with the answer as an object of this type. */
    public <T> T ask(final String line, final Class<T> type)
    {
        process.send(line);
        return answer(line, type);
    }

    @Override
    public void close()
    {
        process.close();
    }

    private <T> T answer(final String question, final Class<T> type)
    {
        try
        {
            String line = null;
            final long startNs = System.nanoTime();
            while (line == null)
            {
                final boolean isAlive = process.isAlive();
                line = answers.poll(LOOK_INTERVAL_MS, TimeUnit.MILLISECONDS);
                if (line == null && (!isAlive || System.nanoTime() - startNs > ANSWER_TIMEOUT_NS))
                {
                    throw new IllegalStateException(name + (isAlive ? " does" : " ended and did") + " not answer " +
                        question + ":\n" + process.outputTail());
                }
            }
            final JsonNode answer = MAPPER.readTree(line);
            if (answer.hasNonNull("error"))
            {
                throw new IllegalStateException(
                    name + ": " + answer.get("error").asText() + "\n" + process.outputTail());
            }
            return MAPPER.treeToValue(answer, type);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for " + name + ".", ex);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException(name + " gave an unexpected answer to " + question + ".", ex);
        }
    }
}
