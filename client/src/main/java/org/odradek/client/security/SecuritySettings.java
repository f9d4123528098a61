// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

/**
 * The settings that determine how connections are encrypted and authenticated. Every connection of a client uses these
 * settings or fails; a client never falls back to less security.
 * <pre>{@code
 * context.security(SecuritySettings.sasl(scramSha512(user, password)).tls(trust(file)));
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

    /** Returns settings without encryption and without authentication: Kafka's PLAINTEXT. */
    public static SecuritySettings plaintext()
    {
        return new SecuritySettings(null).withoutTls();
    }

    /**
     * Returns settings with TLS and without SASL: Kafka's SSL. Brokers can authenticate the client by its certificate
     * if the settings have a {@link TlsSettings#key(CertificateStore) key}.
     *
     * @throws IllegalArgumentException if the settings of TLS are null.
     */
    public static SecuritySettings tlsOnly(final TlsSettings settings)
    {
        return new SecuritySettings(null).tls(settings);
    }

    /**
     * Returns settings with authentication by SASL. The caller must then call {@link #tls(TlsSettings)} or {@link
     * #withoutTls}.
     *
     * @throws IllegalArgumentException if the mechanism is null.
     */
    public static SecuritySettings sasl(final SaslMechanism mechanism)
    {
        if (mechanism == null)
        {
            throw new IllegalArgumentException("mechanism is null: it must be set");
        }
        return new SecuritySettings(mechanism);
    }

    /**
     * Encrypts connections with TLS; with SASL this is Kafka's SASL_SSL.
     *
     * @return this object.
     * @throws IllegalArgumentException if the settings are null.
     */
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

    /**
     * Leaves connections unencrypted; with SASL this is Kafka's SASL_PLAINTEXT. Anyone on the network path can read and
     * change the messages.
     */
    public SecuritySettings withoutTls()
    {
        tls = null;
        isWithoutTls = true;
        return this;
    }

    /** Returns the settings of TLS, or null if connections do not use TLS. */
    public TlsSettings tls()
    {
        return tls;
    }

    /** Returns true if the client may connect to a host that a broker has named. */
    public boolean isAllowed(final String host)
    {
        return tls == null || tls.isAllowed(host);
    }

    /** Returns the SASL mechanism, or null if connections do not use SASL. */
    public SaslMechanism mechanism()
    {
        return mechanism;
    }

    /**
     * Checks that the settings can work together, and reads the certificates and keys once.
     *
     * @throws IllegalArgumentException if the settings cannot work together, or a store cannot be read.
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

    /** Returns Kafka's name of the security protocol, the mechanism and the stores; the text contains no secret. */
    @Override
    public String toString()
    {
        return (mechanism == null ? tls == null ? "PLAINTEXT" : "SSL" :
            (tls == null ? "SASL_PLAINTEXT " : "SASL_SSL ") + mechanism.name()) + (tls == null ? "" : ", " + tls);
    }
}
