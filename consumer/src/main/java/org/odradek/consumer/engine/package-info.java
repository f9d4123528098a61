// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what runs a consumer: the duty cycle, the conductor, offset lookups, the guard of polls, the recorder,
 * and mapped files. It uses all other packages except the root.
 * <p>
 * Control work runs between polls, never inside the reader. A poll ends 100 ms after it has begun to deliver. The clock
 * is read after each batch that was decompressed or skipped, and after every sixteenth of the other batches. For a
 * member of a group, it is read before each batch and after at most 16 records; once 16 records have taken 10 ms, it is
 * read after each record. Skipped records count, and each poll delivers or skips at least one batch or record. Each
 * cycle takes every step with the coordinator that needs no wait. A heartbeat may be sent while a commit or a fetch of
 * offsets is in flight. No request is sent while a heartbeat is in flight, because its answer may change the epoch.
 * {@code keepAlive} takes only these steps, and does nothing in a callback of the connection to the coordinator.
 */
package org.odradek.consumer.engine;
