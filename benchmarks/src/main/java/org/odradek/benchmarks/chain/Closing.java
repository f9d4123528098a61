// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.List;

/**
 * Closes what a step has opened.
 */
final class Closing
{
    private Closing()
    {
    }

    static void all(final List<? extends AutoCloseable> parts)
    {
        for (final AutoCloseable part : parts)
        {
            try
            {
                part.close();
            }
            catch (final Exception ex)
            {
                throw new IllegalStateException("could not be closed: " + part, ex);
            }
        }
    }
}
