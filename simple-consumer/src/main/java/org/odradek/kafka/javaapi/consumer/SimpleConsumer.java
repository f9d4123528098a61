// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.agrona.concurrent.SystemNanoClock;
import org.odradek.client.security.SecuritySettings;
import org.odradek.kafka.javaapi.FetchRequest;
import org.odradek.kafka.javaapi.FetchResponse;
import org.odradek.kafka.javaapi.OffsetCommitRequest;
import org.odradek.kafka.javaapi.OffsetCommitResponse;
import org.odradek.kafka.javaapi.OffsetFetchRequest;
import org.odradek.kafka.javaapi.OffsetFetchResponse;
import org.odradek.kafka.javaapi.OffsetRequest;
import org.odradek.kafka.javaapi.OffsetResponse;
import org.odradek.kafka.javaapi.TopicMetadataRequest;
import org.odradek.kafka.javaapi.TopicMetadataResponse;
import org.odradek.kafka.wire.BlockingBroker;

import java.io.IOException;
import java.util.concurrent.Callable;

/**
 * A consumer of one broker. Each call sends a request and waits for the response. The program keeps the offsets and
 * finds the leaders.
 * <p>
 * When the connection fails, the request is sent once more over a new connection. If that fails, too, or the timeout
 * has passed, the call throws an {@link IOException}, although no method declares it. While the coordinator of a group
 * cannot be reached, its requests are repeated until the timeout. A lock makes the class safe for several threads; each
 * change of the thread opens a new connection.
 */
public final class SimpleConsumer
{
    private final String host;
    private final int port;
    private final int soTimeout;
    private final int bufferSize;
    private final String clientId;
    private final BlockingBroker broker;

    /**
     * Creates a consumer that is not connected yet.
     *
     * @param host       the broker's host.
     * @param port       the broker's port.
     * @param soTimeout  the timeout of each call in milliseconds, 0 or more; 0 for none. It must be longer than the
     *                   longest wait of a fetch. The lookup of a host is not limited.
     * @param bufferSize the socket's buffer in bytes; 0 or less for the default of the system.
     * @param clientId   the client id.
     */
    public SimpleConsumer(
        final String host, final int port, final int soTimeout, final int bufferSize, final String clientId)
    {
        this(host, port, soTimeout, bufferSize, clientId, SecuritySettings.plaintext());
    }

    /**
     * Creates a consumer of a secured broker. When the broker refuses the credentials, a call throws an {@link
     * org.odradek.client.AuthenticationException}. With {@link org.odradek.client.security.TlsSettings#allowedHosts},
     * the consumer connects only to a coordinator whose host matches, or that has this host and port.
     *
     * @param security the settings of encryption and authentication.
     */
    public SimpleConsumer(
        final String host,
        final int port,
        final int soTimeout,
        final int bufferSize,
        final String clientId,
        final SecuritySettings security)
    {
        security.check();
        this.host = host;
        this.port = port;
        this.soTimeout = soTimeout;
        this.bufferSize = bufferSize;
        this.clientId = clientId;
        if (soTimeout < 0)
        {
            throw new IllegalArgumentException("soTimeout is " + soTimeout + ": it must be 0, for none, or more");
        }
        broker = new BlockingBroker(
            host, port, soTimeout == 0 ? Integer.MAX_VALUE : soTimeout, bufferSize, clientId, security,
            SystemNanoClock.INSTANCE);
    }

    public FetchResponse fetch(final org.odradek.kafka.api.FetchRequest request)
    {
        return send(() -> broker.fetch(request));
    }

    public FetchResponse fetch(final FetchRequest request)
    {
        return fetch(request.underlying());
    }

    public TopicMetadataResponse send(final TopicMetadataRequest request)
    {
        return send(() -> broker.metadata(request));
    }

    public OffsetResponse getOffsetsBefore(final OffsetRequest request)
    {
        return send(() -> broker.offsets(request));
    }

    public OffsetCommitResponse commitOffsets(final OffsetCommitRequest request)
    {
        return send(() -> broker.commit(request));
    }

    public OffsetFetchResponse fetchOffsets(final OffsetFetchRequest request)
    {
        return send(() -> broker.fetchOffsets(request));
    }

    public void close()
    {
        synchronized (broker)
        {
            broker.close();
        }
    }

    public String host()
    {
        return host;
    }

    public int port()
    {
        return port;
    }

    public int soTimeout()
    {
        return soTimeout;
    }

    public int bufferSize()
    {
        return bufferSize;
    }

    public String clientId()
    {
        return clientId;
    }

    private <T> T send(final Callable<T> request)
    {
        try
        {
            synchronized (broker)
            {
                return request.call();
            }
        }
        catch (final Exception ex)
        {
            throw SimpleConsumer.<RuntimeException>undeclared(ex);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E undeclared(final Exception exception) throws E
    {
        throw (E)exception;
    }
}
