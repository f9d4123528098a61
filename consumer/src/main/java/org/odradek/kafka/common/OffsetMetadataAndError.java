/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.kafka.common;

/**
 * What a group has stored for a partition.
 *
 * @param offset   of the next message to read; -1 if nothing is stored.
 * @param metadata that was stored with it.
 * @param error    see {@link ErrorMapping}.
 */
public record OffsetMetadataAndError(long offset, String metadata, short error)
{
}
