// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

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
 * When the connection fails, the request is sent once more over a new connection; if that fails, too, or the timeout
 * has passed, the call throws an {@link IOException}, although no method declares it, as in the old SimpleConsumer. A
 * lock makes the class safe for several threads; if a different thread makes the next call, it opens a new connection.
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
     * @param host       of the broker.
     * @param port       of the broker.
     * @param soTimeout  of each call in ms, with all its requests and connections; longer than the longest wait of a
     *                   fetch; 0 for none, as for a socket. Only the lookup of a host may take longer.
     * @param bufferSize of the socket, in bytes; 0 or less leaves it to the system.
     * @param clientId   shown in the broker's logs.
     */
    public SimpleConsumer(
        final String host, final int port, final int soTimeout, final int bufferSize, final String clientId)
    {
        this(host, port, soTimeout, bufferSize, clientId, SecuritySettings.plaintext());
    }

    /**
     * As the other constructor, for a secured broker. When the broker refuses the credentials, a call throws an {@link
     * org.odradek.client.AuthenticationException}, and the next one waits for a second or more before it
     * tries again. The host counts as named by the user, even if the program has received it in a response. The
     * consumer connects to a coordinator only if it has the same host and port, or {@link
     * org.odradek.client.security.TlsSettings#allowedHosts} matches.
     *
     * @param security how connections are encrypted and authenticated.
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
            host, port, soTimeout == 0 ? Integer.MAX_VALUE : soTimeout, bufferSize, clientId, security);
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

    /** Lets a checked exception be thrown without a declaration, as in Scala. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> E undeclared(final Exception exception) throws E
    {
        throw (E)exception;
    }
}
