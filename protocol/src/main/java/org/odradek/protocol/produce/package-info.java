// SPDX-License-Identifier: Apache-2.0

/** Internal: Produce and InitProducerId requests and responses. May use the root package only. */
package org.odradek.protocol.produce;
