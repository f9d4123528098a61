// SPDX-License-Identifier: Apache-2.0

/**
 * Workers on several threads that share the records of one consumer by key, in order, and commits that never pass a
 * record which is not processed. {@link org.odradek.workers.Workers} is where to begin. One thread polls and copies
 * each record into the ring of a worker; the thread of the worker handles it there. What the threads share is in {@code
 * WorkerRing}, {@code Fences} and {@code WorkerCounters}; everything else belongs to one thread.
 */
package org.odradek.workers;
