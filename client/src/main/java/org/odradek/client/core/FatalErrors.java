// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

/**
 * Recognizes errors that concern the whole client instead of one connection or callback. Code that catches every
 * exception of a mechanism, an engine or a verifier must pass the exception to {@link #rethrow} first.
 */
public final class FatalErrors
{
    private static final String OURS = "org.odradek.";

    private FatalErrors()
    {
    }

    /** Throws an OutOfMemoryError again, and an AssertionError of Odradek's own asserts. */
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

    /** Returns true if an assert of Odradek has failed; these asserts have no messages. */
    private static boolean isOurs(final AssertionError error)
    {
        final StackTraceElement[] trace = error.getStackTrace();
        return error.getMessage() == null && trace.length > 0 && trace[0].getClassName().startsWith(OURS);
    }
}
