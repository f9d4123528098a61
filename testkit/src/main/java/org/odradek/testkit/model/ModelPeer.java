// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.model;

/** Serves a {@link ModelBroker} over a real socket. */
public final class ModelPeer
{
}
