/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.kafka.javaapi;

import java.util.List;

/**
 * Where the leaders of topics are.
 *
 * @param topicsMetadata one for each topic.
 */
public record TopicMetadataResponse(List<TopicMetadata> topicsMetadata)
{
}
