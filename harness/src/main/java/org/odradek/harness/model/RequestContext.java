// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What a coordinator wants to know about the client of a request. */
record RequestContext(ApiMessageType type, short version, String clientId, int correlationId)
    implements AuthorizableRequestContext
{
    /** For a description that no client asks for. */
    static final RequestContext NO_CLIENT = new RequestContext(ApiMessageType.DESCRIBE_GROUPS, (short)0, "", 0);
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    RequestContext(final ModelRequest request)
    {
        this(request.type(), request.version(), request.clientId(), request.correlationId());
    }

    @Override
    public String listenerName()
    {
        return "PLAINTEXT";
    }

    @Override
    public SecurityProtocol securityProtocol()
    {
        return SecurityProtocol.PLAINTEXT;
    }

    @Override
    public KafkaPrincipal principal()
    {
        return KafkaPrincipal.ANONYMOUS;
    }

    @Override
    public InetAddress clientAddress()
    {
        try
        {
            return InetAddress.getByAddress(LOOPBACK); // without a name, as that of a connection
        }
        catch (final UnknownHostException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public int requestVersion()
    {
        return version;
    }

    @Override
    public int requestType()
    {
        return type.apiKey();
    }
}
