// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.latency;

import org.odradek.benchmarks.live.ClientKind;
import org.odradek.benchmarks.live.ClientSettings;

import java.util.List;

/**
 * Who is measured: a client, and how it waits.
 *
 * @param client     its name in rows.
 * @param kind       what it is.
 * @param isSpinning whether it polls without a wait.
 * @param isPinned   whether its polling thread has the last core for itself, as far as it can.
 */
record LatencyClient(String client, ClientKind kind, boolean isSpinning, boolean isPinned)
{
    static final LatencyClient ODRADEK_SPIN = new LatencyClient("odradek-spin", ClientKind.ODRADEK, true, false);
    static final LatencyClient BARE_SPIN = new LatencyClient("bare-loop", ClientKind.BARE_LOOP, true, false);
    static final LatencyClient STOCK = new LatencyClient("stock", ClientKind.STOCK, false, false);
    static final List<String> STOCK_CLIENTS = List.of("stock", "stock-spin", "stock-defaults");

    static final List<LatencyClient> ALL = List.of(
        ODRADEK_SPIN,
        new LatencyClient("odradek", ClientKind.ODRADEK, false, false),
        new LatencyClient("odradek-pinned", ClientKind.ODRADEK, true, true),
        BARE_SPIN,
        new LatencyClient("bare-loop-blocking", ClientKind.BARE_LOOP, false, false),
        STOCK,
        new LatencyClient("stock-spin", ClientKind.STOCK, true, false),
        new LatencyClient("stock-defaults", ClientKind.STOCK_DEFAULTS, false, false),
        new LatencyClient("stock-new", ClientKind.STOCK_NEW, false, false));

    static final List<LatencyClient> QUICK = List.of(ODRADEK_SPIN, ALL.get(1), BARE_SPIN, STOCK);

    ClientSettings settings(final String bootstrap, final String topic)
    {
        final ClientSettings settings = ClientSettings.of(kind, bootstrap, topic, 0);
        final ClientSettings polling = isSpinning ? settings.spinning() : settings;
        return isPinned ? polling.pinnedTo(Runtime.getRuntime().availableProcessors() - 1) : polling;
    }
}
