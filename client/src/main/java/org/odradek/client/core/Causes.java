// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import java.util.function.Predicate;

/** Walks along the causes of an exception, only so far that causes that form a cycle end, too. */
public final class Causes
{
    private static final int MAX_CAUSES = 20;

    private Causes()
    {
    }

    /** Returns the last cause, which is the exception itself if it has none. */
    public static Throwable innermost(final Throwable ex)
    {
        Throwable cause = ex;
        for (int i = 0; i < MAX_CAUSES && cause.getCause() != null; i++)
        {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Returns true if the condition is true for the exception or one of its causes. */
    public static boolean anyMatch(final Throwable ex, final Predicate<Throwable> condition)
    {
        Throwable cause = ex;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++)
        {
            if (condition.test(cause))
            {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
