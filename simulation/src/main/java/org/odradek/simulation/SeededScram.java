// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.security.SaslMechanism;
import org.odradek.client.security.ScramMechanism;

import java.lang.reflect.Method;

/** SCRAM-SHA-256 whose nonces are drawn from the seed: users have no way to choose them. */
final class SeededScram implements SaslMechanism
{
    private static final int MIN_ITERATIONS = 1_024;
    private static final int MAX_ITERATIONS = 4_096;

    private final ScramMechanism mechanism;
    private final Draw draw;
    private final Method begin;

    SeededScram(final String user, final char[] password, final Draw draw)
    {
        mechanism = ScramMechanism.scramSha256(user, password).iterations(MIN_ITERATIONS, MAX_ITERATIONS);
        this.draw = draw;
        try
        {
            begin = ScramMechanism.class.getDeclaredMethod("beginWith", String.class);
            begin.setAccessible(true);
        }
        catch (final NoSuchMethodException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Draws a nonce, of printable letters and always of the same length. */
    static String nonce(final Draw draw)
    {
        return String.format("%016x%016x", draw.nextLong(), draw.nextLong());
    }

    @Override
    public String name()
    {
        return mechanism.name();
    }

    @Override
    public Session begin(final String host)
    {
        try
        {
            return (Session)begin.invoke(mechanism, nonce(draw));
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
