// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.odradek.protocol.record.Record;

import java.util.ArrayList;
import java.util.List;

/** Main class of a JVM whose handler keeps the record of a worker. It prints what a later use of the record throws. */
public final class KeepMain
{
    private KeepMain()
    {
    }

    /** No arguments. */
    public static void main(final String[] args)
    {
        final List<Record> kept = new ArrayList<>();
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.handler = (record) ->
            {
                kept.add(record);
                return null;
            };
            fixture.record(3, "0a").dispatch();
            fixture.work(0);
            System.out.println(fixture.handled);
            System.out.println(kept.get(0).offset());
        }
        catch (final IllegalStateException ex)
        {
            System.out.println(ex.getMessage());
        }
    }
}
