// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.odradek.testkit.internal.Sockets;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The settings of a broker that differ from the defaults: properties, a second listener that advertises another
 * address, and flags of its JVM if it has its own.
 */
public final class BrokerSettings
{
    /** A flag for the JVM of a {@link BrokerProcess} whose speed matters: C2 compiles, too. */
    public static final String COMPILE_FULLY = "-XX:TieredStopAtLevel=4";

    static final int NULL_PORT = -1;

    private final Map<String, String> overrides = new LinkedHashMap<>();
    private final List<String> jvmFlags = new ArrayList<>();
    private String host = Sockets.HOST;
    private int outsidePort = NULL_PORT;
    private String outsideHost;
    /** Null without secure listeners. */
    private Supplier<BrokerSecurity> newSecurity;
    /** Null until it is used, and after its last broker has ended. */
    private BrokerSecurity security;
    private int securedBrokers;
    private BrokerSecurity outsideSecurity;
    private String classPath;
    private String zooKeeper;

    /** Sets a broker property, which replaces the default. */
    public BrokerSettings set(final String name, final String value)
    {
        overrides.put(name, value);
        return this;
    }

    /** Sets broker properties, which replace the defaults. */
    public BrokerSettings set(final Map<String, String> properties)
    {
        overrides.putAll(properties);
        return this;
    }

    /**
     * Sets the address on which the broker listens and which it advertises, instead of 127.0.0.1: one of this machine
     * that clients in another network namespace reach. The certificates of {@link #secured()} name it.
     *
     * @throws IllegalStateException if there are certificates already.
     */
    public BrokerSettings host(final String address)
    {
        checkNoSecurity();
        // Certificates and sockets take an IPv6 address without the brackets that it has before a port.
        host = address.startsWith("[") ? address.substring(1, address.length() - 1) : address;
        return this;
    }

    String host()
    {
        return host;
    }

    /**
     * Adds a listener with the name OUTSIDE, which the broker advertises with this address, for instance that of a
     * proxy. A broker answers each client with the addresses of the listener that the client used: clients that
     * bootstrap at this listener go to the advertised address, all others stay on the ordinary listener.
     */
    public BrokerSettings outside(final String host, final int port)
    {
        outsideHost = host;
        outsidePort = port;
        return this;
    }

    /**
     * Adds a listener for each {@link SecureListener}; {@link BrokerSecurity} has the settings of their clients.
     * Several brokers with these settings share it. Its files are removed when the last of them is closed, and a later
     * broker has new ones.
     *
     * @throws IllegalStateException if there are certificates already.
     */
    public BrokerSettings secured()
    {
        checkNoSecurity();
        newSecurity = () -> new BrokerSecurity(null, host);
        return this;
    }

    /**
     * As {@link #secured()}, and with the mechanism GSSAPI.
     *
     * @param kerberosConfig a krb5.conf.
     * @param brokerLogin    the JAAS configuration of the broker.
     * @param clientLogin    the JAAS configuration of clients.
     * @throws IllegalStateException if there are certificates already.
     */
    public BrokerSettings secured(final Path kerberosConfig, final String brokerLogin, final String clientLogin)
    {
        checkNoSecurity();
        newSecurity = () -> new BrokerSecurity(
            new BrokerSecurity.Kerberos(kerberosConfig, brokerLogin, clientLogin), host);
        return this;
    }

    private synchronized void checkNoSecurity()
    {
        if (security != null)
        {
            throw new IllegalStateException(
                "security() has been called, or a broker has started: set host and secured before that.");
        }
    }

    /**
     * Makes the listener of {@link #outside} require TLS and SASL, with sessions of {@link BrokerSecurity#REAUTH_MS}.
     * The brokers of a cluster share the security, which the caller closes after them.
     */
    public BrokerSettings secureOutside(final BrokerSecurity ofCluster)
    {
        outsideSecurity = ofCluster;
        return this;
    }

    BrokerSecurity outsideSecurity()
    {
        return outsideSecurity;
    }

    /** The certificates and users for clients; IllegalStateException without {@link #secured()}. */
    public synchronized BrokerSecurity security()
    {
        if (!isSecured())
        {
            throw new IllegalStateException("This broker has no secure listener: BrokerSettings.secured adds them.");
        }
        if (security == null)
        {
            security = newSecurity.get();
        }
        return security;
    }

    /** Returns the security for one more broker, which calls {@link #releaseSecurity()} at its end. */
    synchronized BrokerSecurity takeSecurity()
    {
        final BrokerSecurity taken = security();
        securedBrokers++;
        return taken;
    }

    synchronized void releaseSecurity()
    {
        securedBrokers--;
        if (securedBrokers == 0)
        {
            final BrokerSecurity unused = security;
            security = null;
            unused.close();
        }
    }

    boolean isSecured()
    {
        return newSecurity != null;
    }

    /**
     * Adds flags for the JVM of a {@link BrokerProcess}, after the default ones; an embedded broker ignores them. By
     * default its code is compiled by C1 only, which takes less CPU in the minutes that a test lasts; a
     * benchmark adds {@link #COMPILE_FULLY}.
     */
    public BrokerSettings jvmFlags(final String... flags)
    {
        Collections.addAll(jvmFlags, flags);
        return this;
    }

    /**
     * Runs a {@link BrokerProcess} with the class path of another release of Kafka from 2.4 on, which must also contain
     * this library.
     */
    public BrokerSettings classPath(final String path)
    {
        classPath = path;
        return this;
    }

    /** Returns null for the class path of this JVM. */
    String classPath()
    {
        return classPath;
    }

    /** Makes a broker before 4.0 use a ZooKeeper at this address, instead of being a controller. */
    public BrokerSettings zooKeeper(final String address)
    {
        zooKeeper = address;
        return this;
    }

    /** Returns null for a broker that is a controller. */
    String zooKeeper()
    {
        return zooKeeper;
    }

    Map<String, String> overrides()
    {
        return overrides;
    }

    List<String> jvmFlags()
    {
        return jvmFlags;
    }

    boolean hasOutside()
    {
        return outsidePort != NULL_PORT;
    }

    String outsideHost()
    {
        return outsideHost;
    }

    int outsidePort()
    {
        return outsidePort;
    }
}
