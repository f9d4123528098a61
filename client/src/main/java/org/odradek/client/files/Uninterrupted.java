// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.files;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;

/**
 * Runs operations on files as if the thread were not interrupted, and sets the interrupt flag again afterwards. The JDK
 * closes a file channel that an interrupted thread uses.
 */
public final class Uninterrupted
{
    private Uninterrupted()
    {
    }

    /**
     * An operation on files. It must open its channels itself, and close them if it fails, because it is run again
     * after an interrupt.
     */
    @FunctionalInterface
    public interface Operation<T>
    {
        T run() throws IOException;
    }

    /**
     * Runs an operation until it is not interrupted, and returns its result.
     *
     * @throws IOException if the operation fails for another reason than an interrupt of the thread.
     */
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
