// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what runs a consumer: the duty cycle, the conductor, offset lookups, the guard of polls, the recorder,
 * and mapped files. It uses all other packages except the root.
 * <p>
 * Control work runs between polls, never inside the reader. A poll ends 100 ms after it has begun to deliver. The
 * clock is read after each batch that was decompressed or skipped, else after each sixteenth; for a member before each
 * batch, and after at most 16 records or, once 16 have taken 10 ms, after each. Records that are passed over count,
 * and each poll delivers or skips something. Each cycle takes every step with the coordinator that needs no wait, and
 * a heartbeat follows a commit or a fetch of offsets that is in flight. Nothing follows a heartbeat: its answer may
 * change the epoch. {@code keepAlive} only takes those steps, and not from a callback of that connection.
 */
package org.odradek.consumer.engine;
