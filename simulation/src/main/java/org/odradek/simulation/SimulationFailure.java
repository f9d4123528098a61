// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

/**
 * Ends a run because an oracle has found something that must not be. An Error, because the consumer catches what else a
 * listener or a handler throws.
 */
final class SimulationFailure extends Error
{
    private static final long serialVersionUID = 1;
    private static final double NANOS_PER_SECOND = 1e9;

    private final String oracle;

    /**
     * @param oracle  its name.
     * @param timeNs  of the run.
     * @param message what was expected and what was found, in one sentence.
     */
    SimulationFailure(final String oracle, final long timeNs, final String message)
    {
        super("Oracle " + oracle + " failed " + timeNs / NANOS_PER_SECOND + " s after the beginning: " + message);
        this.oracle = oracle;
    }

    /** Returns the name of the oracle. */
    String oracle()
    {
        return oracle;
    }
}
