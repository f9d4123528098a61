// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.signalfx;

/**
 * How records come in.
 *
 * @param recordsPerSecond at an even pace.
 * @param lingerMs         of the producer: 0 sends nearly every record as a batch of its own.
 */
record SignalfxCase(int recordsPerSecond, int lingerMs)
{
    String caseName()
    {
        return recordsPerSecond + "/s, linger " + lingerMs + " ms";
    }
}
