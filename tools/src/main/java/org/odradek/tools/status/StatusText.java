// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.agrona.concurrent.errors.ErrorLogReader;
import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.protocol.PrintableText;
import org.odradek.tools.Table;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The contents of a counters file as text for a terminal or a pipe.
 */
final class StatusText
{
    private static final DateTimeFormatter TIME =
        DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());
    private static final double MS_PER_SECOND = 1_000;

    private StatusText()
    {
    }

    /**
     * Returns a sentence that names the client and says whether it still runs.
     */
    static String state(final CountersFileReader file, final long nowMs)
    {
        final boolean isPublisher = file.kind() == ClientKind.PUBLISHER;
        final String whose = (isPublisher ? "Publisher" : "Topic " + file.topic()) + ", process " + file.pid() +
            ", since " + time(file.startMs());
        if (file.endMs() != 0)
        {
            return whose + ", closed at " + time(file.endMs()) + ": these are its last values.";
        }
        final String polled = file.lastPollMs() == 0 ? isPublisher ? "never worked" : "never polled" :
            String.format(Locale.ROOT, isPublisher ? "last worked %.1f s ago" : "last polled %.1f s ago",
            file.pollAgeMs(nowMs) / MS_PER_SECOND);
        return file.isRunning() ? whose + ", " + polled + "." : whose + ", ended without closing (or runs in " +
            "another container), " + polled + ": these are its last values.";
    }

    private static String time(final long ms)
    {
        return TIME.format(Instant.ofEpochMilli(ms));
    }

    /**
     * @param counters of a file.
     * @param before   earlier values of the same ones, or null to show no rates. Those of workers may be missing.
     * @param seconds  between the two.
     */
    static String counters(final List<ShownCounter> counters, final List<ShownCounter> before, final double seconds)
    {
        final Table table =
            before == null ? new Table("counter", "value") : new Table("counter", "value", "per second");
        for (int i = 0; i < counters.size(); i++)
        {
            final ShownCounter counter = counters.get(i);
            if (before == null)
            {
                table.row(counter.name(), number(counter.value()));
            }
            else
            {
                table.row(counter.name(), number(counter.value()), counter.isGauge() || i >= before.size() ? "" :
                    Table.figure((counter.value() - before.get(i).value()) / seconds));
            }
        }
        return table.toText();
    }

    static String lags(final CountersFileReader file)
    {
        final long[] nextOffsets = file.partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID);
        final long[] highWatermarks = file.partitionValues(CountersFileReader.HIGH_WATERMARK_TYPE_ID);
        final long[] lags = file.partitionValues(CountersFileReader.LAG_TYPE_ID);
        final Table table = new Table("partition", "next offset", "high watermark", "lag");
        long total = 0;
        for (int p = 0; p < lags.length; p++)
        {
            if (at(nextOffsets, p) >= 0 || at(highWatermarks, p) >= 0)
            {
                table.row(String.valueOf(p), offset(at(nextOffsets, p)), offset(at(highWatermarks, p)),
                    offset(lags[p]));
                total += Math.max(0, lags[p]);
            }
        }
        return table.row("all", "", "", number(total)).toText();
    }

    /**
     * The distinct errors, oldest first.
     */
    static String errors(final CountersFileReader file)
    {
        final StringBuilder text = new StringBuilder();
        final int count = ErrorLogReader.read(file.errorLog(), (observations, firstMs, lastMs, error) ->
            text.append(observations == 1 ? "once, at " + time(firstMs) :
                observations + " times, from " + time(firstMs) + " to " + time(lastMs)).append('\n')
                .append(printable(error).indent(4)));
        final long lost = file.total(ConsumerCounters.ERRORS_NOT_LOGGED);
        return text.append(count == 0 ? "no errors\n" : "")
            .append(lost == 0 ? "" : number(lost) + " more did not fit into the log\n").toString();
    }

    /** Another process has written the file, and an error may quote anything. A stack trace has lines with tabs. */
    private static String printable(final String error)
    {
        return error.strip().lines()
            .map((line) -> PrintableText.of(line.replace("\t", "    "), PrintableText.MAX_SENTENCE_LENGTH))
            .collect(Collectors.joining("\n"));
    }

    private static long at(final long[] values, final int partition)
    {
        return partition < values.length ? values[partition] : CountersFileReader.NULL_VALUE;
    }

    private static String offset(final long value)
    {
        return value < 0 ? "-" : number(value);
    }

    private static String number(final long value)
    {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
