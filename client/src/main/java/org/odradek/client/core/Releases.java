// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.LangUtil;

import java.util.ArrayDeque;
import java.util.Deque;

/** What frees the resources of a client, the last one opened first. */
public final class Releases
{
    private final Deque<Runnable> releases = new ArrayDeque<>();

    public void push(final Runnable release)
    {
        releases.push(release);
    }

    /** Frees everything, also what comes after a resource that fails to be freed; then throws the first failure. */
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
