// SPDX-License-Identifier: Apache-2.0

/**
 * The rig that all scenarios share. A {@code Scenario} is a command; a {@code Child} is the parent's side of a process
 * and {@code RigMain} the process; a {@code Client} reads there and gives every value to a {@code Sink}. An {@code Arm}
 * is a client with its name and settings. {@code Meters} are what the polling thread reads of itself and its process.
 * {@code LiveRun} runs clients in turns on a topic that {@code PacedProducer} writes to, {@code BacklogRun} in one
 * short round. The rig has no client and no scenario of its own.
 *
 * <p><b>The lines.</b> A client that is not a JVM exchanges them too. It is sent one word a line on standard input and
 * answers each with one JSON object on one line of standard output, flushed. Lines that do not begin with a brace are
 * remarks. If something is wrong it writes <code>{"error":"one sentence"}</code> and exits with 1. It ends when
 * standard input ends.
 * <pre>
 * (start)    {"state":"started"}      it takes words; no connection yet, no CPU used from here until run or open
 * run        {"state":"running"}      has made a client that reads from the end of each partition on, and knows where
 *                                     that is; polls from now on, in one thread
 * practise   {"state":"running"}      the same with polls that wait very briefly
 * measure    {"state":"measuring"}    all counts and the histogram begin again at 0; the answer may have the field
 *                                     missing of a usage: the run fails if a record was missing before
 * stop       a usage, see below       what was counted since measure; the client is closed, and nothing used until run
 * open       {"state":"open"}         has made a client for passes over a log that is already there
 * read       {"parts":[usage, …]}     makes a client and reads from offset 0 on for each of the times in milliseconds
 *                                     after the word, the first of which begins before it is made, and at most half
 *                                     of what is left, in the last one all; each time is prolonged to the next
 *                                     records; closes it
 * pass       a usage                  reads every record from offset 0 on, and rests before it answers
 * </pre>
 * A JVM also answers <code>compiled</code> with {@code {"compilerMs":N}}, how long its compilers have worked so far.
 * A JVM with the setting {@code eachSecond} writes a remark each second since run or measure, see {@link EachSecond}.
 * A program takes the one setting {@code run budgetMs=N}; a JVM takes any setting for one run after that word.
 * After {@code stop} comes {@code run} again or the end of input; {@code measure} may come more than once.
 *
 * <p><b>A usage</b> has these fields; those that a client cannot know are left out or -1.
 * <pre>
 * records                delivered to the callback
 * bytes                  the lengths of their values added up
 * missing                offsets that did not follow the one before in the same partition (0 in a right run)
 * sum                    the three longs of every value added up
 * fetches                fetch requests answered
 * wallNs                 between the two readings of the meters
 * threadCpuNs            CPU of the polling thread (CLOCK_THREAD_CPUTIME_ID), user and system
 * processCpuNs           CPU of the process (CLOCK_PROCESS_CPUTIME_ID): all threads, also those that ended
 * allocatedBytes         on the heap by the polling thread
 * processAllocatedBytes  on the heap by all threads
 * gcCount                collections
 * latency                an HdrHistogram of nanoseconds in Base64, as a line of a histogram log has it
 *                        (encodeIntoCompressedByteBuffer in Java)
 * latencies              the same as pairs of nanoseconds and how often, from a program
 * compilerMs             milliseconds that the compilers of the JVM have worked
 * </pre>
 *
 * <p><b>Warm</b> is a JVM whose compilers are quiet: a process figure would measure them. Every client that is a JVM
 * runs at least for the warm-up of its turn, and on until its compilers have worked at most 5 ms a second in the last
 * 10 seconds (or in as many as the warm-up has, if that is shorter), or until six times the warm-up has passed. Their
 * time is what {@code CompilationMXBean} adds up. In passes it is the last pass instead. How long that took and how
 * many milliseconds the compilers still worked in the turn are figures of each turn: {@code warmUpSeconds} and
 * {@code compilerMs}.
 *
 * <p><b>Latency</b> is the time from when a record was due to when its callback runs. The first eight bytes of each
 * value, in the byte order of the machine, are the time at which the producer was to send it, whether or not it could,
 * so a stall counts for all records that were due in it (no coordinated omission). The clock is CLOCK_MONOTONIC: on
 * Linux {@code System.nanoTime} reads that, and it is the same for all processes of a machine. Producer and clients
 * therefore run on one machine; brokers need not.
 */
package org.odradek.benchmarks.rig;
