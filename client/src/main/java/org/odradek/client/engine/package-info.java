// SPDX-License-Identifier: Apache-2.0

/** Internal: contains what the engines of all clients share, such as waiting, the owner thread and the resources. */
package org.odradek.client.engine;
