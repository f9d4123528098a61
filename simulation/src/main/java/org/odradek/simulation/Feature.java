// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

/** Properties of a run, other than faults, that each seed has or lacks. */
enum Feature
{
    /** Batches of transactions, some aborted, some open for long. */
    TRANSACTIONS,
    /** Batches with every codec and timestamp type, with holes and without records. */
    MIXED_BATCHES,
    /** Batches and messages of magic 0 and 1. */
    OLD_FORMATS,
    /** Now and then a batch that is larger than the receive buffer may become, if the load is drawn. */
    OVERSIZED_BATCHES,
    /** Logs have holes between batches. */
    HOLES,
    /** The consumer reads from the replica in its rack. */
    RACKS,
    /** Fetch sessions with any number of partitions. */
    SESSIONS,
    /** Brokers of several releases. */
    RELEASES,
    /** Some brokers refuse the version probe in a layout that cannot be read, as librdkafka's mock broker does. */
    UNREADABLE_REFUSALS,
    /** Brokers are known by literal addresses rather than by names. */
    LITERAL_ADDRESSES,
    /** Brokers demand authentication, in some of the seeds that have this. */
    AUTHENTICATION,
    /** The mechanism is SCRAM in groups, in some of the seeds in which brokers demand authentication. */
    SCRAM,
    /** The brokers are far away, in some of the seeds that have this. */
    DISTANCE,
    /** The user's poller and thread have another consumer, in some of the seeds that have this. */
    POLLER_SHARED,
    /** Members of groups pass their records on, and commit what is acknowledged late, as the documentation shows. */
    LATE_SINKS,
    /** Some of these members have the commit policy of acknowledgements instead of a revocation handler. */
    ACKNOWLEDGEMENTS,
    /** Some members of groups have workers, which share their records by key. */
    WORKERS,
    /** Members of groups read batches, too. */
    BATCH_POLLS,
    /** Only committed records are read. */
    READ_COMMITTED,
    /** The user changes more than its polls: seeks, pauses and assigns partitions. */
    STEERING
}
