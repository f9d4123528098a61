// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

/**
 * A request that a {@link ScriptedPeer} has received.
 *
 * @param connection    number of its connection, counted from 0.
 * @param apiKey        from its header.
 * @param apiVersion    from its header.
 * @param correlationId from its header.
 * @param payload       all bytes after the size, including the header.
 */
public record RequestFrame(int connection, short apiKey, short apiVersion, int correlationId, byte[] payload)
{
    @Override
    public String toString()
    {
        return "request of api " + apiKey + " v" + apiVersion + ", correlation id " + correlationId + ", " +
            payload.length + " bytes, connection " + connection;
    }
}
