// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

/**
 * Determines how connections are encrypted and authenticated. Every connection of a consumer has these settings, or
 * fails: there is no fallback to a weaker form.
 * <pre>{@code
 * context.security(SecuritySettings.sasl(scram512(user, password)).tls(trust(file)));
 * }</pre>
 */
public final class SecuritySettings
{
    private final SaslMechanism mechanism;
    private TlsSettings tls;
    private boolean isWithoutTls;

    private SecuritySettings(final SaslMechanism mechanism)
    {
        this.mechanism = mechanism;
    }

    /** Neither encryption nor authentication: Kafka's PLAINTEXT. */
    public static SecuritySettings plaintext()
    {
        return new SecuritySettings(null).withoutTls();
    }

    /** Encryption, and authentication if there is a {@link TlsSettings#key(CertificateStore) key}: Kafka's SSL. */
    public static SecuritySettings tlsOnly(final TlsSettings settings)
    {
        return new SecuritySettings(null).tls(settings);
    }

    /**
     * Authentication by SASL. {@link #tls(TlsSettings)} must follow, or {@link #withoutTls}.
     *
     * @param mechanism that proves who the consumer is.
     */
    public static SecuritySettings sasl(final SaslMechanism mechanism)
    {
        if (mechanism == null)
        {
            throw new IllegalArgumentException("mechanism is null: it must be set");
        }
        return new SecuritySettings(mechanism);
    }

    /** Encrypts with TLS: Kafka's SASL_SSL. */
    public SecuritySettings tls(final TlsSettings settings)
    {
        if (settings == null)
        {
            throw new IllegalArgumentException("tls is null: it must be set");
        }
        tls = settings;
        isWithoutTls = false;
        return this;
    }

    /** Does not encrypt, so anyone on the network can read and change the messages: Kafka's SASL_PLAINTEXT. */
    public SecuritySettings withoutTls()
    {
        tls = null;
        isWithoutTls = true;
        return this;
    }

    /** The settings of TLS, or null without TLS. */
    public TlsSettings tls()
    {
        return tls;
    }

    /** Returns whether a connection may be made to a host that a broker names. */
    public boolean isAllowed(final String host)
    {
        return tls == null || tls.isAllowed(host);
    }

    /** The mechanism, or null without SASL. */
    public SaslMechanism mechanism()
    {
        return mechanism;
    }

    /**
     * Checks that the settings can work together, and reads the certificates and keys once.
     *
     * @throws IllegalArgumentException with one sentence that names the setting, its value and the expected one.
     */
    public void check()
    {
        if (tls == null && !isWithoutTls)
        {
            throw new IllegalArgumentException("security has SASL and does not say whether with TLS: call tls(...), " +
                "or withoutTls() if nobody on the way to the broker can read or change the connection");
        }
        if (tls != null)
        {
            tls.check();
        }
    }

    /** Kafka's name of the security protocol, with the mechanism; it holds no secret. */
    @Override
    public String toString()
    {
        return (mechanism == null ? tls == null ? "PLAINTEXT" : "SSL" :
            (tls == null ? "SASL_PLAINTEXT " : "SASL_SSL ") + mechanism.name()) + (tls == null ? "" : ", " + tls);
    }
}
