// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A temporary topic of one partition in a cluster that the demo did not start. It has a unique name, and is deleted on
 * close or when this JVM ends.
 */
final class DemoTopic implements AutoCloseable
{
    private static final int REQUEST_TIMEOUT_MS = 10_000;

    private final String bootstrap;
    private final String name = "odradek-demo-" + UUID.randomUUID();
    // Atomic: the shutdown hook and close may run at the same time.
    private final AtomicBoolean isDeleted = new AtomicBoolean();
    private final Thread atExit = new Thread(this::delete, "demo-topic-at-exit");

    DemoTopic(final String bootstrap) throws InterruptedException
    {
        this.bootstrap = bootstrap;
        try (Admin admin = admin())
        {
            Runtime.getRuntime().addShutdownHook(atExit);
            admin.createTopics(List.of(new NewTopic(name, Optional.of(1), Optional.empty()))).all().get();
            // The client retries until the leader knows the partition; records sent earlier may be refused.
            admin.listOffsets(Map.of(new TopicPartition(name, 0), OffsetSpec.latest())).all().get();
        }
        catch (final ExecutionException ex)
        {
            Runtime.getRuntime().removeShutdownHook(atExit);
            throw new IllegalStateException(
                "No topic can be created at " + bootstrap + ": " + ex.getCause().getMessage());
        }
    }

    String name()
    {
        return name;
    }

    @Override
    public void close()
    {
        delete();
        try
        {
            Runtime.getRuntime().removeShutdownHook(atExit);
        }
        catch (final IllegalStateException ex)
        {
            // The JVM is exiting and runs the hook, which does nothing for a deleted topic.
            return;
        }
    }

    private void delete()
    {
        if (!isDeleted.compareAndSet(false, true))
        {
            return;
        }
        try (Admin admin = admin())
        {
            admin.deleteTopics(List.of(name)).all().get(REQUEST_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        }
        catch (final Exception ex)
        {
            System.err.println("The topic " + name + " at " + bootstrap + " could not be deleted: " + ex.getMessage());
        }
    }

    private Admin admin()
    {
        return Admin.create(Map.of(
            "bootstrap.servers", bootstrap,
            "request.timeout.ms", REQUEST_TIMEOUT_MS,
            "default.api.timeout.ms", REQUEST_TIMEOUT_MS));
    }
}
