// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/**
 * A broker has refused the consumer's credentials, or has not proved who it is. The consumer tries again after a
 * backoff of a second or more; the error handler receives the error once, until an authentication at this broker has
 * succeeded.
 */
public final class AuthenticationException extends ClientException
{
    private static final long serialVersionUID = 1L;

    /**
     * @param message one sentence, without a secret.
     */
    public AuthenticationException(final String message)
    {
        super(message);
    }
}
