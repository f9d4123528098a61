// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.LangUtil;

import java.util.ArrayDeque;
import java.util.Deque;

/** Runs the actions that free the resources of a client, in the reverse order of {@link #push}. */
public final class Releases
{
    private final Deque<Runnable> releases = new ArrayDeque<>();

    public void push(final Runnable release)
    {
        releases.push(release);
    }

    /** Frees all resources, even if some of them cannot be freed, and then throws the first failure. */
    public void free()
    {
        Throwable failure = null;
        while (!releases.isEmpty())
        {
            try
            {
                releases.pop().run();
            }
            catch (final Throwable ex)
            {
                failure = failure == null ? ex : failure;
            }
        }
        if (failure != null)
        {
            LangUtil.rethrowUnchecked(failure);
        }
    }
}
