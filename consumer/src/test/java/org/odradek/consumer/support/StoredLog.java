// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The kinds of batches in a broker's files of one partition; a file may be deleted while they are read.
 */
public final class StoredLog
{
    private int records;
    private int emptyBatches;
    private int deleteHorizons;
    private int sparseBatches;

    public static StoredLog read(final Path folder) throws IOException
    {
        final StoredLog log = new StoredLog();
        final List<Path> segments;
        try (Stream<Path> files = Files.list(folder))
        {
            segments = files.filter((file) -> file.toString().endsWith(".log")).toList();
        }
        for (final Path segment : segments)
        {
            log.readSegment(segment);
        }
        return log;
    }

    private void readSegment(final Path segment) throws IOException
    {
        try (FileRecords file = FileRecords.open(segment.toFile(), false))
        {
            for (final FileChannelRecordBatch batch : file.batches())
            {
                final int count = batch.countOrNull();
                records += batch.isControlBatch() ? 0 : count;
                emptyBatches += count == 0 ? 1 : 0;
                sparseBatches += count > 0 && count <= batch.lastOffset() - batch.baseOffset() ? 1 : 0;
                deleteHorizons += batch.deleteHorizonMs().isPresent() ? 1 : 0;
            }
        }
    }

    /** Returns the number of records without markers. */
    public int records()
    {
        return records;
    }

    public int emptyBatches()
    {
        return emptyBatches;
    }

    public int deleteHorizons()
    {
        return deleteHorizons;
    }

    /** Returns the number of batches that have fewer records than were written. */
    public int sparseBatches()
    {
        return sparseBatches;
    }

    @Override
    public String toString()
    {
        return emptyBatches + " empty batches, " + sparseBatches + " with fewer records than they were written with, " +
            deleteHorizons + " with a delete horizon";
    }
}
