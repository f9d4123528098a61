// SPDX-License-Identifier: Apache-2.0

/**
 * Record batches and records, read in place, and batches that are written in place. The API consists of {@link
 * org.odradek.protocol.record.Record}, {@link org.odradek.protocol.record.StoredBatch}, {@link
 * org.odradek.protocol.record.RecordHeadersFlyweight} and {@link org.odradek.protocol.record.CompressionType}; the
 * other classes are internal. May use the root package only.
 */
package org.odradek.protocol.record;
