// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

/**
 * What one pass of one arm read and cost, as it travels from the arm's process to the parent.
 *
 * @param records        how many records were read.
 * @param bytes          the lengths of their values added up.
 * @param sum            three longs of every value added up, see {@link ThreeLongs}.
 * @param wallNs         from the first call to the return with the last record.
 * @param threadCpuNs    CPU time of the thread that polls.
 * @param processCpuNs   CPU time of the whole process: collector, compiler and the client's own threads included.
 * @param allocatedBytes heap bytes the thread that polls has allocated, negative where there is no such heap.
 * @param brokerCpuNs    CPU time of the broker meanwhile, added by the parent; negative where it is not known.
 */
record Pass(
    long records,
    long bytes,
    long sum,
    long wallNs,
    long threadCpuNs,
    long processCpuNs,
    long allocatedBytes,
    long brokerCpuNs)
{
    /**
     * @return what every pass must read; it cost nothing.
     */
    static Pass written(final long records, final long bytes, final long sum)
    {
        return new Pass(records, bytes, sum, 0, 0, 0, 0, BrokerCpu.UNKNOWN);
    }

    Pass withBrokerCpuNs(final long cpuNs)
    {
        return new Pass(records, bytes, sum, wallNs, threadCpuNs, processCpuNs, allocatedBytes, cpuNs);
    }

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

    /** Of values, uncompressed. */
    double megabytesPerSecond()
    {
        return bytes * 1e3 / wallNs;
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

    /** Of one core. */
    double brokerCpuPercent()
    {
        return 100.0 * brokerCpuNs / wallNs;
    }
}
