// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.ArrayDeque;

/**
 * What fetching leaves for the part above to find on its next look.
 */
public final class TableMarks
{
    private boolean isMetadataWanted;
    private boolean isAssignmentChanged;
    private boolean isUnsettled = true;
    private final ArrayDeque<NodeEndpoint> endpoints = new ArrayDeque<>();

    /**
     * Mark: what is known of leaders is in doubt.
     */
    public void wantMetadata()
    {
        isMetadataWanted = true;
    }

    /**
     * Mark: who is to be asked for which partition is to be settled anew.
     */
    public void changeAssignment()
    {
        isAssignmentChanged = true;
    }

    /**
     * Take the mark that what is known of leaders is in doubt.
     */
    public boolean takeMetadataWanted()
    {
        final boolean isWanted = isMetadataWanted;
        isMetadataWanted = false;
        return isWanted;
    }

    /**
     * Take the mark that partitions were assigned, unassigned or have another leader, or leaders another place.
     */
    public boolean takeAssignmentChanged()
    {
        final boolean isChanged = isAssignmentChanged;
        isAssignmentChanged = false;
        return isChanged;
    }

    /**
     * Mark: a broker has told where a leader is.
     */
    void endpoint(final NodeEndpoint endpoint)
    {
        endpoints.add(endpoint);
        isAssignmentChanged = true;
    }

    /**
     * Take one of the places of leaders that have been told of; a partition that is led from there is marked too.
     *
     * @return the place, or null if there is none left.
     */
    public NodeEndpoint takeEndpoint()
    {
        return endpoints.poll();
    }

    void unsettle(final boolean isWaiting)
    {
        isUnsettled |= isWaiting;
    }

    void settle()
    {
        isUnsettled = false;
    }

    /**
     * Whether some partition may be waiting for time to pass: for its place to be found, for its place to be found
     * valid, or for a backoff to end.
     */
    public boolean isUnsettled()
    {
        return isUnsettled;
    }

    /**
     * Whether one of the marks to take has been left and not been taken.
     */
    public boolean isAny()
    {
        return isMetadataWanted || isAssignmentChanged;
    }
}
