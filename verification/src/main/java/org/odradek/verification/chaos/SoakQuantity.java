// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

/**
 * What a soak samples, and how fast it may grow.
 */
enum SoakQuantity
{
    HEAP("heap after a collection", "MiB", 1,
        "a leak of 64 KiB at each fault, or of one byte for each four records, is about as much"),
    DIRECT("direct memory", "MiB", 1,
        "a leak of 64 KiB at each fault is about as much"),
    DESCRIPTORS("open descriptors", "", 2,
        "a socket that is lost in one of eight faults is about as much"),
    THREADS("threads", "", 0.5,
        "the clients start no threads, and one thread in an hour exceeds it"),
    /** Its bound is a factor, because its figures vary more than they could grow in an hour. */
    CPU("CPU per record", "µs", 1.25,
        "work that grows with the age of the process, such as a search through a growing list, exceeds it"),
    LAG("lag", "s", 2,
        "a process that handles 1,799 of 1,800 records falls behind as much");

    final String text;
    final String unit;
    /** The growth in an hour; for {@link #CPU}, the factor from the first to the last third of the run. */
    final double bound;
    final String reason;

    SoakQuantity(final String text, final String unit, final double bound, final String reason)
    {
        this.text = text;
        this.unit = unit;
        this.bound = bound;
        this.reason = reason;
    }

    /** Whether the bound is a factor. */
    boolean isFactor()
    {
        return this == CPU;
    }

    String textWithUnit()
    {
        return unit.isEmpty() ? text : text + ", " + unit;
    }
}
