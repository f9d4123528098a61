// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

/**
 * The lifetime of a view that was lent to a handler. Lifetimes are checked only if the system property
 * {@link #CHECK_PROP_NAME} is set; otherwise the JIT removes the check.
 */
public final class ViewLifetime
{
    /**
     * Name of the system property that makes every use of a record, its headers or a batch after its callback throw.
     */
    public static final String CHECK_PROP_NAME = "org.odradek.check.view.lifetimes";

    public static final boolean IS_CHECKED = Boolean.getBoolean(CHECK_PROP_NAME);

    private final String view;
    /** Volatile, because the handler may have passed the view to another thread. */
    private volatile boolean isOver;

    ViewLifetime(final String view)
    {
        this.view = view;
    }

    /**
     * Called by every accessor of a view.
     *
     * @param lifetime of the view, or null if the view was not lent.
     * @throws IllegalStateException if the lifetime has ended.
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
