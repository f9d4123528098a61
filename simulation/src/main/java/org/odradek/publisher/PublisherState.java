// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/** The memory of a publisher. It is in the publisher's package because a user only has a sentence that describes it. */
public final class PublisherState
{
    private final PublisherResources resources;

    public PublisherState(final Publisher publisher)
    {
        resources = publisher.resources;
    }

    public long heldBytes()
    {
        return resources.budget.heldBytes();
    }

    public long budgetBytes()
    {
        return resources.budget.budgetBytes();
    }

    public boolean areAllBatchesFree()
    {
        return resources.pool.freeCount() == resources.pool.capacity();
    }
}
