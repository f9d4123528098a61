// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.core.Causes;
import org.odradek.client.core.FatalErrors;
import org.odradek.protocol.PrintableText;

import java.io.IOException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Composes the messages about failures of TLS from the messages of both providers and of the JDK's trust manager. */
final class TlsErrors
{
    private static final String ALERT_SENT = "the broker ended TLS with the alert ";
    private static final String REFUSED_KEYS = " that BoringSSL refuses, such as P-521 or Ed25519";
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;
    /**
     * Matches the alert in BoringSSL's SSLV3_ALERT_BAD_CERTIFICATE, and in the JDK's "Received fatal alert:
     * bad_certificate".
     */
    private static final Pattern ALERT = Pattern.compile("(?:_ALERT_|fatal alert: )(\\w+)");

    private TlsErrors()
    {
    }

    static String notReloaded(final Throwable ex, final Object trust, final Object key)
    {
        return ex.getClass() == IllegalArgumentException.class ? ex.getMessage() : "they cannot be read from " +
            (trust == null ? "the JVM's own trust store" : trust) + (key == null ? "" : " and " + key) + ": " + ex;
    }

    static SSLException stuck(final String step)
    {
        return failure("the TLS engine makes no progress in the step " + step);
    }

    static SSLException peerNotVerified()
    {
        return failure("the TLS engine completed the handshake without a check of the broker's certificate");
    }

    static IOException brokenInHandshake(final boolean isFirst, final IOException cause)
    {
        return new IOException(closed(isFirst) + " (" + PrintableText.of(cause.getMessage()) + ")", cause);
    }

    static String closed(final boolean isFirst)
    {
        return isFirst ? "the broker closed the connection instead of answering the TLS handshake, as a broker does " +
            "whose listener does not expect TLS (PLAINTEXT or SASL_PLAINTEXT)" :
            "the broker closed the connection in the middle of the TLS handshake";
    }

    static SSLException renegotiation()
    {
        return failure("the broker asked to negotiate TLS again, which is refused");
    }

    static SSLException certificateRefused(final IOException cause)
    {
        final String message = cause == null ? null : cause.getMessage();
        return new Failure("the broker requests a client certificate and closed the connection after ours, or none, " +
            "was sent" + (message == null ? "" : " (" + PrintableText.of(message) + ")") +
            ": set a key store with a certificate that the broker trusts", cause);
    }

    static SSLException translated(final SSLException ex)
    {
        if (ex instanceof Failure)
        {
            return ex;
        }
        return ex.getCause() instanceof Refusal ? new Failure(ex.getCause().getMessage(), ex) :
            new Failure(sentence(String.valueOf(ex.getMessage())), ex);
    }

    static SSLException notTrusted(final Throwable ex)
    {
        FatalErrors.rethrow(ex);
        return new Failure(ex instanceof Refusal ? ex.getMessage() :
            "the certificate of the broker cannot be checked: " + PrintableText.of(String.valueOf(ex)), ex);
    }

    static CertificateException ownKeyRefused(final Exception ex)
    {
        return new Refusal("the key of this client or its certificate cannot be used: " +
            PrintableText.of(String.valueOf(ex.getMessage())), ex);
    }

    static SSLException failed(final String reason, final int error)
    {
        return failure(sentence(reason.substring(reason.lastIndexOf(':') + 1)) +
            (reason.isEmpty() ? " (error " + error + ")" : ""));
    }

    static boolean isPerhapsRefusedKey(final String reason)
    {
        return reason.endsWith("_ALERT_HANDSHAKE_FAILURE") || reason.endsWith("_ALERT_INTERNAL_ERROR");
    }

    static SSLException perhapsRefusedKey(final String reason)
    {
        return failure(sentence(reason) + "; perhaps its certificate has a key" + REFUSED_KEYS +
            ": then set the provider JDK");
    }

    /** The exception is not an SSLException, because the failure must not count as a refusal. */
    static IOException triedByJdk(final String reason)
    {
        return new IOException(sentence(reason) + "; the JDK's TLS makes the next connection to it, in case its " +
            "certificate has a key" + REFUSED_KEYS);
    }

    static CertificateException keyNotRefused()
    {
        return new Refusal("BoringSSL accepts the key of its certificate, so the broker has refused BoringSSL for " +
            "another reason, such as no cipher suite or curve in common: set the provider JDK if its rules suffice",
            null);
    }

    private static String sentence(final String reason)
    {
        final Matcher alert = ALERT.matcher(reason);
        if (alert.find())
        {
            final String name = alert.group(1).toLowerCase(Locale.ROOT);
            return ALERT_SENT + name + advice(name);
        }
        final String upper = reason.toUpperCase(Locale.ROOT);
        if (upper.contains("UNSUPPORTED_PROTOCOL") || upper.contains("SELECTED PROTOCOL VERSION") ||
            upper.contains("NO APPROPRIATE PROTOCOL"))
        {
            return "the broker and this client have no TLS version in common (" +
                PrintableText.of(reason) + ")";
        }
        if (upper.contains("WRONG_VERSION_NUMBER") || upper.contains("UNRECOGNIZED SSL MESSAGE"))
        {
            return "the broker sent bytes that are no TLS record (" + PrintableText.of(reason) + ")";
        }
        if (upper.contains("EXCESSIVE_MESSAGE_SIZE"))
        {
            return "the broker sent a TLS message that is too long for BoringSSL, such as a session ticket with " +
                "long chains of certificates (" + PrintableText.of(reason) + "): set the provider JDK, or TLSv1.2";
        }
        if (upper.contains("NO_RENEGOTIATION"))
        {
            return renegotiation().getMessage();
        }
        if (upper.contains("BAD_DECRYPT") || upper.contains("BAD_RECORD_MAC") || upper.contains("TAG MISMATCH"))
        {
            return "a TLS record was changed on its way (" + PrintableText.of(reason) + ")";
        }
        return "TLS failed: " + PrintableText.of(reason);
    }

