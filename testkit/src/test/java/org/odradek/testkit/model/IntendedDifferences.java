// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.model;

import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * All fields in which the responses of the model may differ from those of a real broker, with the reasons. Everything
 * else is compared.
 */
final class IntendedDifferences
{
    private IntendedDifferences()
    {
    }

    /** Makes the fields that may differ equal. */
    static void remove(final ApiMessage real, final ApiMessage model)
    {

                   if (real instanceof ApiVersionsResponseData realVersions && model instanceof ApiVersionsResponseData modelVersions)
        {
            // The model has the APIs that a consumer uses; of these the ranges must be equal.
            realVersions.apiKeys().removeIf((api) -> modelVersions.apiKeys().find(api.apiKey()) == null);
            realVersions.apiKeys().sort((a, b) -> Short.compare(a.apiKey(), b.apiKey()));
            modelVersions.apiKeys().sort((a, b) -> Short.compare(a.apiKey(), b.apiKey()));
            // The model has no features: no client of it uses them.
            realVersions.supportedFeatures().clear();
            realVersions.finalizedFeatures().clear();
            realVersions.setFinalizedFeaturesEpoch(modelVersions.finalizedFeaturesEpoch());
        }
        if (real instanceof FetchResponseData realFetch && model instanceof FetchResponseData modelFetch)
        {
            // Brokers draw the ids of sessions at random; that one is granted must be equal.
            realFetch.setSessionId(Integer.signum(Math.abs(realFetch.sessionId())));
            modelFetch.setSessionId(Integer.signum(Math.abs(modelFetch.sessionId())));
        }
    }
}
