// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.arm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.testkit.JavaProcess;
import org.odradek.testkit.JavaProcessBuilder;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The parent's side of a process that is spoken to in lines. When it has started it writes an object; then it is sent
 * one word a line on its standard input and answers each with one JSON object a line on its standard output. An object
 * with the field {@code error} says why it cannot go on. Lines that do not begin with a brace are remarks. The process
 * ends when its standard input does.
 */
public final class LineProcess implements AutoCloseable
{
    /** What a process writes that has nothing else to say when it has started. */
    public static final String STARTED = "{\"state\":\"started\"}";

    private static final String ERROR = "error";
    private static final long ANSWER_TIMEOUT_MS = TimeUnit.MINUTES.toMillis(10);
    private static final long LOOK_INTERVAL_MS = 250;

    private final String name;
    private final ChildProcess child;
    private final BlockingQueue<String> answers;

    private LineProcess(final String name, final ChildProcess child, final BlockingQueue<String> answers)
    {
        this.name = name;
        this.child = child;
        this.answers = answers;
    }

    /**
     * @param name    of the process in messages.
     * @param builder of a JVM; its consumer of standard output is set here.
     * @return the process, starting.
     */
    public static LineProcess of(final String name, final JavaProcessBuilder builder)
    {
        final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        final JavaProcess process = builder.onStdout(line -> keepAnswer(answers, line)).start();
        return new LineProcess(name, new JvmChild(process), answers);
    }

    /**
     * @param name    of the process in messages.
     * @param command the program and its arguments.
     * @return the process, starting.
     */
    public static LineProcess of(final String name, final List<String> command)
    {
        final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        return new LineProcess(name, new NativeChild(command, line -> keepAnswer(answers, line)), answers);
    }

    private static void keepAnswer(final BlockingQueue<String> answers, final String line)
    {
        if (line.startsWith("{"))
        {
            answers.add(line);
        }
    }

    /**
     * Waits for what the process says of itself.
     */
    public void awaitStart()
    {
        answer("its start");
    }

    /**
     * Sends a word and waits for the answer.
     *
     * @throws IllegalStateException if the process has an error, has ended, or does not answer within ten minutes.
     */
    public JsonNode ask(final String word)
    {
        child.send(word);
        return answer(word);
    }

    /**
     * @return the operating system's id of the process.
     */
    public long pid()
    {
        return child.pid();
    }

    @Override
    public void close()
    {
        child.close();
    }

    private JsonNode answer(final String word)
    {
        String line = null;
        for (long waitedMs = 0; line == null && waitedMs < ANSWER_TIMEOUT_MS; waitedMs += LOOK_INTERVAL_MS)
        {
            final boolean isAlive = child.isAlive();
            line = poll();
            if (line == null && !isAlive)
            {
                throw new IllegalStateException(name + " ended and did not answer " + word + ":\n" +
                    child.outputTail());
            }
        }
        if (line == null)
        {
            throw new IllegalStateException(name + " does not answer " + word + ":\n" + child.outputTail());
        }
        return parse(line);
    }

    private String poll()
    {
        try
        {
            return answers.poll(LOOK_INTERVAL_MS, TimeUnit.MILLISECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for " + name + ".", ex);
        }
    }

    private JsonNode parse(final String line)
    {
        final JsonNode answer;
        try
        {
            answer = new ObjectMapper().readTree(line);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException(name + " answers what is no JSON: " + line, ex);
        }
        if (answer.hasNonNull(ERROR))
        {
            throw new IllegalStateException(name + ": " + answer.get(ERROR).asText() + "\n" + child.outputTail());
        }
        return answer;
    }
}
