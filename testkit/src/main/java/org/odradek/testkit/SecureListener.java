// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

/** The listeners that {@link BrokerSettings#secured} adds to a broker. Each listener has its own port. */
public enum SecureListener
{
    /**
     * A listener with TLS. Its certificate is valid and names the broker's host: localhost and 127.0.0.1 by default.
     */
    SSL("SSL"),
    /** A listener like {@link #SSL} that requires a certificate of the client. */
    MTLS("SSL"),
    /**
     * A listener with TLS and the SASL mechanisms that {@link BrokerSecurity#clientProperties} names; GSSAPI needs
     * {@link BrokerSettings#secured(java.nio.file.Path, String, String)}.
     */
    SASL_SSL("SASL_SSL"),
    /** A listener like {@link #SASL_SSL} without TLS. */
    SASL_PLAINTEXT("SASL_PLAINTEXT"),
    /** A listener like {@link #SASL_PLAINTEXT} whose SASL sessions expire after 4 seconds, except those of GSSAPI. */
    REAUTH("SASL_PLAINTEXT"),
    /** A listener with OAUTHBEARER and without TLS. It accepts the tokens of {@link BrokerSecurity#token}. */
    OAUTH("SASL_PLAINTEXT"),
    /** A listener like {@link #SSL} that accepts only version 1.3 of TLS. */
    TLS13("SSL"),
    /** A listener with TLS whose certificate had been expired for an hour when the certificate was created. */
    EXPIRED("SSL"),
    /** A listener with TLS whose certificate becomes valid an hour after its creation. */
    NOT_YET_VALID("SSL"),
    /** A listener with TLS whose certificate names only elsewhere.example and 10.1.2.3. */
    WRONG_HOST("SSL"),
    /**
     * A listener with TLS whose certificate is from an authority that is not in {@link BrokerSecurity#trustStore()}.
     */
    UNKNOWN_CA("SSL"),
    /** A listener with TLS whose certificate is valid and has an Ed25519 key. */
    ED25519("SSL");

    private final String protocol;

    SecureListener(final String protocol)
    {
        this.protocol = protocol;
    }

    /** Returns the name of Kafka's security protocol, such as "SASL_SSL". */
    public String protocol()
    {
        return protocol;
    }

    boolean hasTls()
    {
        return protocol.endsWith("SSL");
    }

    boolean hasSasl()
    {
        return protocol.startsWith("SASL");
    }
}
