// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StatusSettings;
import org.odradek.consumer.TopicConsumer;
import org.odradek.replay.FrameCapture;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * The options of the commands that read a topic: which one, and where to write counters and captured frames.
 */
final class ReadingOptions
{
    private static final String DEFAULT_BOOTSTRAP = "localhost:9092";
    private static final long READY_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    @Parameters(index = "0", paramLabel = "TOPIC", description = "The topic to read.")
    private String topic;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT,...",
        description = "Brokers to connect to first (default: as --config says, else " + DEFAULT_BOOTSTRAP + ").")
    private String bootstrap;

    @Option(names = "--config", paramLabel = "FILE",
        description = "Properties of a Kafka consumer, such as those of TLS and SASL.")
    private Path config;

    @Option(names = "--counters", paramLabel = "FILE", order = 1,
        description = "Keep counters in this file, which stat, lag and errors can read meanwhile.")
    private Path counters;

    @Option(names = "--capture", paramLabel = "FILE", order = 1,
        description = "Write the fetch frames to this file, for odradek replay; an existing file is replaced.")
    private Path capture;

    @Option(names = "--capture-limit", paramLabel = "BYTES", defaultValue = "268435456", order = 1,
        description = "Maximum size of the captured frames (default: ${DEFAULT-VALUE}).")
    private int captureLimit;

    String topic()
    {
        return topic;
    }

    /**
     * @param err receives a sentence on each property that is ignored.
     * @throws IllegalArgumentException in one sentence if the properties cannot be read, or one is refused.
     */
    ConsumerContext context(final PrintWriter err)
    {
        final ConsumerContext context = config == null ? new ConsumerContext() :
            ConsumerContext.from(properties(), (note) -> err.println("odradek: " + config + ": " + note));
        if (bootstrap != null || context.bootstrapServers() == null)
        {
            context.bootstrapServers(bootstrap == null ? DEFAULT_BOOTSTRAP : bootstrap);
        }
        return context.topic(topic)
            .frameHandler(capture == null ? null : new FrameCapture(capture, captureLimit))
            .status(new StatusSettings().countersFile(counters));
    }

    private Properties properties()
    {
        final Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(config))
        {
            properties.load(reader);
            return properties;
        }
        catch (final IOException | IllegalArgumentException ex)
        {
            throw new IllegalArgumentException("--config " + config + " cannot be read: " + ex, ex);
        }
    }

    /**
     * Waits until the topic can be read.
     *
     * @return false if the command was stopped before.
     * @throws IllegalStateException if the topic cannot be read.
     */
    boolean awaitReady(final TopicConsumer consumer, final StopSignal signal)
    {
        if (consumer.awaitReady(READY_TIMEOUT_NS))
        {
            return true;
        }
        if (!signal.isStopped())
        {
            throw new IllegalStateException("Topic " + topic + " cannot be read at " + (bootstrap != null ? bootstrap :
                config != null ? "the brokers of " + config : DEFAULT_BOOTSTRAP) + ".");
        }
        return false;
    }

    /** Reports {@link org.odradek.consumer.handler.ConsumerListener#onCaptureFull} to the user. */
    static void reportFull(final PrintWriter err, final String file, final long frames, final long bytes)
    {
        err.println("odradek: " + file + " is full with " + frames + " frames in " + bytes +
            " bytes: later frames are not captured; --capture-limit raises the limit");
        err.flush();
    }
}
