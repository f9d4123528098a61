// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.security.TlsSettings;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A row of the matrix of TLS: a server, what the client is set to, and the outcome that is expected of each provider.
 */
final class TlsCase
{
    static final String HOST = "broker.example";

    final String section;
    final String name;
    final String certificate;
    final List<String> options;
    String host = HOST;
    String trust = "ca";
    String key;
    UnaryOperator<TlsSettings> settings = UnaryOperator.identity();
    boolean isDifferentByJdk;
    /** Words of the sentence with which BoringSSL refuses the connection, or null if it must accept it. */
    String byBoringSsl;
    /** The same of the second connection with the provider AUTO, after BoringSSL has refused the first one. */
    String byAuto;
    /** The same of the JDK. */
    String byJdk;

    /**
     * @param section     of the table.
     * @param name        what is special about the case.
     * @param certificate of the server, by the name that the script gives to it.
     * @param options     of the server, separated by spaces.
     */
    TlsCase(final String section, final String name, final String certificate, final String options)
    {
        this.section = section;
        this.name = name;
        this.certificate = certificate;
        this.options = options.isEmpty() ? List.of() : List.of(options.split(" "));
    }

    /** The host that the client connects to, as a name or a literal address. */
    TlsCase host(final String newHost)
    {
        host = newHost;
        return this;
    }

    /** The only certificate that the client trusts; that of the CA unless set. */
    TlsCase trust(final String newTrust)
    {
        trust = newTrust;
        return this;
    }

    /** The certificate of the client; none unless set. */
    TlsCase key(final String newKey)
    {
        key = newKey;
        return this;
    }

    TlsCase settings(final UnaryOperator<TlsSettings> newSettings)
    {
        settings = newSettings;
        return this;
    }

    /** The JDK, whose rules decide, has changed them between the versions 17 and 25. */
    TlsCase differentByJdk()
    {
        isDifferentByJdk = true;
        return this;
    }

    /** The JDK refuses it with these words, or accepts it if they are null. */
    TlsCase byJdk(final String words)
    {
        byJdk = words;
        return this;
    }

    TlsCase accepted()
    {
        return refused(null);
    }

    /** Both providers refuse it with these words, or accept it if they are null. */
    TlsCase refused(final String words)
    {
        byBoringSsl = words;
        byAuto = words;
        byJdk = words;
        return this;
    }

    /** BoringSSL and the server have nothing in common; then AUTO tries the JDK once, and both end like this. */
    TlsCase notByBoringSsl(final String wordsByAuto, final String wordsByJdk)
    {
        byBoringSsl = "alert handshake_failure";
        byAuto = wordsByAuto;
        byJdk = wordsByJdk;
        return this;
    }

    @Override
    public String toString()
    {
        return name;
    }
}
