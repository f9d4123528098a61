// SPDX-License-Identifier: Apache-2.0

/**
 * Contains the duty cycle of a consumer, the conductor, offset lookups, the guard of polls, the recorder of
 * measurements, and the offset file.
 * <p>
 * A poll ends at the first reading of the clock 100 ms or more after the poll has begun to deliver. Without a group,
 * the clock is read after each batch that was decompressed or skipped, and otherwise after at most 16 batches. For a
 * member of a group, the clock is read before each batch, and within a batch after at most 16 records, skipped records
 * included.
 */
package org.odradek.consumer.engine;
