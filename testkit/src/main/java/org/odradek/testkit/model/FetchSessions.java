// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.model;

/** The fetch sessions of a {@link ModelBroker}; they do not belong to a connection. */
public final class FetchSessions
{
    FetchSessions(final ModelBroker broker)
    {
    }

    /** Removes all sessions, as if those of other clients had replaced them. */
    public void clear()
    {
    }
}
