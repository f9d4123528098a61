// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.timeline.SnapshotRegistry;

import java.util.List;

/** Answers DescribeGroups requests: classic groups as the coordinator knows them, each group by itself. */
final class DescribeGroupsApi implements ModelBroker.Api
{
    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final ModelGroups groups = request.broker().cluster().groups();
        final DescribeGroupsResponseData response =
            new DescribeGroupsResponseData().setThrottleTimeMs(request.throttleMs());
        for (final String group : ((DescribeGroupsRequestData)request.message()).groups())
        {
            final Errors error = groups.error(request.broker());
            response.groups().add(error == Errors.NONE ?
                groups.read((shard) -> shard.describeGroups(
                    new RequestContext(request), List.of(group), SnapshotRegistry.LATEST_EPOCH)).get(0) :
                new DescribedGroup().setGroupId(group).setErrorCode(error.code()));
        }
        return response;
    }
}
