// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.testkit.JavaProcess;

import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The parent's side of {@link Prefill}: runs it over one topic and passes on how far it has come.
 */
final class TopicFill
{
    private static final long TIMEOUT_MINUTES = 30;

    private final ObjectMapper mapper = new ObjectMapper();
    private final AtomicReference<Prefill.Progress> latest = new AtomicReference<>();
    private final CatchupCase catchupCase;
    private final Consumer<String> progress;

    TopicFill(final CatchupCase catchupCase, final Consumer<String> progress)
    {
        this.catchupCase = catchupCase;
        this.progress = progress;
    }

    /**
     * @param records of all partitions together.
     * @return the sum every arm must come to.
     */
    long run(final String bootstrap, final String topic, final long records)
    {
        final long startNs = System.nanoTime();
        try (JavaProcess process = JavaProcess.of(Prefill.class)
            .flags("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
            .args(bootstrap, topic, Integer.toString(catchupCase.partitions()), Long.toString(records),
                Integer.toString(catchupCase.valueLength()), catchupCase.codec())
            .onStdout(line -> latest.set(report(records, line)))
            .start())
        {
            final int exitCode = process.exitCode(TIMEOUT_MINUTES, TimeUnit.MINUTES);
            if (exitCode != 0 || latest.get() == null || !latest.get().done())
            {
                throw new IllegalStateException("the topic could not be filled:\n" + process.outputTail());
            }
        }
        progress.accept(String.format(Locale.ROOT, "%s: %,d records written in %.1f s",
            catchupCase.name(), records, (System.nanoTime() - startNs) / 1e9));
        return latest.get().sum();
    }

    private Prefill.Progress report(final long records, final String line)
    {
        try
        {
            final Prefill.Progress written = mapper.readValue(line, Prefill.Progress.class);
            if (!written.done())
            {
                progress.accept(String.format(Locale.ROOT, "%s: filling the topic, %d %%",
                    catchupCase.name(), 100 * written.written() / records));
            }
            return written;
        }
        catch (final JsonProcessingException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
