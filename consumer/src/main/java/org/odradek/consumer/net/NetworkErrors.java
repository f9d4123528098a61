// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.SaslAuthenticateResponseFlyweight;
import org.odradek.protocol.control.SaslHandshakeResponseFlyweight;

import javax.net.ssl.SSLException;
import javax.security.sasl.SaslException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Locale;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Builds every sentence about sockets and connections, so that the classes that work with bytes hold no strings.
 */
final class NetworkErrors
{
    private static final int HTTP = 0x48545450;
    private static final int TLS_ALERT = 0x1503;
    private static final int TLS_HANDSHAKE = 0x1603;

    /**
     * By the state constants of BrokerConnection.
     */
    private static final String[] STATE_NAMES =
    {
        "closed", "backing off", "connecting", "negotiating", "ready", "idle", "authenticating"
    };

    private NetworkErrors()
    {
    }

    static WireFormatException frameTooSmall(final int size, final int minSize)
    {
        return new WireFormatException("frame size " + size + " where at least " + minSize + " was expected");
    }

    /**
     * Throws if the size of a frame that is too large is the beginning of another protocol.
     */
    static void checkProtocol(final int size)
    {
        final int high = size >>> 16;
        if (high == TLS_ALERT || high == TLS_HANDSHAKE)
        {
            throw new WireFormatException("frame size " + size + ": this begins a TLS record, the port expects TLS");
        }
        if (isText(size))
        {
            final String text = new String(ByteBuffer.allocate(Integer.BYTES).putInt(size).array(), US_ASCII);
            throw new WireFormatException("frame size " + size + ": these are the letters " + text +
                (size == HTTP ? ", the port belongs to a web server" : ", the port belongs to another protocol"));
        }
    }

