// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.tools.Table;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The figures of a process at one time of a soak.
 *
 * @param hours   since the start of the run.
 * @param figures in the order of {@link SoakQuantity}.
 */
record SoakSample(double hours, double... figures)
{
    double figure(final SoakQuantity quantity)
    {
        return figures[quantity.ordinal()];
    }

    /** Returns the minutes since the start of the run, with their unit. */
    String time()
    {
        return String.format(Locale.ROOT, "%.1f min", TimeUnit.HOURS.toMinutes(1) * hours).replace(".0 ", " ");
    }

    /** Returns a line with the time and all figures. */
    String toText()
    {
        return time() + ": " + Arrays.stream(SoakQuantity.values())
            .map((quantity) -> quantity.text + " " + Table.figure(figure(quantity)) +
                (quantity.unit.isEmpty() ? "" : " " + quantity.unit))
            .collect(Collectors.joining(", "));
    }
}
