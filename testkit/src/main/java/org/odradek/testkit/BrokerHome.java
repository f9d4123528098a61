// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.odradek.testkit.internal.CleanUp;
import org.odradek.testkit.internal.FreePorts;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.testkit.internal.JavaProcessBuilder;
import org.odradek.testkit.internal.Sockets;
import org.odradek.testkit.internal.TempFolder;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** The ports, properties and data folder of a broker, which stay the same when the broker is restarted. */
final class BrokerHome
{
    private static final int FORMAT_LIMIT_S = 60;
    /** The system property that names a folder for the output files of broker processes. */
    private static final String LOGS_PROPERTY = "odradek.testkit.logs";

    private final int nodeId;
    private final int port;
    private final int controllerPort;
    private final int outsidePort;
    private final TempFolder folder = new TempFolder("odradek-broker-");
    private final Properties properties = new Properties();
    private final BrokerSettings settings;
    private final BrokerSecurity security;
    private final Map<SecureListener, Integer> securePorts = new EnumMap<>(SecureListener.class);
    private boolean isDeleted;

    BrokerHome(final int nodeId, final BrokerSettings settings)
    {
        this.nodeId = nodeId;
        this.settings = settings;
        try
        {
            port = nextPort();
            controllerPort = nextPort();
            outsidePort = nextPort();
            security = settings.isSecured() ? settings.takeSecurity() : null;
            if (security != null)
            {
                for (final SecureListener listener : SecureListener.values())
                {
                    securePorts.put(listener, nextPort());
                }
            }
        }
        catch (final RuntimeException ex)
        {
            // This releases the ports and the security that were taken before the failure.
            delete();
            throw ex;
        }
    }

    private int nextPort()
    {
        return FreePorts.next(settings.host());
    }

    static BrokerHome ofOne(final BrokerSettings settings)
    {
        final BrokerHome home = new BrokerHome(1, settings);
        home.prepare(Uuid.randomUuid().toString(), home.voter(), 1);
        return home;
    }

    /**
     * @param voters      all controllers as id@host:port, separated by commas.
     * @param brokerCount number of brokers of the cluster, which is also the default replication factor.
     */
    void prepare(final String clusterId, final String voters, final int brokerCount)
    {
        try
        {
            fillProperties(voters, Integer.toString(brokerCount));
            // An earlier broker with the same id and port may have left this file.
            Files.deleteIfExists(outputFile());
            try (Writer writer = Files.newBufferedWriter(propertiesFile(), StandardCharsets.ISO_8859_1))
            {
                properties.store(writer, null);
            }
            if (settings.zooKeeper() == null)
            {
                format(clusterId);
            }
        }
        catch (final IOException ex)
        {
            delete();
            throw new UncheckedIOException(ex);
        }
        catch (final RuntimeException ex)
        {
            delete();
            throw ex;
        }
    }

    private void format(final String clusterId)
    {
        final ByteArrayOutputStream output = new ByteArrayOutputStream();
        final List<String> arguments =
            new ArrayList<>(List.of("format", "-t", clusterId, "-c", propertiesFile().toString()));
        if (security != null || settings.outsideSecurity() != null)
        {
            arguments.addAll((security != null ? security : settings.outsideSecurity()).formatArguments());
        }
        final PrintStream print = new PrintStream(output, true, StandardCharsets.UTF_8);
        final int exitCode = settings.classPath() != null ? formatElsewhere(arguments, print) :
            StorageTool.execute(arguments.toArray(new String[0]), print);
        if (exitCode != 0)
        {
            throw new IllegalStateException("The broker's data folder could not be formatted:\n" +
                output.toString(StandardCharsets.UTF_8));
        }
    }

    private int formatElsewhere(final List<String> arguments, final PrintStream print)
    {
        try (JavaProcess process =
            program("kafka.tools.StorageTool").args(arguments.toArray(new String[0])).start())
        {
            final int exitCode = process.exitCode(FORMAT_LIMIT_S, TimeUnit.SECONDS);
            print.println(process.outputTail());
            return exitCode;
        }
    }

    JavaProcessBuilder program(final String mainClass, final String... flags)
    {
        final JavaProcessBuilder program =
            JavaProcess.of(mainClass).flags(flags).flags(settings.jvmFlags().toArray(new String[0]));
        return settings.classPath() == null ? program : program.classPath(settings.classPath());
    }

    synchronized void delete()
    {
        if (!isDeleted)
        {
            isDeleted = true;
            FreePorts.release(port);
            FreePorts.release(controllerPort);
            FreePorts.release(outsidePort);
            securePorts.values().forEach(FreePorts::release);
            CleanUp.run(this::releaseSecurity, folder::delete);
        }
    }

    private void releaseSecurity()
    {
        if (security != null)
        {
            settings.releaseSecurity();
        }
    }

    int nodeId()
    {
        return nodeId;
    }

    int port()
    {
        return port;
    }

    String address()
    {
        return Sockets.hostAndPort(settings.host(), port);
    }

    int outsidePort()
    {
        if (!settings.hasOutside())
        {
            throw new IllegalStateException("This broker has no outside listener: BrokerSettings.outside adds one.");
        }
        return outsidePort;
    }

