// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.odradek.client.files.RegularFile;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.handler.GroupProtocol;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Properties;

/** The options that say how to connect to a cluster. */
public final class ClusterOptions
{
    private static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    private static final String GROUP_PROTOCOL = "group.protocol";
    private static final String API_TIMEOUT = "default.api.timeout.ms";
    private static final String REQUEST_TIMEOUT = "request.timeout.ms";
    private static final String CONNECT_TIMEOUT = "socket.connection.setup.timeout.ms";
    private static final int DEFAULT_TIMEOUT_MS = 30_000;
    /** Shorter than the timeouts of commands, so that they reach the next server if one does not answer. */
    private static final int CONNECT_TIMEOUT_MS = 2_000;
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
        return config == null ?
            new ConsumerContext().bootstrapServers(servers()).connectTimeoutMs(CONNECT_TIMEOUT_MS) :
            from(properties(), err);
    }

    private ConsumerContext from(final Properties properties, final PrintWriter err)
    {
        return ConsumerContext.from(properties, (note) -> err.println("odradek: " + config + ": " + note));
    }

    /**
     * As {@link #context}, for a member of a group, with the settings of groups in the properties. The start position
     * must be set.
     *
     * @param protocol by which to join, or null to join as the properties say.
     */
    public ConsumerContext groupContext(final PrintWriter err, final String group, final GroupProtocol protocol)
    {
        if (config == null)
        {
            return context(err).group(
                new GroupSettings(group).protocol(protocol == null ? GroupProtocol.AUTO : protocol));
        }
        final Properties properties = properties();
        properties.setProperty("group.id", group);
        // Offsets are not reset without the key, either, and with none the properties would have no start position.
        properties.remove("auto.offset.reset", "none");
        if (protocol != null)
        {
            // AUTO may choose CLASSIC, which the other properties must fit.
            properties.setProperty(GROUP_PROTOCOL,
                (protocol == GroupProtocol.AUTO ? GroupProtocol.CLASSIC : protocol).name());
        }
        final ConsumerContext context = from(properties, err).joinGroup();
        if (protocol != null)
        {
            context.group().protocol(protocol);
        }
        return context;
    }

    /**
     * The properties for an admin client of kafka-clients, whose calls take 30 seconds at most unless a timeout is
     * given. Kafka refuses an API timeout that is shorter than the request timeout, also than its default.
     *
     * @throws IllegalArgumentException in one sentence if they cannot be read.
     */
    public Properties adminProperties()
    {
        final Properties properties = properties();
        properties.putIfAbsent(CONNECT_TIMEOUT, String.valueOf(CONNECT_TIMEOUT_MS));
        if (!properties.containsKey(REQUEST_TIMEOUT))
        {
            properties.putIfAbsent(API_TIMEOUT, String.valueOf(DEFAULT_TIMEOUT_MS));
            final String timeout = properties.getProperty(API_TIMEOUT).strip();
            // What is not a number is refused by Kafka.
            if (timeout.matches("\\d{1,9}") && Integer.parseInt(timeout) < DEFAULT_TIMEOUT_MS)
            {
                properties.setProperty(REQUEST_TIMEOUT, timeout);
            }
        }
        return properties;
    }

    /** @param server host:port, which may have spaces around it. */
    public static InetSocketAddress address(final String server)
    {
        final int colon = server.lastIndexOf(':');
        return new InetSocketAddress(
            server.substring(0, colon).strip(), Integer.parseInt(server.substring(colon + 1).strip()));
    }

    /** @throws IllegalArgumentException in one sentence if they cannot be read. */
    private Properties properties()
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
