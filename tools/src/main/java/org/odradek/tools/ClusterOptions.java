// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.files.RegularFile;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.Properties;

/** The options that say how to connect to a cluster. */
public final class ClusterOptions
{
    private static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    private static final String DEFAULT_BOOTSTRAP = "localhost:9092";

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT,...",
        description = "Brokers to connect to first (default: as --config says, else " + DEFAULT_BOOTSTRAP + ").")
    private String bootstrap;

    @Option(names = "--config", paramLabel = "FILE",
        description = "Properties of a Kafka consumer, such as those of TLS and SASL.")
    private Path config;

    /**
     * @param err receives a sentence on each property that is ignored.
     * @throws IllegalArgumentException in one sentence if the properties cannot be read, or one is refused.
     */
    public ConsumerContext context(final PrintWriter err)
    {
        return config == null ? new ConsumerContext().bootstrapServers(servers()) :
            ConsumerContext.from(properties(), (note) -> err.println("odradek: " + config + ": " + note));
    }

    /**
     * The properties for a client of kafka-clients.
     *
     * @throws IllegalArgumentException in one sentence if they cannot be read.
     */
    public Properties properties()
    {
        final Properties properties = new Properties();
        if (config != null)
        {
            try
            {
                properties.load(new StringReader(RegularFile.readText(config, RegularFile.MAX_PROPERTIES_LENGTH)));
            }
            catch (final IOException | IllegalArgumentException ex)
            {
                throw new IllegalArgumentException("--config " + config + " cannot be read: " + ex, ex);
            }
        }
        if (bootstrap != null || !properties.containsKey(BOOTSTRAP_SERVERS))
        {
            properties.setProperty(BOOTSTRAP_SERVERS, servers());
        }
        return properties;
    }

    private String servers()
    {
        return bootstrap == null ? DEFAULT_BOOTSTRAP : bootstrap;
    }

    @Override
    public String toString()
    {
        return bootstrap != null || config == null ? servers() : "the brokers of " + config;
    }
}
