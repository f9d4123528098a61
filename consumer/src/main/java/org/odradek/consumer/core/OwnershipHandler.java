// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.odradek.client.core.CountersFile;
import org.odradek.consumer.handler.RevocationHandler;

/**
 * A revocation handler of a library that passes records on to other threads. This handler is also notified of the end
 * of each ownership, and calls the revocation handler of the program.
 */
public interface OwnershipHandler extends RevocationHandler
{
    /** Sets the handler of the program, before the first poll. */
    void programHandler(RevocationHandler handler);

    /** Sets the counters file of the consumer, before the first poll. This method is not called if there is no file. */
    void countersFile(CountersFile file);

    /**
     * Notes that this member does not own a partition any more, so that the next owner may begin to read the partition.
     * This method is called before {@code onPartitionRevoked} or {@code onPartitionLost}, and must not throw.
     *
     * @param partition partition id.
     */
    void onOwnershipEnded(int partition);
}
