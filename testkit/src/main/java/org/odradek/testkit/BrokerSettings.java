// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a broker differs from the small default: properties of its own, a second listener that is advertised elsewhere,
 * and flags for its JVM where it has one of its own.
 */
public final class BrokerSettings
{
    static final int NULL_PORT = -1;

    private final Map<String, String> overrides = new LinkedHashMap<>();
    private final List<String> jvmFlags = new ArrayList<>();
    private int outsidePort = NULL_PORT;
    private String outsideHost;

    /**
     * @param name  of a broker property.
     * @param value of it; replaces the default and what was set before.
     * @return this.
     */
    public BrokerSettings set(final String name, final String value)
    {
        overrides.put(name, value);
        return this;
    }

    /**
     * @param properties of the broker, replacing the defaults and what was set before.
     * @return this.
     */
    public BrokerSettings set(final Map<String, String> properties)
    {
        overrides.putAll(properties);
        return this;
    }

    /**
     * Adds a listener, named OUTSIDE, that the broker advertises as the given address: a proxy, or a place where nobody
     * is. Clients that bootstrap there are sent to that address; all others stay on the ordinary listener, as a broker
     * answers each client with the addresses of the listener it came through.
     *
     * @param host that is advertised.
     * @param port that is advertised.
     * @return this.
     */
    public BrokerSettings outside(final String host, final int port)
    {
        outsideHost = host;
        outsidePort = port;
        return this;
    }

    /**
     * @param flags for the JVM of a {@link BrokerProcess}, after the default ones; an embedded broker has none.
     * @return this.
     */
    public BrokerSettings jvmFlags(final String... flags)
    {
        Collections.addAll(jvmFlags, flags);
        return this;
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
