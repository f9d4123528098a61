// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.protocol.record.Record;

import java.util.concurrent.locks.LockSupport;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Main class of a JVM with a member that has two workers, until it is killed. It prints each record when it is
 * processed: partition, offset, key, value.
 */
public final class MemberMain
{
    private static final long RECORD_NS = 200_000;

    private MemberMain()
    {
    }

    /** @param args bootstrap servers, topic. */
    @SuppressWarnings("resource")    // it is killed
    public static void main(final String[] args)
    {
        final ConsumerContext context = SharedBroker.context(args[0], args[1], GroupProtocol.CLASSIC);
        // The next member waits for the end of this one's session.
        context.group().sessionTimeoutMs(3_000).fenceAfterMs(GroupSettings.FENCE_AFTER_INTERVALS);
        new RunningWorkers(Workers.connect(context,
            new WorkerSettings(2, (worker) -> (record) ->
            {
                LockSupport.parkNanos(RECORD_NS);
                System.out.println(text(record));
                return null;
            })), (worker) -> worker, (thrown) -> System.err.println("thrown: " + thrown));
    }

    private static String text(final Record record)
    {
        return record.partition() + " " + record.offset() + " " + US_ASCII.decode(record.keyByteBuffer()) + " " +
            US_ASCII.decode(record.valueByteBuffer());
    }
}
