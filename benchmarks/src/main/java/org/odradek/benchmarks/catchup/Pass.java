/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

/**
 * What one pass of one arm read and cost, as it travels from the arm's JVM to the parent.
 *
 * @param records        how many records were read.
 * @param bytes          the lengths of their values added up.
 * @param sum            three longs of every value added up, see {@link ThreeLongs}.
 * @param wallNs         from the first call to the return with the last record.
 * @param threadCpuNs    CPU time of the thread that polls.
 * @param processCpuNs   CPU time of the whole JVM: collector, compiler and the client's own threads included.
 * @param allocatedBytes heap bytes the thread that polls has allocated.
 */
record Pass(
    long records, long bytes, long sum, long wallNs, long threadCpuNs, long processCpuNs, long allocatedBytes)
{
    /**
     * Figures of clients that read different things are not worth comparing.
     */
    void mustHaveReadTheSameAs(final Pass other, final String client)
    {
        if (records != other.records || bytes != other.bytes || sum != other.sum)
        {
            throw new IllegalStateException(String.format(
                "%s read other records than were written: %d records, %d bytes, sum %d; written: %d, %d, %d",
                client, records, bytes, sum, other.records, other.bytes, other.sum));
        }
    }

    double recordsPerSecond()
    {
        return records * 1e9 / wallNs;
    }

    double threadCpuNsPerRecord()
    {
        return (double)threadCpuNs / records;
    }

    double processCpuNsPerRecord()
    {
        return (double)processCpuNs / records;
    }

    double allocatedBytesPerRecord()
    {
        return (double)allocatedBytes / records;
    }
}
