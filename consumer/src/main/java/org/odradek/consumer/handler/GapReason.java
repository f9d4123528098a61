// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * The reasons for which offsets are skipped.
 */
public enum GapReason
{
    /** The log did not contain the requested offset, and the reset policy chose a later one. */
    OUT_OF_RANGE,
    /** A batch was corrupt, and the policy for corrupt batches is to skip them. */
    CORRUPT_BATCH
}
