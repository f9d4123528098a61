// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

/**
 * Errors that are the matter of no connection and no callback. Whoever catches everything that a mechanism, an engine
 * or a verifier may throw passes it to {@link #rethrow} first.
 */
public final class FatalErrors
{
    private static final String OURS = "org.odradek.";

    private FatalErrors()
    {
    }

    /** Throws an error again if memory has run out, or if an assert of ours has failed. */
    public static void rethrow(final Throwable thrown)
    {
        if (thrown instanceof OutOfMemoryError error)
        {
            throw error;
        }
        if (thrown instanceof AssertionError error && isOurs(error))
        {
            throw error;
        }
    }

    /**
     * Our asserts have no messages. An AssertionError of the user's classes, or of the JDK, is a failure of what has
     * thrown it.
     */
    private static boolean isOurs(final AssertionError error)
    {
        final StackTraceElement[] trace = error.getStackTrace();
        return error.getMessage() == null && trace.length > 0 && trace[0].getClassName().startsWith(OURS);
    }
}
