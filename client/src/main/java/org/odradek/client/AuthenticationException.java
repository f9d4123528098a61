// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/**
 * Reports that a broker has refused the client's credentials or has not proved its identity, or that TLS has failed.
 * The client tries again after a backoff of a second or more. The error handler receives this error once for each
 * mechanism and broker until a connection to that broker succeeds.
 */
public final class AuthenticationException extends ClientException
{
    private static final long serialVersionUID = 1L;

    /** @param message one sentence that contains no secret. */
    public AuthenticationException(final String message)
    {
        super(message);
    }
}
