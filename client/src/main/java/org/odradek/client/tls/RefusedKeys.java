// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.ClientCounters;
import org.odradek.client.ClientListener;
import org.odradek.client.core.CounterWriter;
import org.odradek.protocol.PrintableText;

import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Lists the brokers to which the JDK's TLS connects although BoringSSL is in use, because BoringSSL may refuse the kind
 * of key in their certificates, such as P-521. If BoringSSL accepts the key of the certificate that the broker then
 * sends, the connection is refused, and BoringSSL is used again.
 */
public final class RefusedKeys
{
    private static final int MAX_BROKERS = 1_000;
    private static final int MAX_CURVE_BITS = 384;
    private static final String NOT_KNOWN = "";

    private final CounterWriter counters;
    private final ClientListener listener;
    /** The kind of key for each host:port, or {@link #NOT_KNOWN}. */
    private final Map<String, String> brokers = new LinkedHashMap<>();
    private final List<String> reasons = new ArrayList<>();

    public RefusedKeys(final CounterWriter counters, final ClientListener listener)
    {
        this.counters = counters;
        this.listener = listener;
    }

    private static String broker(final String host, final int port)
    {
        return host + ":" + port;
    }

    /** @return true if the next connection to this broker uses the JDK's TLS; false if the list is full. */
    boolean add(final String host, final int port)
    {
        if (brokers.size() < MAX_BROKERS)
        {
            brokers.putIfAbsent(broker(host, port), NOT_KNOWN);
        }
        return contains(host, port);
    }

    boolean contains(final String host, final int port)
    {
        return !brokers.isEmpty() && brokers.containsKey(broker(host, port));
    }

    /**
     * This method runs inside a handshake, so {@link #report()} notifies the listener later.
     *
     * @throws CertificateException if BoringSSL accepts the kind of key.
     */
    void check(final X509Certificate certificate, final String host, final int port) throws CertificateException
    {
        final String broker = broker(host, port);
        final String kind = refusedKind(certificate.getPublicKey());
        if (kind == null)
        {
            brokers.remove(broker);
            throw TlsErrors.keyNotRefused();
        }
        if (!kind.equals(brokers.put(broker, kind)))
        {
            reasons.add(fallback(broker, kind));
        }
    }

    void report()
    {
        while (!reasons.isEmpty())
        {
            counters.add(ClientCounters.TLS_FALLBACKS, 1);
            listener.onTlsFallback(reasons.remove(0));
        }
    }

    /** Returns the kind of key if BoringSSL refuses it, else null. */
    static String refusedKind(final PublicKey key)
    {
        if (key instanceof EdECKey edwards)
        {
            return edwards.getParams().getName();
        }
        if (key instanceof ECKey elliptic)
        {
            final int bits = elliptic.getParams().getCurve().getField().getFieldSize();
            return bits > MAX_CURVE_BITS ? "P-" + bits : null;
        }
        return "RSA".equals(key.getAlgorithm()) ? null : key.getAlgorithm();
    }

    private static String fallback(final String broker, final String kind)
    {
        return "TLS by the JDK for broker " + PrintableText.of(broker) + ", because BoringSSL refuses the " +
            PrintableText.of(kind) + " key of its certificate";
    }

    String description()
    {
        int count = 0;
        String first = "";
        for (final Map.Entry<String, String> broker : brokers.entrySet())
        {
            if (!broker.getValue().equals(NOT_KNOWN))
            {
                first = count++ == 0 ? fallback(broker.getKey(), broker.getValue()) : first;
            }
        }
        return count == 0 ? "" : "; " + first + (count == 1 ? "" : ", and for " + (count - 1) + " others");
    }
}
