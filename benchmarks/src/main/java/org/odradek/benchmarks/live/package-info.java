// SPDX-License-Identifier: Apache-2.0

/**
 * Reading a topic while it is written to: what signalfx, idle, latency and sle share. A paced producer and the clients
 * run each in a process of its own; {@code ProducerProcess} and {@code ClientProcess} are the parent's sides of them,
 * {@code ProducerMain} and {@code ClientMain} what runs in those JVMs.
 *
 * <p><b>The lines.</b> A client that is no JVM speaks them too. It is started with arguments of the form
 * {@code name=value}, those of {@link org.odradek.benchmarks.live.ClientSettings}; what it does not know it leaves
 * aside. It is sent one word a line on standard input and answers each with one JSON object on one line of standard
 * output, flushed. Lines that do not begin with a brace are remarks. If something is wrong it writes
 * <code>{"error":"one sentence"}</code> and exits with 1. It ends when standard input ends.
 * <pre>
 * (start)    {"state":"started"}      it can take words; no connection yet, no CPU used from here until run
 * run        {"state":"running"}      has made a client that reads from the end of each partition on, and knows where
 *                                     that is; polls from now on, in one thread
 * measure    {"state":"measuring"}    all counts and the histogram begin anew
 * stop       a usage, see below       what was counted since measure; the client is closed, and nothing used until run
 * </pre>
 * After {@code stop} comes {@code run} again or the end of input; {@code measure} may come more than once.
 *
 * <p><b>A usage</b> has these fields; those that a client cannot know are left out or -1.
 * <pre>
 * records                delivered to the callback
 * bytes                  the lengths of their values added up
 * missing                offsets that did not follow the one before in the same partition (0 in a right run)
 * fetches                fetch requests answered
 * wallNs                 between the two readings of the meters
 * threadCpuNs            CPU of the polling thread (CLOCK_THREAD_CPUTIME_ID), user and system
 * processCpuNs           CPU of the process (CLOCK_PROCESS_CPUTIME_ID): all threads, also those that ended
 * allocatedBytes         on the heap by the polling thread
 * processAllocatedBytes  on the heap by all threads
 * gcCount                collections
 * latency                an HdrHistogram of nanoseconds in Base64, as a line of a histogram log has it
 *                        (encodeIntoCompressedByteBuffer in Java, hdr_log_encode in C)
 * </pre>
 *
 * <p><b>Latency</b> is the time from when a record was to be sent to when its callback runs. The first eight bytes of
 * each value, big-endian, are the time at which the producer was to send it, whether or not it could, so a stall counts
 * for all records that were due in it (no coordinated omission). The clock is CLOCK_MONOTONIC: on Linux
 * {@code System.nanoTime} reads that, and it is the same for all processes of a machine. Producer and clients therefore
 * run on one machine; brokers need not.
 */
package org.odradek.benchmarks.live;
