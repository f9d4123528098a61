// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation.fidelity;

import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ClientFinalMessage;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ClientFirstMessage;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ServerFinalMessage;
import org.apache.kafka.common.security.scram.internals.ScramMessages.ServerFirstMessage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;

/** The client's side of one exchange of SCRAM, of which a test may change each message. */
final class ScramClient
{
    private final ScramFormatter formatter;
    private final String password;
    private final ClientFirstMessage first;
    private ServerFirstMessage serverFirst;
    private ClientFinalMessage last;
    private byte[] salted;

    /** @param bare the first message after its header. */
    ScramClient(final String mechanism, final String header, final String bare, final String password)
    {
        try
        {
            formatter = new ScramFormatter(ScramMechanism.forMechanismName(mechanism));
            first = new ClientFirstMessage((header + bare).getBytes(StandardCharsets.UTF_8));
        }
        catch (final IOException | GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
        this.password = password;
    }

    byte[] first()
    {
        return first.toBytes();
    }

    /** @param suffix of the nonce; empty unless the message is to be refused. */
    byte[] last(final byte[] challenge, final String suffix)
    {
        try
        {
            serverFirst = new ServerFirstMessage(challenge);
            last = new ClientFinalMessage(
                first.gs2Header().getBytes(StandardCharsets.UTF_8), serverFirst.nonce() + suffix);
            salted = formatter.saltedPassword(password, serverFirst.salt(), serverFirst.iterations());
            last.proof(formatter.clientProof(salted, first, serverFirst, last));
            return last.toBytes();
        }
        catch (final IOException | GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Returns the signature by which the broker proves that it knows the password. */
    byte[] signature()
    {
        try
        {
            return formatter.serverSignature(formatter.serverKey(salted), first, serverFirst, last);
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    static byte[] signatureOf(final byte[] challenge)
    {
        try
        {
            return new ServerFinalMessage(challenge).serverSignature();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
