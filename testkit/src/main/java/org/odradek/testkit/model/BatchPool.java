// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.model;

/** A pool of {@link BatchTemplate}s, drawn once from a seed. */
public final class BatchPool
{
}
