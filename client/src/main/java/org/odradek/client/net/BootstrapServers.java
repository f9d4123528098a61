// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.ClientException;
import org.odradek.client.NameResolver;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;

import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Checks and resolves the setting bootstrapServers, a list of host:port with commas between the entries. */
public final class BootstrapServers
{
    private BootstrapServers()
    {
    }

    /**
     * @throws IllegalArgumentException if the list is null or blank, or an entry is not host:port; the message contains
     *                                  the first such entry.
     */
    public static void check(final String setting, final String servers)
    {
        if (servers == null || servers.isBlank())
        {
            throw new IllegalArgumentException(setting + " is not set: give host:port of one or more brokers");
        }
        for (final String entry : servers.split(",", -1))
        {
            final int colon = entry.lastIndexOf(':');
            final String host = colon < 0 ? entry.trim() : entry.substring(0, colon).trim();
            final boolean isBareIpv6 = host.indexOf(':') >= 0 && !(host.startsWith("[") && host.endsWith("]"));
            if (colon < 0 || isBareIpv6 || !isPossible(bare(host), entry.substring(colon + 1).trim()))
            {
                throw new IllegalArgumentException(setting + " has the entry '" + entry.trim() +
                    "': each must be host:port, the port from 1 to 65535, an IPv6 address in [brackets]");
            }
        }
    }

    private static String bare(final String host)
    {
        return host.replace("[", "").replace("]", "");
    }

    private static boolean isPossible(final String host, final String port)
    {
        final byte[] bytes = host.getBytes(StandardCharsets.UTF_8);
        return port.matches("[0-9]{1,5}") &&
            BrokerAddress.isPossible(new UnsafeBuffer(bytes), 0, bytes.length, Integer.parseInt(port));
    }

    /**
     * Looks up each host. A host without an IP address is looked up again when the client connects to it.
     *
     * @throws ClientException if no host has an IP address.
     */
    public static BrokerAddress[] resolve(
        final String servers, final NameResolver resolver, final DutyClock clock, final CounterWriter counters)
    {
        final List<BrokerAddress> addresses = new ArrayList<>();
        int resolved = 0;
        for (final String entry : servers.split(","))
        {
            final int colon = entry.lastIndexOf(':');
            final String host = bare(entry.substring(0, colon).trim());
            final BrokerAddress address = new BrokerAddress(
                host, Integer.parseInt(entry.substring(colon + 1).trim()), true, resolver, clock, counters);
            addresses.add(address);
            try
            {
                address.lookUp();
                resolved++;
            }
            catch (final UnknownHostException ignore)
            {
                // Another name may have an address.
            }
        }
        if (resolved == 0)
        {
            throw new ClientException("No name in bootstrapServers " + servers + " has an address: check the names.");
        }
        return addresses.toArray(new BrokerAddress[0]);
    }
}