    private static boolean isText(final int size)
    {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE)
        {
            final int letter = size >>> shift & 0xFF;
            if (letter < ' ' || letter > '~')
            {
                return false;
            }
        }
        return true;
    }

    static WireFormatException bytesAfterFrame(final int count)
    {
        return new WireFormatException(count + " bytes after a response that no request was sent for");
    }

    static WireFormatException frameTooLarge(final int size, final int maxSize)
    {
        return new WireFormatException("a frame of " + size + " bytes where at most " + maxSize +
            " are accepted (receiveBufferMaxLength)");
    }

    static WireFormatException noRoomForFrame(final int size)
    {
        return new WireFormatException("a frame of " + size + " bytes, for which no direct memory is left: raise " +
            "-XX:MaxDirectMemorySize (it equals -Xmx unless set) if a batch is so large");
    }

    static WireFormatException frameTooLargeAtFirst(final int size, final int maxSize)
    {
        return new WireFormatException("a frame of " + size + " bytes where at most " + maxSize +
            " are accepted before the connection is ready");
    }

    static WireFormatException unexpectedResponse(final int found)
    {
        return new WireFormatException("correlation id " + found + " where no response was expected");
    }

    static WireFormatException wrongCorrelationId(final int found, final int expected)
    {
        return new WireFormatException("correlation id " + found + " where " + expected + " was expected");
    }

    static String unexpected()
    {
        return "an exception in the middle of a step, which poll has thrown";
    }

    static String noResponse(final long timeoutNs)
    {
        return "no response within " + timeoutNs / 1_000_000 + " ms";
    }

    static String notConnected(final long timeoutNs)
    {
        return "not connected within " + timeoutNs / 1_000_000 + " ms";
    }

    static String closedByBroker(final int state)
    {
        return switch (state)
        {
            case BrokerConnection.READY -> "closed by the broker while a response was outstanding";
            case BrokerConnection.AUTHENTICATING -> "closed by the broker during the authentication, without an answer";
            default -> "closed by the broker before it responded, as a broker that expects TLS does";
        };
    }

    static String closedUnanswered()
    {
        return "closed by the broker before it answered the first request, as a broker that expects SASL does " +
            "(ConsumerContext.security)";
    }

    /** @param problem of a token source, or null. */
    static String noCredentials(final String mechanism, final long timeoutNs, final String problem)
    {
        return "the mechanism " + mechanism + " had no credentials within " + timeoutNs / 1_000_000 + " ms" +
            (problem == null ? "" : " (" + PrintableText.of(problem) + ")");
    }

    static String saslNotSupported()
    {
        return "the broker does not support SaslAuthenticate: its port expects no SASL, or it is older than Kafka 1.0";
    }

    static SaslException hasFailed(final String mechanism)
    {
        return new SaslException("the mechanism " + mechanism + " has failed on this connection");
    }

    static String sessionNotClosed(final String mechanism, final Throwable ex)
    {
        return "The mechanism " + mechanism + " failed when an exchange was closed: " +
            PrintableText.of(String.valueOf(ex)) + "; secrets of the exchange may not have been overwritten.";
    }

    static SaslException handshakeRefused(final String mechanism, final SaslHandshakeResponseFlyweight response)
    {
        final StringBuilder supported = new StringBuilder();
        while (response.nextMechanism() && supported.length() < PrintableText.MAX_VALUE_LENGTH)
        {
            supported.append(supported.isEmpty() ? "" : ", ").append(PrintableText.of(
                response.buffer(), response.mechanismIndex(), response.mechanismLength()));
        }
        return new SaslException(response.errorCode() == ErrorCode.UNSUPPORTED_SASL_MECHANISM ?
            "the broker does not support the mechanism " + mechanism + "; it supports " +
                (supported.isEmpty() ? "none" : supported) :
            "the broker responded to SaslHandshake with " + ErrorCode.name(response.errorCode()) +
                (response.errorCode() == ErrorCode.ILLEGAL_SASL_STATE ? ", as a port without SASL does" : ""));
    }

    static SaslException authenticationRefused(final SaslAuthenticateResponseFlyweight response, final String hint)
    {
        final int length = response.errorMessageLength();
        return new SaslException((length <= 0 ? ErrorCode.name(response.errorCode()) :
            PrintableText.of(response.buffer(), response.errorMessageIndex(), length)) +
            (hint == null ? "" : " (" + hint + ")"));
    }

    static WireFormatException negativeLifetime(final long lifetimeMs)
    {
        return new WireFormatException("session lifetime " + lifetimeMs + " where 0 or more was expected");
    }

    static SSLException notAllowed(final String host)
    {
        return new SSLException("a broker names host " + PrintableText.of(host) +
            ", which allowedHosts does not match, so nothing is sent to it");
    }

    static String refused(final SaslException ex)
    {
        return PrintableText.of(String.valueOf(ex.getMessage()));
    }

    /** Stands for the mechanism where TLS has refused a connection. */
    static String tls()
    {
        return "TLS";
    }

    static String notAuthenticated(
        final int nodeId, final String address, final String mechanism, final String reason)
    {
        return "Cannot authenticate with " + mechanism + " at " +
            (nodeId < 0 ? "bootstrap server " : "broker " + nodeId + " at ") + address + ": " + reason +
            "; will try again after a second or more.";
    }

    static String broken(final IOException ex)
    {
        if (ex instanceof UnknownHostException)
        {
            // The message of this exception is only the name.
            return PrintableText.of(ex.toString());
        }
        return ex.getMessage() == null ? "connection broken" : PrintableText.of(ex.getMessage());
    }

    static String cannotConnect(final int nodeId, final String address, final String reason)
    {
        if (nodeId < 0)
        {
            return "Cannot connect to bootstrap server " + address + ": " + reason + "; will try again.";
        }
        return "Cannot connect to broker " + nodeId + " at " + address + ": " + reason + "; this is the address that " +
            "the broker advertises (its advertised.listeners): if it cannot be reached from here, correct it there; " +
            "will try again.";
    }

    static WireFormatException versionsRefused(final int version, final short errorCode)
    {
        return new WireFormatException(
            "ApiVersions version " + version + " answered with " + ErrorCode.name(errorCode));
    }

    static String rebootstrapRequired(final int nodeId, final String address, final String clusterId)
    {
        return "broker " + nodeId + " at " + address + " responded with REBOOTSTRAP_REQUIRED: it is not that node of " +
            "cluster " + clusterId;
    }

    static WireFormatException notSupported(final ApiKey api)
    {
        final StringBuilder name = new StringBuilder();
        for (final String word : api.name().split("_"))
        {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return new WireFormatException("it supports no version of " + name + " from " + api.minVersion() + " to " +
            api.maxVersion());
    }

    static String description(
        final int nodeId, final String address, final int state, final int failures, final String lastFailure)
    {
        return "broker " + nodeId + " at " + address + " " + STATE_NAMES[state] +
            (failures == 0 ? "" : ", " + failures + " failures, last: " + PrintableText.of(lastFailure));
    }

    static IllegalStateException notOwner(final Thread owner, final Thread current)
    {
        return new IllegalStateException("This poller is owned by " + owner + ", not by " + current + ".");
    }

    static IllegalStateException pollerClosed()
    {
        return new IllegalStateException("This poller is closed.");
    }

    static IllegalStateException socketUsed()
    {
        return new IllegalStateException("This socket has been connected or closed before.");
    }

    static ConnectException addressNotSupported(final InetSocketAddress address)
    {
        return new ConnectException("This system does not support the protocol of " + address);
    }

    static SocketException noSocket(final RuntimeException ex)
    {
        return new SocketException("The system could not create a socket: " + ex.getMessage());
    }

    static IOException notRegistered(final Exception ex)
    {
        return new IOException("The socket could not be registered with epoll.", ex);
    }

    static UncheckedIOException selectorFailed(final IOException ex)
    {
        return new UncheckedIOException("The JDK's selector failed: " + ex.getMessage(), ex);
    }

    static UncheckedIOException socketFailed(final IOException ex)
    {
        return new UncheckedIOException("A socket could not be closed or inspected: " + ex.getMessage(), ex);
    }
}
