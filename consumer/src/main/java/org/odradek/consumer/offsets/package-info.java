// SPDX-License-Identifier: Apache-2.0

/**
 * Offsets in a mapped file of one's own. Knows nothing of the rest of the consumer.
 */
package org.odradek.consumer.offsets;
