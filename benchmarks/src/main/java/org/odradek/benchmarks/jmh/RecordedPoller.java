// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.handler.Poller;

/**
 * Stands where the sockets of the system would: every socket is a {@link RecordedSocket}, connected and ready at once.
 */
final class RecordedPoller implements Poller
{
    private final RecordedAnswers answers;

    RecordedPoller(final RecordedAnswers answers)
    {
        this.answers = answers;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return new RecordedSocket(answers);
    }

    /** There is always an answer to be read. */
    @Override
    public int await(final long timeoutNs)
    {
        return 1;
    }

    @Override
    public void wakeup()
    {
    }

    @Override
    public String description()
    {
        return "recorded";
    }

    @Override
    public void close()
    {
    }
}
