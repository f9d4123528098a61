// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Why offsets were skipped.
 */
public enum GapReason
{
    /**
     * The broker's log no longer held the offset wanted, and the reset policy chose a later one.
     */
    OUT_OF_RANGE,
    /**
     * The bytes of a batch could not be what they claimed to be, and the corruption policy is to skip such a batch.
     */
    CORRUPT_BATCH
}
