// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

/** The listeners that {@link BrokerSettings#secured} adds to a broker, each on a port of its own. */
public enum SecureListener
{
    /** TLS with a valid certificate for localhost and 127.0.0.1. */
    SSL("SSL"),
    /** TLS that requires a certificate of the client. */
    MTLS("SSL"),
    /** TLS and every mechanism. */
    SASL_SSL("SASL_SSL"),
    /** Every mechanism without TLS. */
    SASL_PLAINTEXT("SASL_PLAINTEXT"),
    /** As {@link #SASL_PLAINTEXT}, with sessions of 4 seconds. */
    REAUTH("SASL_PLAINTEXT"),
    /** OAUTHBEARER without TLS, with tokens of {@link BrokerSecurity#token}. */
    OAUTH("SASL_PLAINTEXT"),
    /** TLS of version 1.3 only. */
    TLS13("SSL"),
    /** TLS with a certificate that expired an hour ago. */
    EXPIRED("SSL"),
    /** TLS with a certificate that is valid from the next hour on. */
    NOT_YET_VALID("SSL"),
    /** TLS with a certificate for elsewhere.example. */
    WRONG_HOST("SSL"),
    /** TLS with a certificate of an authority that no client trusts. */
    UNKNOWN_CA("SSL"),
    /** TLS with a valid certificate that has an Ed25519 key. */
    ED25519("SSL");

    private final String protocol;

    SecureListener(final String protocol)
    {
        this.protocol = protocol;
    }

    /** Kafka's security protocol. */
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
