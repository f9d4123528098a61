// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import java.net.InetSocketAddress;

/** Has the address of a broker learn what its connections learn, for tests of those that choose between addresses. */
public final class AddressStates
{
    private AddressStates()
    {
    }

    /** A connection was established, to one of the IP addresses of the host. */
    public static void reached(final BrokerAddress address, final InetSocketAddress connected)
    {
        address.onReady(connected);
    }

    public static void failed(final BrokerAddress address)
    {
        address.onFailed();
    }

    /** A response was read which holds no error. */
    public static void answered(final BrokerAddress address)
    {
        address.onSuccess();
    }
}
