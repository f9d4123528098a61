// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

/** What a callback of the user throws. */
final class PlantedException extends RuntimeException
{
    private static final long serialVersionUID = 1;

    PlantedException(final String callback)
    {
        super("planted in " + callback);
    }
}
