// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.errors.IllegalSaslStateException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.security.plain.PlainAuthenticateCallback;
import org.apache.kafka.common.security.plain.internals.PlainSaslServer;

import java.util.List;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;

/**
 * The authentication of one connection: which requests the broker serves before it, and its APIs SaslHandshake and
 * SaslAuthenticate. The raw messages that follow version 0 of SaslHandshake are not modelled: it closes the connection.
 */
final class SaslSession
{
    private static final long NS_PER_MS = 1_000_000;
    private static final long NEVER = Long.MAX_VALUE;
    /** A client may authenticate again once a second at most, after the first time. */
    private static final long MIN_RENEWAL_NS = 1_000_000_000L;
    /** A refusal is sent after this time (connection.failed.authentication.delay.ms). */
    private static final long REFUSAL_DELAY_NS = 100_000_000L;

    private static final int CONNECTED = 0;
    private static final int VERSIONS_SENT = 1;
    private static final int HANDSHAKE_DONE = 2;
    private static final int AUTHENTICATED = 3;

    private final ModelSasl sasl;
    private int state = CONNECTED;
    private long endNs = NEVER;
    private long nextRenewalNs;
    private int round;
    /** Null for PLAIN. */
    private ScramServer scram;

    SaslSession(final ModelSasl sasl)
    {
        this.sasl = sasl;
    }

    /** Returns false if the broker closes the connection because of a request, without a response. */
    boolean isAccepted(final ModelRequest request)
    {
        final ApiMessageType type = request.type();
        if (state == HANDSHAKE_DONE && type != ApiMessageType.SASL_AUTHENTICATE && request.message() != null)
        {
            request.respond(errorOf(request));
            refuse(request);
            return true;
        }
        if (type == ApiMessageType.SASL_HANDSHAKE)
        {
            final boolean isClosed = state == AUTHENTICATED && canRenew(request) && !isKnownMechanism(request);
            return request.version() > 0 && !isClosed;
        }
        if (state == CONNECTED && type == ApiMessageType.API_VERSIONS)
        {
            state = request.broker().isVersionRefused(request) ? CONNECTED : VERSIONS_SENT;
            return true;
        }
        return state == AUTHENTICATED ?
            request.arrivalNs() < endNs : state == HANDSHAKE_DONE && type == ApiMessageType.SASL_AUTHENTICATE;
    }

    ApiMessage respond(final ModelRequest request)
    {
        return request.type() == ApiMessageType.SASL_HANDSHAKE ? onHandshake(request) : onMessage(request);
    }

    /** Returns whether an authenticated client may authenticate again now: it may not if its session does not end. */
    private boolean canRenew(final ModelRequest request)
    {
        return endNs != NEVER && request.arrivalNs() >= nextRenewalNs;
    }

    private boolean isKnownMechanism(final ModelRequest request)
    {
        return ((SaslHandshakeRequestData)request.message()).mechanism().equals(sasl.mechanism());
    }

    private SaslHandshakeResponseData onHandshake(final ModelRequest request)
    {
        final SaslHandshakeResponseData response = new SaslHandshakeResponseData();
        if (state == AUTHENTICATED && !canRenew(request))
        {
            return response.setErrorCode(Errors.ILLEGAL_SASL_STATE.code());
        }
        nextRenewalNs = state == AUTHENTICATED ? request.arrivalNs() + MIN_RENEWAL_NS : 0;
        response.setMechanisms(List.of(sasl.mechanism()));
        if (!isKnownMechanism(request))
        {
            refuse(request);
            return response.setErrorCode(Errors.UNSUPPORTED_SASL_MECHANISM.code());
        }
        state = HANDSHAKE_DONE;
        round = 0;
        scram = sasl.isScram() ? new ScramServer(sasl) : null;
        return response;
    }

    /** Returns the response to a request of another API between the messages. */
    private static ApiMessage errorOf(final ModelRequest request)
    {
        final ApiMessage message = request.message();
        return AbstractRequest.parseRequest(
            ApiKeys.forId(request.type().apiKey()), request.version(),
            MessageUtil.toByteBufferAccessor(message, request.version()))
            .request.getErrorResponse(new IllegalSaslStateException("")).data();
    }

    private static void refuse(final ModelRequest request)
    {
        request.delayResponse(Math.max(REFUSAL_DELAY_NS, request.delayNs()));
        request.closeAfterResponse();
    }

    private SaslAuthenticateResponseData onMessage(final ModelRequest request)
    {
        final SaslAuthenticateResponseData response = new SaslAuthenticateResponseData();
        if (state == AUTHENTICATED)
        {
            return response.setErrorCode(Errors.ILLEGAL_SASL_STATE.code())
                .setErrorMessage("SaslAuthenticate request received after successful authentication");
        }
        if (round < sasl.rounds())
        {
            round++;
            return response.setAuthBytes(new byte[]{(byte)round});
        }
        final byte[] message = ((SaslAuthenticateRequestData)request.message()).authBytes();
        try
        {
            response.setAuthBytes(scram == null ?
                new PlainSaslServer(this::onCallbacks).evaluateResponse(message) : scram.respond(message));
        }
        catch (final SaslAuthenticationException ex)
        {
            refuse(request);
            return response.setErrorCode(Errors.SASL_AUTHENTICATION_FAILED.code()).setErrorMessage(ex.getMessage());
        }
        if (scram != null && !scram.isComplete())
        {
            return response;
        }
        state = AUTHENTICATED;
        // Brokers before 2.2 know no version of the response that could announce the end of a session, and end none.
        final long lifetimeMs = request.broker().release().isBefore(2, 2) ? 0 : sasl.sessionLifetimeMs();
        endNs = lifetimeMs > 0 ? request.arrivalNs() + lifetimeMs * NS_PER_MS : NEVER;
        return response.setSessionLifetimeMs(request.version() > 0 ? lifetimeMs : 0);
    }

    private void onCallbacks(final Callback[] callbacks)
    {
        String user = null;
        for (final Callback callback : callbacks)
        {
            if (callback instanceof NameCallback name)
            {
                user = name.getDefaultName();
            }
            else if (callback instanceof PlainAuthenticateCallback check)
            {
                check.authenticated(sasl.isAccepted(user, check.password()));
            }
        }
    }
}
