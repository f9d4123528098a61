// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.odradek.benchmarks.live.ClientKind;

/**
 * Who is measured; all wait in their polls.
 */
enum SleClient
{
    ODRADEK(ClientKind.ODRADEK),
    STOCK(ClientKind.STOCK),
    STOCK_DEFAULTS(ClientKind.STOCK_DEFAULTS);

    private final ClientKind kind;

    SleClient(final ClientKind kind)
    {
        this.kind = kind;
    }

    ClientKind kind()
    {
        return kind;
    }

    String client()
    {
        return kind.client();
    }
}
