// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what runs a consumer: the duty cycle, the conductor, offset lookups, the guard of polls, the recorder,
 * and mapped files. It uses all other packages except the root.
 * <p>
 * Control work runs between polls, never inside the reader. A poll ends at the first reading of the clock 100 ms or
 * more after the poll has begun to deliver. Without a group, the clock is read after each batch that was decompressed
 * or skipped, and otherwise after a number of batches. For a member of a group, the clock is read before each batch,
 * and within a batch after a number of records, skipped records included. This number is at most 16. It becomes 1 when
 * two readings are 10 ms or more apart, and doubles, up to 16, with each faster reading before which something was
 * delivered. Each poll that has a response to deliver delivers or skips at least one batch or record, unless delivery
 * is fenced. Each cycle takes every step with the coordinator that needs no wait. A heartbeat may be sent while a
 * commit or a fetch of offsets is in flight. No request is sent while a heartbeat is in flight, because the answer may
 * change the epoch. {@code keepAlive} takes only steps with the coordinator, and does nothing in a callback of the
 * connection to the coordinator.
 */
package org.odradek.consumer.engine;
