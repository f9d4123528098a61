// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * The records that the golden files describe, one per line. The marker that ends a transaction decides whether its
 * records are committed or aborted.
 */
final class GoldenLines
{
    private static final HexFormat HEX = HexFormat.of();
    private static final String NOTHING = "-";

    private final List<String[]> lines = new ArrayList<>();
    private final Map<Long, List<String[]>> open = new HashMap<>();

    /** Sets the producer of the records that follow, up to the next call. */
    private List<String[]> transaction;

    void beginBatch(final long producerId, final boolean isTransactional)
    {
        transaction = isTransactional ? open.computeIfAbsent(producerId, (id) -> new ArrayList<>()) : null;
    }

    void endTransaction(final long producerId, final boolean isAborted)
    {
        for (final String[] line : open.remove(producerId))
        {
            line[2] = isAborted ? "aborted" : "committed";
        }
    }

    void add(final long offset, final long timestamp, final byte[] key, final byte[] value, final String headers)
    {
        final String[] line =
        {
            Long.toString(offset), Long.toString(timestamp), transaction == null ? "committed" : "open", hex(key),
            value == null ? NOTHING : Integer.toString(value.length), value == null ? NOTHING : crc(value), headers
        };
        lines.add(line);
        if (transaction != null)
        {
            transaction.add(line);
        }
    }

    static String header(final byte[] key, final byte[] value)
    {
        return hex(key) + "=" + hex(value);
    }

    private static String hex(final byte[] bytes)
    {
        return bytes == null ? NOTHING : HEX.formatHex(bytes);
    }

    private static String crc(final byte[] bytes)
    {
        final CRC32 crc = new CRC32();
        crc.update(bytes);
        return HEX.toHexDigits((int)crc.getValue());
    }

    List<String> lines()
    {
        return lines.stream().map((line) -> String.join("\t", line)).toList();
    }
}
