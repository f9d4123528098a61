// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.common.ErrorMapping;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * The result of storing offsets.
 *
 * @param errors an error code for each partition, see {@link ErrorMapping}.
 */
public record OffsetCommitResponse(Map<TopicAndPartition, Short> errors)
{
    public boolean hasError()
    {
        for (final short error : errors.values())
        {
            if (error != ErrorMapping.NoError())
            {
                return true;
            }
        }
        return false;
    }

    public short errorCode(final TopicAndPartition partition)
    {
        return errors.get(partition);
    }
}
