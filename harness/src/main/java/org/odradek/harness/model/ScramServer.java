// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ClientFinalMessage;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ClientFirstMessage;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ServerFinalMessage;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ServerFirstMessage;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Arrays;

/** The broker's side of one exchange of SCRAM, as Kafka's, but with nonces that a test draws. */
final class ScramServer
{
    /** The least that the tests' clients accept: the time of the derivation is not the concern of the model. */
    private static final int ITERATIONS = 1_024;

    private final ModelSasl sasl;
    private ClientFirstMessage clientFirst;
    private ServerFirstMessage serverFirst;
    private boolean isComplete;

    ScramServer(final ModelSasl sasl)
    {
        this.sasl = sasl;
    }

    /** Whether the client has proved that it knows the password. */
    boolean isComplete()
    {
        return isComplete;
    }

    byte[] respond(final byte[] message)
    {
        try
        {
            if (clientFirst == null)
            {
                clientFirst = new ClientFirstMessage(message);
                checkUser();
                serverFirst = new ServerFirstMessage(clientFirst.nonce(), sasl.nonce(), sasl.salt(), ITERATIONS);
                return serverFirst.toBytes();
            }
            return verify(new ClientFinalMessage(message));
        }
        catch (final IOException | GeneralSecurityException ex)
        {
            throw new SaslAuthenticationException("Authentication failed during authentication due to " +
                "invalid credentials with SASL mechanism " + sasl.mechanism(), ex);
        }
    }

    private void checkUser() throws IOException
    {
        if (!sasl.user().equals(ScramFormatter.username(clientFirst.saslName())))
        {
            throw new IOException("the user is not known");
        }
        if (!clientFirst.authorizationId().isEmpty() && !clientFirst.authorizationId().equals(sasl.user()))
        {
            throw new SaslAuthenticationException(
                "Authentication failed: Client requested an authorization id that is different from username");
        }
    }

    private byte[] verify(final ClientFinalMessage clientFinal) throws IOException, GeneralSecurityException
    {
        final ScramFormatter formatter = new ScramFormatter(ScramMechanism.forMechanismName(sasl.mechanism()));
        final byte[] salted = formatter.saltedPassword(sasl.password(), serverFirst.salt(), ITERATIONS);
        final byte[] storedKey = formatter.storedKey(formatter.clientKey(salted));
        final byte[] signature = formatter.clientSignature(storedKey, clientFirst, serverFirst, clientFinal);
        if (!clientFinal.nonce().equals(serverFirst.nonce()) ||
            !Arrays.equals(storedKey, formatter.storedKey(signature, clientFinal.proof())))
        {
            throw new IOException("the proof is wrong");
        }
        isComplete = true;
        return new ServerFinalMessage(null,
            formatter.serverSignature(formatter.serverKey(salted), clientFirst, serverFirst, clientFinal)).toBytes();
    }
}