    private static String advice(final String alert)
    {
        return switch (alert)
        {
            case "protocol_version" -> ": it accepts none of the TLS versions that this client offers";
            case "handshake_failure", "insufficient_security" ->
                ": it found no cipher suite or signature in common, or it requires a client certificate";
            case "certificate_required" -> ": it requires a client certificate, so set a key store";
            case "bad_certificate", "unsupported_certificate", "certificate_revoked", "certificate_expired",
                "certificate_unknown", "unknown_ca", "access_denied" ->
                ": it refuses the client certificate, or requires one and got none";
            default -> "";
        };
    }

    static CertificateException refused(
        final CertificateException ex, final X509Certificate[] chain, final String host)
    {
        final Throwable cause = Causes.innermost(ex);
        final X509Certificate leaf = chain[0];
        if (cause instanceof CertificateExpiredException ||
            isReason(cause, CertPathValidatorException.BasicReason.EXPIRED))
        {
            final X509Certificate expired = outside(chain, leaf);
            return new Refusal("the certificate of " + subject(expired) + " expired at " +
                expired.getNotAfter().toInstant() + ", and the clock here shows " + Instant.now() +
                ": renew it, or correct the clock", ex);
        }
        if (cause instanceof CertificateNotYetValidException ||
            isReason(cause, CertPathValidatorException.BasicReason.NOT_YET_VALID))
        {
            final X509Certificate early = outside(chain, leaf);
            return new Refusal("the certificate of " + subject(early) + " is valid only from " +
                early.getNotBefore().toInstant() + ", and the clock here shows " + Instant.now() +
                ": correct the clock", ex);
        }
        if (cause instanceof CertPathBuilderException ||
            isReason(cause, PKIXReason.NO_TRUST_ANCHOR))
        {
            return new Refusal("no trusted CA has issued the certificate of " + subject(leaf) + ", issued by " +
                PrintableText.of(leaf.getIssuerX500Principal().getName()) +
                ": add that CA to the trust store", ex);
        }
        if (String.valueOf(ex.getMessage()).startsWith("Illegal given domain name"))
        {
            return new Refusal("TLS cannot check host " + PrintableText.of(host) + " against a certificate, because " +
                "this is not a valid name of a host: connect by a name of letters, digits, hyphens and dots", ex);
        }
        final String message = String.valueOf(cause.getMessage());
        if (message.startsWith("No subject alternative") || message.startsWith("No name matching"))
        {
            return new Refusal("the certificate is not for host " + PrintableText.of(host) + " but for " +
                names(leaf) +
                ": connect by one of these names (advertised.listeners), or add the name to the certificate", ex);
        }
        return new Refusal(
            "the certificate of " + subject(leaf) + " is refused: " + PrintableText.of(message), ex);
    }

    private static boolean isReason(final Throwable cause, final CertPathValidatorException.Reason reason)
    {
        return cause instanceof CertPathValidatorException ex && ex.getReason() == reason;
    }

    private static X509Certificate outside(final X509Certificate[] chain, final X509Certificate otherwise)
    {
        for (final X509Certificate certificate : chain)
        {
            try
            {
                certificate.checkValidity();
            }
            catch (final CertificateException ex)
            {
                return certificate;
            }
        }
        return otherwise;
    }

    private static String subject(final X509Certificate certificate)
    {
        return PrintableText.of(certificate.getSubjectX500Principal().getName());
    }

    private static String names(final X509Certificate leaf)
    {
        final StringJoiner names = new StringJoiner(", ").setEmptyValue(subject(leaf));
        try
        {
            final Collection<List<?>> found = leaf.getSubjectAlternativeNames();
            for (final List<?> name : found == null ? List.<List<?>>of() : found)
            {
                if (name.get(0).equals(DNS_NAME) || name.get(0).equals(IP_ADDRESS))
                {
                    names.add(String.valueOf(name.get(1)));
                }
            }
        }
        catch (final CertificateParsingException ex)
        {
            names.add("names that cannot be read");
        }
        return PrintableText.of(names.toString());
    }

    /** Returns an exception that {@link #translated} does not change. */
    static SSLException failure(final String message)
    {
        return new Failure(message, null);
    }

    private static final class Failure extends SSLException
    {
        private static final long serialVersionUID = 1L;

        Failure(final String message, final Throwable cause)
        {
            super(message, cause);
        }
    }

    private static final class Refusal extends CertificateException
    {
        private static final long serialVersionUID = 1L;

        Refusal(final String message, final Throwable cause)
        {
            super(message, cause);
        }
    }
}
