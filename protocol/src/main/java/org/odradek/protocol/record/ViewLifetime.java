// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

/**
 * Whether a view that a handler was lent may still be used. There are such only where
 * {@link #CHECK_PROP_NAME} is set; otherwise the check costs nothing, because the JIT leaves it out.
 */
public final class ViewLifetime
{
    /**
     * Name of the system property that makes every use of a record, its headers or a batch after its callback throw.
     */
    public static final String CHECK_PROP_NAME = "org.odradek.check.view.lifetimes";

    public static final boolean IS_CHECKED = Boolean.getBoolean(CHECK_PROP_NAME);

    private final String view;
    // A view may have been handed to another thread, which is to notice too.
    private volatile boolean isOver;

    ViewLifetime(final String view)
    {
        this.view = view;
    }

    /**
     * Called by every accessor of a view.
     *
     * @param lifetime of the view, or null if it is not lent.
     * @throws IllegalStateException if it is over.
     */
    static void check(final ViewLifetime lifetime)
    {
        if (IS_CHECKED && lifetime != null && lifetime.isOver)
        {
            throw new IllegalStateException(lifetime.view +
                " was used after its callback had returned: what is kept must be copied before.");
        }
    }

    void end()
    {
        isOver = true;
    }
}
