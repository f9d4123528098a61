// SPDX-License-Identifier: Apache-2.0

/** Internal: Fetch requests and responses, versions 4 to 18. May use the root package only. */
package org.odradek.protocol.fetch;
