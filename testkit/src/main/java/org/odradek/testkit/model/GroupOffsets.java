// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.model;

/** The committed offsets of all groups of a {@link ModelCluster}. */
public final class GroupOffsets
{
}
