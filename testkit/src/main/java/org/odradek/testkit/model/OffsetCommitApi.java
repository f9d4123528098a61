// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.model;

import org.apache.kafka.common.protocol.ApiMessage;

final class OffsetCommitApi implements ModelBroker.Api
{
    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        throw new UnsupportedOperationException("not yet");
    }
}
