// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.capture.FrameCapture;
import org.odradek.consumer.net.BrokerConnection;

/**
 * Has the responses of one broker captured, where that is wanted: each as it came, with what of it was taken in and the
 * offsets that had been asked for.
 */
final class FetchCapture
{
    private final int nodeId;
    private final FrameCapture capture;
    private final FetchTopic topic;
    private final FetchSession session;

    FetchCapture(final int nodeId, final FrameCapture capture, final FetchTopic topic, final FetchSession session)
    {
        this.nodeId = nodeId;
        this.capture = capture;
        this.topic = topic;
        this.session = session;
    }

    /**
     * A response has been read as far as it can be. One that is larger than the receive buffer may become is not there
     * as a whole, and left out: its error has been told.
     *
     * @param setCount how many record sets of the frame will be delivered.
     */
    void onResponse(final BrokerConnection connection, final int version, final FetchFrame frame, final int setCount)
    {
        if (capture.isOn() && !connection.isResponseOversized() &&
            capture.begin(nodeId, version, setCount, connection.responseLimit()))
        {
            capture.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits());
            for (int i = 0; i < setCount; i++)
            {
                capture.set(frame.partition(i), session.offset(frame.partition(i)));
            }
            capture.end(connection.responseMemory().buffer(), 0);
        }
    }
}
