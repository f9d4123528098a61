// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.Socket;
import java.net.SocketException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SocketsTest
{
    /** macOS refuses options of a socket that its peer has reset. */
    private static final class ResetByPeer extends Socket
    {
        @Override
        public void setSoLinger(final boolean isOn, final int seconds) throws SocketException
        {
            throw new SocketException("Invalid argument");
        }
    }

    @Test
    void shouldCloseASocketThatItsPeerHasReset()
    {
        final Socket socket = new ResetByPeer();

        Sockets.reset(socket);

        assertTrue(socket.isClosed());
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.1:9092", "broker.example, broker.example:9092", "::1, [::1]:9092",
        "[::1], [::1]:9092", "fd00::2, [fd00::2]:9092"})
    void shouldPutAnIpv6AddressInBrackets(final String host, final String expected)
    {
        assertEquals(expected, Sockets.hostAndPort(host, 9092));
    }
}
