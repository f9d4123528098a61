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
 * The settings of a broker: properties that replace the defaults, further listeners, and the class path and flags of
 * the broker's JVM. Each setter returns this object.
 */
public final class BrokerSettings
{
    /** A flag for the JVM of a {@link BrokerProcess} whose speed matters: with it, the JVM also compiles with C2. */
    public static final String COMPILE_FULLY = "-XX:TieredStopAtLevel=4";

    static final int NULL_PORT = -1;

    private final Map<String, String> overrides = new LinkedHashMap<>();
    private final List<String> jvmFlags = new ArrayList<>();
    private String host = Sockets.HOST;
    private int outsidePort = NULL_PORT;
    private String outsideHost;
    private Supplier<BrokerSecurity> newSecurity;
    private BrokerSecurity security;
    private int securedBrokers;
    private BrokerSecurity outsideSecurity;
    private String classPath;
    private String zooKeeper;

    /** Sets a property of the broker, which replaces the default value. */
    public BrokerSettings set(final String name, final String value)
    {
        overrides.put(name, value);
        return this;
    }

    /** Sets properties of the broker, which replace the default values. */
    public BrokerSettings set(final Map<String, String> properties)
    {
        overrides.putAll(properties);
        return this;
    }

    /**
     * Sets the address on which the broker listens and which it advertises. The default is 127.0.0.1. The certificates
     * of {@link #secured()} name this address.
     *
     * @throws IllegalStateException if {@link #security()} was called, or a broker with secure listeners runs.
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
     * Adds a listener with the name OUTSIDE. A client that bootstraps at this listener connects to the given address,
     * for instance the address of a proxy.
     *
     * @param host host of the advertised address.
     * @param port port of the advertised address; the broker itself listens on another port.
     */
    public BrokerSettings outside(final String host, final int port)
    {
        outsideHost = host;
        outsidePort = port;
        return this;
    }

    /**
     * Adds a listener for each {@link SecureListener}. Brokers that are started with this object share the certificates
     * and users that {@link #security()} returns. The files with the certificates are removed when the last of these
     * brokers is closed; a broker that is started later creates new files.
     *
     * @throws IllegalStateException if {@link #security()} was called, or a broker with secure listeners runs.
     */
    public BrokerSettings secured()
    {
        checkNoSecurity();
        newSecurity = () -> new BrokerSecurity(null, host);
        return this;
    }

    /**
     * Adds the listeners of {@link #secured()}, which also offer the SASL mechanism GSSAPI.
     *
     * @param kerberosConfig file in the format of krb5.conf.
     * @param brokerLogin    JAAS configuration of the broker for GSSAPI.
     * @param clientLogin    JAAS configuration of clients for GSSAPI.
     * @throws IllegalStateException if {@link #security()} was called, or a broker with secure listeners runs.
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
     * Makes the listener of {@link #outside} require TLS and SASL, with the mechanisms and sessions of {@link
     * SecureListener#REAUTH}.
     *
     * @param ofCluster certificates and users, which the brokers of a cluster may share. The caller closes this object
     *                  after the brokers.
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

    /**
     * Returns the certificates and users for clients of the secure listeners. This call creates the files if they do
     * not exist yet, or if the close of the last broker has removed them.
     *
     * @throws IllegalStateException if {@link #secured()} was not called.
     */
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

    /** Adds flags for the JVM of a {@link BrokerProcess}, after the default flags. */
    public BrokerSettings jvmFlags(final String... flags)
    {
        Collections.addAll(jvmFlags, flags);
        return this;
    }

    /**
     * Sets the class path of a {@link BrokerProcess}, to run another release of Kafka, 2.4 or later. The class path
     * must also contain this library. By default, or with null, the class path is that of this JVM.
     */
    public BrokerSettings classPath(final String path)
    {
        classPath = path;
        return this;
    }

    String classPath()
    {
        return classPath;
    }

    /**
     * Makes a broker of a Kafka release before 4.0 use the ZooKeeper at this address (host:port). By default, or with
     * null, the broker is a controller itself.
     */
    public BrokerSettings zooKeeper(final String address)
    {
        zooKeeper = address;
        return this;
    }

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
