// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.odradek.client.core.CountersFile;
import org.odradek.consumer.handler.RevocationHandler;

/**
 * A revocation handler of a library that passes records on to other threads; this handler calls the revocation handler
 * of the program.
 */
public interface OwnershipHandler extends RevocationHandler
{
    /** Sets the handler of the program before the first poll. */
    void programHandler(RevocationHandler handler);

    /** Sets the counters file of the consumer before the first poll, unless the counters are in memory. */
    void countersFile(CountersFile file);

    /** This method is called before {@code onPartitionRevoked} or {@code onPartitionLost}, and must not throw. */
    void onOwnershipEnded(int partition);

    /**
     * This method is called on the thread that closes the consumer, when the consumer delivers and commits nothing any
     * more, and must not throw.
     */
    void onClosed();
}
