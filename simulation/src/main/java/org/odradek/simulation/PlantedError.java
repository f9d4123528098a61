// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

/** What a callback of the user throws that has a defect, or for which there is no memory. */
final class PlantedError extends Error
{
    private static final long serialVersionUID = 1;

    PlantedError(final String callback)
    {
        super("planted in " + callback);
    }
}
