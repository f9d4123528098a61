// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.SystemEpochClock;
import org.odradek.client.ClientKind;
import org.odradek.client.core.CountersFile;
import org.odradek.client.core.DutyClock;
import org.odradek.consumer.engine.PartitionCounters;

import java.nio.file.Path;

/**
 * A counters file that a test writes in place of a consumer. It is in the consumer's package because users cannot write
 * counters.
 */
public final class WrittenCounters
{
    private final CountersFile file;
    private final PartitionCounters partitions;

    public WrittenCounters(final Path path, final String topic)
    {
        file = CountersFile.create(path, ConsumerConfiguration.FILE_PERMISSIONS_DEFAULT,
            ClientKind.CONSUMER, topic, new DutyClock(() -> 0, SystemEpochClock.INSTANCE));
        file.begin();
        partitions = new PartitionCounters(file);
    }

    public void poll()
    {
        file.onWork(0);
    }

    public void add(final int id, final long delta)
    {
        file.counters().add(id, delta);
    }

    public void partition(final int partition, final long nextOffset, final long highWatermark, final long lag)
    {
        partitions.set(partition, nextOffset, highWatermark, lag);
    }

    public void error(final Throwable error)
    {
        file.errorLog().record(error);
    }

    public void end()
    {
        file.end();
    }
}