    int port(final SecureListener listener)
    {
        security();
        return securePorts.get(listener);
    }

    String address(final SecureListener listener)
    {
        return security().address(securePorts.get(listener));
    }

    BrokerSecurity security()
    {
        return security == null ? settings.security() : security;
    }

    String voter()
    {
        return nodeId + "@" + Sockets.hostAndPort(settings.host(), controllerPort);
    }

    BrokerSettings settings()
    {
        return settings;
    }

    Properties properties()
    {
        return properties;
    }

    Path folder()
    {
        return folder.path();
    }

    Path propertiesFile()
    {
        return folder.path().resolve("server.properties");
    }

    Path outputFile()
    {
        final String logs = System.getProperty(LOGS_PROPERTY);
        return logs == null ? folder.path().resolve("output.log") :
            Path.of(logs, "broker-" + nodeId + "-" + port + ".log");
    }

    private void fillProperties(final String voters, final String replicationFactor)
    {
        final String minIsr = "1";
        if (settings.zooKeeper() == null)
        {
            set("process.roles", "broker,controller");
            set("node.id", Integer.toString(nodeId));
            set("controller.quorum.voters", voters);
            set("controller.listener.names", "CONTROLLER");
        }
        else
        {
            set("broker.id", Integer.toString(nodeId));
            set("zookeeper.connect", settings.zooKeeper());
            set("zookeeper.session.timeout.ms", "6000");
        }
        set("inter.broker.listener.name", "PLAINTEXT");
        set("log.dirs", folder.path().resolve("data").toString());
        fillListeners();

        set("default.replication.factor", replicationFactor);
        set("min.insync.replicas", minIsr);
        set("offsets.topic.replication.factor", replicationFactor);
        set("offsets.topic.num.partitions", "1");
        set("transaction.state.log.replication.factor", replicationFactor);
        set("transaction.state.log.min.isr", minIsr);
        set("transaction.state.log.num.partitions", "1");
        set("share.coordinator.state.topic.replication.factor", replicationFactor);
        set("share.coordinator.state.topic.min.isr", minIsr);
        set("share.coordinator.state.topic.num.partitions", "1");
        set("group.initial.rebalance.delay.ms", "0");
        set("auto.create.topics.enable", "false");

        // The cleaner's buffer is 128 MB by default. With this buffer of 2 MB, a broker needs 32 MB of heap.
        set("log.cleaner.dedupe.buffer.size", "2097152");
        set("log.cleaner.threads", "1");
        set("num.network.threads", "1");
        set("num.io.threads", "2");
        set("num.replica.fetchers", "1");
        set("background.threads", "2");

        // With these times, the cluster detects a dead broker and readmits a restarted one within seconds. But if the
        // machine is suspended for three seconds, no other leader is elected.
        final boolean isOne = "1".equals(replicationFactor);
        set("broker.heartbeat.interval.ms", "500");
        set("broker.session.timeout.ms", "5000");
        // A broker ends if it cannot register for so long, by default for a minute, which a busy machine exceeds.
        set("initial.broker.registration.timeout.ms", "600000");
        set("replica.lag.time.max.ms", isOne ? "30000" : "5000");
        set("controller.quorum.election.timeout.ms", isOne ? "5000" : "1000");
        set("controller.quorum.fetch.timeout.ms", isOne ? "30000" : "3500");
        set("auto.leader.rebalance.enable", "false");
        // A single broker has no other broker to which its partitions could move, and its controller may need minutes
        // to confirm the shutdown.
        set("controlled.shutdown.enable", Boolean.toString(!isOne));
        properties.putAll(settings.overrides());
    }

    private void fillListeners()
    {
        final String host = settings.host();
        String advertised = "PLAINTEXT://" + address();
        String listeners = advertised +
            (settings.zooKeeper() == null ? ",CONTROLLER://" + Sockets.hostAndPort(host, controllerPort) : "");
        if (settings.hasOutside())
        {
            listeners += ",OUTSIDE://" + Sockets.hostAndPort(host, outsidePort);
            advertised += ",OUTSIDE://" + Sockets.hostAndPort(settings.outsideHost(), settings.outsidePort());
        }
        String protocols = "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,OUTSIDE:" +
            (settings.outsideSecurity() == null ? "PLAINTEXT" : SecureListener.SASL_SSL.protocol());
        if (settings.outsideSecurity() != null)
        {
            settings.outsideSecurity().fillOutside(this::set);
        }
        for (final Map.Entry<SecureListener, Integer> entry : securePorts.entrySet())
        {
            final SecureListener listener = entry.getKey();
            listeners += "," + listener + "://" + Sockets.hostAndPort(host, entry.getValue());
            advertised += "," + listener + "://" + address(listener);
            protocols += "," + listener + ":" + listener.protocol();
        }
        if (security != null)
        {
            security.fill(this::set);
        }
        set("listeners", listeners);
        set("advertised.listeners", advertised);
        set("listener.security.protocol.map", protocols);
    }

    private void set(final String name, final String value)
    {
        properties.setProperty(name, value);
    }
}
