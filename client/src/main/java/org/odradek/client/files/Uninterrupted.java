// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.files;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;

/**
 * Runs operations on files as if the thread were not interrupted, because the JDK closes a file channel that an
 * interrupted thread uses. The interrupt flag is set again afterwards.
 */
public final class Uninterrupted
{
    private Uninterrupted()
    {
    }

    /**
     * An operation must open its channels itself, and close them if it fails, because it is run again after an
     * interrupt.
     */
    @FunctionalInterface
    public interface Operation<T>
    {
        T run() throws IOException;
    }

    /** @throws IOException if the operation fails for another reason than an interrupt of the thread. */
    public static <T> T run(final Operation<T> operation) throws IOException
    {
        boolean isInterrupted = Thread.interrupted();
        try
        {
            while (true)
            {
                try
                {
                    return operation.run();
                }
                catch (final ClosedChannelException ex)
                {
                    if (!Thread.interrupted())
                    {
                        throw ex;
                    }
                    isInterrupted = true;
                }
            }
        }
        finally
        {
            if (isInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }
}
