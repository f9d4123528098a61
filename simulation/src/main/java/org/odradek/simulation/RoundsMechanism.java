// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SaslMechanism;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * PLAIN after some more messages, so that a connection takes many steps to be authenticated, as with SCRAM or Kerberos,
 * without the random numbers of these.
 */
final class RoundsMechanism implements SaslMechanism
{
    private final PlainMechanism mechanism;
    private final int rounds;

    /** @param rounds of messages that precede that of the mechanism. */
    RoundsMechanism(final PlainMechanism mechanism, final int rounds)
    {
        this.mechanism = mechanism;
        this.rounds = rounds;
    }

    @Override
    public String name()
    {
        return mechanism.name();
    }

    @Override
    public Session begin(final String host)
    {
        final Session session = mechanism.begin(host);
        return new Session()
        {
            private int round;

            @Override
            public byte[] respond(final byte[] challenge)
            {
                if (round < rounds)
                {
                    round++;
                    return new byte[]{(byte)round};
                }
                try
                {
                    return session.respond(challenge);
                }
                catch (final IOException ex)
                {
                    throw new UncheckedIOException(ex);
                }
            }

            @Override
            public boolean isComplete()
            {
                return session.isComplete();
            }
        };
    }
}
