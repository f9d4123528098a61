// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientException;
import org.odradek.client.ClientListener;
import org.odradek.client.core.Causes;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.FatalErrors;
import org.odradek.client.security.OAuthBearerMechanism;
import org.odradek.client.security.SaslMechanism;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.SaslAuthenticateRequestEncoder;
import org.odradek.protocol.control.SaslAuthenticateResponseFlyweight;
import org.odradek.protocol.control.SaslHandshakeRequestEncoder;
import org.odradek.protocol.control.SaslHandshakeResponseFlyweight;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import javax.security.sasl.SaslException;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * Authenticates one connection by SASL, and again before the session expires (KIP-368). A SaslException means that the
 * credentials or the broker were refused, any other IOException that something could not be reached. After {@link
 * #renew}, {@link #nextRequest} or {@link #onResponse} has thrown an exception, each of them throws a SaslException
 * until {@link #begin} is called.
 */
final class Authentication
{
    private static final int HANDSHAKE_VERSION = 1;
    private static final byte[] NO_BYTES = {};
    private static final long CREDENTIALS_WAIT_NS = 100_000_000L;
    /** The smallest fraction of a session's lifetime after which to authenticate again, as in Kafka's clients. */
    private static final double MIN_PART = 0.85;
    private static final double MAX_PART = 0.95;
    private static final long NS_PER_MS = 1_000_000L;

    private static final int BEGIN = 0;
    private static final int HANDSHAKE = 1;
    private static final int MESSAGES = 2;
    private static final int DONE = 3;

    private final SaslMechanism mechanism;
    final String mechanismName;
    private final ClientSettings settings;
    private final DutyClock clock;
    private final CounterWriter counters;
    private final ClientListener listener;
    private final ErrorHandler errorHandler;
    private final RequestFrame frame;
    private final SaslHandshakeRequestEncoder handshakeRequest;
    private final SaslHandshakeResponseFlyweight handshake = new SaslHandshakeResponseFlyweight();
    private final SaslAuthenticateRequestEncoder request;
    private final SaslAuthenticateResponseFlyweight response = new SaslAuthenticateResponseFlyweight();

    private int step = BEGIN;
    private int version;
    private boolean isFailed;
    private boolean isSessionLimited;
    private long renewalNs;
    /** The time of the last message to the broker, from which the session's lifetime is counted. */
    private long sentNs;
    private int lateCount;
    private long retryNs;
    private long sessionLifetimeMs;
    private byte[] challenge;
    private String tokenProblem;
    private SaslMechanism.Session session;

    Authentication(
        final ClientSettings settings,
        final SaslMechanism mechanism,
        final DutyClock clock,
        final CounterWriter counters,
        final ClientListener listener,
        final ErrorHandler errorHandler,
        final RequestFrame frame)
    {
        this.settings = settings;
        this.clock = clock;
        this.counters = counters;
        this.listener = listener;
        this.errorHandler = errorHandler;
        this.frame = frame;
        this.mechanism = mechanism;
        mechanismName = isRequired() ? mechanism.name() : null;
        handshakeRequest = new SaslHandshakeRequestEncoder(settings.clientId, mechanismName);
        request = new SaslAuthenticateRequestEncoder(settings.clientId);
    }

    boolean isRequired()
    {
        return mechanism != null;
    }

    /** @throws SaslException if the broker does not support SaslAuthenticate, or not version 1 of SaslHandshake. */
    void begin(final int handshakeVersion, final int authenticateVersion) throws SaslException
    {
        end();
        isFailed = false;
        isSessionLimited = false;
        lateCount = 0;
        version = authenticateVersion;
        if (authenticateVersion < 0 || handshakeVersion < HANDSHAKE_VERSION)
        {
            throw new SaslException("the broker does not support SaslAuthenticate: its port expects no SASL, or it " +
                "is older than Kafka 1.0");
        }
    }

    boolean isRenewalDue(final long nowNs)
    {
        return isSessionLimited && renewalNs - nowNs <= 0;
    }

    long renewalNs(final long otherwiseNs)
    {
        return isSessionLimited ? earlier(renewalNs, otherwiseNs) : otherwiseNs;
    }

    /** @return false if the mechanism has no credentials now; the session then stays usable. */
    boolean renew(final String host) throws IOException
    {
        beginStep();
        end();
        final boolean isBegun = openSession(host);
        renewalNs = isBegun ? renewalNs : retryNs;
        isFailed = false;
        assert isConsistent();
        return isBegun;
    }

    private void beginStep() throws SaslException
    {
        if (isFailed)
        {
            throw new SaslException("the mechanism " + mechanismName + " has failed on this connection");
        }
        isFailed = true;
    }

    /** @return the length of the request in bytes; 0 if there is none now. */
    int nextRequest(final String host) throws IOException
    {
        beginStep();
        int length = 0;
        if (step == BEGIN && (session != null || retryNs - clock.nowNs() <= 0 && openSession(host)))
        {
            step = HANDSHAKE;
            length = handshakeRequest.build(frame.ofLength(handshakeRequest.maxFrameLength()), HANDSHAKE_VERSION);
        }
        else if (step == MESSAGES)
        {
            length = nextMessage();
        }
        isFailed = false;
        assert isConsistent();
        return length;
    }

    private boolean openSession(final String host) throws IOException
    {
        session = call(() -> mechanism.begin(host));
        reportTokenProblem();
        retryNs = clock.nowNs() + CREDENTIALS_WAIT_NS;
        return session != null;
    }

    private void reportTokenProblem()
    {
        final String problem = mechanism instanceof OAuthBearerMechanism bearer ? bearer.problem() : null;
        if (problem != null && !problem.equals(tokenProblem))
        {
            counters.add(ClientCounters.TOKENS_NOT_RENEWED, 1);
            listener.onTokenNotRenewed(problem);
        }
        tokenProblem = problem;
    }

    String noCredentials()
    {
        return "the mechanism " + mechanismName + " had no credentials within " + settings.requestTimeoutMs + " ms" +
            (tokenProblem == null ? "" : " (" + PrintableText.of(tokenProblem) + ")");
    }

    private <T> T call(final Callable<T> step) throws IOException
    {
        final long startNs = clock.readNs();
        try
        {
            return step.call();
        }
        catch (final Throwable ex)
        {
            FatalErrors.rethrow(ex);
            throw failed(ex);
        }
        finally
        {
            counters.add(ClientCounters.AUTHENTICATION_NS, clock.readNs() - startNs);
        }
    }

    private static IOException failed(final Throwable ex)
    {
        final SaslException refusal = ex instanceof SaslException known ? known : new SaslException(
            "the mechanism failed with " + ex.getClass().getSimpleName() + ": " + ex.getMessage(), ex);
        return Causes.anyMatch(ex, (cause) -> cause instanceof IOException && !(cause instanceof SaslException)) ?
            new IOException(refusal.getMessage(), ex) : refusal;
    }

    private int nextMessage() throws IOException
    {
        final byte[] message = call(() -> session.isComplete()) ? null : call(() -> session.respond(challenge));
        if (message == null)
        {
            if (call(() -> session.isComplete()))
            {
                onDone();
            }
            return 0;
        }
        final int length = request.build(frame.ofLength(request.maxFrameLength(message)), version, message);
        Arrays.fill(message, (byte)0);
        challenge = null;
        sentNs = clock.nowNs();
        return length;
    }

    void onResponse(final DirectBuffer buffer, final int index, final int limit) throws IOException
    {
        beginStep();
        frame.clear();
        if (step == HANDSHAKE)
        {
            onHandshake(buffer, index, limit);
        }
        else
        {
            onChallenge(buffer, index, limit);
        }
        isFailed = false;
        assert isConsistent();
    }

    private void onHandshake(final DirectBuffer buffer, final int index, final int limit) throws SaslException
    {
        handshake.wrap(buffer, index, limit, HANDSHAKE_VERSION);
        if (handshake.errorCode() != ErrorCode.NONE)
        {
            throw handshakeRefused();
        }
        challenge = NO_BYTES;
        step = MESSAGES;
    }

    private void onChallenge(final DirectBuffer buffer, final int index, final int limit) throws IOException
    {
        response.wrap(buffer, index, limit, version);
        if (response.sessionLifetimeMs() < 0)
        {
            throw new WireFormatException(
                "session lifetime " + response.sessionLifetimeMs() + " where 0 or more was expected");
        }
        if (response.errorCode() != ErrorCode.NONE)
        {
            throw authenticationRefused(call(() -> session.hint()));
        }
        sessionLifetimeMs = response.sessionLifetimeMs();
        challenge = new byte[response.authBytesLength()];
        buffer.getBytes(response.authBytesIndex(), challenge);
    }

    private void onDone()
    {
        counters.add(ClientCounters.AUTHENTICATIONS, 1);
        isSessionLimited = sessionLifetimeMs > 0;
        final double part = MIN_PART + (MAX_PART - MIN_PART) * settings.random.nextDouble();
        renewalNs = sentNs +
            (long)(Math.min(sessionLifetimeMs, Integer.MAX_VALUE) * NS_PER_MS * part);
        lateCount = isRenewalDue(clock.nowNs()) ? lateCount + 1 : 0;
        end();
        step = DONE;
    }

    /** Returns true if the last two sessions or more were due for renewal when they began. */
    boolean isLateAgain()
    {
        return step == DONE && lateCount > 1;
    }

    boolean isDone()
    {
        return step == DONE;
    }

    /** Returns true if no exchange is open or completed. */
    boolean isWithoutCredentials()
    {
        return step == BEGIN && session == null;
    }

    long continueNs()
    {
        return isWithoutCredentials() ? retryNs : clock.nowNs();
    }

    void end()
    {
        step = BEGIN;
        challenge = null;
        retryNs = clock.nowNs();
        sessionLifetimeMs = 0;
        final SaslMechanism.Session ended = session;
        session = null;
        if (ended != null)
        {
            frame.clear();
            close(ended);
        }
        assert isConsistent();
    }

    private void close(final SaslMechanism.Session ended)
    {
        try
        {
            ended.close();
        }
        catch (final Throwable ex)
        {
            FatalErrors.rethrow(ex);
            counters.add(ClientCounters.ERRORS, 1);
            errorHandler.onError(new ClientException("The mechanism " + mechanismName +
                " failed when an exchange was closed: " + PrintableText.of(String.valueOf(ex)) +
                "; secrets of the exchange may not have been overwritten."));
        }
    }

    private boolean isConsistent()
    {
        final boolean isExchanging = step == HANDSHAKE || step == MESSAGES;
        // An exchange has a session of the mechanism, which is closed when the exchange ends.
        return (session == null ? !isExchanging : step != DONE) &&
            // A session without a lifetime is never due for renewal.
            lateCount >= 0 && (lateCount == 0 || isSessionLimited);
    }

    private SaslException handshakeRefused()
    {
        final StringBuilder supported = new StringBuilder();
        while (handshake.nextMechanism() && supported.length() < PrintableText.MAX_VALUE_LENGTH)
        {
            supported.append(supported.isEmpty() ? "" : ", ").append(PrintableText.of(
                handshake.buffer(), handshake.mechanismIndex(), handshake.mechanismLength()));
        }
        return new SaslException(handshake.errorCode() == ErrorCode.UNSUPPORTED_SASL_MECHANISM ?
            "the broker does not support the mechanism " + mechanismName + "; it supports " +
                (supported.isEmpty() ? "none" : supported) :
            "the broker responded to SaslHandshake with " + ErrorCode.name(handshake.errorCode()) +
                (handshake.errorCode() == ErrorCode.ILLEGAL_SASL_STATE ? illegalState() : ""));
    }

    private String illegalState()
    {
        return isSessionLimited ? ", as a broker does less than a second after it has renewed the session" :
            ", as a port without SASL does";
    }

    private SaslException authenticationRefused(final String hint)
    {
        final int length = response.errorMessageLength();
        return new SaslException((length <= 0 ? ErrorCode.name(response.errorCode()) :
            PrintableText.of(response.buffer(), response.errorMessageIndex(), length)) +
            (hint == null ? "" : " (" + hint + ")"));
    }
}
