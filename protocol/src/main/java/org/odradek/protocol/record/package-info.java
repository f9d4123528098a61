// SPDX-License-Identifier: Apache-2.0

/**
 * Record batches and records, read in place, and batches that are written in place. Users receive
 * {@link org.odradek.protocol.record.Record}, {@link org.odradek.protocol.record.StoredBatch} and
 * {@link org.odradek.protocol.record.RecordHeadersFlyweight}; the other classes are internal. May use the root package
 * only.
 */
package org.odradek.protocol.record;
