// SPDX-License-Identifier: Apache-2.0

/** Internal: requests and responses off the hot path. May use the root package only. */
package org.odradek.protocol.control;
