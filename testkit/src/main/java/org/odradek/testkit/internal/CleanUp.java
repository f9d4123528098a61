// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

/** Runs all steps of a clean-up, even if some of them fail. */
public final class CleanUp
{
    private CleanUp()
    {
    }

    /** Runs the steps in order, and then throws the first failure with the other failures as suppressed exceptions. */
    public static void run(final Runnable... steps)
    {
        Throwable failure = null;
        for (final Runnable step : steps)
        {
            try
            {
                step.run();
            }
            catch (final RuntimeException | Error ex)
            {
                if (failure == null)
                {
                    failure = ex;
                }
                else
                {
                    failure.addSuppressed(ex);
                }
            }
        }
        if (failure instanceof Error)
        {
            throw (Error)failure;
        }
        if (failure != null)
        {
            throw (RuntimeException)failure;
        }
    }
}
