/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Fetch requests and responses, versions 4 to 18. May use the root package only.
 */
package org.odradek.protocol.fetch;
